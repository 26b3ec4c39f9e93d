import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Environment } from '../../../process/settings/environment';
import { type ConsumerParties, consumerParties } from '../../support/consumer-parties';
import type { OpenApiDocument } from '../../../rest-adapter/contract/contract';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { INTERFACES } from '../../../rest-adapter/contract/interfaces';
import { contractResponses } from '../../support/contract-responses';
import { type ExampleRequest, exampleRequests } from '../../support/contract-examples';
import { partitionByHash } from '../../support/hash-partitions';
import { documentedFetch } from '../../support/documented-fetch';
import { type ExchangePlayer, exchangePlayer } from '../../support/exchange-player';
import { readExchanges } from '../../support/http-file';
import type { Variables } from '../../support/placeholders';
import {
  type SharedRegister,
  type TestRegister,
  type Wiring,
  sharedRegister,
  startTestRegister,
  usualWirings,
} from '../../support/register';

const contract = contractResponses();

const TESTS = join(REPOSITORY_ROOT, 'test');

const FILES = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\/exchanges\/.*\.http$/.test(path))
  .toSorted()
  .map((name) => ({
    name,
    exchanges: readExchanges(join(TESTS, name)),
    text: readFileSync(join(TESTS, name), 'utf8'),
  }));
type PlayedFile = (typeof FILES)[number];

const needsLimits = ({ name }: PlayedFile) => name.includes('/limited/');
const movesTheClock = ({ text }: PlayedFile) => text.includes('setClockOffset');
const LIMITED = FILES.filter(needsLimits);
const USUAL = FILES.filter((file) => !needsLimits(file));

/** Per subject, the files whose responses involve most of its services. */
const BETWEEN_PROCESSES =
  /(idempotency|order-of-checks|unmatched|webhook-deliveries|legacy-consents|reidentification|verify|register|operator|grid|tariffs-consumer)\.http$/;
const isUsualForm = usualWirings().length === 1;

/** A register, and the files that are played against it. */
interface Play {
  readonly where: string;
  readonly wiring: Wiring;
  /** Variables of a separate register; undefined for the shared one. */
  readonly own: Environment | undefined;
  readonly isPartitioned?: true;
  readonly files: PlayedFile[];
}

/**
 * Registers against which the files run: a separate one if a file moves the clock, if its examples end demo data, or if
 * limits are counted.
 */
const PLAYS: readonly Play[] = [
  { where: 'in one process', wiring: 'one process', own: {}, files: USUAL },
  {
    where: 'over hash partitions of its hot tables',
    wiring: 'one process',
    own: {},
    isPartitioned: true,
    files: USUAL.filter(({ name }) => name.startsWith('records/')),
  },
  { where: 'with rate limits', wiring: 'one process', own: { RATE_LIMITS: 'on' }, files: LIMITED },
  ...(isUsualForm
    ? [
        {
          where: 'with a process for each service',
          wiring: 'a process each' as const,
          own: undefined,
          files: USUAL.filter((file) => BETWEEN_PROCESSES.test(file.name) && !movesTheClock(file)),
        },
      ]
    : [
        { where: 'with a process for each service', wiring: 'a process each' as const, own: {}, files: USUAL },
        {
          where: 'with a process for each service and rate limits',
          wiring: 'a process each' as const,
          own: { RATE_LIMITS: 'on' },
          files: LIMITED,
        },
      ]),
];
const START_TIME = 300_000;

const had = new Set<string>();

describe.each(PLAYS)('The register $where', ({ wiring, own, files, isPartitioned }) => {
  let register: SharedRegister & Partial<Pick<TestRegister, 'close'>>;
  let parties: ConsumerParties;
  let player: ExchangePlayer;
  beforeAll(async () => {
    register = own === undefined ? await sharedRegister(wiring) : await startTestRegister(wiring, { environment: own });
    if (isPartitioned) await partitionHotTables(register.databaseUrl);
    parties = await consumerParties(register);
    player = await exchangePlayer(register, contract, parties);
  }, START_TIME);
  afterAll(async () => {
    player?.had.forEach((response) => had.add(response));
    await parties?.close();
    await register?.close?.();
  });

  describe.each(files)('$name', ({ exchanges, ...file }) => {
    let variables: Variables;
    beforeAll(() => {
      variables = new Map(player.variables);
    });
    if (movesTheClock({ exchanges, ...file })) afterAll(() => setClockBack(register.databaseUrl));
    it.each(exchanges)('$title', async (exchange) => {
      expect(await player.play(exchange, variables)).toEqual([]);
    });
  });

  // Only a register in one process serves values of its sandbox as examples; these requests end demo data that other
  // files read.
  if (files !== USUAL || wiring !== 'one process') return;
  it.each(INTERFACES)('succeeds for the examples of $name in its served document', async (of) => {
    const document = (await (await fetch(`${register.rest}${of.documentPath}`)).json()) as OpenApiDocument;
    const received: string[] = [];
    for (const example of exampleRequests(document, of.basePath).toSorted(destroyingLast)) {
      const status = await statusOf(register, example, player.variables);
      if (status >= 300) received.push(`${example.operationId} ${status}`);
    }
    expect(received.filter((each) => !NOT_BEFOREHAND.has(each))).toEqual([]);
  });
});

describe('The responses in the OpenAPI documents', () => {
  /** Tests of reliability cover internal errors and unavailable dependencies, tests of files an archive of 192 MiB. */
  const isShownElsewhere = / (500|503)$|^(uploadArchive|checkArchive) 413$/;
  it('were all received', () => {
    const promised = contract.all.filter((response) => !isShownElsewhere.test(response));
    expect(promised.filter((response) => !had.has(response))).toEqual([]);
  });
});

/**
 * Examples with values that only an earlier response contains (a subscription, a token-ref, an id of Interface D), and
 * three that need what the sandbox lacks: a passkey, an earlier consent, an Identity Record without an ACTIVE access.
 * An earlier exchange may also have subscribed the callback.
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

/** Sends an example as a caller with permission; an undocumented response is an error. */
async function statusOf(
  { rest }: SharedRegister,
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

/** Replaces the hot tables of `access` while the register serves. */
async function partitionHotTables(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await partitionByHash(client);
  await client.end();
}

/** Resets the clock, so that a failed file does not affect the time of the others. */
async function setClockBack(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('select register.set_clock_offset(0)');
  await client.end();
}
