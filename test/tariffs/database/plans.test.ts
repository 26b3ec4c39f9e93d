import { type Planning, rowsRead } from '../../support/rows-read';
import { ADMIN, type TariffGraph, tariffGraph, trf } from '../../support/tariff-graph';

const TARIFFS = 100_000;
/** LAPW has half of all tariffs, each of these suppliers a twentieth. */
const OTHERS = ['FELL', 'TERN', 'TEAL', 'KNOT', 'RUFF', 'COOT', 'CROW', 'DOVE', 'DUCK', 'HAWK'];
const OF_FELL = TARIFFS / 20;
const REGIONS = 13;

/** Ten at a time were modified at one instant. One tariff alone is for prepayment meters of businesses. */
const TABLES = `
  alter table tariff set (autovacuum_enabled = false);
  insert into tariff (tariff_id, mpid, tariff_type, fuel_type, energy_flow, payment_method, meter_type, customer_type, ldz_region,
    standing_charge, vat_included, vat_rate, valid_from, valid_to, last_modified)
  select 'trf_' || lpad(to_hex(number), 32, '0'), case number % 2 when 0 then 'LAPW' else ($1::text[])[1 + (number / 2) % 10] end,
    (array['static', 'dynamic'])[1 + (number / 3) % 2], (array['electricity', 'gas'])[1 + (number / 5) % 2],
    (array['import', 'export'])[1 + (number / 7) % 2], (array['direct_debit', 'non_direct_debit', 'prepayment'])[1 + (number / 11) % 3],
    case number when 500 then 'prepayment' else (array['single_rate', 'multi_rate', 'smart'])[1 + (number / 17) % 3] end,
    (array['residential', 'business'])[1 + (number / 19) % 2],
    (array['SC', 'NO', 'NE', 'NWT', 'WMD', 'EM', 'EA', 'NT', 'SO', 'SE', 'WN', 'WW', 'SW'])[1 + (number / 2) % ${REGIONS}],
    '0.50', true, 5, timestamptz '2026-01-01Z' + number * interval '1 minute', null,
    timestamptz '2026-01-01Z' + (number / 10) * interval '1 second'
  from generate_series(1, ${TARIFFS}) number`;
const VERSIONS = `insert into tariff_version (tariff_id, version, name, account_id) select tariff_id, 1, 'Trial', 'acc' from tariff`;
const STEPS = `
  with point as (
    insert into meter_point (mpxn_hash, mpxn_sealed)
    select sha256(number::text::bytea), '\\x00' from generate_series(1, 20000) number returning mpxn_hash)
  insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
  select mpxn_hash, timestamptz '2026-01-01Z' + month * interval '30 days', 'trf_' || lpad(to_hex(2), 32, '0'), 'LAPW', 'acc'
  from point, generate_series(1, 5) month`;

let graph: TariffGraph;
beforeAll(async () => {
  graph = await tariffGraph();
  await graph.suppliers('LAPW', ...OTHERS);
  const session = await graph.owner.connect();
  await session.query('begin');
  const [setting, insert] = TABLES.split(';') as [string, string];
  await session.query(setting);
  await session.query(insert, [OTHERS]);
  await session.query(VERSIONS);
  await session.query('commit');
  await session.query(`alter table tariff_step disable trigger user`); // triggers would write events
  await session.query(STEPS);
  session.release();
}, 240_000);
afterAll(() => graph?.close());

/** Matches the statements of operations: events and their deliveries run concurrently. */
const STATEMENTS = /\b(supplier|tariff|tariff_rates|tariff_version|tariff_step)\b/;
const read = (query: string, planning: Planning) =>
  rowsRead(
    { owner: graph.owner, execute: (text) => graph.execute(text, {}, ADMIN), pattern: STATEMENTS },
    query,
    planning,
  );

const SHOWN = 21;

const all = (more: string) => `{ tariffs(first: 20${more}) { nodes { tariffId name } nextCursor } }`;
const own = (more: string, mpid = 'LAPW') =>
  `{ supplier(mpid: "${mpid}") { tariffs(first: 20${more}) { nodes { tariffId name } nextCursor } } }`;
const page = (more: string, mpid = 'LAPW', meta = 'nextOffset') =>
  `{ supplier(mpid: "${mpid}") { tariffPage(limit: 20${more}) { data { tariffId name } meta { ${meta} } } } }`;
const total = (filter: string, mpid = 'LAPW') =>
  `{ supplier(mpid: "${mpid}") { tariffPage(limit: 1${filter}) { meta { total } } } }`;

/** A cursor far into the list: the tariffs with ids below 10,000 follow it. */
const DEEP = `, after: "${Buffer.from(`2026-01-01T00:16:40.000000Z ${trf(10_004)}`).toString('base64url')}"`;
/**
 * Maximum rows read: half of the tariffs belong to LAPW, and half of those in order match a condition of two values.
 */
const RUN = 2 * 19 * 2 + SHOWN;

const PAGES: [string, string, number][] = [
  ['all', all(''), SHOWN],
  ['all after another', all(DEEP), 2 * SHOWN],
  ['those of a region', all(', filter: { ldzRegion: EA }'), SHOWN],
  ['those of a region after another', all(`, filter: { ldzRegion: EA }${DEEP}`), 2 * SHOWN],
  ['those of a supplier', own(''), SHOWN],
  ['those of a supplier after another', own(DEEP), 2 * SHOWN],
  ['those of a supplier in a region', own(', filter: { ldzRegion: EA }'), SHOWN],
  ['those of a supplier by number', page(''), SHOWN],
  ...[
    ...['tariffType: DYNAMIC', 'fuelType: GAS', 'energyFlow: EXPORT', 'customerType: BUSINESS'],
    'validFrom: "2026-03-01T00:00:00Z", validTo: "2027-01-01T00:00:00Z"',
  ].map((condition): [string, string, number] => [condition, own(`, filter: { ${condition} }`), RUN]),
  ...['paymentMethod: PREPAYMENT', 'meterType: SMART'].map((condition): [string, string, number] => [
    condition,
    own(`, filter: { ${condition} }`),
    2 * RUN,
  ]),
];

/** Queries of a supplier with few tariffs: each costs one scan of narrow index entries, whatever its filter. */
const WALKS: [string, string, number, number][] = [
  ['none of its kind', own(', filter: { meterType: PREPAYMENT }', 'FELL'), OF_FELL, 0],
  [
    'none that fulfils three conditions',
    own(', filter: { meterType: PREPAYMENT, fuelType: GAS, ldzRegion: EA }', 'FELL'),
    OF_FELL / REGIONS + 1,
    0,
  ],
  ['a page far into the list', page(', offset: 4000', 'FELL'), 4_000 + SHOWN, SHOWN],
  ['a page beyond its end', page(', offset: 1000000', 'FELL'), OF_FELL, 0],
  ['a page far into those of a kind', page(', offset: 1500, filter: { fuelType: GAS }', 'FELL'), OF_FELL, SHOWN],
  ['a page far into the list, with the total', page(', offset: 4000', 'FELL', 'total'), OF_FELL + SHOWN, SHOWN],
  ['the last page, with the total', page(`, offset: ${OF_FELL - 20}`, 'FELL', 'total'), OF_FELL, SHOWN],
  ['the total', total('', 'FELL'), OF_FELL + 2, 2],
  ['the total in a region', total(', filter: { ldzRegion: EA }', 'FELL'), OF_FELL / REGIONS + 3, 2],
  ['the total of a kind', total(', filter: { fuelType: GAS, meterType: SMART }', 'FELL'), 2 * OF_FELL, 2],
];

/** Queries that examine at least half of all tariffs: PostgreSQL may scan the table, because its rows are narrow. */
const WORST: [string, string][] = [
  ['the only one of its kind, of all', all(', filter: { meterType: PREPAYMENT }')],
  ['the only one of its kind, of a large supplier', own(', filter: { meterType: PREPAYMENT }')],
  ['none', all(', filter: { meterType: PREPAYMENT, validTo: "2026-01-01T00:00:00Z" }')],
  ['a page far into the list', page(', offset: 40000')],
  ['the total', '{ tariffs(first: 1) { totalCount } }'],
  ['the total of a large supplier', total('')],
  ['the total of a kind', total(', filter: { fuelType: GAS, meterType: SMART }')],
];

describe.each(['not analysed', 'analysed'] as const)('One hundred thousand tariffs, %s', (state) => {
  beforeAll(async () => {
    if (state === 'analysed') await graph.owner.query('vacuum analyze');
  });

  describe.each<Planning>(['force_custom_plan', 'force_generic_plan'])('with plan_cache_mode = %s', (planning) => {
    it.each(PAGES)('are listed without reading many more rows than are shown: %s', async (_, query, most) => {
      const { rows, whole } = await read(query, planning);
      // Without statistics PostgreSQL assumes that hardly any tariff matches: at most one scan.
      expect(rows['tariff']).toBeLessThanOrEqual((state === 'analysed' ? most : TARIFFS + SHOWN) + SHOWN);
      expect(rows['tariff_version']).toBeLessThanOrEqual(SHOWN);
      if (state === 'analysed') expect(whole.filter((table) => table !== 'supplier')).toEqual([]);
    });

    it('are not scanned for the applied tariff and the assignments of an MPxN', async () => {
      const { rows, whole } = await read(
        '{ appliedTariff(mpxn: "1012345678") { tariffId } tariffAssignments(mpxn: "1012345678") { nodes { from } } }',
        planning,
      );
      expect(rows['tariff_step']).toBe(0);
      expect(whole.filter((table) => table !== 'supplier')).toEqual([]);
    });
  });
});

describe('One hundred thousand tariffs, vacuumed', () => {
  describe.each<Planning>(['force_custom_plan', 'force_generic_plan'])('with plan_cache_mode = %s', (planning) => {
    it.each(WALKS)('of a supplier cost at most one index scan: %s', async (_, query, entries, shown) => {
      const { rows, fetched, whole } = await read(query, planning);
      expect(rows['tariff']).toBeLessThanOrEqual(entries + 2 * shown);
      expect(fetched['tariff']).toBeLessThanOrEqual(shown);
      expect(whole.filter((table) => table !== 'supplier')).toEqual([]);
    });

    it.each(WORST)('cost at most one scan: %s', async (_, query) => {
      const { rows } = await read(query, planning);
      expect(rows['tariff']).toBeLessThanOrEqual(TARIFFS + RUN);
    });
  });

  it('return the result of the slowest query within a second', async () => {
    for (const [, query] of WORST) {
      const started = performance.now();
      await graph.execute(query);
      expect(performance.now() - started).toBeLessThan(1_000);
    }
  });
});
