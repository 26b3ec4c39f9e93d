import { ConsoleVisitor, backOffice } from '../../support/console-visitor';
import { type SharedRegister, sharedRegister } from '../../support/register';

let register: SharedRegister;

beforeAll(async () => {
  register = await sharedRegister();
});

/** The page of the sample project. */
function samplePage(): string {
  const { area, year, period, project } = register.sandbox.grid;
  return `/grid/${area}/${year}/${period}/${project}`;
}

describe('the grid pages', () => {
  it('are for everybody: who is not signed in sees them, and keeps nothing of them', async () => {
    const visitor = new ConsoleVisitor(register.console);
    for (const path of ['/grid', samplePage(), `${samplePage()}/compare?from=1&to=2`]) {
      const page = await visitor.get(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.text).toContain('Sign in');
      expect(page.text).not.toContain('Sign out');
    }
    expect(visitor.cookies.size).toBe(0);
  });

  it('stand beside the live page, which is for the back office alone', async () => {
    expect((await new ConsoleVisitor(register.console).get('/')).location).toBe('/sign-in');
    const visitor = await backOffice(register, 'analyst');
    const live = await visitor.get('/');
    expect(live.html).toMatch(
      /<a href="\/" aria-current="page">Live<\/a>\s*<a href="\/contests">Contests<\/a>\s*<a href="\/grid">Grid<\/a>/,
    );
    const grid = await visitor.get('/grid');
    expect(grid.html).toMatch(
      /<a href="\/">Live<\/a>\s*<a href="\/contests">Contests<\/a>\s*<a href="\/grid" aria-current="page">Grid<\/a>/,
    );
    expect(grid.text).toContain('Signed in as analyst');
  });

  it('are there for a session that the register no longer takes: they ask as nobody', async () => {
    const visitor = await backOffice(register, 'analyst');
    const page = await visitor.get(samplePage());
    await visitor.press(page, '/sign-out');
    visitor.cookies.set('console-session', 'x'.repeat(200));
    expect((await visitor.get(samplePage())).status).toBe(200);
  });

  it('load nothing from elsewhere, and run nothing', async () => {
    const { headers, html } = await new ConsoleVisitor(register.console).get(samplePage());
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|\sstyle=|\son\w+=/);
    const loaded = [...html.matchAll(/<(?:link|img)[^>]*(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(loaded.filter((address) => !address.startsWith('/assets/'))).toEqual([]);
  });

  it('name what two versions differ in as the list of objects does', async () => {
    const visitor = new ConsoleVisitor(register.console);
    const { html } = await visitor.get(`${samplePage()}/compare?from=1&to=2`);
    const heads = [
      ...html.matchAll(/<p class="difference-head">.*?version=2">(.*?)<\/a> <strong>(.*?)<\/strong>.*?(..\.xml)/g),
    ];
    expect(heads.map(([, ...told]) => told)).toEqual([
      ['Thetford North – Croxton sectionaliser', 'Breaker', 'EQ.xml'],
      ['Thetford North – Brandon', 'ACLineSegment', 'EQ.xml'],
      ['Thetford North – Brandon', 'ACLineSegment', 'SC.xml'],
    ]);
  });

  it('lead from a model to the one on which it depends, where that is published', async () => {
    const visitor = new ConsoleVisitor(register.console);
    const { html } = await visitor.get('/grid/EPN/2026/01/Brandon-solar');
    const [, address] = /<a href="([^"]*)">Thetford-33kV EQ\.xml, EPN May 2026, version 1<\/a>/.exec(html) ?? [];
    expect(address).toBe(`${samplePage()}?version=1`);
    expect((await visitor.get(address ?? '')).text).toContain('Thetford-33kV');
  });
});
