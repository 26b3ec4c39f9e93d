import { type TariffGraph, supplierOf, tariffGraph, tariffInput, trf, PUBLISH } from '../support/tariff-graph';

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
  readonly [field: string]: unknown;
}

const TARIFFS = 60;
const day = (number: number) => new Date(Date.UTC(2026, 0, 1 + number)).toISOString();

let graph: TariffGraph;
/** As they are listed: the last modified first, those of one instant by their ids. */
let inOrder: Published[];
beforeAll(async () => {
  graph = await tariffGraph();
  await graph.suppliers('LAPW', 'FELL');
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
    const input = { ...facets, validFrom: day(number), validTo };
    await graph.ask(PUBLISH, { input: tariffInput(number, input) }, supplierOf(mpid));
    published.push({ ...input, tariffId: trf(number), mpid });
  }
  // Five at a time were modified at one instant, those of higher ids earlier.
  await graph.owner.query(`alter table tariff disable trigger never_changed;
    update tariff t set last_modified = '2026-06-01T00:00:00Z'::timestamptz - interval '1 microsecond' * (place / 5)
      from (select tariff_id, row_number() over (order by tariff_id) as place from tariff) placed where placed.tariff_id = t.tariff_id;
    alter table tariff enable trigger never_changed`);
  inOrder = published; // ids ascend as instants descend
}, 60_000);
afterAll(() => graph?.close());

const ids = (list: readonly { tariffId: string }[]) => list.map(({ tariffId }) => tariffId);

const CONNECTION = `query List($first: Int!, $after: String, $filter: TariffFilter) {
  tariffs(first: $first, after: $after, filter: $filter) { totalCount nodes { tariffId } edges { cursor } nextCursor pageInfo { hasNextPage } } }`;
const PAGE = `query Page($limit: Int!, $offset: Int!, $filter: TariffFilter) { supplier(mpid: "LAPW") {
  tariffPage(limit: $limit, offset: $offset, filter: $filter) { data { tariffId } meta { total limit offset nextOffset } } } }`;

async function byCursor(filter: object, first: number): Promise<string[]> {
  const all: string[] = [];
  for (let after: string | null = null; ;) {
    const { tariffs } = await graph.ask(CONNECTION, { filter, first, after });
    all.push(...ids(tariffs.nodes));
    expect(tariffs.pageInfo.hasNextPage).toBe(tariffs.nextCursor !== null);
    if (tariffs.nextCursor === null) return all;
    after = tariffs.nextCursor;
  }
}

async function byNumber(filter: object, limit: number): Promise<string[]> {
  const all: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const { supplier } = await graph.ask(PAGE, { filter, limit, offset });
    all.push(...ids(supplier.tariffPage.data));
    offset = supplier.tariffPage.meta.nextOffset;
  }
  return all;
}

function expected(filter: Record<string, unknown>): string[] {
  const { validFrom, validTo, ...exact } = filter as Record<string, string>;
  return ids(
    inOrder.filter(
      (tariff) =>
        Object.entries(exact).every(([field, value]) => tariff[field] === value) &&
        (validFrom === undefined || tariff.validTo === null || tariff.validTo > validFrom) &&
        (validTo === undefined || tariff.validFrom < validTo),
    ),
  );
}

const FILTERS: [string, Record<string, unknown>][] = [
  ['nothing', {}],
  ...Object.entries(ENUMS).flatMap(([field, values]) =>
    values.map((value): [string, Record<string, unknown>] => [`${field} ${value}`, { [field]: value }]),
  ),
  ['validity that ends after an instant', { validFrom: day(40) }],
  ['validity that begins before an instant', { validTo: day(20) }],
  ['validity that overlaps a window', { validFrom: day(20), validTo: day(25) }],
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
      ([name, { ...filter }]) => [name, filter.ldzRegion === 'WS' ? { ...filter, ldzRegion: 'WN' } : filter] as const,
    ),
  )('are listed by %s: by cursor and by number, in pages of every size, the last modified first', async (_, filter) => {
    const all = expected(filter);
    const own = expected({ ...filter, mpid: 'LAPW' });
    for (const size of [4, 5, 100]) {
      expect(await byCursor(filter, size)).toEqual(all);
      expect(await byNumber(filter, size)).toEqual(own);
    }
    const { tariffs } = await graph.ask(CONNECTION, { filter: { ...filter, mpid: 'LAPW' }, first: 1 });
    const { supplier } = await graph.ask(PAGE, { filter, limit: 1, offset: 0 });
    expect([tariffs.totalCount, supplier.tariffPage.meta.total]).toEqual([own.length, own.length]);
  });

  it('are found after each of them, also among those of one instant', async () => {
    const { tariffs } = await graph.ask(CONNECTION, { first: 100 });
    for (const [place, { cursor }] of tariffs.edges.entries()) {
      const { tariffs: rest } = await graph.ask(CONNECTION, { first: 100, after: cursor });
      expect(ids(rest.nodes)).toEqual(ids(inOrder).slice(place + 1));
    }
  });

  it('beyond the end are none', async () => {
    const { supplier } = await graph.ask(PAGE, { limit: 20, offset: 1_000_000 });
    expect(supplier.tariffPage).toEqual({
      data: [],
      meta: { total: 40, limit: 20, offset: 1_000_000, nextOffset: null },
    });
  });

  it('of a supplier are its own', async () => {
    const tariff = (mpid: string) =>
      graph.ask(
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
    ['a window that ends as it begins', { filter: { validFrom: day(2), validTo: day(2) } }, 'VAL003 filter.validTo'],
    ['a page that is too large', { first: 101 }, 'VAL003 first'],
    ['a cursor of another list', { after: Buffer.from('LAPW').toString('base64url') }, 'VAL001 after'],
    [
      'a cursor of a day that is none',
      { after: Buffer.from(`2026-02-30T00:00:00.000000Z ${trf(1)}`).toString('base64url') },
      'VAL001 after',
    ],
  ])('are refused for %s', async (_, variables, refusal) => {
    expect(await graph.refusal(CONNECTION, { first: 1, ...variables })).toBe(refusal);
  });

  it('of a supplier are not asked for by another mpid', async () => {
    expect(await graph.refusal(PAGE, { limit: 1, offset: 0, filter: { mpid: 'FELL' } })).toBe('VAL003 filter.mpid');
  });
});

describe('Questions of a network without an account', () => {
  it('are counted; accounts are not, at these', async () => {
    const limited = await tariffGraph({ publicLookups: 3 });
    try {
      const query = '{ supplierPage { meta { total } } }';
      for (let asked = 0; asked < 3; asked += 1) await limited.ask(query);
      for (const each of [
        query,
        '{ tariffs { nextCursor } }',
        `{ tariff(tariffId: "${trf(1)}") { name } }`,
        '{ rtiUserPage { meta { total } } }',
      ])
        expect(await limited.refusal(each)).toBe('LIM002');
      for (let asked = 0; asked <= 3; asked += 1) await limited.ask(query, {}, supplierOf('LAPW'));
    } finally {
      await limited.close();
    }
  });
});
