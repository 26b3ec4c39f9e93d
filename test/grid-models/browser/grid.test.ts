import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { follow, heading, sidewaysScroll, startBrowser, openPage } from '../../support/browser';
import { graphAs } from '../../support/graph';
import { attributeChange, differenceModelXml, gridArchive, lineSegment } from '../../support/grid-archives';
import { type GridProjectKey, publishGrid } from '../../support/grid-uploads';
import { IS_LONG, NO_FAULT, faultsOf } from '../../support/page-faults';
import { type SharedRegister, sharedRegister } from '../../support/register';

/** Real files, if they are beside the checkout; they are not part of the repository. */
const REAL_FILES = join(REPOSITORY_ROOT, '..', 'shared', 'data', 'cim');

/** A year in which no other test of the shared register publishes. */
const YEAR = 2024;
const LUTON: GridProjectKey = { area: 'EPN', publicationYear: YEAR, period: '02', projectId: 'Luton.North_2' };
const REAL: GridProjectKey = { area: 'SHEPD', publicationYear: YEAR, period: '01', projectId: 'MicroGrid-NL' };
const EMPTY: GridProjectKey = { area: 'LPN', publicationYear: YEAR, period: '01', projectId: 'Nothing' };
const LARGE: GridProjectKey = { area: 'SWEST', publicationYear: YEAR, period: '01', projectId: 'Large' };
const pageOf = ({ area, publicationYear, period, projectId }: GridProjectKey) =>
  `/grid/${area}/${publicationYear}/${period}/${projectId}`;
const LARGE_PAGE = pageOf(LARGE);
const LUTON_PAGE = pageOf(LUTON);

/** Number of lines: more than one page of the list contains. */
const LINES = 60;
/** Sizes of the large project: numbers of five digits, and more locations than the map has links. */
const LARGE_COUNTS = { changed: 1_250, removed: 11_111, locations: 2_345 };
const HOSTILE = `<img src=x onerror="window.wasRun = true"></td><script>window.wasRun = true</script>{{7*7}}`;
const mRID = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

let register: SharedRegister;
let browser: Browser;

beforeAll(async () => {
  register = await sharedRegister();
  browser = await startBrowser();
  await publishGrid(register, LUTON, await lutonArchive('0.164'));
  await publishGrid(register, LUTON, await lutonArchive('0.146'));
  await publishGrid(register, EMPTY, await gridArchive());
  await publishGrid(register, LARGE, await largeArchive());
  if (IS_LONG && existsSync(REAL_FILES)) await publishGrid(register, REAL, await realArchive());
}, 120_000);

afterAll(() => browser?.close());

/** Added lines, a removed one, one with another resistance, and their locations. */
function lutonArchive(resistance: string): Promise<Buffer> {
  const lines = Array.from({ length: LINES }, (_, index) =>
    lineSegment(mRID(index), index === 7 ? escaped(HOSTILE) : `Line ${index}`),
  );
  const changed = (value: string) => attributeChange(mRID(900), 'cim:ACLineSegment.r', value);
  return gridArchive({
    EQ: differenceModelXml('EQ', {
      description: 'Luton North: sixty lines',
      forward: [...lines, changed(resistance)].join(''),
      reverse: [lineSegment(mRID(800), 'Old line'), changed('0.2')].join(''),
    }),
    GL: differenceModelXml('GL', {
      forward: [course(0, [-0.42, 51.88], [-0.4, 51.9]), course(1, [-0.44, 51.89])].join(''),
      reverse: course(800, [-0.43, 51.87], [-0.41, 51.86]),
    }),
  });
}

/**
 * Many objects of each kind, and more locations than are drawn separately: all except the last by mRID are in the west.
 */
function largeArchive(): Promise<Buffer> {
  const change = (value: string) => (_: unknown, index: number) =>
    attributeChange(mRID(index), 'cim:Switch.open', value);
  const gone = (_: unknown, index: number) => `<cim:Junction rdf:ID="_${mRID(30_000 + index)}"/>`;
  const places = Array.from({ length: LARGE_COUNTS.locations }, (_, index) => {
    const location = mRID(100_000 + index);
    const x = index === LARGE_COUNTS.locations - 1 ? -3 : -4.5 + (index % 71) / 100;
    return `<cim:Location rdf:ID="_${location}"><cim:IdentifiedObject.name>Site ${index}</cim:IdentifiedObject.name></cim:Location><cim:PositionPoint rdf:ID="_${mRID(200_000 + index)}">
<cim:PositionPoint.xPosition>${x}</cim:PositionPoint.xPosition><cim:PositionPoint.yPosition>${50.3 + (index % 37) / 100}</cim:PositionPoint.yPosition>
<cim:PositionPoint.Location rdf:resource="#_${location}"/></cim:PositionPoint>`;
  });
  return gridArchive({
    EQ: differenceModelXml('EQ', {
      forward: Array.from({ length: LARGE_COUNTS.changed }, change('true')).join(''),
      reverse: [
        ...Array.from({ length: LARGE_COUNTS.changed }, change('false')),
        ...Array.from({ length: LARGE_COUNTS.removed }, gone),
      ].join(''),
    }),
    GL: differenceModelXml('GL', { forward: places.join('') }),
  });
}

/** The location of a line. */
function course(line: number, ...points: readonly (readonly [number, number])[]): string {
  const location = mRID(10_000 + line);
  const rows = points.map(
    ([x, y], index) => `<cim:PositionPoint rdf:ID="_${mRID(20_000 + line * 10 + index)}">
<cim:PositionPoint.sequenceNumber>${index + 1}</cim:PositionPoint.sequenceNumber>
<cim:PositionPoint.xPosition>${x}</cim:PositionPoint.xPosition><cim:PositionPoint.yPosition>${y}</cim:PositionPoint.yPosition>
<cim:PositionPoint.Location rdf:resource="#_${location}"/></cim:PositionPoint>`,
  );
  return `<cim:Location rdf:ID="_${location}"><cim:Location.PowerSystemResources rdf:resource="#_${mRID(line)}"/></cim:Location>${rows.join('')}`;
}

function realArchive(): Promise<Buffer> {
  const text = (name: string) => readFileSync(join(REAL_FILES, name), 'utf8');
  return gridArchive({ EQ: text('MicroGrid-NL-MAS-EQ_diff.xml'), GL: text('MicroGrid-NL-MAS-GL_diff.xml') });
}

/** Opens a page without signing in. */
const visited = (path: string, options?: BrowserContextOptions) =>
  openPage(browser, `${register.console}${path}`, options);
const figures = async (page: Page) =>
  (await page.locator('.kinds dd').allInnerTexts()).map((text) => Number(text.replace(',', '')));

/** Numbers of the bars of a row: removed, added, changed. */
const barsOf = async (page: Page, name: string) => {
  const row = page.locator('table.bars tbody tr', { has: page.getByRole('rowheader', { name, exact: true }) });
  return (await row.locator('td .unseen').allTextContents()).map(Number);
};

describe('the list of development projects', () => {
  it('shows published projects without sign-in, and filters them', async () => {
    const { page, complaints } = await visited(`/grid?year=${YEAR}`);
    const rows = page.locator('table.projects tbody tr');
    expect(await rows.count()).toBeGreaterThanOrEqual(3);
    await page.getByLabel('Licence area').selectOption('EPN');
    await page.getByLabel('Publication', { exact: true }).selectOption('02');
    await follow(page, page.getByRole('button', { name: 'Filter' }).click());
    expect(await rows.count()).toBe(1);
    expect(await rows.innerText()).toMatch(/Luton\.North_2\s+Eastern EPN, UK Power Networks\s+November 2024[^]*\+6\d/);
    expect(await page.getByLabel('Licence area').inputValue()).toBe('EPN');
    await page.getByLabel('Year').fill('2019');
    await follow(page, page.getByRole('button', { name: 'Filter' }).click());
    expect(await page.getByText('No development project matches this filter.').isVisible()).toBe(true);
    await follow(page, page.getByRole('link', { name: 'Show all' }).click());
    expect(complaints).toEqual([]);
  });

  it('leads to the picture of a project and back', async () => {
    const { page } = await visited(`/grid?year=${YEAR}`);
    await follow(page, page.getByRole('link', { name: LUTON.projectId }).click());
    expect(await heading(page)).toBe(LUTON.projectId);
    await follow(page, page.getByRole('navigation', { name: 'Where this is' }).getByRole('link').click());
    expect(await heading(page)).toBe('Grid changes');
  });
});

describe('the picture of a project', () => {
  it('counts objects as the graph does, and draws bars as long as its counts', async () => {
    const { page } = await visited(LUTON_PAGE);
    expect(await figures(page)).toEqual(await countsOf(LUTON));
    expect(await barsOf(page, 'ACLineSegment')).toEqual([1, LINES, 1]); // the changed one has its class proposed
    const width = (kind: string) =>
      page.evaluate(
        `document.querySelector('table.bars tbody tr td[data-kind="${kind}"] rect').getBoundingClientRect().width`,
      ) as Promise<number>;
    expect((await width('ADDED')) / (await width('REMOVED'))).toBeGreaterThan(20);
  });

  it('draws each location at its position, by kind of change', async () => {
    const { page } = await visited(LUTON_PAGE);
    const map = page.getByRole('group', { name: 'Map of the locations that change' });
    expect(await map.locator('a[data-kind="ADDED"] polyline.map-line').count()).toBe(1);
    expect(await map.locator('a[data-kind="ADDED"] use').count()).toBe(1);
    expect(await map.locator('a[data-kind="REMOVED"] polyline.map-line').count()).toBe(1);
    const [north, south] = await Promise.all([
      map.locator('a[data-kind="ADDED"] polyline.map-line').boundingBox(),
      map.locator('a[data-kind="REMOVED"] polyline.map-line').boundingBox(),
    ]);
    expect(north?.y).toBeLessThan(south?.y ?? 0);
    expect(await map.locator('desc').textContent()).toContain('3 locations: 2 added, 1 removed, 0 changed');
    await page.getByText('Show as a table').click();
    const table = page.getByRole('region', { name: 'Locations, as a table' });
    expect(await table.locator('tbody tr').count()).toBe(3);
    expect(await table.innerText()).toMatch(/Old line ACLineSegment[^]*removed[^]*2[^]*-0\.43, 51\.87/);
  });

  it('leads from a mark of the map to its object', async () => {
    const { page } = await visited(LUTON_PAGE);
    await follow(page, page.locator('svg.map a[data-kind="ADDED"] use').click());
    expect(await heading(page)).toBe('Line 1');
  });

  it('shows each file: its counts, its header, and its links', async () => {
    const { page } = await visited(LUTON_PAGE);
    expect(await page.locator('.lead').innerText()).toBe('Luton North: sixty lines');
    const equipment = page.getByRole('article', { name: 'EQ Equipment' });
    expect(await equipment.innerText()).toMatch(
      /To add\s+61 items, 301 statements[^]*To delete\s+2 items, 6 statements/,
    );
    expect(await equipment.innerText()).toContain('CoreEquipment-EU/3.0');
    const href = await equipment.getByRole('link', { name: 'EQ.xml' }).getAttribute('href');
    const file = await fetch(href ?? '');
    expect([file.status, (await file.text()).includes('<cim:ACLineSegment.r>0.1')]).toEqual([200, true]);
    const archive = await fetch(
      (await page.getByRole('link', { name: 'Download archive' }).getAttribute('href')) ?? '',
    );
    expect([archive.status, archive.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(archive.headers.get('content-disposition')).toContain('LTDS_EPN_2024-02_Luton.North_2_v2.zip');
  });

  it('shows the latest version, and each other by its number', async () => {
    const { page } = await visited(LUTON_PAGE);
    const current = page.getByRole('navigation', { name: 'Versions' }).locator('[aria-current]');
    expect(await current.innerText()).toContain('Version 2');
    await follow(page, page.getByRole('link', { name: /^Version 1/ }).click());
    expect(await current.innerText()).toContain('Version 1');
    expect(await page.getByRole('link', { name: /^Compare/ }).count()).toBe(0);
  });

  it('states that a version changes nothing', async () => {
    const { page } = await visited(pageOf(EMPTY));
    expect(await page.getByText('This version changes no object.').count()).toBe(2);
    expect(await page.getByText('This version changes no location.').isVisible()).toBe(true);
    expect(await figures(page)).toEqual([0, 0, 0]);
  });

  it('works without scripts', async () => {
    const { page } = await visited(LUTON_PAGE, { javaScriptEnabled: false });
    expect(await page.locator('script').count()).toBe(0);
    expect(await page.locator('svg.map polyline.map-line').count()).toBe(2);
    await page.getByText('Show as a table').click();
    expect(await page.getByRole('region', { name: 'Locations, as a table' }).isVisible()).toBe(true);
  });
});

describe('the picture of a large project', () => {
  it('draws every location, and lists the first', async () => {
    const { page, complaints } = await visited(LARGE_PAGE);
    const map = page.getByRole('img', { name: 'Map of the locations that change' });
    const marks = (await map.locator('#dots-ADDED').getAttribute('d')) ?? '';
    expect(marks).toMatch(/M\d[\d.]* [\d.]+h0/);
    const eastings = [...marks.matchAll(/M([\d.]+) /g)].map(([, x]) => Number(x));
    expect([Math.min(...eastings) < 20, Math.max(...eastings) > 80]).toEqual([true, true]);
    expect(await page.locator('.map-legend li').allInnerTexts()).toEqual(['added 2,345', 'removed 0', 'changed 0']);
    await page.getByText('Show as a table').click();
    expect(await page.getByText('The first 500 of 2,345 locations.').isVisible()).toBe(true);
    const table = page.getByRole('region', { name: 'Locations, as a table' });
    expect(await table.locator('tbody tr').count()).toBe(500);
    expect(await table.locator('tbody th').first().innerText()).toBe('Site 0 Location');
    expect((await page.content()).length).toBeLessThan(500_000);
    expect(complaints).toEqual([]);
  });

  it('shows every number completely without horizontal scrolling, from the narrowest screen to the widest', async () => {
    const { page } = await visited(LARGE_PAGE);
    const texts = page.locator('.bar-picture text');
    expect((await texts.allTextContents()).toSorted()).toEqual(['1,250', '11,111', '2,345', '2,345']);
    for (const width of [320, 390, 760, 1120, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await page.evaluate(TEXTS_CUT_OFF), await sidewaysScroll(page)]).toEqual([width, [], 0]);
    }
  });
});

/** Returns the numbers that overflow their cell. */
const TEXTS_CUT_OFF = `[...document.querySelectorAll('.bar-picture text')].flatMap((text) => {
  const [own, cell] = [text.getBoundingClientRect(), text.closest('td').getBoundingClientRect()];
  return own.left < cell.left || own.right > cell.right ? [text.textContent] : [];
})`;

/** Reads all pages of objects of the latest version from GraphQL. */
async function countsOf(place: GridProjectKey): Promise<number[]> {
  const total = async (kind: string) => {
    const { data } = await graphAs(register, 'analyst').then((client) => client(OBJECTS, { ...place, kind }));
    return data.developmentProject.latestVersion.objects.totalCount as number;
  };
  return Promise.all(['ADDED', 'REMOVED', 'CHANGED'].map(total));
}

const OBJECTS = `query ($area: String!, $publicationYear: Int!, $period: PublicationPeriod!, $projectId: ProjectId!, $kind: ObjectChangeKind) {
  developmentProject(area: $area, publicationYear: $publicationYear, period: $period, projectId: $projectId) {
    latestVersion { objects(first: 1, kind: $kind) { totalCount } }
  }
}`;

describe('the objects of a version', () => {
  const rows = (page: Page) => page.locator('table.objects tbody tr');

  it('are listed page by page, each once', async () => {
    const { page } = await visited(LUTON_PAGE);
    const total = (await figures(page)).reduce((sum, each) => sum + each, 0);
    const listed: (string | null)[] = [];
    for (;;) {
      listed.push(
        ...(await rows(page)
          .getByRole('link')
          .evaluateAll((all) => all.map((each) => each.getAttribute('href')))),
      );
      const next = page.getByRole('link', { name: 'Next' });
      if ((await next.count()) === 0) break;
      await follow(page, next.click());
    }
    expect(listed.length).toBe(total);
    expect(new Set(listed).size).toBe(total);
    await follow(page, page.getByRole('link', { name: 'Back to the first' }).click());
    expect(await rows(page).count()).toBe(50);
  });

  it('are filtered by change, class and text, also from the picture', async () => {
    const { page } = await visited(LUTON_PAGE);
    await follow(page, page.locator('table.bars').getByRole('link', { name: 'PositionPoint' }).click());
    expect(await rows(page).count()).toBe(5);
    expect(await page.getByLabel('Class', { exact: true }).inputValue()).toBe('cim:PositionPoint');
    await page.getByLabel('Change', { exact: true }).selectOption('REMOVED');
    await follow(page, page.getByRole('button', { name: 'Filter' }).click());
    expect(await rows(page).count()).toBe(2);
    await page.getByLabel('Change', { exact: true }).selectOption('');
    await page.getByLabel('Class', { exact: true }).selectOption('');
    await page.getByLabel('Name or start of the mRID').fill('line 5');
    await follow(page, page.getByRole('button', { name: 'Filter' }).click());
    expect((await rows(page).getByRole('link').allInnerTexts()).toSorted()).toEqual([
      'Line 5',
      ...Array.from({ length: 10 }, (_, index) => `Line 5${index}`),
    ]);
    await page.getByLabel('Name or start of the mRID').fill(mRID(900).toUpperCase());
    await follow(page, page.getByRole('button', { name: 'Filter' }).click());
    expect(await rows(page).innerText()).toMatch(/ACLineSegment \(proposed\)[^]*changed/);
    await page.getByLabel('Name or start of the mRID').fill('nowhere');
    await follow(page, page.getByRole('button', { name: 'Filter' }).click());
    expect(await page.getByText('No object of this version matches the filter.').isVisible()).toBe(true);
  });

  it('show each value, old and new', async () => {
    const { page } = await visited(`${LUTON_PAGE}/objects/${mRID(900)}`);
    const cells = page.getByRole('region', { name: 'Attributes, as a table' }).locator('tbody tr > *');
    expect(await cells.allInnerTexts()).toEqual(['ACLineSegment.r', '0.2', '0.146 −0.054 (−27 %)', 'EQ.xml']);
  });

  it('show only new values of an added one, and links to the objects that it refers to', async () => {
    const { page } = await visited(`${LUTON_PAGE}/objects/${mRID(10_001)}?version=1`);
    const associations = page.getByRole('region', { name: 'Associations, as a table' });
    expect(await associations.getByRole('columnheader').allInnerTexts()).toEqual(['Name', 'After', 'File']);
    const references = page.getByRole('region', { name: 'Referred to by, as a table' });
    expect(await references.locator('tbody tr > *').allInnerTexts()).toEqual([
      ...[`${mRID(20_010)} PositionPoint`, 'PositionPoint.Location', '+\nadded', 'GL.xml'],
    ]);
    await follow(page, page.getByRole('link', { name: 'Line 1' }).click());
    expect(await heading(page)).toBe('Line 1');
    expect(new URL(page.url()).searchParams.get('version')).toBe('1');
  });

  it('show names of files as text, and run nothing of them', async () => {
    const { page, complaints } = await visited(`${LUTON_PAGE}/objects/${mRID(7)}`);
    expect(await heading(page)).toBe(HOSTILE);
    await page.goto(`${register.console}${LUTON_PAGE}?search=onerror`);
    expect(await rows(page).getByRole('link').innerText()).toBe(HOSTILE);
    await page.goto(
      `${register.console}${LUTON_PAGE}?search=${encodeURIComponent(`"><script>window.wasRun = true</script>`)}`,
    );
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect(await page.locator('main :is(img, script)').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe('two versions', () => {
  it('are compared value by value', async () => {
    const { page } = await visited(LUTON_PAGE);
    await follow(page, page.getByRole('link', { name: 'Compare with version 1' }).click());
    expect(await heading(page)).toMatch(/Version 1[^]*version 2/);
    expect(await barsOf(page, 'EQ.xml Equipment')).toEqual([0, 0, 1]);
    expect(await page.locator('.differences > li').count()).toBe(1);
    expect(await page.locator('#differences .changes dd').innerText()).toBe('0.164 → 0.146 −0.018 (−11 %)');
    await page.getByLabel('File', { exact: true }).selectOption('GL_XML');
    await follow(page, page.getByRole('button', { name: 'Compare' }).click());
    expect(await page.getByText('No difference matches the filter.').isVisible()).toBe(true);
    await page.getByLabel('From version').selectOption('2');
    await page.getByLabel('File', { exact: true }).selectOption('');
    await follow(page, page.getByRole('button', { name: 'Compare' }).click());
    expect(await page.getByText('The two versions are equal.').isVisible()).toBe(true);
  });
});

describe('a missing object', () => {
  it.each([
    `/grid/EPN/${YEAR}/02/Unknown`,
    `/grid/NOWHERE/${YEAR}/02/Luton.North_2`,
    '/grid/EPN/26/02/Luton.North_2',
    `${LUTON_PAGE}?version=3`,
    `${LUTON_PAGE}?version=latest`,
    `${LUTON_PAGE}/objects/${mRID(999)}`,
    `${LUTON_PAGE}/compare?from=1&to=9`,
    `${LUTON_PAGE}/compare`,
    '/grid/nothing',
  ])('is a page that states so, with links to public pages: %s', async (path) => {
    const response = await fetch(`${register.console}${path}`);
    const html = await response.text();
    expect([response.status, html.includes('Page not found')]).toEqual([404, true]);
    expect(html).toContain('<a href="/grid">Go to the development projects</a>');
  });

  it('offers the sign-in', async () => {
    const { page } = await visited('/grid/nothing');
    expect(await page.getByRole('link', { name: 'Sign in' }).isVisible()).toBe(true);
  });

  it('an unknown area has no projects', async () => {
    const { page } = await visited('/grid?area=NOWHERE');
    expect(await page.getByText('There is no licence area NOWHERE.').isVisible()).toBe(true);
    expect(await page.locator('table.projects').count()).toBe(0);
    await follow(page, page.getByRole('link', { name: 'Show all' }).click());
    expect(await page.locator('table.projects tbody tr').count()).toBeGreaterThan(1);
  });

  it('an invalid cursor is reported', async () => {
    expect((await fetch(`${register.console}${LUTON_PAGE}?after=x`)).status).toBe(400);
  });
});

/** Every grid page, by its address. */
const EVERY_PAGE: Readonly<Record<string, string>> = {
  projects: `/grid?year=${YEAR}`,
  'project as a table': `${LUTON_PAGE}#locations`,
  'project of nothing': pageOf(EMPTY),
  object: `${LUTON_PAGE}/objects/${mRID(900)}`,
  comparison: `${LUTON_PAGE}/compare?from=1&to=2`,
  'page that is not there': '/grid/nothing',
};

/** Pages of the same templates with other content, in long runs. */
const MORE_CONTENT: Readonly<Record<string, string>> = {
  'large project': LARGE_PAGE,
  'projects filtered to none': '/grid?year=2019',
  'projects of no area': '/grid?area=NOWHERE',
  project: LUTON_PAGE,
  'object that is added': `${LUTON_PAGE}/objects/${mRID(1)}`,
  'demo project': '/grid/EPN/2026/01/Thetford-33kV',
  'demo comparison': '/grid/EPN/2026/01/Thetford-33kV/compare?from=1&to=2',
  'real project': pageOf(REAL),
};

describe('every grid page', () => {
  it.each(Object.entries({ ...EVERY_PAGE, ...(IS_LONG ? MORE_CONTENT : {}) }))(
    '%s: no fault that axe finds, no sideways scrolling at 400 %%, nothing that the browser complains about',
    async (name, path) => {
      if (name.startsWith('real') && !existsSync(REAL_FILES))
        return console.warn(`skipped: ${REAL_FILES} is not there`);
      const { page, complaints } = await visited(path);
      const folded = page.getByText('Show as a table');
      if (name.endsWith('table')) await folded.click();
      expect(await faultsOf(page, `grid ${name}`)).toEqual(NO_FAULT);
      expect(complaints.filter((each) => !each.includes('status of 404'))).toEqual([]);
    },
  );
});
