import { randomUUID } from 'node:crypto';
import { type AuthorisationFixture, type Credential } from './authorisation-fixture';
import { lastPart } from './ceremonies';
import { confirmedTokens } from './confirmed-tokens';
import { type DataUser, customerToken, identityRecord, newCustomer, newMpxn } from './customers';
import { graphAs, graphOf } from './graph';
import { passkeyStep } from './passkey-step';
import { legacyConsent, registered } from './records';
import type { SharedRegister } from './register';
import { type RestClient, anonymousClient, good } from './rest-client';
import { ASSIGN, PUBLISH, tariffInput } from './tariff-graph';
import { until } from './until';

/** The identifiers of an object, by name. */
export type Identifiers = Readonly<Record<string, string>>;

/** Objects by the names of {@link MAKERS}, each created when it is first needed. */
export interface AuthorisationObjects {
  get(name: string): Promise<Identifiers>;
  /** Marks an object as ended: the next `get` creates a new one. */
  usedUp(name: string): void;
  /** Ends the consent of the consumer, if it exists. */
  end(name: 'tariff consent of consumer'): Promise<void>;
}

/** Returns the objects of a fixture. */
export function authorisationObjects(fixture: AuthorisationFixture): AuthorisationObjects {
  const made = new Map<string, Promise<Identifiers>>();
  const objects: AuthorisationObjects = {
    get(name) {
      const maker = MAKERS[name];
      if (!maker) throw new Error(`unknown object: ${name}`);
      const object = made.get(name) ?? maker(fixture, objects);
      made.set(name, object);
      return object;
    },
    usedUp: (name) => void made.delete(name),
    async end(name) {
      const { registration_id: id } = await objects.get(name);
      const { rest } = fixture.register;
      good(await anonymousClient(rest)('DELETE', `/v1/consent/${id}`, undefined, { ...fixture.credentials.consumer }));
      made.delete(name);
    },
  };
  return objects;
}

type Maker = (fixture: AuthorisationFixture, objects: AuthorisationObjects) => Promise<Identifiers>;

const ofDataUser = (
  name: string,
  make: (by: DataUser, fixture: AuthorisationFixture, customer: Identifiers) => Promise<Identifiers>,
): Record<string, Maker> =>
  Object.fromEntries(
    (['owner', 'other'] as const).map((who) => [
      `${name} of ${who}`,
      async (fixture, objects) =>
        make(fixture.organisations[who], fixture, name === 'customer' ? {} : await objects.get(`customer of ${who}`)),
    ]),
  );

/** Functions that create each kind of object, as its owner would. */
const MAKERS: Readonly<Record<string, Maker>> = {
  ...ofDataUser('customer', async (by) => {
    const { mpxn, email, ir, key } = await newCustomer(by);
    return { mpxn, email, ir, ak: key, duid: by.duid };
  }),
  ...ofDataUser('identity record', async ({ rest }) => {
    const mpxn = newMpxn();
    const { body } = good(await rest('POST', '/v1/identity-records', identityRecord(mpxn, null)));
    return { mpxn, ir: String(body['ir']) };
  }),
  ...ofDataUser('credential', credential),
  ...ofDataUser('webhook', async ({ rest }) => webhook(rest)),
  ...ofDataUser('token', async ({ rest }, _, { mpxn }) => token(rest, '/v1/identity-records/reidentify', { mpxn })),
  ...ofDataUser('own token', async ({ rest }, _, { ir }) => ({
    ...(await token(rest, `/v1/identity-records/${ir}/re-identify`, {})),
    ir: String(ir),
  })),
  ...ofDataUser('consent', async ({ rest, duid }) => {
    const mpxn = newMpxn();
    const { body } = good(await rest('POST', '/register-consent', legacyConsent(duid, mpxn)));
    return { mpxn, ck: String(body['consent-token'].key) };
  }),
  'token of portal': async ({ organisations: { portal } }, objects) => {
    const { mpxn } = await objects.get('customer of owner');
    return token(portal.rest, '/v1/identity-records/reidentify', { mpxn });
  },
  'proof of portal': async ({ register, organisations: { portal } }, objects) => {
    const { mpxn = '', email = '' } = await objects.get('customer of owner');
    const [tokenRef = ''] = await confirmedTokens(register, portal, { mpxn, email }, 1);
    return { mpxn, tokenRef };
  },
  'alias of portal': async ({ organisations: { portal } }, objects) => {
    objects.usedUp('customer of owner');
    objects.usedUp('proof of portal');
    const { mpxn, tokenRef } = await objects.get('proof of portal');
    objects.usedUp('proof of portal');
    const path = `/v1/meter-points/${mpxn}/access-records?reidentification-token=${tokenRef}`;
    const { body } = good(await portal.rest('GET', path));
    objects.usedUp('customer of owner');
    return { ak: String(body['access-records'][0].ak) };
  },
  'record of customer': async ({ register, customer, credentials, organisations }) => {
    await registered(organisations.owner.rest, customer.ir);
    return newestRecord(register, credentials.customer);
  },
  'record of another': async ({ register, organisations }) => {
    const stranger = await newCustomer(organisations.owner);
    return newestRecord(register, { authorization: `Bearer ${await customerToken(register, stranger)}` });
  },
  'business of suppliers': businessOfSuppliers,
  'assignment of supplier': async ({ parties }) => {
    const mpxn = newMpxn();
    const from = new Date(Date.now() - 3_600_000).toISOString();
    await parties.admin(ASSIGN, { mpxn, tariffId: parties.tariffId, from });
    return { mpxn };
  },
  'dynamic tariff of supplier': async ({ parties }) => {
    const tariffId = `trf_${randomUUID().replaceAll('-', '')}`;
    const input = tariffInput(0, { tariffId, mpid: parties.supplier.mpid, tariffType: 'DYNAMIC' });
    await parties.admin(PUBLISH, { input });
    return { tariffId };
  },
  'upload of admin': async ({ register }) => {
    const input = { area: 'EPN', publicationYear: 2026, period: '02', projectId: 'Refused' };
    const prepare = 'mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }';
    const { data } = await (await graphAs(register, 'admin'))(prepare, { input });
    return { token: lastPart(String(data.prepareGridPublication.address)) };
  },
  'tariff consent of consumer': ({ register, credentials }) => tariffConsent(register.rest, credentials.consumer),
  'tariff consent of stranger': ({ register, stranger }) => tariffConsent(register.rest, stranger),
  'tariff webhook of consumer': ({ register, credentials }) => tariffWebhook(register.rest, credentials.consumer),
  'tariff webhook at rival': ({ register, atRival }) => tariffWebhook(register.rest, atRival),
};

/** Returns a valid report of a supplier. */
export const REPORT = {
  period_start: '2026-10-01T00:00:00.000Z',
  period_end: '2026-11-01T00:00:00.000Z',
  total_requests: 48211,
  notifications_issued: 129,
  availability_pct: 99.97,
  success_pct: 99.2,
  response_time_ms: { p50: 41, p95: 180, p99: 420 },
};

async function credential({ rest, returnUrl }: DataUser, { register }: AuthorisationFixture): Promise<Identifiers> {
  const { body } = good(
    await rest('POST', '/v1/identity-records', {
      ...identityRecord(newMpxn(), null),
      'initiate-passkey-registration': true,
      'passkey-return-url': returnUrl,
    }),
  );
  const ir = String(body['ir']);
  await passkeyStep(register)(new URL(String(body['passkey-registration-redirect'])));
  const read = good(await rest('GET', `/v1/identity-records/${ir}`));
  return { ir, credentialId: String(read.body['identity-record'].credentials[0]['credential-id']) };
}

let webhooks = 0;

/** Returns a new subscription whose URL is unreachable. */
export function webhookBody(): Record<string, string> {
  return { 'callback-url': `https://nowhere.example/${++webhooks}`, 'alert-email': 'operations@nowhere.example' };
}

async function webhook(rest: RestClient): Promise<Identifiers> {
  const { body } = good(await rest('POST', '/v1/webhooks', webhookBody()));
  const wid = String(body['webhook'].wid);
  const tested = good(await rest('POST', `/v1/webhooks/${wid}/test`));
  return { wid, 'event-id': String(tested.body['event-id']) };
}

async function token(rest: RestClient, path: string, body: object): Promise<Identifiers> {
  const response = good(await rest('POST', path, { ...body, method: 'magic-link' }));
  return { 'token-ref': String(response.body['magic-link']['token-ref']) };
}

/** Returns the internal id of the first record in a customer's list. */
async function newestRecord({ gateway }: SharedRegister, { authorization }: Credential): Promise<Identifiers> {
  const query = '{ customerAccessRecords(part: CURRENT, first: 1) { nodes { id } } }';
  const { data } = await graphOf({ gateway }, authorization?.replace('Bearer ', ''))(query);
  return { id: String(data.customerAccessRecords.nodes[0].id) };
}

/** Creates a report, a webhook, an active consent and an event for each of two suppliers. */
async function businessOfSuppliers({ register, parties, credentials, atRival }: AuthorisationFixture) {
  for (const by of [credentials.key, { 'x-supplier-api-key': parties.otherSupplier.apiKey }])
    good(await anonymousClient(register.rest)('POST', '/v1/report', REPORT, { ...by }));
  for (const by of [credentials.consumer, atRival]) {
    await tariffWebhook(register.rest, by);
    const { registration_id: id } = await tariffConsent(register.rest, by);
    await parties.admin('mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }', {
      id,
    });
    await tariffConsent(register.rest, by);
  }
  await firstEvent(parties, parties.otherSupplier.mpid);
  return { event: await firstEvent(parties, parties.supplier.mpid) };
}

/** Waits for an event of a supplier; returns its id. */
function firstEvent({ admin }: AuthorisationFixture['parties'], mpid: string): Promise<string> {
  const query = 'query ($mpid: String!) { tariffEvents(filter: { mpid: $mpid }, first: 1) { nodes { id } } }';
  return until(async () => (await admin(query, { mpid })).data.tariffEvents.nodes[0]?.id as string | undefined);
}

async function tariffConsent(rest: string, credentials: Credential): Promise<Identifiers> {
  const { body } = good(await anonymousClient(rest)('POST', '/v1/consent', {}, { ...credentials }));
  return { registration_id: String(body['data'].registration_id) };
}

async function tariffWebhook(rest: string, credentials: Credential): Promise<Identifiers> {
  const sent = { webhook_url: 'https://pennywise.example/tariff-events' };
  const { body } = good(await anonymousClient(rest)('POST', '/v1/webhook', sent, { ...credentials }));
  return { webhook_id: String(body['webhook_id']) };
}
