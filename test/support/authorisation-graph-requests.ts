import { demoRecords } from '../../sandbox/demo-records';
import { ABSENT, type RequestInputs, theirs } from './authorisation-requests';
import { newMpxn } from './customers';
import { tariffInput } from './tariff-graph';

/** One cell of a table of the graph: an operation with one root field. */
export interface GraphOperation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The object that a successful operation consumes. */
  readonly uses?: string;
}

type RequestMaker = (inputs: RequestInputs) => Promise<GraphOperation>;

/** Calls a root field with literal arguments made of identifiers. */
const by =
  (kind: string, text: (ids: Record<string, string>) => string, ends = false): RequestMaker =>
  async (inputs) => ({
    query: text({ ...(await theirs(kind, inputs)) }),
    ...(ends ? { uses: `${kind} of ${/owner|other|portal|consumer|customer/.exec(inputs.object)?.[0]}` } : {}),
  });

/** Calls a root field with an access record, which the portal names by its alias. */
const byKey =
  (text: (ids: Record<string, string>) => string, ends = false): RequestMaker =>
  async (inputs) =>
    inputs.object === "the portal's alias"
      ? {
          query: text({ ...(await inputs.objects.get('alias of portal')) }),
          ...(ends ? { uses: 'alias of portal' } : {}),
        }
      : by('customer', text, ends)(inputs);

const [DEMO_RECORD] = demoRecords(new Date());

/** The record to register or replace; an unknown Identity Record has none. */
const recordOf = (ref: string): unknown => DEMO_RECORD?.input(ref);

const supplierOf = ({ object, fixture: { parties } }: RequestInputs): string =>
  ({ "the supplier's": parties.supplier.mpid, "the rival's": parties.otherSupplier.mpid })[object] ??
  ABSENT['mpid'] ??
  '';

const atSupplier =
  (text: (mpid: string) => string): RequestMaker =>
  async (inputs) => ({ query: text(supplierOf(inputs)) });

/** Objects that two suppliers have: reports, webhooks, consents and events. */
const ofSupplier =
  (field: string): RequestMaker =>
  async (inputs) => {
    await inputs.objects.get('business of suppliers');
    return { query: `{ ${field}(filter: { mpid: "${supplierOf(inputs)}" }) { nodes { __typename } } }` };
  };

const assigned = ({ object, fixture: { parties } }: RequestInputs): string =>
  object === 'absent' ? String(ABSENT['mpxn']) : parties.mpxn;

const tariffOf = ({ object, fixture: { parties } }: RequestInputs): string =>
  object === 'absent' ? String(ABSENT['tariff_id']) : parties.tariffId;

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
const HALF_HOUR_OF_TOMORROW = new Date(Math.ceil(Date.parse(TOMORROW) / 1_800_000) * 1_800_000).toISOString();

/**
 * Requests for each root field that names an object. The arguments are valid, so that only caller and object decide.
 */
export const GRAPH_REQUESTS: Readonly<Record<string, RequestMaker>> = {
  'Query.accessRecord': byKey(({ ak }) => `{ accessRecord(key: "${ak}") { state } }`),
  'Query.dataUser': by('customer', ({ duid }) => `{ dataUser(duid: "${duid}") { displayName } }`),
  'Query.identityRecord': by('customer', ({ ir }) => `{ identityRecord(ref: "${ir}") { createdAt } }`),
  'Query.identityRecords': by('customer', ({ mpxn }) => `{ identityRecords(mpxn: "${mpxn}") { ir } }`),
  'Query.identityRecordExistence': by(
    'customer',
    ({ mpxn }) => `{ identityRecordExistence(mpxn: "${mpxn}") { exists } }`,
  ),
  'Query.meterPoint': by(
    'customer',
    ({ mpxn }) => `{ meterPoint(mpxn: "${mpxn}") { accessRecords { nodes { id } } } }`,
  ),
  'Query.consents': by('consent', ({ mpxn }) => `{ consents(mpxn: "${mpxn}") { duid } }`),
  'Query.reidentification': by('token', (ids) => `{ reidentification(tokenRef: "${ids['token-ref']}") { status } }`),
  'Query.ownReidentification': by(
    'own token',
    (ids) => `{ ownReidentification(ref: "${ids['ir']}", tokenRef: "${ids['token-ref']}") { status } }`,
  ),
  'Query.customerAccessRecord': by('record', ({ id }) => `{ customerAccessRecord(id: "${id}") { state } }`),
  'Mutation.mailContactLink': by('record', ({ id }) => `mutation { mailContactLink(contact: "${id}", language: EN) }`),
  'Mutation.proveContactByPasskey': () =>
    Promise.resolve({
      query: 'mutation ($response: JSONObject!) { proveContactByPasskey(secret: "", response: $response) }',
      variables: { response: {} },
    }),
  'Mutation.judgeContact': by('record', ({ id }) => `mutation { judgeContact(contact: "${id}", verdict: REJECTED) }`),
  'Query.webhook': by('webhook', ({ wid }) => `{ webhook(wid: "${wid}") { callbackUrl } }`),
  'Query.registerEvent': by('webhook', (ids) => `{ registerEvent(id: "${ids['event-id']}") { type } }`),
  'Query.registerEvents': by('customer', ({ duid }) => `{ registerEvents(duid: "${duid}") { nodes { type } } }`),
  'Query.latestRegisterEvents': by('customer', ({ duid }) => `{ latestRegisterEvents(duid: "${duid}") { type } }`),
  'Subscription.registerEvents': by(
    'customer',
    ({ duid }) => `subscription { registerEvents(duid: "${duid}", after: "") { id } }`,
  ),

  'Mutation.registerAccessRecord': async (inputs) => ({
    query: 'mutation ($input: AccessRecordInput!) { registerAccessRecord(input: $input) { replayed } }',
    variables: { input: recordOf(String((await theirs('customer', inputs))['ir'])) },
  }),
  'Mutation.replaceAccessRecord': async (inputs) => {
    const { query } = await byKey(({ ak, ir = '' }) => `${ak} ${ir}`)(inputs);
    const [key, ref = ABSENT['ir']] = query.split(' ');
    return {
      query: `mutation ($key: AccessKey!, $input: AccessRecordInput!) { replaceAccessRecord(key: $key, input: $input) { version } }`,
      variables: { key, input: recordOf(String(ref === '' ? ABSENT['ir'] : ref)) },
    };
  },
  'Mutation.revokeAccessRecord': byKey(({ ak }) => `mutation { revokeAccessRecord(key: "${ak}") { revokedAt } }`, true),
  'Mutation.anonymiseIdentityRecord': by(
    'identity record',
    ({ ir }) => `mutation { anonymiseIdentityRecord(ref: "${ir}") { anonymisedAt } }`,
    true,
  ),
  'Mutation.removeCredential': by(
    'credential',
    (ids) =>
      `mutation { removeCredential(ref: "${ids['ir']}", credentialId: "${ids['credentialId']}") { credentialId } }`,
    true,
  ),
  'Mutation.reidentify': by(
    'customer',
    ({ mpxn }) => `mutation { reidentify(input: { mpxn: "${mpxn}", method: MAGIC_LINK }) { method } }`,
  ),
  'Mutation.reidentifyOwn': by(
    'customer',
    ({ ir }) => `mutation { reidentifyOwn(ref: "${ir}", input: { method: MAGIC_LINK }) { method } }`,
  ),
  'Mutation.registerConsent': async (inputs) => {
    const { mpxn = '', ck } = await theirs('consent', inputs);
    const { owner, other } = inputs.fixture.organisations;
    const input = {
      duid: (inputs.caller === 'other' ? other : owner).duid,
      moveInDate: '2021-04-01',
      dataType: ['HH_CONSUMPTION'],
      evidence: {
        ...{ consentDate: '2026-05-01T09:30:00Z', termsUrl: 'https://harbourlight.example/terms', method: 'Web form' },
        mpxn: /^[0-9A-Z]{10,12}$/.test(mpxn) ? mpxn : newMpxn(),
      },
    };
    return {
      query: `mutation ($ck: ConsentKey!, $input: ConsentRegistrationInput!) { registerConsent(ck: $ck, input: $input) { isNew } }`,
      variables: { ck, input },
    };
  },
  'Mutation.withdrawConsent': by('record', ({ id }) => `mutation { withdrawConsent(id: "${id}") { revokedAt } }`, true),
  'Mutation.updateWebhook': by(
    'webhook',
    ({ wid }) =>
      `mutation { updateWebhook(wid: "${wid}", input: { notifyDaysBefore: 9 }) { signingSecret webhook { wid } } }`,
  ),
  'Mutation.deleteWebhook': by('webhook', ({ wid }) => `mutation { deleteWebhook(wid: "${wid}") { wid } }`, true),
  'Mutation.redeliverEvent': by(
    'webhook',
    (ids) => `mutation { redeliverEvent(wid: "${ids['wid']}", eventId: "${ids['event-id']}") { eventId } }`,
  ),
  'Mutation.testWebhook': by('webhook', ({ wid }) => `mutation { testWebhook(wid: "${wid}") { eventId } }`),

  'Query.supplier': atSupplier((mpid) => `{ supplier(mpid: "${mpid}") { name } }`),
  'Query.rtiUser': async ({ object, fixture: { parties } }) => ({
    query: `{ rtiUser(userId: "${object === 'absent' ? ABSENT['user_id'] : parties.users.active}") { name } }`,
  }),
  'Query.tariff': async (inputs) => ({ query: `{ tariff(tariffId: "${tariffOf(inputs)}") { name } }` }),
  'Query.tariffAssignments': async (inputs) => ({
    query: `{ tariffAssignments(mpxn: "${assigned(inputs)}") { nodes { from } } }`,
  }),
  'Query.appliedTariff': async (inputs) => ({ query: `{ appliedTariff(mpxn: "${assigned(inputs)}") { name } }` }),
  'Query.performanceReports': ofSupplier('performanceReports'),
  'Query.rtiWebhooks': ofSupplier('rtiWebhooks'),
  'Query.tariffConsents': ofSupplier('tariffConsents'),
  'Query.tariffEvents': ofSupplier('tariffEvents'),
  'Query.tariffEvent': async ({ object, objects }) => {
    const { event } = await objects.get('business of suppliers');
    return { query: `{ tariffEvent(id: "${object === 'absent' ? ABSENT['event-id'] : event}") { type } }` };
  },
  'Subscription.tariffEvents': atSupplier(
    (mpid) => `subscription { tariffEvents(filter: { mpid: "${mpid}" }, after: "") { id } }`,
  ),
  'Mutation.publishTariff': async (inputs) => ({
    query: 'mutation ($input: TariffInput!) { publishTariff(input: $input) { isNew } }',
    variables: { input: tariffInput(7, { mpid: supplierOf(inputs) }) },
  }),
  'Mutation.appendTariffPrices': async (inputs) => {
    const { tariffId } = await inputs.objects.get('dynamic tariff of supplier');
    const prices = [{ from: HALF_HOUR_OF_TOMORROW, unitPrice: '0.10' }];
    return {
      query: 'mutation ($input: AppendTariffPricesInput!) { appendTariffPrices(input: $input) { added } }',
      variables: {
        input: { mpid: supplierOf(inputs), tariffId: inputs.object === 'absent' ? tariffOf(inputs) : tariffId, prices },
      },
    };
  },
  'Mutation.assignTariff': async (inputs) => ({
    query: `mutation { assignTariff(mpxn: "${newMpxn()}", tariffId: "${tariffOf(inputs)}", from: "${TOMORROW}") { recordedAt } }`,
  }),
  'Mutation.endTariffAssignment': async ({ object, objects }) => {
    const { mpxn } = object === 'absent' ? ABSENT : await objects.get('assignment of supplier');
    return {
      query: `mutation { endTariffAssignment(mpxn: "${mpxn}", at: "${TOMORROW}") { recordedAt } }`,
      uses: 'assignment of supplier',
    };
  },
  'Mutation.revokeTariffConsent': async (inputs) => {
    const who = inputs.object.startsWith('another') ? 'stranger' : 'consumer';
    const kind = `tariff consent of ${who}`;
    const ids = inputs.object === 'absent' ? ABSENT : await inputs.objects.get(kind);
    const id = ids['registration_id'];
    return { query: `mutation { revokeTariffConsent(registrationId: "${id}") { registrationId } }`, uses: kind };
  },
  'Mutation.removeRtiWebhook': async ({ object, objects }) => {
    const kind = object === 'at the rival' ? 'tariff webhook at rival' : 'tariff webhook of consumer';
    const ids = object === 'absent' ? ABSENT : await objects.get(kind);
    return { query: `mutation { removeRtiWebhook(webhookId: "${ids['webhook_id']}") { webhookId } }`, uses: kind };
  },
};

/** Queries that reach the object of a row of fields, with a slot for the field. */
export const REACHED: Readonly<Record<string, (inputs: RequestInputs) => Promise<(fields: string) => string>>> = {
  "AccessRecord the owner's by its key": async ({ objects }) => {
    const { ak } = await objects.get('customer of owner');
    return (fields) => `{ accessRecord(key: "${ak}") { ${fields} } }`;
  },
  "AccessRecord the owner's in a list": async ({ caller }) => {
    const list = caller === 'owner' ? 'accessRecords' : 'allAccessRecords';
    return (fields) => `{ ${list}(first: 1) { nodes { ${fields} } } }`;
  },
  "RegisterEvent the owner's": async ({ objects }) => {
    const ids = await objects.get('webhook of owner');
    return (fields) => `{ registerEvent(id: "${ids['event-id']}") { ${fields} } }`;
  },
  "RtiUser the consumer's": async ({ fixture: { parties } }) => rtiUser(parties.users.active),
  "RtiUser another's": async ({ fixture: { parties } }) => rtiUser(parties.users.suspended),
  "Supplier the supplier's": async ({ fixture: { parties } }) => {
    return (fields) => `{ supplier(mpid: "${parties.supplier.mpid}") { ${fields} } }`;
  },
  "RtiWebhook the supplier's": listed('rtiWebhooks'),
  "TariffConsent the supplier's": listed('tariffConsents'),
  "TariffEvent the supplier's": listed('tariffEvents'),
};

const rtiUser = (userId: string) => (fields: string) => `{ rtiUser(userId: "${userId}") { ${fields} } }`;

function listed(field: string) {
  return async ({ objects, fixture: { parties } }: RequestInputs) => {
    await objects.get('business of suppliers');
    objects.usedUp('tariff webhook of consumer');
    await objects.get('tariff webhook of consumer');
    const filter = `filter: { mpid: "${parties.supplier.mpid}" }`;
    return (fields: string) => `{ ${field}(${filter}, first: 1) { nodes { ${fields} } } }`;
  };
}
