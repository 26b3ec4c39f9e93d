import { randomInt } from 'node:crypto';
import { Client } from 'pg';
import { type DataUser, anonymise, newCustomer, newDataUser, newMpxn } from '../../support/customers';
import { confirmedTokens } from '../../support/confirmed-tokens';
import { graphAs, graphOf } from '../../support/graph';
import { consentRecord, legacyConsent } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { type RestClient, anonymousClient } from '../../support/rest-client';
import { databasePlaces, findings } from '../../support/secret-scan';
import { until } from '../../support/until';

const REFERENCES = 'accessEvent { controllerReference }';

describe('The reference of a Data User to its customer', () => {
  let register: SharedRegister;
  let dataUser: DataUser;
  let other: DataUser;
  let anonymous: RestClient;
  let owner: Client;
  beforeAll(async () => {
    register = await sharedRegister();
    dataUser = await newDataUser(register, 'https://larkhill.example/back');
    other = await newDataUser(register, 'https://larkhill.example/back');
    anonymous = anonymousClient(register.rest);
    owner = new Client({ connectionString: register.databaseUrl });
    await owner.connect();
  });
  afterAll(() => owner?.end());

  const newReference = () => `CUSTOMER-${randomInt(1e12)}`;
  const shownTo = async (client: RestClient, ak: string) => {
    const { status, body } = await client('GET', `/v1/access-records/${ak}`);
    expect(status).toBe(200);
    return body['access-record']['access-event']['controller-reference'] as unknown;
  };
  /**
   * References of the access records of the Data User that a caller reads over the graph, by list and by event; null for records without
   * one. It reads the list up to the first page with a record of the Data User: other tests register many.
   */
  const overTheGraph = async (token: string | 'admin') => {
    const graph = token === 'admin' ? await graphAs(register, 'admin') : graphOf(register, token);
    const list = token === 'admin' ? 'allAccessRecords' : 'accessRecords';
    type Read = { recordMetadata: { duid: string }; accessEvent: { controllerReference: string | null } };
    const referencesIn = (records: Read[]) =>
      records
        .filter(({ recordMetadata }) => recordMetadata.duid === dataUser.duid)
        .map(({ accessEvent }) => accessEvent.controllerReference);
    const { data } = await graph(
      `query ($duid: DUID) { registerEvents(first: 500, duid: $duid) {
        nodes { accessRecord { recordMetadata { duid } ${REFERENCES} } } } }`,
      { duid: dataUser.duid },
    );
    const events = data.registerEvents.nodes as { accessRecord: Read | null }[];
    const listed: (string | null)[] = [];
    for (let after: string | null = null, hasMore = true; hasMore && listed.length === 0;) {
      const page = `query ($after: String) { list: ${list}(first: 500, after: $after) {
        nodes { recordMetadata { duid } ${REFERENCES} } pageInfo { endCursor hasNextPage } } }`;
      const { nodes, pageInfo }: { nodes: Read[]; pageInfo: { endCursor: string; hasNextPage: boolean } } = (
        await graph(page, { after })
      ).data.list;
      listed.push(...referencesIn(nodes));
      [after, hasMore] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    return {
      inList: new Set(listed),
      inEvents: new Set(referencesIn(events.flatMap(({ accessRecord }) => accessRecord ?? []))),
    };
  };
  const NONE = { inList: new Set([null]), inEvents: new Set([null]) };
  const anonymised = async (ir: string, ...linked: string[]) => {
    for (const ak of linked) expect((await dataUser.rest('DELETE', `/v1/access-records/${ak}`)).status).toBe(200);
    await anonymise(register, dataUser, ir);
  };
  const keysLeft = async (ak: string) => {
    const { data } = await graphOf(register)('query ($ak: AccessKey!) { accessRecord(key: $ak) { id } }', { ak });
    const { id } = data.accessRecord;
    return (await owner.query('select from access_keys.reference_key where record_id = $1', [id])).rowCount;
  };

  it('is visible in a verification of a record of Interface A, and in no version after the customer was anonymised', async () => {
    const references = [newReference(), newReference()];
    const { ir, key } = await newCustomer(dataUser);
    const record = (reference?: string) => {
      const sent = consentRecord(ir);
      return { ...sent, 'access-event': { ...sent['access-event'], 'controller-reference': reference } };
    };
    const registered = await dataUser.rest('POST', '/v1/access-records', record(references[0]));
    const ak = String(registered.body['access-token'].key);
    for (const client of [anonymous, other.rest, dataUser.rest]) expect(await shownTo(client, ak)).toBe(references[0]);
    expect((await dataUser.rest('PUT', `/v1/access-records/${ak}`, record())).status).toBe(200);
    expect(await shownTo(dataUser.rest, ak)).toBeUndefined();
    expect((await dataUser.rest('PUT', `/v1/access-records/${ak}`, record(references[1]))).status).toBe(200);
    expect(await shownTo(anonymous, ak)).toBe(references[1]);
    await until(async () => {
      const { inList, inEvents } = await overTheGraph(dataUser.token);
      return inList.has(references[1] ?? '') && inEvents.has(references[1] ?? '') ? true : undefined;
    });
    expect(await overTheGraph('admin')).toEqual(NONE);
    expect(await keysLeft(ak)).toBe(2);
    const named = new Map(references.map((reference) => [reference, reference]));
    const scanned = async () => [
      ...(await databasePlaces(register.databaseUrl)),
      { name: 'log', content: Buffer.from(register.log()) },
    ];
    expect(findings(named, await scanned())).toEqual([]);

    await anonymised(ir, ak, key);
    expect(await keysLeft(ak)).toBe(0);
    for (const client of [anonymous, other.rest, dataUser.rest]) expect(await shownTo(client, ak)).toBeUndefined();
    expect(await overTheGraph(dataUser.token)).toEqual(NONE);
  });

  it('is not shown to a third-party portal, which receives the record under an alias', async () => {
    const portal = await newDataUser(register, 'https://larkhill.example/back', 'PORTAL');
    const customer = await newCustomer(dataUser);
    const sent = consentRecord(customer.ir);
    const accessEvent = { ...sent['access-event'], 'controller-reference': newReference() };
    const registered = await dataUser.rest('POST', '/v1/access-records', { ...sent, 'access-event': accessEvent });
    expect(registered.status).toBe(201);
    const [token] = await confirmedTokens(register, portal, customer, 1);
    const list = `query ($mpxn: MPxN!, $token: String!) { meterPoint(mpxn: $mpxn) {
      accessRecords(reidentificationToken: $token) { nodes { ak ${REFERENCES} } } } }`;
    const { data } = await graphOf(register, portal.token)(list, { mpxn: customer.mpxn, token });
    const { nodes } = data.meterPoint.accessRecords;
    const shown = { ak: expect.stringMatching(/^ak_/), accessEvent: { controllerReference: null } };
    expect(nodes).toEqual([shown, shown]);
  });

  it('of a consent of Interface B is shown to its own Data User only, until the customer was anonymised', async () => {
    const mpxn = newMpxn();
    const [first, reference] = [newReference(), newReference()];
    const consent = (own: string) => {
      const sent = legacyConsent(dataUser.duid, mpxn);
      return { ...sent, evidence: { ...(sent['evidence'] as object), 'user-defined-reference': own } };
    };
    const { status, body } = await dataUser.rest('POST', '/register-consent', consent(first));
    expect(status).toBe(201);
    const ck = String(body['consent-token'].key);
    const ak = ck.replace('ck_', 'ak_');
    expect(await shownTo(dataUser.rest, ak)).toBe(first);
    expect((await dataUser.rest('POST', `/register-consent?ck=${ck}`, consent(reference))).status).toBe(200);
    expect(await keysLeft(ak)).toBe(2);
    expect(await shownTo(dataUser.rest, ak)).toBe(reference);
    for (const client of [anonymous, other.rest]) expect(await shownTo(client, ak)).toBeUndefined();
    const shown = await dataUser.rest('GET', `/show-consents/${mpxn}`);
    expect(shown.body['consents']).toMatchObject([{ evidence: { 'user-defined-reference': reference } }]);
    const record = await anonymous('GET', `/v1/access-records/${ak}`);
    await anonymised(record.body['access-record']['record-metadata']['identity-record-ref'], ak);
    expect(await keysLeft(ak)).toBe(0);
    expect(await shownTo(dataUser.rest, ak)).toBeUndefined();
  });
});
