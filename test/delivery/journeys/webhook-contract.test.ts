import { createHmac, timingSafeEqual } from 'node:crypto';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { type OpenApiDocument, loadContract } from '../../../rest-adapter/contract/contract';
import { INTERFACE_A } from '../../../rest-adapter/contract/interfaces';
import { confirmedTokens } from '../../support/confirmed-tokens';
import {
  type Customer,
  type DataUser,
  customerToken,
  identityRecord,
  newCustomer,
  newDataUser,
} from '../../support/customers';
import { graphOf } from '../../support/graph';
import { consentRecord, registered } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { type RestClient, signedInClient } from '../../support/rest-client';
import { until } from '../../support/until';
import { type ReceivedPost, type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver';

const DAY = 86_400_000;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const CHANGE = { 'effective-date': '2099-01-31', 'source-reference': 'COT-1' };
const EVENTS = ['consent.expiring', 'tenancy.change', 'consent.withdrawal', 'webhook.test'];

/** An event of the OpenAPI document. */
interface DocumentedEvent {
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } };
  };
}

/** Returns the differences between a delivery and the OpenAPI document's `webhooks`. */
function contractOfDeliveries(document: OpenApiDocument): (post: ReceivedPost) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addFormat('mpxn', true);
  ajv.addSchema(document, 'contract');
  const { webhooks, components } = document as unknown as {
    webhooks: Record<string, { post: DocumentedEvent }>;
    components: { parameters: Record<string, { name: string; schema: object }> };
  };
  const misfits = (schema: object, value: unknown, what: string) => {
    const validate = ajv.compile({ ...schema, components });
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  };
  return ({ headers, body }) => {
    const event = JSON.parse(body) as { 'event-type': string };
    const documented = webhooks[event['event-type']]?.post;
    if (!documented) return [`${event['event-type']} is not documented`];
    const { $ref } = documented.requestBody.content['application/json'].schema;
    const inHeaders = documented.parameters.flatMap(({ $ref: reference }) => {
      const parameter = components.parameters[reference.split('/').at(-1) as string];
      if (!parameter) return [`${reference} leads nowhere`];
      const { name, schema } = parameter;
      const value = headers[name.toLowerCase()];
      return misfits(schema, 'type' in schema && schema.type === 'integer' ? Number(value) : value, name);
    });
    return [...misfits({ $ref: $ref.replace('#', 'contract#') }, event, 'body'), ...inHeaders];
  };
}

/** Verifies `X-DAR-Signature` as shown in docs/webhooks.md. */
function isGenuine(headers: ReceivedPost['headers'], body: string, secrets: readonly string[]): boolean {
  const sent = Buffer.from(String(headers['x-dar-signature']));
  return secrets.some((secret) => {
    const due = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
    return sent.length === due.length && timingSafeEqual(sent, due);
  });
}

describe('The webhook events of a Data User', () => {
  const { document } = loadContract(INTERFACE_A);
  const faultsOf = contractOfDeliveries(document);
  let register: SharedRegister;
  let receiver: WebhookReceiver;
  let operator: RestClient;
  let dataUser: DataUser;
  let customer: Customer;
  /** Another Data User with a record at the same meter point and a subscription to changes of tenancy only. */
  let other: DataUser;
  let ofOther: { readonly ak: string; readonly wid: string; readonly testId: string };
  let webhook: { readonly wid: string; readonly secret: string };
  /** The key of a consent that expires in nine and a half days. */
  let ak: string;
  beforeAll(async () => {
    receiver = await webhookReceiver();
    register = await sharedRegister();
    operator = await signedInClient(register, 'communications_operator');
    dataUser = await newDataUser(register, 'https://larkhill.example/return');
    customer = await newCustomer(dataUser);
    const { body } = await dataUser.rest('POST', '/v1/webhooks', {
      'callback-url': receiver.url,
      'alert-email': 'operations@larkhill.example',
      'notify-days-before': 14,
    });
    webhook = { wid: body['webhook'].wid, secret: body['signing-secret'] };
    other = await newDataUser(register, 'https://fernhollow.example/return');
    await everythingHappens();
  });
  afterAll(async () => {
    await receiver.close();
  });

  /** Registers a consent that expires soon, records a change of tenancy, withdraws the consent, and requests a test. */
  async function everythingHappens(): Promise<void> {
    const record = consentRecord(customer.ir);
    const expiry = new Date(Date.now() + 9.5 * DAY).toISOString();
    const ending = { ...record, 'access-event': { ...record['access-event'], expiry } };
    ak = (await dataUser.rest('POST', '/v1/access-records', ending)).body['access-token'].key;
    await received('consent.expiring');
    const theirs = await other.rest('POST', '/v1/webhooks', {
      'callback-url': receiver.url.replace('/hook', '/other'),
      'alert-email': 'operations@fernhollow.example',
      'event-types': ['tenancy.change'],
    });
    const { wid } = theirs.body['webhook'] as { wid: string };
    const identified = await other.rest('POST', '/v1/identity-records', identityRecord(customer.mpxn, null));
    const key = await registered(other.rest, identified.body['ir']);
    await operator('POST', '/v1/cot-events', { ...CHANGE, mpxn: customer.mpxn });
    const session = graphOf(register, await customerToken(register, customer));
    const { data } = await session('{ customerAccessRecords(part: CURRENT) { nodes { id expiry } } }');
    const { id } = data.customerAccessRecords.nodes.find((each: { expiry: string | null }) => each.expiry !== null);
    await session('mutation ($id: ID!) { withdrawConsent(id: $id) { revokedAt } }', { id });
    await dataUser.rest('POST', `/v1/webhooks/${webhook.wid}/test`);
    const { body } = await other.rest('POST', `/v1/webhooks/${wid}/test`);
    ofOther = { ak: key, wid, testId: body['event-id'] as string };
    for (const type of EVENTS) await received(type);
  }

  function received(type: string, at = '/hook'): Promise<ReceivedPost> {
    return until(() =>
      receiver.received.find(({ path, body }) => path === at && JSON.parse(body)['event-type'] === type),
    );
  }

  it('are exactly those that the OpenAPI document describes', () => {
    expect(Object.keys(document['webhooks'] as object).toSorted()).toEqual(EVENTS.toSorted());
    expect(receiver.received.filter(({ path }) => path === '/hook')).toHaveLength(EVENTS.length);
  });

  it.each(EVENTS)('conform to the OpenAPI document: %s', async (type) => {
    const post = await received(type);
    expect(faultsOf(post)).toEqual([]);
    const sequence = type === 'consent.withdrawal' ? 2 : 1; // after the notice of expiry of the same record
    expect(JSON.parse(post.body)).toMatchObject({ wid: webhook.wid, 'event-id': post.headers['webhook-id'], sequence });
    expect(post.headers['content-type']).toBe('application/json');
  });

  it('violate the contract if they lack a documented field', async () => {
    const post = await received('consent.withdrawal');
    const { sequence: _, payload, ...event } = JSON.parse(post.body) as { sequence: number; payload: object };
    const { 'x-dar-signature': __, ...headers } = post.headers;
    const faults = faultsOf({ ...post, headers, body: JSON.stringify({ ...event, payload: { ...payload, ak: 1 } }) });
    expect(faults).toEqual([
      "body must have required property 'sequence'",
      expect.stringMatching('^body/payload/ak must be '),
      expect.stringMatching('^X-DAR-Signature must be '),
    ]);
  });

  it.each(EVENTS)('are signed with both schemes: %s', async (type) => {
    const { headers, body } = await received(type);
    expect(isGenuine(headers, body, [webhook.secret])).toBe(true);
    expect(isGenuine(headers, `${body} `, [webhook.secret])).toBe(false);
    const triple = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
    );
    expect(new Webhook(webhook.secret).verify(body, triple)).toEqual(JSON.parse(body));
  });

  it('contain meter point, access key and organisation of the receiver', async () => {
    const bodyOf = async (type: string) => JSON.parse((await received(type)).body);
    const payloadOf = async (type: string): Promise<object> => (await bodyOf(type)).payload;
    const of = { ak, mpxn: customer.mpxn, duid: dataUser.duid };
    const expiring = await payloadOf('consent.expiring');
    expect(expiring).toEqual({ ...of, expiry: expect.stringMatching(INSTANT), 'days-remaining': 10 });
    expect(Object.keys(expiring)).toEqual(['ak', 'mpxn', 'duid', 'expiry', 'days-remaining']);
    const at = (await bodyOf('consent.withdrawal'))['occurred-at'];
    expect(at).toMatch(INSTANT);
    expect(await payloadOf('consent.withdrawal')).toEqual({ ...of, 'revoked-at': at, reason: 'customer-request' });
    expect(await payloadOf('tenancy.change')).toEqual({
      ...CHANGE,
      mpxn: customer.mpxn,
      'affected-aks': [customer.key, ak],
    });
    expect(await payloadOf('webhook.test')).toEqual({});
  });

  it('include a change of tenancy with the own records only, even at a meter point with records of several Data Users', async () => {
    const { payload } = JSON.parse((await received('tenancy.change', '/other')).body);
    expect(payload['affected-aks']).toEqual([ofOther.ak]);
  });

  it('include a test event on request, whatever the types of the subscription', async () => {
    const post = await received('webhook.test', '/other');
    expect(post.headers['webhook-id']).toBe(ofOther.testId);
    expect(JSON.parse(post.body)).toMatchObject({ wid: ofOther.wid, sequence: 1, payload: {} });
  });

  it('are in the log of deliveries, with the status of the response', async () => {
    const log = await until(async () => {
      const { body } = await dataUser.rest('GET', `/v1/webhooks/${webhook.wid}/deliveries?status=delivered`);
      return body['deliveries'].length === EVENTS.length ? body['deliveries'] : undefined;
    });
    expect(log.map((each: { 'event-type': string }) => each['event-type']).toSorted()).toEqual(EVENTS.toSorted());
    for (const { attempts } of log) expect(attempts).toMatchObject([{ status: 204, error: null }]);
  });

  it('include a withdrawal through a third-party portal, without a reason as one that the customer requested', async () => {
    const { mpxn, email, key } = await newCustomer(dataUser);
    const portal = await signedInClient(register, 'portal');
    const [token] = await confirmedTokens(register, { rest: portal }, { mpxn, email }, 1);
    const list = await portal('GET', `/v1/meter-points/${mpxn}/access-records?reidentification-token=${token}`);
    const withdrawn = await portal('DELETE', `/v1/access-records/${list.body['access-records'][0].ak}`);
    expect(withdrawn.status).toBe(200);
    const post = await until(() => receiver.received.find(({ body }) => body.includes(key)));
    expect(faultsOf(post)).toEqual([]);
    const at = withdrawn.body['revoked-at'];
    expect(JSON.parse(post.body)).toEqual({
      'event-id': post.headers['webhook-id'],
      'event-type': 'consent.withdrawal',
      'occurred-at': at,
      wid: webhook.wid,
      sequence: 1,
      payload: { ak: key, mpxn, duid: dataUser.duid, 'revoked-at': at, reason: 'customer-request' },
    });
  });
});
