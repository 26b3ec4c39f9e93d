import type { Caller } from '../../../../subgraphs/server/callers/caller';
import {
  type TariffGraph,
  ADMIN,
  ANALYST,
  PUBLISH,
  consumerOf,
  supplierInput,
  supplierOf,
  tariffGraph,
  tariffInput,
  trf,
} from '../../../support/tariff-graph';

export function catalogue(): void {
  let graph: TariffGraph;
  beforeAll(async () => {
    graph = await tariffGraph();
    await graph.suppliers('LAPW', 'FELL', 'GONE');
  });
  afterAll(() => graph?.close());

  const publish = (input: Record<string, unknown>, mpid = 'LAPW') =>
    graph.execute(PUBLISH, { input }, supplierOf(mpid));
  const rejected = (input: Record<string, unknown>, mpid = 'LAPW') =>
    graph.errorOf(PUBLISH, { input }, supplierOf(mpid));

  describe('Publishing a tariff', () => {
    it('creates version 1 and returns what was published', async () => {
      const { publishTariff } = await publish(
        tariffInput(1, { description: 'By day', percentageGreen: 41.5, tierPeriod: 'YEAR' }),
      );
      expect(publishTariff).toMatchObject({ isNew: true, isChanged: false, tariff: { tariffId: trf(1), version: 1 } });
      const { tariff } = await graph.execute(
        `{ tariff(tariffId: "${trf(1)}") { name description percentageGreen comments validFrom validTo vatRate standingCharge ldzRegion tierPeriod
        supplier { mpid } replaces { tariffId } replacedBy { tariffId } versions { nodes { version } nextCursor }
        rates { months dates daysAndHours { days hours { validFrom validTo rate { unitPrice toKwh } } } } } }`,
      );
      expect(tariff).toEqual({
        ...{ name: 'Tariff 1', description: 'By day', percentageGreen: 41.5, comments: null, vatRate: 5 },
        ...{ validFrom: '2026-01-01T00:00:00.000Z', validTo: null, standingCharge: '0.5312', ldzRegion: 'EA' },
        tierPeriod: 'YEAR',
        ...{
          supplier: { mpid: 'LAPW' },
          replaces: null,
          replacedBy: null,
          versions: { nodes: [{ version: 1 }], nextCursor: null },
        },
        rates: [
          {
            months: ['ALL'],
            dates: null,
            daysAndHours: [
              {
                days: ['ALL'],
                hours: [{ validFrom: '00:00:00', validTo: '00:00:00', rate: [{ unitPrice: '0.2450', toKwh: null }] }],
              },
            ],
          },
        ],
      });
    });

    it('again with the same content changes nothing', async () => {
      const { publishTariff: first } = await publish(tariffInput(2));
      const { publishTariff: again } = await publish(tariffInput(2));
      expect(again).toEqual({ isNew: false, isChanged: false, tariff: first.tariff });
    });

    it('with another description creates a new version and retains the former one', async () => {
      const { publishTariff: first } = await publish(tariffInput(3));
      const { publishTariff: corrected } = await publish(tariffInput(3, { name: 'Renamed', comments: 'For all' }));
      expect(corrected).toMatchObject({ isNew: false, isChanged: true, tariff: { version: 2, name: 'Renamed' } });
      expect(Date.parse(corrected.tariff.lastModified)).toBeGreaterThan(Date.parse(first.tariff.lastModified));
      const { tariff } = await graph.execute(
        `{ tariff(tariffId: "${trf(3)}") { lastModified versions { nodes { version name comments publishedAt } } } }`,
      );
      expect(tariff.versions.nodes).toMatchObject([
        { version: 1, name: 'Tariff 3', comments: null, publishedAt: first.tariff.lastModified },
        { version: 2, name: 'Renamed', comments: 'For all', publishedAt: tariff.lastModified },
      ]);
    });

    it('with ever other descriptions has pages of versions in both orders, of several tariffs in one request', async () => {
      for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await publish(tariffInput(31, { name }));
      await publish(tariffInput(32));
      const page = (request: string) => `versions(${request}) { nodes { version } nextCursor }`;
      const read = async (first: string, other = first) => {
        const query = `{ one: tariff(tariffId: "${trf(31)}") { ${page(first)} } other: tariff(tariffId: "${trf(32)}") { ${page(other)} } }`;
        const { one, other: second } = await graph.execute(query);
        return [one, second].map(({ versions: { nodes, nextCursor } }) => [
          nodes.map(({ version }: { version: number }) => version),
          nextCursor,
        ]);
      };
      const [oldest, only] = await read('first: 2');
      expect([oldest, only]).toEqual([
        [[1, 2], expect.any(String)],
        [[1], null],
      ]);
      expect((await read(`first: 3, after: "${oldest?.[1]}"`))[0]).toEqual([[3, 4, 5], null]);
      const [newest] = await read('first: 2, newestFirst: true');
      expect(newest).toEqual([[5, 4], expect.any(String)]);
      expect(await read(`newestFirst: true, after: "${newest?.[1]}"`)).toEqual([
        [[3, 2, 1], null],
        [[1], null],
      ]);
      const errorOf = (arguments_: string) =>
        graph.errorOf(`{ tariff(tariffId: "${trf(31)}") { ${page(arguments_)} } }`);
      expect(await errorOf('first: 101')).toBe('VAL003 first');
      expect(await errorOf('after: "x"')).toBe('VAL001 after');
    });

    it('with other prices or times is rejected, with every field that requires a new tariff', async () => {
      await publish(tariffInput(4));
      const changed = { name: 'Renamed', standingCharge: '0.60', vatRate: 20, validTo: '2100-01-01T00:00:00Z' };
      expect(await rejected(tariffInput(4, changed))).toBe('CNF005 standingCharge vatRate');
      const { tariff } = await graph.execute(`{ tariff(tariffId: "${trf(4)}") { name version } }`);
      expect(tariff).toEqual({ name: 'Tariff 4', version: 1 });
    });

    it('that violates rules is rejected with all violations', async () => {
      const broken = { name: '', standingCharge: '0.5', validTo: '2025-01-01T00:00:00Z', tariffId: 'trf_1' };
      const [code, ...paths] = (await rejected(tariffInput(5, broken))).split(' ');
      expect(code).toMatch(/^VAL00/);
      expect(paths.toSorted()).toEqual(['name', 'standingCharge', 'tariffId', 'validTo']);
    });

    it('with violations states those of its rates and of the tariff that it replaces together', async () => {
      await publish(tariffInput(10), 'FELL');
      for (const replaces of [trf(10), trf(999)])
        expect(await rejected(tariffInput(11, { rates: [], replaces }))).toBe('VAL003 rates replaces');
      expect(await rejected(tariffInput(11, { rates: [], replaces: 'trf_1' }))).toBe('VAL001 replaces rates');
    });

    it('again with violations of rules and other prices states both together, to its supplier only', async () => {
      await publish(tariffInput(12));
      const until = (validTo: string, unitPrice: string) => ({
        standingCharge: '0.60',
        rates: [
          {
            months: ['ALL'],
            daysAndHours: [{ days: ['ALL'], hours: [{ validFrom: '00:00:00', validTo, rate: [{ unitPrice }] }] }],
          },
        ],
      });
      const hours = 'rates.0.daysAndHours.0.hours';
      expect(await rejected(tariffInput(12, until('12:00:00', '0.30')))).toBe(
        `VAL003 ${hours} standingCharge ${hours}.0.rate.0.unitPrice ${hours}.0.validTo`,
      );
      const malformed = until('00:00:00', 'a');
      expect(await rejected(tariffInput(12, malformed))).toBe(`VAL001 ${hours}.0.rate.0.unitPrice standingCharge`);
      expect(await rejected(tariffInput(12, malformed), 'FELL')).toBe(`VAL001 ${hours}.0.rate.0.unitPrice`);
    });

    it('is possible for the supplier of the tariff only, or for an admin who names the supplier', async () => {
      await publish(tariffInput(6));
      expect(await rejected(tariffInput(6), 'FELL')).toBe('PRM002');
      expect(await rejected(tariffInput(7, { mpid: 'FELL' }))).toBe('PRM002');
      expect(await rejected(tariffInput(7, { mpid: 'FELL', name: '' }))).toBe('PRM002');
      expect(await graph.errorOf(PUBLISH, { input: tariffInput(7) }, ADMIN)).toBe('VAL002 mpid');
      const { publishTariff } = await graph.execute(PUBLISH, { input: tariffInput(7, { mpid: 'FELL' }) }, ADMIN);
      expect(publishTariff.isNew).toBe(true);
    });

    it('needs a supplier that is registered and not removed', async () => {
      expect(await rejected(tariffInput(8), 'NONE')).toBe('PRM001');
      expect(await graph.errorOf(PUBLISH, { input: tariffInput(8, { mpid: 'NONE' }) }, ADMIN)).toBe('NTF002');
      await graph.execute('mutation { setSupplierStatus(mpid: "GONE", status: REMOVED) { mpid } }', {}, ADMIN);
      expect(await rejected(tariffInput(8), 'GONE')).toBe('PRM001');
      expect(await graph.errorOf(PUBLISH, { input: tariffInput(8, { mpid: 'GONE' }) }, ADMIN)).toBe('CNF001');
    });

    it('is for suppliers and admins only', async () => {
      expect(await graph.errorOf(PUBLISH, { input: tariffInput(9) })).toBe('AUT001');
      expect(await graph.errorOf(PUBLISH, { input: tariffInput(9) }, ANALYST)).toBe('PRM001');
    });
  });

  describe('A tariff that replaces another', () => {
    it('must have the same supplier, fuel and energy flow, and be the only replacement', async () => {
      for (const number of [20, 21]) await publish(tariffInput(number));
      await publish(tariffInput(22), 'FELL');
      expect(await rejected(tariffInput(23, { replaces: trf(999) }))).toBe('NTF003 replaces');
      expect(await rejected(tariffInput(23, { replaces: trf(22) }))).toBe('NTF003 replaces');
      expect(await rejected(tariffInput(23, { replaces: trf(20), energyFlow: 'EXPORT' }))).toBe('VAL003 replaces');
      await publish(tariffInput(23, { replaces: trf(20) }));
      expect(await rejected(tariffInput(24, { replaces: trf(20) }))).toBe('CNF001 replaces');
      const { tariff } = await graph.execute(
        `{ tariff(tariffId: "${trf(23)}") { replaces { tariffId replacedBy { tariffId } } } }`,
      );
      expect(tariff.replaces).toEqual({ tariffId: trf(20), replacedBy: { tariffId: trf(23) } });
    });

    it('can replace neither another tariff later nor itself', async () => {
      await publish(tariffInput(25));
      expect(await rejected(tariffInput(25, { replaces: trf(21) }))).toBe('CNF005 replaces');
      expect(await rejected(tariffInput(26, { replaces: trf(26) }))).toMatch(/replaces$/);
    });
  });

  describe('A published tariff', () => {
    it.each([
      ['the prices of a tariff', `update tariff set standing_charge = '9.00'`],
      ['its start', "update tariff set valid_from = valid_from - interval '1 day'"],
      ['the end of its validity, to an instant that has passed', 'update tariff set valid_to = now()'],
      ['its version, with an end', "update tariff set version = version + 2, valid_to = now() + interval '1 day'"],
      ['a version that is not the next one', 'update tariff set version = version + 2'],
      ['when it was published', "update tariff set published_at = published_at - interval '1 day'"],
      ['when a version was', "update tariff_version set published_at = published_at - interval '1 day'"],
      ['its rates', `update tariff_rates set rates = '[]'`],
      ['what was said of it', `update tariff_version set name = 'Other'`],
      ['a version, by removing it', 'delete from tariff_version'],
      ['a tariff, by removing it', 'delete from tariff'],
      ['that a status changed', 'delete from entry_transition'],
    ])('cannot be changed, not even by the owner of the database: %s', async (_, statement) => {
      await expect(graph.owner.query(statement)).rejects.toMatchObject({ code: '23001' });
    });
  });

  describe('The registers of suppliers and RTI Users', () => {
    const SAVE = `mutation Save($input: SupplierInput!) { saveSupplier(input: $input) {
    isNew supplier { mpid name status oauthUrl issuer audience lastModified } } }`;
    const SAVE_USER = `mutation Save($input: RtiUserInput!) { saveRtiUser(input: $input) {
    isNew rtiUser { userId name status webhookUrl contact { name email telephone } } } }`;
    const USER = {
      ...{ name: 'Tern Apps Limited', displayName: 'Tern', support: 'https://tern.example/help' },
      webhookUrl: 'https://tern.example/hooks',
      contact: { name: 'Tern operations', email: 'operations@tern.example' },
    };
    const TOKENS = { issuer: 'https://oauth.teal.example', audience: 'tariffs' };

    it('are written by admins: an entry is created once, then corrected', async () => {
      const { saveSupplier: first } = await graph.execute(SAVE, { input: supplierInput('TEAL', TOKENS) }, ADMIN);
      expect(first).toMatchObject({ isNew: true, supplier: { mpid: 'TEAL', status: 'ACTIVE', ...TOKENS } });
      const { saveSupplier: same } = await graph.execute(SAVE, { input: supplierInput('TEAL', TOKENS) }, ADMIN);
      expect(same).toEqual({ isNew: false, supplier: first.supplier });
      const other = supplierInput('TEAL', { ...TOKENS, name: 'Teal plc' });
      const { saveSupplier: corrected } = await graph.execute(SAVE, { input: other }, ADMIN);
      expect(corrected).toMatchObject({ isNew: false, supplier: { name: 'Teal plc' } });
      expect(corrected.supplier.lastModified).not.toBe(first.supplier.lastModified);
      expect(await graph.errorOf(SAVE, { input: supplierInput('TEAL') }, supplierOf('TEAL'))).toBe('PRM001');
      expect(await graph.errorOf(SAVE, { input: supplierInput('LAPW', TOKENS) }, ADMIN)).toBe('CNF001 issuer');
      expect(await graph.errorOf(SAVE, { input: supplierInput('x', { apiUrl: 'nowhere' }) }, ADMIN)).toBe(
        'VAL001 mpid apiUrl',
      );
    });

    it('show issuer and audience to admins and to the supplier itself only', async () => {
      const query = '{ supplier(mpid: "TEAL") { issuer audience } }';
      const nothing = { issuer: null, audience: null };
      expect(await graph.execute(query)).toEqual({ supplier: nothing });
      expect(await graph.execute(query, {}, supplierOf('LAPW'))).toEqual({ supplier: nothing });
      expect(await graph.execute(query, {}, supplierOf('TEAL'))).toEqual({ supplier: TOKENS });
      expect(await graph.execute(query, {}, ADMIN)).toEqual({ supplier: TOKENS });
    });

    it('show webhook and contact of an RTI User to suppliers, admins and itself only', async () => {
      const { saveRtiUser } = await graph.execute(SAVE_USER, { input: USER }, ADMIN);
      const { userId, webhookUrl, contact } = saveRtiUser.rtiUser;
      expect(userId).toMatch(/^usr_[0-9a-f]{32}$/);
      expect({ webhookUrl, contact }).toEqual({
        webhookUrl: USER.webhookUrl,
        contact: { ...USER.contact, telephone: null },
      });
      const query = `{ rtiUser(userId: "${userId}") { name webhookUrl contact { email } } }`;
      const shown = { name: USER.name, webhookUrl: USER.webhookUrl, contact: { email: USER.contact.email } };
      const hidden = { name: USER.name, webhookUrl: null, contact: null };
      for (const caller of [ADMIN, supplierOf('LAPW'), consumerOf(userId)])
        expect(await graph.execute(query, {}, caller)).toEqual({ rtiUser: shown });
      for (const caller of [undefined, ANALYST, consumerOf(`usr_${'0'.repeat(32)}`)])
        expect(await graph.execute(query, {}, caller)).toEqual({ rtiUser: hidden });
      const { rows } = await graph.owner.query('select rti_user::text as stored from rti_user');
      expect(JSON.stringify(rows)).not.toContain('operations@');
    });

    it('allow the specified transitions of status only: a removal is final, and every change is recorded', async () => {
      const { saveRtiUser } = await graph.execute(SAVE_USER, { input: USER }, ADMIN);
      const { userId } = saveRtiUser.rtiUser;
      const SET =
        'mutation Set($userId: String!, $status: RegisterEntryStatus!) { setRtiUserStatus(userId: $userId, status: $status) { status } }';
      const set = (status: string) => graph.execute(SET, { userId, status }, ADMIN);
      for (const status of ['SUSPENDED', 'ACTIVE', 'ACTIVE', 'DISABLED', 'ACTIVE', 'SUSPENDED', 'DISABLED'])
        expect(await set(status)).toEqual({ setRtiUserStatus: { status } });
      expect(await graph.errorOf(SET, { userId, status: 'SUSPENDED' }, ADMIN)).toBe('CNF001 status');
      await set('REMOVED');
      expect(await graph.errorOf(SET, { userId, status: 'ACTIVE' }, ADMIN)).toBe('CNF001 status');
      expect(await graph.errorOf(SAVE_USER, { input: { ...USER, userId } }, ADMIN)).toBe('CNF001');
      expect(await graph.errorOf(SET, { userId: `usr_${'f'.repeat(32)}`, status: 'ACTIVE' }, ADMIN)).toBe('NTF004');
      expect(await graph.errorOf(SET, { userId, status: 'ACTIVE' }, supplierOf('LAPW'))).toBe('PRM001');
      const { rows } = await graph.owner.query(
        'select from_status, to_status, account_id from entry_transition where user_id = $1 order by id',
        [userId],
      );
      expect(rows.map(({ from_status, to_status }) => `${from_status} ${to_status}`)).toEqual([
        ...['active suspended', 'suspended active', 'active disabled', 'disabled active', 'active suspended'],
        ...['suspended disabled', 'disabled removed'],
      ]);
      expect(new Set(rows.map(({ account_id }) => account_id))).toEqual(new Set([ADMIN.accountId]));
    });

    it('are listed by number and by cursor: all entries, active ones, or others', async () => {
      const page = (more: string) =>
        `{ supplierPage(${more}) { data { mpid } meta { total limit offset nextOffset } } }`;
      const mpids = (data: { mpid: string }[]) => data.map(({ mpid }) => mpid).join(' ');
      const { supplierPage: first } = await graph.execute(page('limit: 3'));
      expect([mpids(first.data), first.meta]).toEqual([
        'FELL GONE LAPW',
        { total: 4, limit: 3, offset: 0, nextOffset: 3 },
      ]);
      const { supplierPage: last } = await graph.execute(page('limit: 3, offset: 3'));
      expect([mpids(last.data), last.meta.nextOffset]).toEqual(['TEAL', null]);
      const active = await graph.execute(page('active: true'));
      const others = await graph.execute(page('active: false'));
      expect([active, others].map(({ supplierPage }) => mpids(supplierPage.data))).toEqual(['FELL LAPW TEAL', 'GONE']);
      const { suppliers } = await graph.execute(
        '{ suppliers(first: 2, filter: { status: [ACTIVE] }) { totalCount nodes { mpid } nextCursor } }',
      );
      expect([mpids(suppliers.nodes), suppliers.totalCount]).toEqual(['FELL LAPW', 3]);
      const { suppliers: more } = await graph.execute(
        `{ suppliers(first: 2, after: "${suppliers.nextCursor}", filter: { status: [ACTIVE] }) { nodes { mpid } nextCursor } }`,
      );
      expect([mpids(more.nodes), more.nextCursor]).toEqual(['TEAL', null]);
      const { rtiUserPage } = await graph.execute('{ rtiUserPage(active: false) { data { status } meta { total } } }');
      expect(rtiUserPage).toEqual({ data: [{ status: 'REMOVED' }], meta: { total: 1 } });
    });

    it('of RTI Users are closed to a supplier that is not active, even an empty page', async () => {
      const empty = '{ rtiUserPage(offset: 100000) { data { userId } } }';
      for (const mpid of ['GONE', 'NONE']) expect(await graph.errorOf(empty, {}, supplierOf(mpid))).toBe('PRM001');
    });

    it.each([
      ['limit: 0', 'VAL003 limit'],
      ['limit: 101', 'VAL003 limit'],
      ['offset: -1', 'VAL003 offset'],
      ['limit: 0, offset: -1', 'VAL003 limit offset'],
    ])('reject a page with "%s"', async (page, rejection) => {
      expect(await graph.errorOf(`{ supplierPage(${page}) { data { mpid } } }`)).toBe(rejection);
      expect(await graph.errorOf(`{ rtiUserPage(${page}) { data { userId } } }`)).toBe(rejection);
      expect(await graph.errorOf(`{ supplier(mpid: "LAPW") { tariffPage(${page}) { data { tariffId } } } }`)).toBe(
        rejection,
      );
    });
  });

  it.each(['suppliers', 'rtiUsers'])(
    '%s reject an empty list of statuses, together with the page size',
    async (list) => {
      const rejection = 'VAL003 first filter.status';
      expect(await graph.errorOf(`{ ${list}(first: 0, filter: { status: [] }) { totalCount } }`)).toBe(rejection);
      const { [list]: all } = await graph.execute(`{ ${list}(filter: { status: null }) { totalCount } }`);
      expect(all.totalCount).toBeGreaterThan(0);
    },
  );

  describe('The entry of an RTI User', () => {
    const SAVE = `mutation ($input: RtiUserInput!) { saveRtiUser(input: $input) { isNew rtiUser { userId lastModified } } }`;

    it('does not change if it is saved again unmodified; another contact is a change', async () => {
      const entry = { name: 'Curlew Insight Ltd', displayName: 'Curlew', support: 'help@curlew.example' };
      const contact = { name: 'Jo Wren', email: 'jo@curlew.example' };
      const save = async (input: object) => (await graph.execute(SAVE, { input }, ADMIN)).saveRtiUser;
      const made = await save({ ...entry, contact });
      const { userId, lastModified } = made.rtiUser;
      await graph.moveClock(60);
      const again = await save({ ...entry, userId, contact: { ...contact, telephone: null } });
      expect(again).toEqual({ isNew: false, rtiUser: { userId, lastModified } });
      const changed = await save({ ...entry, userId, contact: { ...contact, telephone: '+44 1632 960001' } });
      await graph.moveClock(0);
      expect(changed.rtiUser.lastModified > lastModified).toBe(true);
    });
  });

  describe('Lists of many tariffs', () => {
    const ENUMS = {
      tariffType: ['STATIC', 'DYNAMIC'],
      fuelType: ['ELECTRICITY', 'GAS'],
      energyFlow: ['IMPORT', 'EXPORT'],
      paymentMethod: ['DIRECT_DEBIT', 'NON_DIRECT_DEBIT', 'PREPAYMENT'],
      meterType: ['SINGLE_RATE', 'MULTI_RATE', 'SMART', 'PREPAYMENT'],
      customerType: ['RESIDENTIAL', 'BUSINESS'],
      ldzRegion: ['EA', 'SC', 'NWT'],
    } as const;

    interface Published {
      readonly tariffId: string;
      readonly mpid: string;
      readonly validFrom: string;
      readonly validTo: string | null;
      readonly sellableFrom: string | null;
      readonly sellableTo: string | null;
      readonly [field: string]: unknown;
    }

    const TARIFFS = 60;
    const day = (number: number) => new Date(Date.UTC(2026, 0, 1 + number)).toISOString();

    let listing: TariffGraph;
    /** The expected order of the list: the last modified first, those of one instant by their ids. */
    let inOrder: Published[];
    beforeAll(async () => {
      listing = await tariffGraph();
      await listing.suppliers('LAPW', 'FELL');
      const published: Published[] = [];
      for (let number = 0; number < TARIFFS; number += 1) {
        const mpid = number % 3 === 0 ? 'FELL' : 'LAPW';
        const facets = Object.fromEntries(
          Object.entries(ENUMS).map(([field, values], index) => [
            field,
            values[Math.floor((number * 7) / (index + 1)) % values.length],
          ]),
        );
        const validTo = number % 2 === 0 ? day(number + 10) : null;
        const sellableFrom = number % 4 === 0 ? day(number - 5) : null;
        const sellableTo = number % 5 === 0 ? day(number + 5) : null;
        const input = { ...facets, validFrom: day(number), validTo, sellableFrom, sellableTo };
        await listing.execute(PUBLISH, { input: tariffInput(number, input) }, supplierOf(mpid));
        published.push({ ...input, tariffId: trf(number), mpid });
      }
      // Five at a time were modified at one instant, those of higher ids earlier.
      await listing.owner.query(`alter table tariff disable trigger never_changed;
    update tariff t set last_modified = '2026-06-01T00:00:00Z'::timestamptz - interval '1 microsecond' * (place / 5)
      from (select tariff_id, row_number() over (order by tariff_id) as place from tariff) placed where placed.tariff_id = t.tariff_id;
    alter table tariff enable trigger never_changed`);
      inOrder = published; // ids ascend as instants descend
    });
    afterAll(() => listing?.close());

    const ids = (list: readonly { tariffId: string }[]) => list.map(({ tariffId }) => tariffId);

    const CONNECTION = `query List($first: Int!, $after: String, $filter: TariffFilter) {
  tariffs(first: $first, after: $after, filter: $filter) { totalCount nodes { tariffId } edges { cursor } nextCursor pageInfo { hasNextPage } } }`;
    const PAGE = `query Page($limit: Int!, $offset: Int!, $filter: TariffFilter) { supplier(mpid: "LAPW") {
  tariffPage(limit: $limit, offset: $offset, filter: $filter) { data { tariffId } meta { total limit offset nextOffset } } } }`;

    async function byCursor(filter: object, first: number): Promise<string[]> {
      const all: string[] = [];
      for (let after: string | null = null; ;) {
        const { tariffs } = await listing.execute(CONNECTION, { filter, first, after });
        all.push(...ids(tariffs.nodes));
        expect(tariffs.pageInfo.hasNextPage).toBe(tariffs.nextCursor !== null);
        if (tariffs.nextCursor === null) return all;
        after = tariffs.nextCursor;
      }
    }

    async function byNumber(filter: object, limit: number): Promise<string[]> {
      const all: string[] = [];
      for (let offset: number | null = 0; offset !== null;) {
        const { supplier } = await listing.execute(PAGE, { filter, limit, offset });
        all.push(...ids(supplier.tariffPage.data));
        offset = supplier.tariffPage.meta.nextOffset;
      }
      return all;
    }

    function expected(filter: Record<string, unknown>): string[] {
      const { validFrom, validTo, onSaleAt, modifiedSince, ...exact } = filter as Record<string, string>;
      return ids(
        inOrder.filter(
          (tariff, place) =>
            Object.entries(exact).every(([field, value]) => tariff[field] === value) &&
            (validFrom === undefined || tariff.validTo === null || tariff.validTo > validFrom) &&
            (validTo === undefined || tariff.validFrom < validTo) &&
            (onSaleAt === undefined || isOnSale(tariff, onSaleAt)) &&
            (modifiedSince === undefined || place < MODIFIED_LAST),
        ),
      );
    }

    function isOnSale({ sellableFrom, sellableTo, validTo }: Published, at: string): boolean {
      return (
        [sellableTo, validTo].every((end) => end === null || end > at) && !(sellableFrom !== null && sellableFrom > at)
      );
    }

    /** Number of tariffs that were modified at the last instant. */
    const MODIFIED_LAST = 4;

    const FILTERS: [string, Record<string, unknown>][] = [
      ['nothing', {}],
      ...Object.entries(ENUMS).flatMap(([field, values]) =>
        values.map((value): [string, Record<string, unknown>] => [`${field} ${value}`, { [field]: value }]),
      ),
      ['validity that ends after an instant', { validFrom: day(40) }],
      ['validity that begins before an instant', { validTo: day(20) }],
      ['validity that overlaps a window', { validFrom: day(20), validTo: day(25) }],
      ['sale at an instant', { onSaleAt: day(30) }],
      ['sale at the end of a period', { onSaleAt: day(35), fuelType: 'ELECTRICITY' }],
      ['the instant of their last modification', { modifiedSince: '2026-06-01T00:00:00Z' }],
      ['three conditions', { fuelType: 'ELECTRICITY', customerType: 'BUSINESS', ldzRegion: 'EA' }],
      ['conditions that nothing fulfils', { fuelType: 'GAS', ldzRegion: 'WS', validTo: day(-5) }],
      [
        'all nine',
        {
          ...Object.fromEntries(Object.entries(ENUMS).map(([field, [value]]) => [field, value])),
          validFrom: day(0),
          validTo: day(1),
        },
      ],
    ];

    describe('Tariffs', () => {
      it.each(
        FILTERS.map(
          ([name, { ...filter }]) =>
            [name, filter.ldzRegion === 'WS' ? { ...filter, ldzRegion: 'WN' } : filter] as const,
        ),
      )(
        'are listed by %s: by cursor and by number, in pages of every size, the last modified first',
        async (_, filter) => {
          const all = expected(filter);
          const own = expected({ ...filter, mpid: 'LAPW' });
          for (const size of [4, 5, 100]) {
            expect(await byCursor(filter, size)).toEqual(all);
            expect(await byNumber(filter, size)).toEqual(own);
          }
          const { tariffs } = await listing.execute(CONNECTION, { filter: { ...filter, mpid: 'LAPW' }, first: 1 });
          const { supplier } = await listing.execute(PAGE, { filter, limit: 1, offset: 0 });
          expect([tariffs.totalCount, supplier.tariffPage.meta.total]).toEqual([own.length, own.length]);
        },
      );

      it('can be listed after each of them, even among tariffs of one instant', async () => {
        const { tariffs } = await listing.execute(CONNECTION, { first: 100 });
        for (const [place, { cursor }] of tariffs.edges.entries()) {
          const { tariffs: rest } = await listing.execute(CONNECTION, { first: 100, after: cursor });
          expect(ids(rest.nodes)).toEqual(ids(inOrder).slice(place + 1));
        }
      });

      it('are absent beyond the end of the list', async () => {
        const { supplier } = await listing.execute(PAGE, { limit: 20, offset: 1_000_000 });
        expect(supplier.tariffPage).toEqual({
          data: [],
          meta: { total: 40, limit: 20, offset: 1_000_000, nextOffset: null },
        });
      });

      it('of a supplier are its own only', async () => {
        const tariff = (mpid: string) =>
          listing.execute(
            `{ supplier(mpid: "${mpid}") { tariff(tariffId: "${trf(0)}") { tariffId } tariffs(first: 1) { totalCount } } }`,
          );
        expect((await tariff('FELL')).supplier).toEqual({ tariff: { tariffId: trf(0) }, tariffs: { totalCount: 20 } });
        expect((await tariff('LAPW')).supplier).toEqual({ tariff: null, tariffs: { totalCount: 40 } });
      });

      it.each([
        [
          'a window that ends before it begins',
          { filter: { validFrom: day(2), validTo: day(1) } },
          'VAL003 filter.validTo',
        ],
        [
          'a window that ends as it begins',
          { filter: { validFrom: day(2), validTo: day(2) } },
          'VAL003 filter.validTo',
        ],
        ['a page that is too large', { first: 101 }, 'VAL003 first'],
        ['a cursor of another list', { after: Buffer.from('LAPW').toString('base64url') }, 'VAL001 after'],
        [
          'a cursor of a day that is none',
          { after: Buffer.from(`2026-02-30T00:00:00.000000Z ${trf(1)}`).toString('base64url') },
          'VAL001 after',
        ],
      ])('are not listed for %s', async (_, variables, rejection) => {
        expect(await listing.errorOf(CONNECTION, { first: 1, ...variables })).toBe(rejection);
      });

      it('of a supplier cannot be filtered by another mpid', async () => {
        expect(await listing.errorOf(PAGE, { limit: 1, offset: 0, filter: { mpid: 'FELL' } })).toBe(
          'VAL003 filter.mpid',
        );
      });
    });

    describe('Requests without an account', () => {
      it('count towards the limit of their network, also with the session of a customer; requests with an account do not', async () => {
        const limited = await tariffGraph({ publicLookups: 3 });
        const customer: Caller = { accountId: 'session', role: 'customer', duid: null, mpid: null };
        try {
          const query = '{ supplierPage { meta { total } } }';
          for (let count = 0; count < 3; count += 1) await limited.execute(query);
          for (const each of [
            query,
            '{ tariffs { nextCursor } }',
            `{ tariff(tariffId: "${trf(1)}") { name } }`,
            '{ rtiUserPage { meta { total } } }',
          ])
            for (const caller of [undefined, customer]) expect(await limited.errorOf(each, {}, caller)).toBe('LIM002');
          for (let count = 0; count <= 3; count += 1) await limited.execute(query, {}, supplierOf('LAPW'));
        } finally {
          await limited.close();
        }
      });
    });
  });
}
