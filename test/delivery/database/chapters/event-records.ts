import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { logSettled } from '../../../support/settled-log';
import { type RegisteredConsent, webhookFixture, type WebhookFixture } from '../../../support/webhook-fixture';

const ADMIN: Caller = { accountId: `acc_${'a'.repeat(24)}`, role: 'admin', duid: null, mpid: null };
const [RECORDS, WITHDRAWN] = [12, 7];
/** Bytes of the purpose of each record. Five of them have more than the maximum. */
const PURPOSE_BYTES = 1_000_000;

const CONTENT = 'processing { purpose }';
/** Every field of a record that an event may show, by itself. */
const FIELDS = [
  'version',
  'recordMetadata { schemaVersion createdAt identityRecordRef duid controllerArrangement { controllers { name } } }',
  'notice { sharedNotice { termsUrl } }',
  'processing { legalBasis dataTypes jurisdiction recipients { name } }',
  'accessEvent { state registeredAt expiry revokedAt controllerReference consent { consentType } }',
  'reidentificationToken',
  'dataTypes',
  'state',
  'leadControllerName',
  'arrangementType',
  'controllerCount',
  'legalBasis',
  'purpose',
  'registeredAt',
  'expiry',
  'discoveredAccess { organisationName }',
];

export function eventRecords(): void {
  /** A GraphQL result, accessed by field names. */
  type ResultData = ReturnType<typeof JSON.parse>;

  let fixture: WebhookFixture;
  let dataUser: Caller;
  const records: RegisteredConsent[] = [];
  beforeAll(async () => {
    fixture = await webhookFixture();
    dataUser = await fixture.dataUser();
    for (let number = 0; number < RECORDS; number += 1) {
      records.push(await fixture.consent(dataUser, null, number > WITHDRAWN ? records[WITHDRAWN]?.mpxn : undefined));
    }
    await fixture.subscribe(dataUser);
    for (const { id } of records.slice(0, WITHDRAWN)) await fixture.withdraw({ id });
    await fixture.posts(WITHDRAWN);
    await fixture.tenancyChange(String(records.at(-1)?.mpxn), '2026-02-01', 'operator 7');
  });
  afterAll(() => fixture.close());

  const execute = async (query: string, caller = dataUser) => {
    await logSettled(fixture.owner);
    return fixture.execute(caller, query);
  };
  const registrations = (selection: string, first = 500) =>
    `registerEvents(first: ${first}, types: [ACCESS_REGISTERED]) { nodes { accessRecord { ${selection} } } }`;
  const recordsOf = (list: ResultData): ResultData[] => list.nodes.map((node: ResultData) => node.accessRecord);

  describe('A page of events', () => {
    it.each(FIELDS)('has the fields of its records as a verification has: %s', async (field) => {
      const { data, codes } = await execute(`{ ${registrations(`id ${field}`)} }`);
      expect(codes).toEqual([]);
      const verified = await Promise.all(
        records.map(
          async ({ ak }) => (await execute(`{ accessRecord(key: "${ak}") { id ${field} } }`)).data.accessRecord,
        ),
      );
      expect(recordsOf(data.registerEvents)).toEqual(verified);
    });

    it('has the records that a change of tenancy affects page by page, and their number', async () => {
      const affected = records.slice(WITHDRAWN).map(({ id }) => ({ id }));
      const page = async (args: string) => {
        const query = `{ latestRegisterEvents(types: [TENANCY_CHANGE], first: 1) { affectedRecordCount affectedRecords${args} { id } } }`;
        const { data, violations } = await execute(query);
        return data?.latestRegisterEvents[0].affectedRecords ?? violations;
      };
      expect(await page('')).toEqual(affected);
      expect(await page('(first: 2)')).toEqual(affected.slice(0, 2));
      expect(await page(`(first: 2, after: "${affected[1]?.id}")`)).toEqual(affected.slice(2, 4));
      expect(await page(`(after: "${affected.at(-1)?.id}")`)).toEqual([]);
    });

    it.each([
      ['(first: 0)', 'VAL003 first'],
      ['(first: 101)', 'VAL003 first'],
      [`(after: "${'0'.repeat(8)}")`, 'VAL001 after'],
    ])('rejects an invalid page of affected records: %s', async (args, violation) => {
      const query = `{ latestRegisterEvents(types: [TENANCY_CHANGE], first: 1) { affectedRecords${args} { id } } }`;
      expect((await execute(query)).violations).toEqual([violation]);
    });
  });

  describe('Events of records that together are too large', () => {
    beforeAll(async () => {
      await fixture.owner.query(`set session_replication_role = 'replica'`);
      await fixture.owner.query(
        `update access_record set document = jsonb_set(document, '{purpose}', to_jsonb(repeat('x', ${PURPOSE_BYTES})))`,
      );
      await fixture.owner.query('reset session_replication_role');
    });

    const pageOf = (list: ResultData) => recordsOf(list);
    const QUERIES: readonly [string, string, (data: ResultData) => ResultData[]][] = [
      ['a page', `{ ${registrations(CONTENT)} }`, (data) => pageOf(data.registerEvents)],
      [
        '15 pages of one operation',
        `{ ${Array.from({ length: 15 }, (_, index) => `page${index}: ${registrations(CONTENT)}`).join(' ')} }`,
        (data) => Object.values(data).flatMap(pageOf),
      ],
      [
        'the deliveries of a subscription',
        `{ webhooks { deliveries(first: 500) { nodes { event { accessRecord { ${CONTENT} } } } } } }`,
        (data) => data.webhooks[0].deliveries.nodes.flatMap(({ event }: ResultData) => event.accessRecord ?? []),
      ],
    ];

    it.each(QUERIES)('show 4 MiB of records, and VAL003 for each further one: %s', async (_, query, shown) => {
      const { data, codes } = await execute(query);
      expect(shown(data).filter((record) => record !== null)).toHaveLength(5);
      expect(new Set(codes)).toEqual(new Set(['VAL003']));
    });

    it('are read without the content of their records if none is selected, also by the back office', async () => {
      for (const caller of [dataUser, ADMIN]) {
        const query = `{ ${registrations('id state discoveredAccess { organisationName }')} }`;
        const { data, codes } = await execute(query, caller);
        expect([codes, recordsOf(data.registerEvents).map(({ id }) => id)]).toEqual([[], records.map(({ id }) => id)]);
      }
    });

    it('are read one by one with the whole content', async () => {
      const { data } = await execute(`{ ${registrations(CONTENT, 1)} }`);
      expect(recordsOf(data.registerEvents)[0].processing.purpose).toHaveLength(PURPOSE_BYTES);
    });

    it('show 4 MiB of the records that a change of tenancy affects', async () => {
      const query = `{ latestRegisterEvents(types: [TENANCY_CHANGE], first: 1) { affectedRecords { ${CONTENT} } } }`;
      expect((await execute(`{ a: ${query.slice(2, -2)} b: ${query.slice(2, -2)} }`)).codes).toContain('VAL003');
      expect((await execute(query)).codes).toEqual([]);
    });
  });
}
