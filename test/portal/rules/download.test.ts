import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { load } from 'js-yaml';
import { translatorFor } from '../../../web/portal/request/languages';
import { csvOf as csvPartsOf, jsonOf } from '../../../web/portal/presentation/download';
import { withEarlierVersions } from '../../../web/portal/presentation/earlier-versions';
import type { CustomerRecord, CustomerSession } from '../../../web/portal/presentation/operation-results';
import { enumName } from '../../../schema/naming';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { customerRecord, discoveredRecord } from '../../support/customer-records';

/** Names of Interface A. */
const CONTRACT = (() => {
  const text = readFileSync(join(REPOSITORY_ROOT, 'schema', 'openapi', 'a.yaml'), 'utf8');
  const { components } = load(text) as {
    components: { schemas: Record<string, { properties?: object; enum?: string[] }> };
  };
  const schemas = Object.entries(components.schemas);
  return {
    names: new Set(schemas.flatMap(([, { properties }]) => Object.keys(properties ?? {}))),
    enums: Object.fromEntries(schemas.map(([name, schema]) => [name, schema.enum])),
  };
})();

const ADDRESS = { addressLine1: '4 Lantern Row', townCity: 'Exampleford', postcode: 'NR1 4AB' };

const session = {
  mpxn: '1012345678',
  address: null,
  moveInDate: '2024-02-29',
  isCurrent: true,
  isContested: false,
  returnUrl: null,
};

/** Returns records as a download reads them. */
async function* each<Entry>(entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}

/** Returns the whole text of a download. */
const textOf = async (parts: AsyncIterable<string>): Promise<string> => (await Readable.from(parts).toArray()).join('');
const csvOf = (records: readonly CustomerRecord[], language: 'en' | 'cy' = 'en') =>
  textOf(csvPartsOf(each(records), language, translatorFor(language)));
const dataOf = async (of: CustomerSession, records: readonly CustomerRecord[]) =>
  JSON.parse(await textOf(jsonOf(of, each(records)))) as Data;

/** Returns the cells of one row. This parser suffices for the values of these tests. */
function cellsOf(csv: string, row: number): string[] {
  const line = csv.replace('\uFEFF', '').split('\r\n')[row] ?? '';
  return [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  );
}

/** Returns rows and cells as a program reads them that ends an unquoted cell at each usual separator, and an unquoted row at each line break. */
function rowsOfAnyProgram(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of csv
    .replace('\uFEFF', '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^,;\t\r\n]*))([,;\t]|\r\n|\r|\n|$)/g)) {
    if (end === '' && plain === '') break;
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (/[\r\n]/.test(end ?? '')) rows.push([]);
  }
  return rows.filter((cells) => cells.length > 0);
}

describe('the table for spreadsheet programs', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("https://elsewhere.example")'])(
    'quotes the cell %j as text',
    async (value) => {
      const csv = await csvOf([customerRecord({ purpose: value, leadControllerName: value })]);
      const cells = cellsOf(csv, 1);
      expect(cells.filter((cell) => /^[=+@\t\r-]/.test(cell))).toEqual([]);
      expect([cells[0], cells[3]]).toEqual([`'${value}`, `'${value}`]);
    },
  );

  it.each(['Tips\n=1+1', 'Tips\r=1+1', 'Tips;=1+1', 'Tips\t=1+1'])('keeps the value %j in one cell', async (value) => {
    const processing = { dataSource: null, recipients: [{ name: value, role: 'Processor', privacyUrl: null }] };
    const record = customerRecord({ purpose: value, leadControllerName: value, processing });
    const rows = rowsOfAnyProgram(await csvOf([record]));
    expect(rows.map((cells) => cells.length)).toEqual([16, 16]);
    expect([rows[1]?.[0], rows[1]?.[3], rows[1]?.[13]]).toEqual([value, value, `${value}, Processor`]);
  });

  it('has no control characters that reverse the text after them, nor a formula behind one; the data have them', async () => {
    const record = customerRecord({ purpose: '\u202E=1+1\u2067', leadControllerName: 'Larkhill\u202E Energy\u200F' });
    const csv = await csvOf([record]);
    expect(csv).not.toMatch(/\p{Bidi_Control}/u);
    const cells = cellsOf(csv, 1);
    expect([cells[0], cells[3]]).toEqual(['Larkhill Energy', "'=1+1"]);
    const { 'access-records': facts } = await dataOf(session, [record]);
    expect(facts[0]).toMatchObject({ 'lead-controller-name': 'Larkhill\u202E Energy\u200F' });
  });

  it('has a row for each record in plain words, in the language of the page', async () => {
    const records = [customerRecord(), customerRecord({ purpose: 'One, two; "three"' })];
    const csv = await csvOf(records, 'cy');
    expect(cellsOf(csv, 0).slice(0, 3)).toEqual(['Sefydliad', 'Statws', 'Sail gyfreithiol']);
    expect(cellsOf(csv, 1).slice(0, 3)).toEqual(['Larkhill Energy Advice Ltd', 'Gweithredol', 'Cydsyniad']);
    expect(cellsOf(csv, 2)[3]).toBe('One, two; "three"');
    expect(csv.startsWith('\uFEFF')).toBe(true);
  });
});

describe('the table of an unregistered organisation', () => {
  it('shows when it was seen, and no registration', async () => {
    const csv = await csvOf([discoveredRecord('Quillmoor Analytics Ltd')]);
    const cells = Object.fromEntries(cellsOf(csv, 0).map((name, index) => [name, cellsOf(csv, 1)[index]]));
    expect(cells).toMatchObject({
      Organisation: 'Quillmoor Analytics Ltd',
      Status: 'Not registered',
      Since: '',
      'Registered by': '',
      'Not registered, first seen on': '2026-05-01',
      'Not registered, last seen on': '2026-06-11',
    });
  });
});

describe('the data for programs', () => {
  const ended = customerRecord({
    state: 'REVOKED',
    legalBasis: 'UK_EXPLICIT_CONSENT',
    accessEvent: { revokedAt: '2026-07-01T09:00:00.000Z' },
    transitions: { nodes: [{ at: '2026-07-01T09:00:00.000Z', cause: 'WITHDRAWN' }] },
    notice: {
      sharedNotice: null,
      notices: [{ controllerName: 'A', termsUrl: 'https://a.example/terms', noticeVersion: '1' }],
    },
    processing: {
      dataSource: 'Brackenfield',
      recipients: [{ name: 'B', role: 'Processor', privacyUrl: 'https://b.example/privacy' }],
    },
  });
  const records = [customerRecord(), ended, discoveredRecord('Quillmoor Analytics Ltd')];
  const read = () => dataOf({ ...session, address: { ...ADDRESS, addressLine2: null, county: null } }, records);

  it('contain the property and all fields of a record, but no key', async () => {
    const data = await read();
    const { property, 'access-records': facts } = data;
    expect(property).toMatchObject({ mpxn: '1012345678', address: ADDRESS, 'move-in-date': '2024-02-29' });
    expect(facts).toMatchObject([
      { state: 'ACTIVE', 'lead-controller-name': 'Larkhill Energy Advice Ltd', 'ended-at': null },
      {
        state: 'REVOKED',
        'legal-basis': 'uk-explicit-consent',
        'data-types': ['HH-CONSUMPTION'],
        'data-source': 'Brackenfield',
        controllers: [
          {
            role: 'sole',
            'contact-url': 'https://larkhill.example/contact',
            'privacy-rights-url': 'https://larkhill.example/rights',
          },
        ],
        notice: {
          notices: [{ 'controller-name': 'A', 'terms-url': 'https://a.example/terms', 'notice-version': '1' }],
        },
        recipients: [{ name: 'B', role: 'Processor', 'privacy-url': 'https://b.example/privacy' }],
        'revoked-at': '2026-07-01T09:00:00.000Z',
        'ended-at': '2026-07-01T09:00:00.000Z',
        'ended-by': 'withdrawn',
        versions: [
          {
            'recorded-at': '2026-03-28T23:30:00.000Z',
            'legal-basis': 'uk-consent',
            purpose: 'Find a better tariff',
            'data-types': ['HH-CONSUMPTION'],
            expiry: null,
            'lead-controller-name': 'Larkhill Insight Ltd',
            'replaced-sections': [],
          },
        ],
      },
      {
        state: 'DISCOVERED',
        'discovered-access': {
          'organisation-name': 'Quillmoor Analytics Ltd',
          'data-types-observed': ['ANNUAL-CONSUMPTION'],
        },
      },
    ]);
    expect(facts[0]).not.toHaveProperty('id');
  });

  it('have the names of Interface A, except for fields that only the download has', async () => {
    expect(namesIn(await read()).filter((name) => !CONTRACT.names.has(name))).toEqual([
      ...['property', 'ended-at', 'ended-by', 'versions', 'recorded-at', 'replaced-sections'],
    ]);
  });

  it.each(['LegalBasis', 'DataType', 'AccessState'])('spell every %s as Interface A does', async (schema) => {
    const values = CONTRACT.enums[schema] ?? [];
    expect(values.length).toBeGreaterThan(3);
    const named = values.map((value) => {
      const name = enumName(value) as never;
      return customerRecord({ legalBasis: name, dataTypes: [name], state: name });
    });
    const { 'access-records': all } = await dataOf(session, named);
    const spelt = { LegalBasis: 'legal-basis', DataType: 'data-types', AccessState: 'state' }[schema] as string;
    expect(all.map((facts) => [facts?.[spelt]].flat()[0])).toEqual(values);
  });
});

describe('A download of very many records', () => {
  /** Endless records; states how many were read. */
  function endless() {
    let read = 0;
    const records = (async function* () {
      for (;;) yield customerRecord({ id: String((read += 1)) });
    })();
    return { records, read: () => read };
  }

  it.each([
    ['table', (records: AsyncIterable<CustomerRecord>) => csvPartsOf(records, 'en', translatorFor('en'))],
    ['data', (records: AsyncIterable<CustomerRecord>) => jsonOf(session, records)],
  ])('reads a record only once the browser has received those before it: %s', async (_, format) => {
    const { records, read } = endless();
    const parts = format(withEarlierVersions(records, 4, async () => null));
    await parts.next();
    expect(read()).toBeLessThanOrEqual(1);
    await parts.next();
    expect(read()).toBeLessThanOrEqual(2);
  });

  it('is empty data without any', async () => {
    expect((await dataOf(session, []))['access-records']).toEqual([]);
  });
});

describe('Versions of a record in the downloads', () => {
  const [node] = customerRecord().versions.nodes;
  const versions = (count: number, nextCursor: string | null) => ({
    nodes: Array.from({ length: count }, () => node as NonNullable<typeof node>),
    nextCursor,
  });

  it('are complete up to a number of pages for all records together, and marked beyond it', async () => {
    const records = ['a', 'b'].map((id) => customerRecord({ id, versions: versions(2, '1') }));
    const pages: string[] = [];
    const read = async (id: string, after: string) => {
      pages.push(id + after);
      return versions(2, id === 'a' && after === '2' ? null : String(Number(after) + 1));
    };
    const both = await Readable.from(withEarlierVersions(each(records), 4, read)).toArray();
    expect(pages).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(both.map(({ versions: { nodes, nextCursor } }) => [nodes.length, nextCursor])).toEqual([
      [6, null],
      [6, '3'],
    ]);
    const csv = await csvOf(both);
    expect([cellsOf(csv, 1)[7]?.split('; ').length, cellsOf(csv, 2)[7]?.split('; ').at(-1)]).toEqual([
      ...[5, 'earlier changes are not listed'],
    ]);
    const { 'access-records': facts } = await dataOf(session, both);
    expect(facts.map((fact) => fact['earlier-versions-omitted'])).toEqual([undefined, true]);
  });

  it('that leaves the scope of the customer meanwhile are omitted with it', async () => {
    const records = [customerRecord({ id: 'a', versions: versions(1, '1') }), customerRecord({ id: 'b' })];
    const completed = await Readable.from(withEarlierVersions(each(records), 4, async () => null)).toArray();
    expect(completed.map(({ id }: CustomerRecord) => id)).toEqual(['b']);
  });
});

interface Data {
  readonly property: object;
  readonly 'access-records': readonly Record<string, unknown>[];
}

/** Returns the distinct member names at any depth. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...new Set([...own, ...Object.values(value).flatMap(namesIn)])];
}
