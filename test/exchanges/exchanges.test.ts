import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type ConsumerParties, consumerParties } from '../support/consumer-parties';
import type { OpenApiDocument } from '../../rest-adapter/contract';
import { INTERFACES } from '../../rest-adapter/interfaces';
import { contractAnswers } from '../support/contract-answers';
import { type ExampleRequest, exampleRequests } from '../support/contract-examples';
import { documentedFetch } from '../support/documented-fetch';
import { type ExchangePlayer, exchangePlayer } from '../support/exchange-player';
import { readExchanges } from '../support/http-file';
import type { Variables } from '../support/placeholders';
import { type TestRegister, type Wiring, startTestRegister, usualWirings } from '../support/register';

const WIRINGS: Wiring[] = ['one process', 'a process each'];
const contract = contractAnswers();

const filesOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.http'))
    .map((name) => ({ name, exchanges: readExchanges(join(folder, name)) }));

/** Files that ask for rate limits are played against a register that has them. */
const FOLDERS = [
  { rates: 'without rate limits', folder: __dirname, environment: {} },
  { rates: 'with rate limits', folder: join(__dirname, 'limited'), environment: { RATE_LIMITS: 'on' } },
];

const had = new Map(WIRINGS.map((wiring) => [wiring, new Set<string>()]));

/** Limits are counted by the same subgraphs in both wirings: as a process each in the long form only. */
const foldersOf = (wiring: Wiring) => (usualWirings().includes(wiring) ? FOLDERS : FOLDERS.slice(0, 1));

describe.each(WIRINGS)('The register, %s,', (wiring) => {
  describe.each(foldersOf(wiring))('$rates', ({ folder, environment }) => {
    let register: TestRegister;
    let parties: ConsumerParties;
    let player: ExchangePlayer;
    beforeAll(async () => {
      register = await startTestRegister(wiring, { environment });
      parties = await consumerParties(register);
      player = await exchangePlayer(register, contract, parties);
    });
    afterAll(async () => {
      player.had.forEach((answer) => had.get(wiring)?.add(answer));
      await parties.close();
      await register.close();
    });

    describe.each(filesOf(folder))('$name', ({ exchanges }) => {
      let variables: Variables;
      beforeAll(() => {
        variables = new Map(player.variables);
      });
      afterAll(() => setClockBack(register.databaseUrl));
      it.each(exchanges)('$title', async (exchange) => {
        expect(await player.play(exchange, variables)).toEqual([]);
      });
    });

    // Only a register in one process shows the values of its sandbox as examples.
    if (folder !== __dirname || wiring !== 'one process') return;
    it.each(INTERFACES)('gives good answers to the examples of $name, as its document is served', async (of) => {
      const document = (await (await fetch(`${register.rest}${of.documentPath}`)).json()) as OpenApiDocument;
      const answered: string[] = [];
      for (const example of exampleRequests(document, of.basePath).toSorted(destroyingLast)) {
        const status = await statusOf(register, example, player.variables);
        if (status >= 300) answered.push(`${example.operationId} ${status}`);
      }
      expect(answered.filter((each) => !NOT_BEFOREHAND.has(each))).toEqual([]);
    });
  });

  /** Internal errors and absent dependencies are shown by the tests of reliability, an archive of 192 MiB by those of files. */
  const isShownElsewhere =
    foldersOf(wiring) === FOLDERS ? / (500|503)$|^uploadArchive 413$/ : / (429|500|503)$|^uploadArchive 413$/;
  const promised = contract.all.filter((answer) => !isShownElsewhere.test(answer));
  it.each(promised)('has given the answer that the OpenAPI document promises: %s', (answer) => {
    expect([...(had.get(wiring) ?? [])]).toContain(answer);
  });
});

/**
 * Examples that name what no document can know beforehand, since an answer told it (a subscription, a token-ref, an id of Interface D), and
 * three that ask for what the sandbox does not have: a passkey, a consent given before, an Identity Record without an ACTIVE access. A
 * callback may have been subscribed by an exchange before.
 */
const NOT_BEFOREHAND = new Set([
  ...['confirmReidentification 404', 'confirmOwnReidentification 404', 'removeCredential 404'],
  ...['readWebhook 404', 'updateWebhook 404', 'deleteWebhook 404', 'listWebhookDeliveries 404', 'redeliverEvent 404'],
  ...[
    'testWebhook 404',
    'retrieveRtiUser 404',
    'retrieveTariff 404',
    'revokeTariffConsent 404',
    'removeRtiWebhook 404',
  ],
  ...['reidentifyOwn 422', 'listCustomerTariffs 403', 'anonymiseIdentityRecord 409', 'registerWebhook 409'],
]);

const destroyingLast = (one: ExampleRequest, other: ExampleRequest) =>
  Number(one.method === 'DELETE') - Number(other.method === 'DELETE');

/** Sends an example as somebody who may; an answer that is not documented is an error. */
async function statusOf(
  { rest }: TestRegister,
  { method, target, body, tag, security }: ExampleRequest,
  variables: Variables,
): Promise<number> {
  const known = (name: string) => variables.get(name) ?? '';
  const credentials: Readonly<Record<string, Record<string, string>>> = {
    bearerToken: {
      authorization: `Bearer ${known(tag === 'Operator' ? 'communications_operator.token' : 'data_user.token')}`,
    },
    basicCredentials: { authorization: `Basic ${btoa(`${known('data_user.account')}:${known('data_user.secret')}`)}` },
    consumerToken: { authorization: `Bearer ${known('consumer')}` },
    supplierApiKey: { 'X-Supplier-API-Key': known('lark.key') },
  };
  const typed: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const { status } = await documentedFetch(`${rest}${target}`, {
    method,
    headers: { ...typed, ...credentials[security[0] ?? ''] },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return status;
}

/** A file that fails half way must not leave the others in another time. */
async function setClockBack(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('select register.set_clock_offset(0)');
  await client.end();
}
