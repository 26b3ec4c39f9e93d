import { type AuthorisationObjects, type Identifiers, REPORT, webhookBody } from './authorisation-objects';
import { type AuthorisationFixture, type Credential } from './authorisation-fixture';
import { type CallerName } from './authorisation-table';
import { identityRecord, newMpxn } from './customers';
import { consentRecord, discoveredAccess, legacyConsent } from './records';

/** One cell of the table, as a request. */
export interface AuthorisationRequest {
  /** Values of the path parameters. */
  readonly path?: Identifiers;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  /** Replaces the caller's usual credential. */
  readonly credential?: Credential;
  /** The object that a successful request consumes. */
  readonly uses?: string;
}

/** Inputs of a request. */
export interface RequestInputs {
  readonly object: string;
  readonly caller: CallerName;
  readonly fixture: AuthorisationFixture;
  readonly objects: AuthorisationObjects;
}

type RequestMaker = (inputs: RequestInputs) => Promise<AuthorisationRequest> | AuthorisationRequest;

/** Well-formed identifiers of objects that do not exist. */
export const ABSENT: Identifiers = {
  ak: `ak_${'0'.repeat(24)}`,
  ck: `ck_${'0'.repeat(24)}`,
  ir: `ir_${'0'.repeat(24)}`,
  duid: `duid_${'0'.repeat(24)}`,
  wid: `wid_${'0'.repeat(24)}`,
  'event-id': `evt_${'0'.repeat(24)}`,
  'token-ref': `mlr_${'0'.repeat(24)}`,
  credentialId: `cred_${'0'.repeat(24)}`,
  mpxn: '9999999999',
  mpid: 'ZZZZ',
  tariff_id: `trf_${'f'.repeat(32)}`,
  user_id: `usr_${'f'.repeat(32)}`,
  registration_id: '00000000-0000-4000-8000-000000000000',
  webhook_id: '00000000-0000-4000-8000-000000000000',
  projectId: 'Absent',
  token: '0'.repeat(43),
  id: '00000000-0000-4000-8000-000000000000',
};

/** Returns the identifiers of an object with the owner that the row names, or of a nonexistent object. */
export async function theirs(kind: string, { object, objects }: RequestInputs): Promise<Identifiers> {
  const [, who] = /^(?:the )?(owner|other|portal|consumer|customer|admin|another)'s$/.exec(object) ?? [];
  return who === undefined ? ABSENT : { ...ABSENT, ...(await objects.get(`${kind} of ${who}`)) };
}

const at =
  (kind: string, change: Omit<AuthorisationRequest, 'path'> = {}): RequestMaker =>
  async (inputs) => ({ path: await theirs(kind, inputs), ...change });

/** Returns the identifiers of an object for a request that ends it. */
const ending =
  (kind: string): RequestMaker =>
  async (inputs) => ({
    path: await theirs(kind, inputs),
    uses: `${kind} of ${/owner|other|portal|consumer/.exec(inputs.object)?.[0] ?? 'none'}`,
  });

const record: RequestMaker = async (inputs) =>
  inputs.object === "the portal's alias"
    ? { path: await inputs.objects.get('alias of portal'), uses: 'alias of portal' }
    : ending('customer')(inputs);

const PROJECT = { licenceArea: 'EPN', publicationYear: '2026', period: '01' };

/** Requests for each route. The body is valid, so that only caller and object decide. */
export const REQUESTS: Readonly<Record<string, RequestMaker>> = {
  'GET /v1/auth/token': signIn,
  'POST /v1/access-records': async (inputs) => ({
    body: consentRecord((await theirs('customer', inputs))['ir'] as string),
  }),
  'GET /v1/access-records/{ak}': async (inputs) => ({ path: (await record(inputs)).path as Identifiers }),
  'PUT /v1/access-records/{ak}': async (inputs) => {
    const { 'record-metadata': metadata, ...rest } = consentRecord('');
    const body = { ...rest, 'record-metadata': { ...metadata, 'identity-record-ref': null } };
    return { path: (await record(inputs)).path as Identifiers, body };
  },
  'DELETE /v1/access-records/{ak}': record,
  'GET /v1/records': () => ({}),
  'GET /v1/meter-points/{mpxn}/access-records': async (inputs) => {
    if (inputs.object !== "the portal's proof") return { path: await theirs('customer', inputs) };
    const { mpxn, tokenRef } = await inputs.objects.get('proof of portal');
    return { path: { mpxn: String(mpxn) }, query: { 'reidentification-token': String(tokenRef) } };
  },
  'GET /v1/data-users/{duid}': at('customer'),
  'POST /v1/identity-records': () => ({ body: identityRecord(newMpxn(), null) }),
  'GET /v1/identity-records': byMpxn,
  'GET /v1/identity-records/exists': byMpxn,
  'POST /v1/identity-records/reidentify': async (inputs) => ({
    body: { mpxn: (await theirs('customer', inputs))['mpxn'], method: 'magic-link' },
  }),
  'GET /v1/identity-records/reidentify/{token-ref}': at('token'),
  'GET /v1/identity-records/{ir}': at('customer'),
  'DELETE /v1/identity-records/{ir}': ending('identity record'),
  'POST /v1/identity-records/{ir}/re-identify': at('customer', { body: { method: 'magic-link' } }),
  'GET /v1/identity-records/{ir}/re-identify/{token-ref}': async (inputs) => {
    if (inputs.object !== "the portal's token") return at('own token')(inputs);
    const { ir } = await inputs.objects.get('customer of owner');
    return { path: { ...(await inputs.objects.get('token of portal')), ir: String(ir) } };
  },
  'DELETE /v1/identity-records/{ir}/credentials/{credentialId}': async (inputs) => {
    if (inputs.object !== 'absent credential') return ending('credential')(inputs);
    return { path: { ...ABSENT, ir: String((await inputs.objects.get('credential of owner'))['ir']) } };
  },
  'GET /v1/webhooks': async ({ objects }) => {
    await Promise.all([objects.get('webhook of owner'), objects.get('webhook of other')]);
    return {};
  },
  'POST /v1/webhooks': () => ({ body: webhookBody() }),
  'GET /v1/webhooks/{wid}': at('webhook'),
  'PATCH /v1/webhooks/{wid}': at('webhook', { body: { 'notify-days-before': 7 } }),
  'DELETE /v1/webhooks/{wid}': ending('webhook'),
  'GET /v1/webhooks/{wid}/deliveries': at('webhook'),
  'POST /v1/webhooks/{wid}/deliveries/{event-id}/redeliver': async (inputs) => {
    if (inputs.object !== 'absent event') return at('webhook')(inputs);
    return { path: { ...ABSENT, wid: String((await inputs.objects.get('webhook of owner'))['wid']) } };
  },
  'POST /v1/webhooks/{wid}/test': at('webhook'),
  'POST /v1/discovered-access': () => ({ body: discoveredAccess(newMpxn(), 'Quillmoor Analytics Ltd') }),
  'POST /v1/cot-events': () => ({
    body: { mpxn: newMpxn(), 'effective-date': '2026-10-01', 'source-reference': 'COT-1' },
  }),

  'GET /login': signIn,
  'POST /login': signIn,
  'POST /register-consent': registerConsent,
  'GET /show-consents/{mpxn}': at('consent'),

  'GET /grid-modelling/stage3/development-projects': () => ({ query: { licenceArea: 'EPN' } }),
  'GET /grid-modelling/stage3/development-projects/{projectId}': project,
  'GET /grid-modelling/stage3/development-projects/{projectId}/{cimFile}': project,
  'PUT /grid-modelling/uploads/{token}': at('upload', { body: 'no archive' }),
  'POST /grid-modelling/uploads/{token}/check': at('upload', { body: 'no archive' }),

  'GET /v1/suppliers': () => ({}),
  'GET /v1/users': () => ({}),
  'GET /v1/users/{user_id}': ({ object, fixture: { parties } }) => {
    const user_id = { "the consumer's": parties.users.active, "another's": parties.users.suspended }[object];
    return { path: user_id === undefined ? ABSENT : { user_id } };
  },
  'GET /v1/tariff/customer': async ({ objects }) => {
    await objects.get('tariff consent of consumer');
    return {};
  },
  'GET /v1/tariff/{mpid}': tariff,
  'GET /v1/tariff/{mpid}/{tariff_id}': tariff,
  'POST /v1/consent': async ({ caller, objects }) => {
    if (caller === 'consumer') await objects.end('tariff consent of consumer');
    return { body: {} };
  },
  'DELETE /v1/consent/{registration_id}': async (inputs) => {
    if (inputs.object !== "another consumer's") return ending('tariff consent')(inputs);
    return {
      path: await inputs.objects.get('tariff consent of stranger'),
      uses: 'tariff consent of stranger',
    };
  },
  'POST /v1/webhook': () => ({ body: { webhook_url: 'https://pennywise.example/tariff-events' } }),
  'DELETE /v1/webhook/{webhook_id}': async (inputs) =>
    inputs.object === 'at the rival'
      ? { path: await inputs.objects.get('tariff webhook at rival'), uses: 'tariff webhook at rival' }
      : ending('tariff webhook')(inputs),
  'POST /v1/report': () => ({ body: REPORT }),
};

/** Signs in with the account's own secret or a wrong one; callers without an account send their usual credential. */
function signIn({ object, caller, fixture: { accounts } }: RequestInputs): AuthorisationRequest {
  const { id, secret } = accounts[caller] ?? {};
  if (id === undefined) return {};
  const stranger = accounts[caller === 'owner' ? 'other' : 'owner'];
  const sent = {
    'own secret': `${id}:${secret}`,
    "another's secret": `${id}:${stranger?.secret}`,
    'absent account': `acc_${'0'.repeat(24)}:${secret}`,
  }[object];
  return { credential: { authorization: `Basic ${Buffer.from(String(sent)).toString('base64')}` } };
}

async function byMpxn(inputs: RequestInputs): Promise<AuthorisationRequest> {
  return { query: { mpxn: String((await theirs('customer', inputs))['mpxn']) } };
}

async function registerConsent(inputs: RequestInputs): Promise<AuthorisationRequest> {
  const { object, caller, fixture, objects } = inputs;
  const { owner, other } = fixture.organisations;
  const duid = caller === 'other' && object !== "the owner's duid" ? other.duid : owner.duid;
  if (object.endsWith('duid')) return { body: legacyConsent(duid, newMpxn()) };
  const { mpxn = '', ck = '' } =
    object === 'one of Interface A'
      ? await objects.get('customer of owner').then(({ mpxn: of, ak }) => ({ mpxn: of, ck: ak?.replace('ak', 'ck') }))
      : await theirs('consent', inputs);
  return { query: { ck }, body: legacyConsent(duid, mpxn) };
}

function project({ object, fixture: { register } }: RequestInputs): AuthorisationRequest {
  const { project: projectId } = register.sandbox.grid;
  return { path: { projectId: object === 'absent' ? 'Absent' : projectId, cimFile: 'EQ.xml' }, query: PROJECT };
}

function tariff({ object, fixture: { parties } }: RequestInputs): AuthorisationRequest {
  const { supplier, otherSupplier, tariffId } = parties;
  const mpid = /supplier/.test(object) ? supplier.mpid : otherSupplier.mpid;
  return { path: object === 'absent' ? ABSENT : { mpid, tariff_id: tariffId } };
}
