import { Client } from 'pg';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { CUSTOMERS_TARIFFS } from '../../../sandbox/demo-tariff-plans';
import { type SampleTariff, publishDemoTariffs, sampleTariff } from '../../../sandbox/demo-tariffs';
import { type GraphqlClient, graphqlClient } from '../../../sandbox/graphql-client';
import { textCursor } from '../../../subgraphs/server/lists/list-cursor';
import { follow, heading, startBrowser, openPage } from '../../support/browser';
import { IS_LONG, NO_FAULT, faultsOf } from '../../support/page-faults';
import { type TestRegister, startTestRegister } from '../../support/register';
import { accountOf, tokenOf } from '../../support/rest-client';

const HOSTILE = `<img src=x onerror="window.wasRun = true"></td><script>window.wasRun = true</script>{{7*7}}`;
/** Number of tariffs: more than one page of the list contains. */
const MANY = 22;
const numbered = (number: number) => `trf_${String(number).padStart(32, '0')}`;
/** The start of a tariff that is not valid within a hundred years. */
const FUTURE = numbered(900);
const ENDED = numbered(901);
const UNSAFE = numbered(902);
const TIERED_WITHOUT_VAT = numbered(903);

let register: TestRegister;
let browser: Browser;
let asAdmin: GraphqlClient;
let sample: SampleTariff;

beforeAll(async () => {
  // A separate register: the tests move its clock, correct a demo tariff, and add more suppliers than a page offers.
  register = await startTestRegister('one process');
  browser = await startBrowser();
  asAdmin = graphqlClient(register.gateway, await tokenOf(register, 'admin'));
  sample = await publishDemo();
  await publishOthers();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await register?.close();
});

/** Publishes the demo tariffs, as the sandbox does. */
async function publishDemo(): Promise<SampleTariff> {
  const { name, mpid = '' } = accountOf(register.sandbox, 'supplier');
  await publishDemoTariffs({
    asAdmin,
    asSupplier: graphqlClient(register.gateway, await tokenOf(register, 'supplier')),
    supplier: { name, mpid },
    mpxns: register.sandbox.customers.map(({ mpxn }) => mpxn),
    restUrl: register.rest,
  });
  return sampleTariff(mpid);
}

const PUBLISH = `mutation Publish($input: TariffInput!) { publishTariff(input: $input) { isNew } }`;
/** Inserts more suppliers than a page of them; the operations of the graph would take seconds for them. Two leave the list, one is suspended. */
const MANY_SUPPLIERS = `insert into tariffs.supplier (mpid, name, display_name, support, api_url, status)
  select 'Z' || lpad(number::text, 3, '0'), 'Zed Ltd', 'Zed ' || number, 'help@zed.example', $1,
    case number when 0 then 'removed' when 1 then 'disabled' when 2 then 'suspended' else 'active' end
  from generate_series(0, 109) as number`;
const SAVE = `mutation Save($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }`;

/**
 * Publishes tariffs of a supplier of this test: many equal ones, a future one, an ended one, and one with markup in its
 * texts.
 */
async function publishOthers(): Promise<void> {
  const supplier = {
    mpid: 'MANY',
    name: 'Many Tariffs Ltd',
    displayName: 'Many Tariffs',
    support: 'help@many.example',
  };
  await asAdmin(SAVE, { input: { ...supplier, apiUrl: register.rest } });
  for (let number = 0; number < MANY; number += 1) await publish(numbered(number), { name: `Alike ${number}` });
  await publish(FUTURE, { name: 'To come', validFrom: '2126-04-01T23:00:00.000Z' });
  await publish(ENDED, { name: 'Gone', validTo: '2025-10-01T11:00:00.000Z' });
  await publish(UNSAFE, { name: HOSTILE.slice(0, 100), description: HOSTILE, comments: HOSTILE });
  const tiers = [
    { unitPrice: '0.10', toKwh: '2' },
    { unitPrice: '0.20', toKwh: '8' },
    { unitPrice: '0.30', toKwh: null },
  ];
  await publish(TIERED_WITHOUT_VAT, { name: 'Tiers', vatRate: null, rates: ratesOf(tiers) });
}

const ratesOf = (rate: readonly object[]) => [
  {
    months: ['ALL'],
    daysAndHours: [{ days: ['ALL'], hours: [{ validFrom: '00:00:00', validTo: '00:00:00', rate }] }],
  },
];

async function publish(tariffId: string, other: Record<string, unknown>): Promise<void> {
  const input = {
    ...{ mpid: 'MANY', tariffId, tariffType: 'STATIC', fuelType: 'GAS', energyFlow: 'IMPORT' },
    ...{ paymentMethod: 'DIRECT_DEBIT', meterType: 'SMART', customerType: 'RESIDENTIAL', ldzRegion: 'SC' },
    ...{ standingCharge: '0.30', vatIncluded: true, vatRate: 5, validFrom: '2025-01-01T00:00:00.000Z' },
    rates: ratesOf([{ unitPrice: '0.0630' }]),
    ...other,
  };
  await asAdmin(PUBLISH, { input });
}

/** Opens a page without sign-in. */
const visited = (path: string, options?: BrowserContextOptions) =>
  openPage(browser, `${register.console}${path}`, options);
const rows = (page: Page) => page.locator('table.tariffs tbody tr');
/** Returns the cells of a day of the week, counted from 0. */
const cells = (page: Page, day: number) => page.locator('.week li').nth(day).locator('rect.price');
const titles = (page: Page, day: number) => cells(page, day).locator('title').allTextContents();
const chosenDay = (page: Page) => page.getByLabel('Day', { exact: true }).inputValue();

/** Returns the address of a demo tariff with this name. */
async function addressOf(name: string): Promise<string> {
  const { tariffs } = await asAdmin<{ tariffs: { nodes: { tariffId: string; name: string }[] } }>(
    '{ tariffs(first: 100) { nodes { tariffId name } } }',
  );
  const tariff = tariffs.nodes.find((each) => each.name === name);
  if (tariff === undefined) throw new Error(`no tariff ${name}`);
  return `/tariffs/${tariff.tariffId}`;
}

describe('the demo tariffs', () => {
  it('are published once, however often the register starts, and keep their corrections', async () => {
    const everything = () =>
      asAdmin(
        '{ tariffs(first: 100) { nodes { tariffId version lastModified } } suppliers { nodes { mpid lastModified } } }',
      );
    const [{ input }] = CUSTOMERS_TARIFFS;
    await asAdmin(PUBLISH, {
      input: { ...input, mpid: sample.mpid, tariffId: sample.tariff_id, comments: 'Corrected' },
    });
    const before = await everything();
    expect(JSON.stringify(before)).toContain(`{"tariffId":"${sample.tariff_id}","version":2,`);
    expect(await publishDemo()).toEqual(sample);
    expect(await everything()).toEqual(before);
  });

  it('apply to the demo customers, who moved from one tariff to its replacement', async () => {
    const applied = `query ($mpxn: String!) { appliedTariff(mpxn: $mpxn) { name replaces { tariffId } } }`;
    for (const { mpxn } of register.sandbox.customers) {
      expect(await asAdmin(applied, { mpxn })).toEqual({
        appliedTariff: { name: 'Tidewater Steady 2026', replaces: { tariffId: sample.tariff_id } },
      });
    }
  });
});

describe('the list of tariffs', () => {
  it('shows all published tariffs without sign-in, and filters them', async () => {
    const { page, complaints } = await visited('/tariffs');
    expect(await rows(page).count()).toBe(25);
    await page.getByLabel('Supplier').selectOption({ label: 'Fenland (FNLD)' });
    await page.getByLabel('Prices').selectOption('Dynamic');
    await follow(page, page.getByRole('button', { name: 'Filter' }).click());
    expect(await rows(page).count()).toBe(1);
    expect(await rows(page).innerText()).toMatch(
      /Fenland Half-Hourly\s+Fenland FNLD\s+Electricity, import Smart, dynamic, SE\s+from 1 Jan 2025/,
    );
    expect(await page.getByLabel('Prices').inputValue()).toBe('dynamic');
    await page.getByLabel('Fuel').selectOption('Gas');
    await follow(page, page.getByRole('button', { name: 'Filter' }).click());
    expect(await page.getByText('No tariff matches this filter.').isVisible()).toBe(true);
    await follow(page, page.getByRole('link', { name: 'Show all' }).click());
    expect(await rows(page).count()).toBe(25);
    expect(complaints).toEqual([]);
  });

  it('leads from page to page and shows each tariff once', async () => {
    const { page } = await visited('/tariffs?mpid=MANY&fuel_type=gas');
    const listed: string[] = [];
    for (;;) {
      listed.push(...(await rows(page).getByRole('link').allInnerTexts()));
      const next = page.getByRole('link', { name: 'Next' });
      if ((await next.count()) === 0) break;
      await follow(page, next.click());
    }
    expect(listed.length).toBe(MANY + 4);
    expect(new Set(listed).size).toBe(MANY + 4);
    await follow(page, page.getByRole('link', { name: 'Back to the first' }).click());
    expect(await rows(page).count()).toBe(25);
    expect(await page.getByLabel('Fuel').inputValue()).toBe('gas');
  });

  it('shows the tariffs whose validity overlaps the window', async () => {
    const { page } = await visited('/tariffs?mpid=MANY&valid_from=2025-10-02');
    expect(await rows(page).getByRole('link', { name: 'Gone' }).count()).toBe(0);
    await page.goto(`${register.console}/tariffs?valid_to=2024-12-31`);
    expect(await page.getByText('No tariff matches this filter.').isVisible()).toBe(true);
  });

  it('shows the prices of today, and which tariffs have none', async () => {
    const { page } = await visited('/tariffs?mpid=MANY');
    const come = rows(page).filter({ hasText: 'To come' });
    expect(await come.innerText()).toMatch(/not valid on \d+ \w+ 20\d\d/);
    const [alike] = await rows(page).filter({ hasText: 'Alike' }).all();
    expect(await alike?.innerText()).toMatch(/6\.30 p\/kWh/);
    expect(await alike?.locator('rect.price').count()).toBe(1);
  });

  it('shows the range of the prices of all tiers, and what the colours mean', async () => {
    const { page } = await visited('/tariffs?mpid=MANY');
    expect(await rows(page).filter({ hasText: 'Tiers' }).innerText()).toContain('10.00 to 30.00 p/kWh');
    expect(await page.getByText('Colours show the price of the first tier').isVisible()).toBe(true);
  });

  it.each([
    ['?fuel_type=coal', 'Fuel: there is no fuel_type “coal”.'],
    ['?mpid=x', '“x” is no market participant id. An id has four capital letters or digits.'],
    ['?valid_from=soon', '“soon” is no day from 2000 to 2199. Write it as 2026-03-29.'],
    ['?valid_from=2026-02-01&valid_to=2026-01-01', 'The window of validity ends before it starts.'],
  ])('reports invalid input: %s', async (query, fault) => {
    const response = await fetch(`${register.console}/tariffs${query}`);
    const html = await response.text();
    expect([response.status, html.includes(fault)]).toEqual([400, true]);
    expect(html).toContain('<select id="fuel_type"');
    expect(html).not.toContain('table class="tariffs');
  });

  it('offers all suppliers whose tariffs are listed, and names that of the filter even if it is another or does not exist', async () => {
    const owner = new Client({ connectionString: register.databaseUrl });
    await owner.connect();
    await owner.query(MANY_SUPPLIERS, [register.rest]);
    await owner.end();
    const offered = async (query: string) => {
      const html = await (await fetch(`${register.console}/tariffs${query}`)).text();
      return [...html.matchAll(/<option value="(\w{4})"( selected)?>([^<]*\(\w{4}\))</g)];
    };
    const chosen = (options: readonly RegExpMatchArray[]) => options.filter((each) => each[2]).map((each) => each[3]);
    const all = await offered('');
    const names = all.map((each) => each[3]);
    expect([names.filter((name) => name?.startsWith('Zed ')).length, chosen(all)]).toEqual([108, []]);
    expect(names).toContain('Zed 109 (Z109)');
    expect(names).toContain('Zed 2 (Z002)'); // suspended: its tariffs are listed
    expect(chosen(await offered('?mpid=MANY'))).toEqual(['Many Tariffs (MANY)']);
    expect(chosen(await offered('?mpid=Z001'))).toEqual(['Zed 1 (Z001)']);
    expect(chosen(await offered('?mpid=0000'))).toEqual(['No such supplier (0000)']);
  });

  it('shows invalid days again, marked as such', async () => {
    const html = await (await fetch(`${register.console}/tariffs?valid_from=2026-02-01&valid_to=2026-01-01`)).text();
    const marked = 'aria-invalid="true" aria-describedby="error"';
    expect(html).toContain(`<input id="valid_from" name="valid_from" type="date" value="2026-02-01" ${marked}>`);
    expect(html).toContain(`<input id="valid_to" name="valid_to" type="date" value="2026-01-01" ${marked}>`);
    expect(html.split(marked)).toHaveLength(3);
    expect(html).toContain('<div class="error" id="error" role="alert">');
  });

  it('links to its first page from a later one that has become empty', async () => {
    const { page } = await visited(
      `/tariffs?fuel_type=gas&after=${textCursor(`2000-01-01T00:00:00.000000Z ${numbered(0)}`)}`,
    );
    expect(await page.getByText('No further tariff.').isVisible()).toBe(true);
    await follow(page, page.getByRole('link', { name: 'Back to the first' }).click());
    expect(await rows(page).count()).toBe(25);
  });

  it('reports an invalid cursor', async () => {
    expect((await fetch(`${register.console}/tariffs?after=x`)).status).toBe(400);
  });
});

describe('the week of a tariff', () => {
  it('has seven days of 48 half-hours and one colour per price', async () => {
    const { page, complaints } = await visited(`${await addressOf('Tidewater Weekday Peak')}?date=2026-07-15`);
    expect(await page.locator('.week li').count()).toBe(7);
    for (const day of [0, 1, 2, 3, 4, 5, 6]) expect(await cells(page, day).count()).toBe(48);
    expect(await page.locator('.week-day').allInnerTexts()).toEqual(
      ['Mon 13', 'Tue 14', 'Wed 15', 'Thu 16', 'Fri 17', 'Sat 18', 'Sun 19'].map((each) => `${each} Jul`),
    );
    expect(await page.locator('#week .price-legend li').allInnerTexts()).toEqual([
      ...['p/kWh including VAT', '14.20', '19.80', '23.10', '38.90'],
    ]);
    expect((await titles(page, 0))[32]).toBe('16:00 to 16:30: 38.90 p/kWh');
    expect((await titles(page, 5))[32]).toBe('16:00 to 16:30: 19.80 p/kWh');
    const levels = await page
      .locator('.week li')
      .nth(0)
      .locator('rect')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-level')));
    expect([levels[0], levels[12], levels[32], levels[47]]).toEqual(['0', '5', '8', '5']);
    expect(complaints).toEqual([]);
  });

  it.each<['light' | 'dark', string]>([
    ['light', 'darker'],
    ['dark', 'brighter'],
  ])('in the %s scheme makes higher prices always %s, with readable text on each colour', async (colorScheme) => {
    const { page } = await visited(`/tariffs/${numbered(1)}`, { colorScheme });
    const { levels, pale, deep } = (await page.evaluate(COLOURS)) as Colours;
    const brightness = levels.map(luminance);
    const order = brightness.toSorted((one, other) => (colorScheme === 'light' ? other - one : one - other));
    expect(brightness).toEqual(order);
    const steps = order.slice(1).map((each, index) => contrast(each, order[index] ?? each));
    expect(Math.min(...steps)).toBeGreaterThan(1.12);
    const texts = brightness.map((each, level) => contrast(each, luminance(level < 5 ? pale : deep)));
    expect(Math.min(...texts)).toBeGreaterThan(4.5);
  });

  it('describes each day in text for screen readers', async () => {
    const { page } = await visited(`${await addressOf('Tidewater Night Seven')}?date=2026-07-15`);
    const name =
      /^Wednesday 15 July 2026: 00:00 to 00:30 29\.295 p\/kWh, 00:30 to 07:30 12\.9675 p\/kWh, 07:30 to 24:00/;
    expect(await page.getByRole('img', { name }).count()).toBe(1);
  });

  it.each([
    ['2026-03-29', 46, 2, ['no such time', 'no such time']],
    ['2026-10-25', 50, 0, ['29.295 BST, 12.9675 GMT', '12.9675 BST, 12.9675 GMT']],
  ])('is correct on %s, which has %d half-hours', async (date, count, skipped, texts) => {
    const address = await addressOf('Tidewater Night Seven');
    const { page } = await visited(`${address}?date=${date}`);
    const prices = await pricesOf(address.replace('/tariffs/', ''), date);
    expect(prices).toHaveLength(count);
    const shown = (await titles(page, 6)).filter((each) => each.includes('p/kWh'));
    expect(shown.map((each) => / ([\d.]+) p/.exec(each)?.[1])).toEqual(prices.map(({ including }) => including));
    expect(await cells(page, 6).count()).toBe(count + skipped);
    await page.getByText('Show the week as a table').click();
    const table = page.getByRole('region', { name: 'Prices of the week, as a table' });
    expect(await table.locator('tbody tr').count()).toBe(48);
    if (skipped > 0) expect(await table.locator('tbody tr').nth(2).locator('td').last().innerText()).toBe(texts[0]);
    expect(await table.locator('tbody tr').nth(3).locator('td').last().innerText()).toBe(texts[1]);
  });

  it("starts on the register's current day, and links to other weeks and days", async () => {
    const owner = new Client({ connectionString: register.databaseUrl });
    await owner.connect();
    const address = await addressOf('Tidewater Night Seven');
    try {
      const toNoon = Math.round(12 * 3600 - ((Date.now() / 1000) % (24 * 3600)));
      await owner.query('select register.set_clock_offset($1)', [400 * 24 * 3600 + toNoon]);
      const { page } = await visited(address);
      const { registerTime } = await unauthenticated<{ registerTime: string }>('{ registerTime }');
      expect(await chosenDay(page)).toBe(londonDay(registerTime));
      await follow(page, page.getByRole('link', { name: 'Earlier' }).click());
      expect(await chosenDay(page)).toBe(
        londonDay(new Date(Date.parse(registerTime) - 7 * 24 * 3600 * 1000).toISOString()), // from noon, a change of summer time leads to no other day
      );
      await page.getByLabel('Day', { exact: true }).fill('2026-07-15');
      await follow(page, page.getByRole('button', { name: 'Show' }).click());
      expect(await page.locator('.week-day[aria-current]').innerText()).toBe('Wed 15 Jul');
      await follow(page, page.getByRole('link', { name: 'Sat 18 Jul' }).click());
      expect(await chosenDay(page)).toBe('2026-07-18');
      await follow(page, page.getByRole('link', { name: '25 Oct 2026' }).click());
      expect(await page.locator('.week-clocks').innerText()).toBe('clocks go back, 50 half-hours');
      await follow(page, page.getByRole('link', { name: 'This week' }).click());
      expect(await chosenDay(page)).toBe(londonDay(registerTime));
    } finally {
      await owner.query('select register.set_clock_offset(0)');
      await owner.end();
    }
  });

  it.each([
    ['has not begun', FUTURE, '2126-04-02'],
    ['has ended', ENDED, '2025-10-01'],
  ])('starts on the nearest valid day of a tariff that %s', async (_, id, day) => {
    const { page } = await visited(`/tariffs/${id}`);
    expect(await chosenDay(page)).toBe(day);
    expect(await page.locator('.week rect[data-level]').count()).toBeGreaterThan(0);
    await page.goto(`${register.console}/tariffs/${id}?date=2026-01-01`);
    expect(await page.getByText('The tariff is not valid in this week.').isVisible()).toBe(true);
    expect(await page.getByText('The tariff is not valid on this day.').isVisible()).toBe(true);
    await follow(page, page.getByRole('link', { name: 'Go to a week in which it is' }).click());
    expect(await chosenDay(page)).toBe(day);
  });

  it.each(['2026-02-30', 'tomorrow', '1066-10-14'])('reports that %s is not a date, and shows today', async (date) => {
    const response = await fetch(`${register.console}/tariffs/${numbered(1)}?date=${date}`);
    const html = await response.text();
    expect(response.status).toBe(400);
    expect(html).toContain(`“${date}” is no day from 2000 to 2199. Write it as 2026-03-29.`);
    expect(html).toContain('aria-describedby="date-error"');
  });
});

/** Returns the colours of the nine levels, and of the texts on them, as the browser computes them: `rgb(1, 2, 3)`. */
const COLOURS = `(() => {
  const colour = (name) => {
    document.body.style.color = 'var(' + name + ')';
    return getComputedStyle(document.body).color;
  };
  const levels = Array.from({ length: 9 }, (_, level) => colour('--price-' + level));
  return { levels, pale: colour('--on-pale'), deep: colour('--on-deep') };
})()`;

interface Colours {
  readonly levels: readonly string[];
  readonly pale: string;
  readonly deep: string;
}

/** Returns the relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const parts = (colour.match(/\d+/g) ?? []).map((part) => Number(part) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio of two luminances (WCAG 2.2). */
function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

const londonDay = (instant: string) => new Date(instant).toLocaleDateString('sv-SE', { timeZone: 'Europe/London' });
const unauthenticated: GraphqlClient = (query, variables) => graphqlClient(register.gateway)(query, variables);

/** Returns the prices of a day in the graph, in pence. */
async function pricesOf(tariffId: string, day: string) {
  const midnight = (date: string) => {
    const noon = new Date(`${date}T00:00:00Z`);
    return londonDay(new Date(noon.getTime() - 1).toISOString()) === date ? new Date(noon.getTime() - 3_600_000) : noon;
  };
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 24 * 3_600_000).toISOString().slice(0, 10);
  const query = `query ($tariffId: String!, $from: DateTime!, $to: DateTime!) {
    tariff(tariffId: $tariffId) { prices(from: $from, to: $to) { unitPriceIncludingVat unitPriceExcludingVat } }
  }`;
  const variables = { tariffId, from: midnight(day).toISOString(), to: midnight(next).toISOString() };
  const { tariff } = await unauthenticated<{ tariff: { prices: Record<string, string>[] } }>(query, variables);
  return tariff.prices.map((price) => ({
    including: inPence(price['unitPriceIncludingVat'] ?? ''),
    excluding: inPence(price['unitPriceExcludingVat'] ?? ''),
  }));
}

/** Converts pounds to pence exactly, by moving the decimal point two places. */
function inPence(pounds: string): string {
  const [whole = '', places = ''] = pounds.split('.');
  const moved = `${whole}${places.slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  return `${moved}.${places.slice(2).replace(/0+$/, '').padEnd(2, '0')}`;
}

describe('the day of a tariff', () => {
  it.each([
    ['2026-07-15', 48, undefined],
    ['2026-03-29', 46, 'clocks go forward'],
    ['2026-10-25', 50, 'clocks go back'],
  ])('%s has a curve of %d half-hours, and a table with the same values', async (date, count, change) => {
    const address = await addressOf('Tidewater Night Seven');
    const { page } = await visited(`${address}?date=${date}`);
    const prices = await pricesOf(address.replace('/tariffs/', ''), date);
    const reaches = await page.locator('.curve-reach title').allTextContents();
    expect(reaches.map((each) => /: ([\d.]+) p\/kWh including VAT, ([\d.]+) excluding$/.exec(each)?.slice(1))).toEqual(
      prices.map(({ including, excluding }) => [including, excluding]),
    );
    expect(reaches).toHaveLength(count);
    expect(await page.locator('.curve-note').allTextContents()).toEqual(change === undefined ? [] : [change]);
    await page.getByText('Show the day as a table').click();
    const texts = (await page.evaluate(CELLS)) as string[][];
    expect(texts.map(([, including, excluding]) => ({ including, excluding }))).toEqual(prices);
  });

  it('shows the rate of each price', async () => {
    const { page } = await visited(`${await addressOf('Tidewater Night Seven')}?date=2026-07-15`);
    await page.getByText('Show the day as a table').click();
    const row = page.locator('.day-table tbody tr', { hasText: '00:30–01:00' });
    await row.getByRole('link', { name: '1.1.1' }).click();
    expect(await page.locator('.rates tr:target').innerText()).toMatch(/1\.1\.1\s+00:30–07:30\s+12\.35 p\/kWh/);
  });

  it('has a line for each tier, and reports unknown prices without VAT', async () => {
    const { page } = await visited(`/tariffs/${TIERED_WITHOUT_VAT}`);
    expect(await page.locator('.curve-legend li').allInnerTexts()).toEqual([
      'p/kWh',
      'up to 2 kWh including VAT',
      'up to 8 kWh including VAT',
      'above 8 kWh including VAT',
      'excluding VAT: unknown, because the tariff does not state the VAT rate',
    ]);
    expect(await page.locator('.curve-plot .curve-line').count()).toBe(3);
  });

  it('shows at what times a dynamic tariff has no price', async () => {
    const { page } = await visited(`${await addressOf('Fenland Half-Hourly')}?date=2026-07-19`);
    expect(await page.getByText('The tariff has no price on this day.').isVisible()).toBe(true);
    expect(await cells(page, 6).evaluateAll((all) => all.map((each) => each.getAttribute('data-state')))).toEqual(
      Array.from({ length: 48 }, () => 'unpriced'),
    );
    expect(await page.locator('#week .price-legend li').last().innerText()).toBe('no price');
  });

  it('works without scripts', async () => {
    const { page } = await visited(`/tariffs/${numbered(1)}`, { javaScriptEnabled: false });
    expect(await page.locator('script').count()).toBe(0);
    await page.getByText('Show the week as a table').click();
    expect(await page.getByRole('region', { name: 'Prices of the week, as a table' }).isVisible()).toBe(true);
  });
});

/** Returns the texts in the table of a day. */
const CELLS = `[...document.querySelectorAll('.day-table tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))`;

describe('the details of a tariff', () => {
  it('are its fields, its versions, and the tariff that it replaces', async () => {
    const { page } = await visited(await addressOf('Tidewater Night Seven'));
    const facts = await page.locator('.facts').allInnerTexts();
    expect(facts.join('\n')).toMatch(
      /Standing charge\s+48\.825 p per day including VAT \(46\.50 p excluding VAT\)\s+VAT\s+not included in the published amounts, at 5 %/,
    );
    const versions = page.locator('.tariff-versions li');
    expect(await versions.count()).toBe(2);
    expect(await versions.nth(0).innerText()).toMatch(/Version 2[^]*Tidewater Night Seven/);
    expect(await versions.nth(1).innerText()).toMatch(/Version 1[^]*Tidewater Night 7\b/);
    await page.goto(`${register.console}${await addressOf('Tidewater Steady 2025')}`);
    expect(await page.locator('.chain li').allInnerTexts()).toEqual([
      'Tidewater Steady 2025 from 1 Apr 2025',
      'Tidewater Steady 2026 from 1 Apr 2026',
    ]);
    await follow(page, page.getByRole('link', { name: 'Tidewater Steady 2026' }).click());
    expect(await heading(page)).toBe('Tidewater Steady 2026');
  });

  it('lead from page to page of its versions, the newest first', async () => {
    for (let number = 1; number <= 27; number += 1)
      await publish(numbered(920), { name: `Name ${number}`, fuelType: 'ELECTRICITY' });
    const { page, complaints } = await visited(`/tariffs/${numbered(920)}?date=2026-03-01`);
    const versions = page.locator('.tariff-versions li');
    expect([await versions.count(), await versions.first().innerText()]).toEqual([
      25,
      expect.stringContaining('Version 27'),
    ]);
    await follow(page, page.getByRole('link', { name: 'Next' }).click());
    expect((await versions.allInnerTexts()).join()).toMatch(/^Version 2\b[^]*Name 2[^]*Version 1\b[^]*Name 1$/);
    expect(await chosenDay(page)).toBe('2026-03-01');
    await follow(page, page.getByRole('link', { name: 'Back to the first' }).click());
    expect(await versions.count()).toBe(25);
    expect(complaints).toEqual([]);
  });

  it('link along a chain of replacements that is longer than a page shows', async () => {
    for (let number = 1; number <= 9; number += 1) {
      const replaces = number === 1 ? {} : { replaces: numbered(909 + number) };
      await publish(numbered(910 + number), { name: `In turn ${number}`, fuelType: 'ELECTRICITY', ...replaces });
    }
    const { page } = await visited(`/tariffs/${numbered(915)}`);
    const chain = () => page.locator('.chain li').allInnerTexts();
    const lines = (numbers: readonly number[]) => numbers.map((each) => `In turn ${each} from 1 Jan 2025`);
    expect(await chain()).toEqual(['earlier tariffs', ...lines([2, 3, 4, 5, 6, 7, 8]), 'later tariffs']);
    await follow(page, page.getByRole('link', { name: 'later tariffs' }).click());
    expect(await heading(page)).toBe('In turn 9');
    expect(await chain()).toEqual(['earlier tariffs', ...lines([6, 7, 8, 9])]);
  });

  it('are escaped: no markup of a tariff is executed', async () => {
    const { page, complaints } = await visited(`/tariffs/${UNSAFE}`);
    expect(await heading(page)).toBe(HOSTILE.slice(0, 100));
    await page.goto(`${register.console}/tariffs?mpid=MANY`);
    await page.goto(`${register.console}/tariffs?fuel_type=${encodeURIComponent(HOSTILE)}`);
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect(await page.locator('main :is(img, script)').count()).toBe(0);
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  });
});

describe('a tariff that does not exist', () => {
  it.each([`/tariffs/${numbered(999)}`, '/tariffs/trf_1', `/tariffs/${numbered(1)}?`.replace('trf_', 'TRF_')])(
    'has a page that reports it and links to the public pages: %s',
    async (path) => {
      const response = await fetch(`${register.console}${path}`);
      const html = await response.text();
      expect([response.status, html.includes('Tariff not found')]).toEqual([404, true]);
      expect(html).toContain('<a href="/tariffs">Go to the tariffs</a>');
    },
  );
});

describe('every tariff page', () => {
  const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
    list: () => '/tariffs',
    'list of what cannot be read': () => '/tariffs?fuel_type=coal',
    'economy 7 in spring, as tables': async () => `${await addressOf('Tidewater Night Seven')}?date=2026-03-29`,
    'not valid': () => `/tariffs/${ENDED}?date=2026-07-15`,
    'long texts': () => `/tariffs/${UNSAFE}?date=soon`,
    'not there': () => `/tariffs/${numbered(999)}`,
  };
  /** The long form also tests pages of the same templates with other content. */
  const MORE_CONTENT: typeof PAGES = {
    'list that is narrowed to none': () => '/tariffs?fuel_type=gas&mpid=FNLD',
    tiers: async () => `${await addressOf('Fenland Blocks')}?date=2026-10-25`,
    dynamic: async () => `${await addressOf('Fenland Half-Hourly')}?date=2026-07-18`,
  };

  it.each(Object.entries({ ...PAGES, ...(IS_LONG ? MORE_CONTENT : {}) }))(
    '%s: no axe violation, no horizontal scrolling at 400 %%, no browser error',
    async (name, address) => {
      const { page, complaints } = await visited(await address());
      if (name.endsWith('tables')) {
        await page.getByText('Show the week as a table').click();
        await page.getByText('Show the day as a table').click();
      }
      expect(await faultsOf(page, `tariffs ${name}`)).toEqual(NO_FAULT);
      expect(complaints.filter((each) => !/status of 40[04]/.test(each))).toEqual([]);
    },
  );
});
