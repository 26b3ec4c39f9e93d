import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeBackup } from '../../../commands/backup/take-backup';
import { readSettings } from '../../../process/settings/read-settings';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import { rowsOf, filesBelow } from '../../support/backup-fixture';
import { confirmedTokens, recordWithToken } from '../../support/confirmed-tokens';
import { CONTACTS, MAIL_CONTACT_LINK, PROVE_BY_LINK } from '../../support/contest-fixture';
import { type DataUser, customerToken, mailsTo, newDataUser, newMpxn } from '../../support/customers';
import { dataKeysOf, decryptedPlaces } from '../../support/decrypted-values';
import { type Graph, graphAs, graphOf } from '../../support/graph';
import { passkeyStep } from '../../support/passkey-step';
import { logLines } from '../../support/portal-sign-in';
import { consentRecord, discoveredAccess, legacyConsent } from '../../support/records';
import { type TestRegister, startTestRegister } from '../../support/register';
import { type RestClient, good, signedInClient } from '../../support/rest-client';
import { type SearchedPlace, type StoredValues, databaseValues, findings } from '../../support/secret-scan';
import { until } from '../../support/until';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver';

jest.setTimeout(180_000); // reads a whole database several times

const PERSON = {
  MPxN: newMpxn(),
  'e-mail address': 'Ottoline.Fairweather@customer.example',
  'second e-mail address': 'fairweather.household@customer.example',
  'first line of the address': '41 Fairweather Terrace',
  'second line of the address': 'Upper Ottoline',
  town: 'Great Fairweather',
  county: 'Ottolineshire',
  postcode: 'FW9 2QX',
  'move-in date': '1991-05-23',
  'reference of the evidence': 'EVIDENCE-FAIRWEATHER-81',
  'detail of the evidence': 'driving-licence-of-ottoline',
  'first controller reference': 'CONTROLLER-FAIRWEATHER-1',
  'second controller reference': 'CONTROLLER-FAIRWEATHER-2',
  'controller reference of another Data User': 'OTHER-FAIRWEATHER-3',
  'first user-defined reference': 'DEFINED-FAIRWEATHER-4',
  'second user-defined reference': 'DEFINED-FAIRWEATHER-5',
  'reference of the change of tenancy': 'COT-FAIRWEATHER-6',
};
const ADDRESS = {
  addressLine1: PERSON['first line of the address'],
  addressLine2: PERSON['second line of the address'],
  townCity: PERSON.town,
  county: PERSON.county,
  postcode: PERSON.postcode,
};
/** Purpose of the access of the second Data User. */
const PURPOSE = 'Advise on heat pumps';
const RETURN_URL = 'https://larkhill.example/back';
const ASSIGN = `mutation ($mpxn: String!, $tariffId: String!, $from: DateTime!) {
  assignTariff(mpxn: $mpxn, tariffId: $tariffId, from: $from) { mpxn } }`;
const END = 'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { recordedAt } }';
const ERASE = 'mutation ($mpxn: String!) { eraseEndedOccupancies(mpxn: $mpxn) { erased retained } }';
/** Keyed hashes by which an Identity Record with a passkey is found. */
const INDEXES = `select email_index as email, credential_hash as passkey, mpxn_index as mpxn, meter_point_id as "meterPoint"
  from identity.identity_record r join identity.passkey p on p.record_id = r.id where r.ref = $1`;
const SEEN = '{ customerAccessRecords(part: CURRENT) { nodes { id purpose } } }';
const WITHDRAW = 'mutation ($id: ID!) { withdrawConsent(id: $id) { revokedAt } }';

let register: TestRegister;
let receiver: WebhookReceiver;
let registerKeys: Buffer[];
let root: string;
let first: DataUser;
let second: DataUser;

beforeAll(async () => {
  // Not the shared register, because the test reads everything that is stored.
  register = await startTestRegister('one process', {
    environment: { LOG_LEVEL: 'trace', WEBHOOK_ALLOW_LOOPBACK: 'true' },
  });
  receiver = await webhookReceiver();
  const { keys } = readSettings(sandboxKeyVariables(register.dataDir));
  registerKeys = Object.values(keys).filter((key) => Buffer.isBuffer(key));
  root = await mkdtemp(join(tmpdir(), 'register-erased-'));
  first = await newDataUser(register, RETURN_URL);
  second = await newDataUser(register, RETURN_URL);
});
afterAll(async () => {
  await receiver?.close();
  await register?.close();
  await rm(root, { recursive: true, force: true });
});

const done = async (graph: Graph, query: string, variables?: Record<string, unknown>) => {
  const { data, errors } = await graph(query, variables);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return Object.values(data)[0] as ReturnType<typeof JSON.parse>;
};
const withReference = <Sent extends { 'access-event': object }>(record: Sent, reference: string) => ({
  ...record,
  'access-event': { ...record['access-event'], 'controller-reference': reference },
});
const identityRecord = (email: string) => ({
  'pii-principal': { mpxn: PERSON.MPxN, 'move-in-date': PERSON['move-in date'], address: ADDRESS },
  'expressed-by': 'data-subject',
  'principal-verification': {
    method: 'document',
    'verified-at': '2026-01-04T16:20:00Z',
    outcome: 'verified',
    reference: PERSON['reference of the evidence'],
    detail: { document: PERSON['detail of the evidence'] },
  },
  email,
});

/** Registers the person with a passkey and an access record in two versions; returns the keys. */
async function registers(): Promise<{ ir: string; ak: string }> {
  const body = {
    ...identityRecord(PERSON['e-mail address']),
    'initiate-passkey-registration': true,
    'passkey-return-url': RETURN_URL,
  };
  const key = () => ({ 'idempotency-key': randomUUID() });
  const { body: created } = good(await first.rest('POST', '/v1/identity-records', body, key()));
  const passkey = await passkeyStep(register)(new URL(String(created['passkey-registration-redirect'])));
  expect(passkey.status).toBe(200);
  const ir = String(created['ir']);
  const record = withReference(consentRecord(ir), PERSON['first controller reference']);
  const ak = String(good(await first.rest('POST', '/v1/access-records', record, key())).body['access-token'].key);
  good(
    await first.rest(
      'PUT',
      `/v1/access-records/${ak}`,
      withReference(consentRecord(ir), PERSON['second controller reference']),
    ),
  );
  return { ir, ak };
}

/**
 * Registers and updates a consent through Interface B; returns the keys of the access record and of its Identity
 * Record.
 */
async function consentsThroughB(): Promise<{ ir: string; ak: string }> {
  const consent = (reference: string) => {
    const sent = legacyConsent(first.duid, PERSON.MPxN);
    const evidence = { ...(sent['evidence'] as object), 'user-defined-reference': reference, address: ADDRESS };
    return { ...sent, 'move-in-date': PERSON['move-in date'], evidence };
  };
  const { body } = good(await first.rest('POST', '/register-consent', consent(PERSON['first user-defined reference'])));
  const ck = String(body['consent-token'].key);
  good(await first.rest('POST', `/register-consent?ck=${ck}`, consent(PERSON['second user-defined reference'])));
  const ak = ck.replace('ck_', 'ak_');
  const { body: read } = good(await first.rest('GET', `/v1/access-records/${ak}`));
  return { ir: String(read['access-record']['record-metadata']['identity-record-ref']), ak };
}

/** Re-identifies the person for the second Data User, which registers with the token, and for a portal. */
async function isReidentified(): Promise<void> {
  const person = { mpxn: PERSON.MPxN, email: PERSON['e-mail address'] };
  good(await second.rest('GET', `/v1/identity-records/exists?mpxn=${PERSON.MPxN}`));
  const [token = ''] = await confirmedTokens(register, second, person, 1);
  const record = withReference(recordWithToken(token, PURPOSE), PERSON['controller reference of another Data User']);
  good(await second.rest('POST', '/v1/access-records', record));
  good(await second.rest('GET', `/show-consents/${PERSON.MPxN}`));
  const portal = await newDataUser(register, RETURN_URL, 'PORTAL');
  const [shown = ''] = await confirmedTokens(register, portal, person, 1);
  good(await portal.rest('GET', `/v1/meter-points/${PERSON.MPxN}/access-records?reidentification-token=${shown}`));
}

/**
 * The communications operator reports an organisation and a future change of tenancy; a tariff is assigned and ends.
 */
async function isReported(): Promise<void> {
  const operator: RestClient = await signedInClient(register, 'communications_operator');
  good(
    await operator(
      'POST',
      '/v1/discovered-access',
      discoveredAccess(PERSON.MPxN, 'Gadwall Analytics', { 'organisation-reference': 'ORG-GADWALL' }),
    ),
  );
  const reference = PERSON['reference of the change of tenancy'];
  const change = { mpxn: PERSON.MPxN, 'effective-date': '9998-12-31', 'source-reference': reference };
  good(await operator('POST', '/v1/cot-events', change));
  const admin = await graphAs(register, 'admin');
  const [{ tariffId }] = (await done(admin, '{ tariffs(first: 1) { nodes { tariffId } } }')).nodes;
  const variables = { mpxn: PERSON.MPxN, tariffId, from: new Date().toISOString() };
  await done(admin, ASSIGN, variables);
  await done(admin, END, { mpxn: PERSON.MPxN, at: new Date().toISOString() });
}

/**
 * Proves a second address, registered by the second Data User, and withdraws consent with it; returns the key of the
 * second Identity Record.
 */
async function provesBothAddresses(ir: string): Promise<string> {
  const email = PERSON['second e-mail address'];
  const token = await customerToken(register, { ir, email: PERSON['e-mail address'] });
  const { body } = good(await second.rest('POST', '/v1/identity-records', identityRecord(email)));
  const customer = graphOf(register, token);
  const contacts = (await done(customer, CONTACTS)) as { id: string; kind: string; standing: string }[];
  const other = contacts.find(({ kind, standing }) => kind === 'EMAIL' && standing === 'OTHER');
  await done(customer, MAIL_CONTACT_LINK, { contact: other?.id });
  const secret = await until(async () => {
    const mails = await mailsTo(register, email);
    return mails.flatMap(({ text }) => /\/contacts\/link\/([\w-]{43})/.exec(text)?.[1] ?? [])[0];
  });
  await done(customer, PROVE_BY_LINK, { secret });
  const { nodes } = await done(customer, SEEN);
  const withdrawn = nodes.find(({ purpose }: { purpose: string }) => purpose === PURPOSE);
  await done(customer, WITHDRAW, { id: withdrawn.id });
  return String(body['ir']);
}

/** Returns all stored values: unencrypted, and decrypted with every stored key. */
async function storedPlaces(): Promise<SearchedPlace[]> {
  const values = await databaseValues(register.databaseUrl);
  return [...placesOf(values), ...decryptedPlaces(values, registerKeys)];
}
const placesOf = (stored: readonly StoredValues[]): SearchedPlace[] =>
  stored.map(({ name, values }) => ({
    name,
    content: Buffer.concat(values.flatMap((each) => [each, Buffer.from('\n')])),
  }));

async function filesOf(folder: string): Promise<StoredValues[]> {
  return Promise.all((await filesBelow(folder)).map(async (name) => ({ name, values: [await readFile(name)] })));
}

it('After anonymising, no data of a person who used every feature can be read, in any table, file or log, with any key', async () => {
  for (const { rest } of [first, second]) {
    const url = `${receiver.url}/${randomUUID()}`;
    good(await rest('POST', '/v1/webhooks', { 'callback-url': url, 'alert-email': 'alerts@larkhill.example' }));
  }
  const own = await registers();
  await isReidentified();
  const legacy = await consentsThroughB();
  await isReported();
  const household = await provesBothAddresses(own.ir);
  await until(async () => receiver.received.some(({ body }) => body.includes('consent.withdrawal')) || undefined);
  const persons = new Map(Object.entries(PERSON));

  // Every value is stored encrypted, and the search finds it decrypted: a value that it does not find later no longer
  // exists.
  const before = await storedPlaces();
  const clear = before.filter(({ name }) => !name.endsWith(', decrypted'));
  expect(findings(persons, clear)).toEqual([]);
  const read = findings(persons, before);
  expect([...persons.keys()].filter((what) => !read.some((line) => line.startsWith(`${what} in clear `)))).toEqual([]);
  const [indexes] = await rowsOf<Record<'email' | 'passkey' | 'mpxn' | 'meterPoint', Buffer>>(
    register.databaseUrl,
    INDEXES,
    [own.ir],
  );
  const earlier = await takeBackup(register.databaseUrl, root, 7);
  const ordinary = await filesOf(earlier.register);

  for (const { ak } of [own, legacy]) good(await first.rest('DELETE', `/v1/access-records/${ak}`));
  for (const [ir, { rest }] of [
    [own.ir, first],
    [legacy.ir, first],
    [household, second],
  ] as const)
    expect(good(await rest('DELETE', `/v1/identity-records/${ir}`)).body['anonymised-at']).not.toBeNull();
  expect(await done(await graphAs(register, 'admin'), ERASE, { mpxn: PERSON.MPxN })).toEqual({
    erased: 1,
    retained: 0,
  });

  const left = await databaseValues(register.databaseUrl);
  const dataKeys = dataKeysOf(left, registerKeys);
  const later = await takeBackup(register.databaseUrl, root, 7);
  const backup = [...(await filesOf(later.register)), ...(await filesOf(later.dataKeys))];
  const everything = [
    ...(await storedPlaces()),
    ...placesOf([...ordinary, ...backup]),
    ...decryptedPlaces(backup, registerKeys),
    ...decryptedPlaces(ordinary, registerKeys, dataKeys),
    { name: 'log', content: Buffer.from(logLines(register)) },
  ];
  expect(findings(persons, everything)).toEqual([]);

  // The keyed hash of the meter point remains only in reports of the operator.
  const columnsWith = (index: Buffer | undefined) =>
    left.filter(({ values }) => values.some((value) => value.includes(index as Buffer))).map(({ name }) => name);
  expect(columnsWith(indexes?.email)).toEqual([]);
  expect(columnsWith(indexes?.passkey)).toEqual([]);
  expect(columnsWith(indexes?.mpxn)).toEqual(['identity.change_of_tenancy.mpxn_index']);
  expect(columnsWith(indexes?.meterPoint).toSorted()).toEqual([
    'access.access_record.meter_point_id',
    'identity.discovered_meter_point.meter_point_id',
  ]);
  const linked = 'select from access.access_record where meter_point_id = $1 and identity_record_id is not null';
  expect(await rowsOf(register.databaseUrl, linked, [indexes?.meterPoint])).toEqual([]);
});
