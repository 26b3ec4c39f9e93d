import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { follow, heading, startBrowser, openPage } from '../../support/browser';
import { attributeChange, differenceModelXml, gridArchive, lineSegment } from '../../support/grid-archives';
import { baseArchive, fullModelXml } from '../../support/grid-base-archives';
import { type GridProjectKey, publishBaseModel, publishGrid } from '../../support/grid-uploads';
import { IS_LONG, NO_FAULT, faultsOf } from '../../support/page-faults';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { accountOf } from '../../support/rest-client';

/** A year in which no other test of the shared register publishes in these areas. */
const YEAR = 2023;
/** A project of an area in which no other test publishes a base model. */
const BASED: GridProjectKey = { area: 'SWALES', publicationYear: YEAR, period: '02', projectId: 'Based' };
/** A project of an area without a base model. */
const UNBASED: GridProjectKey = { area: 'NPGY', publicationYear: YEAR, period: '01', projectId: 'Unbased' };
const pageOf = ({ area, publicationYear, period, projectId }: GridProjectKey) =>
  `/grid/${area}/${publicationYear}/${period}/${projectId}`;
const [BASED_PAGE, UNBASED_PAGE] = [pageOf(BASED), pageOf(UNBASED)];
const mRID = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

let register: SharedRegister;
let browser: Browser;

beforeAll(async () => {
  register = await sharedRegister();
  browser = await startBrowser();
  await publishBaseModel(register, BASED, await baseArchive({ EQ: fullModelXml('EQ', baseItems()) }));
  await publishGrid(register, BASED, await basedArchive());
  await publishGrid(register, UNBASED, await gridArchive());
}, 120_000);

afterAll(() => browser?.close());

/** Opens a page, without signing in. */
const visited = (path: string, options?: BrowserContextOptions) =>
  openPage(browser, `${register.console}${path}`, options);

const [LINE, TERMINAL, NEW_TERMINAL, NOWHERE] = [mRID(1), mRID(2), mRID(3), mRID(9)];
const terminal = (number: string, name: string, line: string) =>
  `<cim:Terminal rdf:ID="_${number}"><cim:IdentifiedObject.name>${name}</cim:IdentifiedObject.name><cim:Terminal.ConductingEquipment rdf:resource="#_${line}"/></cim:Terminal>`;

/** A line and its terminal. */
function baseItems(): string {
  return `<cim:ACLineSegment rdf:ID="_${LINE}"><cim:IdentifiedObject.name>Quay line</cim:IdentifiedObject.name><cim:ACLineSegment.r>0.25</cim:ACLineSegment.r></cim:ACLineSegment>${terminal(TERMINAL, 'West end', LINE)}`;
}

/** Points of a diagram in one real model. */
const POINTS = 713;

/**
 * Another name of the line, a deletion of a resistance that it does not have, a terminal of a missing line, many
 * points, and a precondition.
 */
function basedArchive(): Promise<Buffer> {
  const name = (value: string) => attributeChange(LINE, 'cim:IdentifiedObject.name', value);
  const points = Array.from(
    { length: POINTS },
    (_, index) => `<cim:DiagramObjectPoint rdf:ID="_${mRID(300_000 + index)}"/>`,
  );
  const model = differenceModelXml('EQ', {
    reverse: name('Quay line') + attributeChange(LINE, 'cim:ACLineSegment.r', '0.99'),
    forward: points.join('') + name('Harbour line') + terminal(NEW_TERMINAL, 'East end', NOWHERE),
  });
  const precondition = `<dm:preconditions rdf:parseType="Statements">${attributeChange(TERMINAL, 'cim:ACDCTerminal.sequenceNumber', '1')}</dm:preconditions>`;
  return gridArchive({ EQ: model.replace('</dm:DifferenceModel>', `${precondition}$&`) });
}

describe('a project of a base model', () => {
  it('shows its warnings, what must hold in the base model, classes of the base model, and points last', async () => {
    const { page } = await visited(BASED_PAGE);
    expect(await page.locator('.grid-warnings li').first().innerText()).toMatch(
      /^EQ\s+md:Model\.DependentOn is missing/,
    );
    await page.getByText('Must hold in the base model').click();
    expect(await page.locator('.preconditions').innerText()).toMatch(
      new RegExp(`${TERMINAL}\\s+ACDCTerminal\\.sequenceNumber\\s+1`),
    );
    const rows = page.locator('table.objects tbody tr');
    const shown = (await rows.allInnerTexts()).map((row) =>
      row
        .split(/\s*[\n\t]\s*/)
        .slice(0, 2)
        .join(': '),
    );
    expect(shown.slice(0, 2)).toEqual(['Harbour line: ACLineSegment', 'East end: Terminal']);
    expect(shown.slice(2)).toEqual(Array.from({ length: 48 }, () => expect.stringContaining(': DiagramObjectPoint')));
  });
});

describe('the network after a project', () => {
  it('is reached from the project: what does not fit, and each object', async () => {
    const { page } = await visited(BASED_PAGE);
    await follow(page, page.getByRole('link', { name: 'After this project' }).click());
    expect(await page.locator('.lead').innerText()).toContain('base model of November 2023, version 1');
    expect(await page.locator('.grid-warnings li').allInnerTexts()).toEqual([
      expect.stringMatching(/^SC\s+md:Model\.DependentOn is missing/),
      expect.stringMatching(/^GL\s+md:Model\.DependentOn is missing/),
    ]);
    const unfitting = page.locator('#unfitting .differences > li');
    expect(await unfitting.locator('.difference-head').allInnerTexts()).toEqual([
      expect.stringMatching(/^Harbour line ACLineSegment in the base model, and changed by the project/),
      expect.stringMatching(/^East end Terminal added by the project/),
    ]);
    expect(await page.locator('#unfitting-title').innerText()).toMatch(/^What does not fit: 2 things in 2 objects of/);
    expect(await unfitting.first().locator('.findings').innerText()).toMatch(
      /Deletes what is not there\s+ACLineSegment\.r = 0\.99; the base model has 0\.25 EQ\.xml/,
    );
    expect(await unfitting.last().locator('.findings').innerText()).toMatch(
      new RegExp(`Refers to nothing\\s+Terminal\\.ConductingEquipment = ${NOWHERE} EQ\\.xml`),
    );
    await follow(page, page.getByRole('link', { name: 'Harbour line' }).click());
    expect(await page.locator('.grid-warnings').innerText()).toContain(
      'ACLineSegment.r = 0.99; the base model has 0.25',
    );
    const rows = await page.locator('table.values tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\s*[\n\t]\s*/).join(' | '))).toEqual([
      'ACLineSegment.r | 0.25 | base model | EQ.xml',
      expect.stringMatching(/^IdentifiedObject\.name \| Harbour line \| \+ \| this project \| EQ\.xml$/),
    ]);
    await follow(page, page.getByRole('link', { name: 'What the project changes of it' }).click());
    await follow(page, page.getByRole('link', { name: 'The whole object after this project' }).click());
    expect(await heading(page)).toBe('Harbour line');
  });

  it('finds any object of the base model by its mRID, and reports an unknown one', async () => {
    const { page } = await visited(`${BASED_PAGE}/after`);
    const find = async (text: string) => {
      await page.getByLabel('mRID').fill(text);
      await follow(page, page.getByRole('button', { name: 'Look up' }).click());
    };
    await find(NOWHERE);
    expect(await page.getByRole('status').innerText()).toMatch(/^Neither the base model nor the project has/);
    await find(`#_${TERMINAL}`);
    expect(await heading(page)).toBe('West end');
    expect(await page.locator('.lead').innerText()).toContain('not changed by the project');
    await follow(page, page.getByRole('link', { name: 'Harbour line' }).click());
    expect(await heading(page)).toBe('Harbour line');
  });

  it('is unknown where no base model is published', async () => {
    const { page } = await visited(`${UNBASED_PAGE}/after`);
    expect(await page.locator('.empty').innerText()).toMatch(/^No base model is published for/);
    const { page: missing } = await visited(`${UNBASED_PAGE}/after/${LINE}`);
    expect(await heading(missing)).toBe('Page not found');
  });
});

describe('a check of an archive on a page', () => {
  async function checkPage(role: 'admin' | 'analyst') {
    const { page } = await visited('/sign-in', {}); // a context of its own, because it signs in
    const { account_id, secret_key } = accountOf(register.sandbox, role);
    await page.getByLabel('Account id').fill(account_id);
    await page.getByLabel('Secret key').fill(secret_key);
    await follow(page, page.getByRole('button', { name: 'Sign in' }).click());
    await page.goto(`${register.console}/grid/check`);
    return page;
  }

  /** Enters a project of an area with a base model, and continues to the form of its archive. */
  async function checkedProject(base = ''): Promise<Page> {
    const page = await checkPage('admin');
    await page.getByLabel('The archive contains').selectOption(base);
    await page.getByLabel('Licence area').selectOption(BASED.area);
    await page.getByLabel('Year of the publication').fill(String(YEAR));
    await page.getByLabel('Publication', { exact: true }).selectOption(BASED.period);
    await page.getByLabel('Development project').fill('Corrected');
    await follow(page, page.getByRole('button', { name: 'Continue' }).click());
    return page;
  }

  it('shows an admin what does not fit, which files are wrong, and that everything fits; nothing is published', async () => {
    const page = await checkPage('admin');
    await page.getByLabel('Licence area').selectOption(BASED.area);
    await page.getByLabel('Year of the publication').fill(String(YEAR));
    await page.getByLabel('Publication', { exact: true }).selectOption(BASED.period);
    await page.getByLabel('Development project').fill('no project/');
    await follow(page, page.getByRole('button', { name: 'Continue' }).click());
    expect(await page.getByRole('alert').innerText()).toContain('at most 24 letters');
    await page.getByLabel('Development project').fill('Checked');
    await follow(page, page.getByRole('button', { name: 'Continue' }).click());
    expect(await faultsOf(page, 'grid check')).toEqual(NO_FAULT);
    const check = async (buffer: Buffer, title: RegExp) => {
      await page.getByLabel('File').setInputFiles({ name: 'archive.zip', mimeType: 'application/zip', buffer });
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByRole('heading', { name: title }).waitFor();
      return page.locator('#result').innerText();
    };
    const unfitting = await check(await basedArchive(), /^2 things do not fit$/);
    expect(unfitting).toContain('base model of November 2023, version 1');
    expect(unfitting).toContain('EQ.xml: md:Model.DependentOn is missing');
    expect(unfitting).toMatch(/Deletes what is not there\s+ACLineSegment\.r = 0\.99; the base model has 0\.25 EQ\.xml/);
    expect(await faultsOf(page, 'grid check result')).toEqual(NO_FAULT);
    const asBreaker = `<cim:Breaker rdf:ID="_${LINE}"><cim:IdentifiedObject.name>Quay line</cim:IdentifiedObject.name><cim:ACLineSegment.r>0.99</cim:ACLineSegment.r></cim:Breaker>`;
    const otherClass = await gridArchive({ EQ: differenceModelXml('EQ', { reverse: asBreaker }) });
    expect(await check(otherClass, /^2 things do not fit$/)).toMatch(
      /the object itself, as Breaker; the base model has ACLineSegment EQ\.xml\s+1 missing value/,
    );
    await page.getByText('1 missing value').click();
    expect(await page.locator('#result .findings details').innerText()).toContain(
      'ACLineSegment.r = 0.99; the base model has 0.25 EQ.xml',
    );
    expect(await faultsOf(page, 'grid check another class')).toEqual(NO_FAULT);
    expect(await check(await gridArchive({ EQ: '<a>' }), /^The archive cannot be published$/)).toMatch(
      /EQ\.xml, line 1: /,
    );
    expect(await check(await gridArchive(), /^Everything fits$/)).toContain('The archive fits the base model');
    const { page: list } = await visited(`/grid?area=${BASED.area}&year=${YEAR}`);
    expect(await list.locator('table.projects tbody tr').count()).toBe(1);
  });

  it('shows an admin that an area has no base model yet', async () => {
    const page = await checkPage('admin');
    await page.getByLabel('Licence area').selectOption(UNBASED.area);
    await page.getByLabel('Year of the publication').fill(String(YEAR));
    await page.getByLabel('The archive contains').selectOption('yes');
    await follow(page, page.getByRole('button', { name: 'Continue' }).click());
    const buffer = await baseArchive({ EQ: fullModelXml('EQ', baseItems()) });
    await page.getByLabel('File').setInputFiles({ name: 'archive.zip', mimeType: 'application/zip', buffer });
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('heading', { name: 'The files are valid' }).waitFor();
    expect(await page.locator('#result').innerText()).toMatch(
      /They have \d+ values and associations; no base model is published for this area\./,
    );
  });

  it.each([
    [500, 'Internal error', 'There is a problem with the register, not with the archive.'],
    [503, 'A dependency is unavailable.', 'A dependency is unavailable. Try again in a few minutes.'],
    [503, 'The register is busy with other archives.', 'The register is busy with other archives. Try again in'],
    [410, 'Gone', 'This page is more than ten minutes old.'],
    [408, 'Request timeout', 'The archive was not accepted. Open “Check an archive” again.'],
  ])('that receives status %i (%s) reports no fault of the archive', async (status, message, text) => {
    const page = await checkPage('admin');
    await page.getByLabel('Licence area').selectOption(BASED.area);
    await page.getByLabel('Year of the publication').fill(String(YEAR));
    await page.getByLabel('Development project').fill('Checked');
    await follow(page, page.getByRole('button', { name: 'Continue' }).click());
    await page.route('**/uploads/*/check', (route) => route.fulfill({ status, json: { message } }));
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'archive.zip', mimeType: 'application/zip', buffer: await gridArchive() });
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('heading', { name: 'The archive was not checked' }).waitFor();
    const result = await page.locator('#result').innerText();
    expect(result).toContain(text);
    expect(result).not.toContain('cannot be published');
  });

  it('of a file that changed after it was chosen says so, and checks it once it is chosen again', async () => {
    const page = await checkedProject();
    const folder = await mkdtemp(join(tmpdir(), 'grid-check-'));
    const file = join(folder, 'project.zip');
    const check = async (title: RegExp) => {
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByRole('heading', { name: title }).waitFor();
      return page.locator('#result').innerText();
    };
    await writeFile(file, await gridArchive({ EQ: '<a>' }));
    await page.getByLabel('File').setInputFiles(file);
    await check(/^The archive cannot be published$/);
    await writeFile(file, await gridArchive());
    expect(await check(/^The archive was not checked$/)).toContain(
      'The file has changed since it was chosen. Choose it again.',
    );
    expect(await page.getByLabel('File').inputValue()).toBe('');
    await page.getByLabel('File').setInputFiles(file);
    await check(/^Everything fits$/);
    await rm(file);
    expect(await check(/^The archive was not checked$/)).toContain('Choose it again.');
    await rm(folder, { recursive: true });
  });

  it.each(['', 'yes'])('leads back to the form with what was entered (base model: "%s")', async (base) => {
    const page = await checkedProject(base);
    await follow(page, page.getByRole('link', { name: 'Check an archive' }).click());
    const entered = ['#base', '#area', '#year', '#period', '#project'].map((id) => page.locator(id).inputValue());
    expect(await Promise.all(entered)).toEqual([base, BASED.area, String(YEAR), BASED.period, 'Corrected']);
  });

  it('is not for analysts', async () => {
    expect(await heading(await checkPage('analyst'))).toBe('Not allowed');
  });
});

describe('every page of a project of 713 points, and of the network after it', () => {
  /** The lengths of the names choose the screens: each page is tested on both. */
  it.each([
    ['', 'grid many points'],
    ['', 'grid with many points'],
    ['/after', 'grid fit'],
    ['/after', 'grid fits'],
    [`/after/${LINE}`, 'grid after it'],
    [`/after/${LINE}`, 'grid after all'],
  ])(
    'at "%s" has no violation that axe finds, no sideways scrolling at 400 %% and no browser error (%s)',
    async (path, name) => {
      const { page, complaints } = await visited(`${BASED_PAGE}${path}`);
      expect(await faultsOf(page, name)).toEqual(NO_FAULT);
      expect(complaints).toEqual([]);
    },
  );

  (IS_LONG ? it : it.skip)(
    'a project of 50,000 items, before and after',
    async () => {
      const key = { ...BASED, projectId: 'Large' };
      const lines = Array.from({ length: 50_000 }, (_, index) => lineSegment(mRID(400_000 + index), `Line ${index}`));
      await publishGrid(
        register,
        key,
        await gridArchive({ EQ: differenceModelXml('EQ', { forward: lines.join('') }) }),
      );
      for (const [path, name] of [
        ['', 'grid large'],
        ['/after', 'grid large fit'],
      ] as const) {
        const { page, complaints } = await visited(`${pageOf(key)}${path}`);
        expect(await faultsOf(page, name)).toEqual(NO_FAULT);
        expect(complaints).toEqual([]);
      }
    },
    300_000,
  );
});
