import { cursorOf } from '../../../subgraphs/server/lists/connection';
import { textCursor } from '../../../subgraphs/server/lists/list-cursor';
import { ConsoleVisitor, backOffice } from '../../support/console-visitor';
import { attributeChange, differenceModelXml, gridArchive, lineSegment } from '../../support/grid-archives';
import { baseArchive, fullModelXml } from '../../support/grid-base-archives';
import { publishBaseModel, publishGrid } from '../../support/grid-uploads';
import { type SharedRegister, sharedRegister } from '../../support/register';

let register: SharedRegister;

beforeAll(async () => {
  register = await sharedRegister();
});

/** Path of the page of the sample project. */
function samplePage(): string {
  const { area, year, period, project } = register.sandbox.grid;
  return `/grid/${area}/${year}/${period}/${project}`;
}

describe('the grid pages', () => {
  it('are public: they require no session, and browsers do not cache them', async () => {
    const visitor = new ConsoleVisitor(register.console);
    for (const path of ['/grid', samplePage(), `${samplePage()}/compare?from=1&to=2`]) {
      const page = await visitor.get(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.text).toContain('Sign in');
      expect(page.text).not.toContain('Sign out');
    }
    expect(visitor.cookies.size).toBe(0);
  });

  it('are linked beside the live page, which only the back office may open', async () => {
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

  it('also work with a session that the register rejects, because they execute operations without a session', async () => {
    const visitor = await backOffice(register, 'analyst');
    const page = await visitor.get(samplePage());
    await visitor.press(page, '/sign-out');
    visitor.cookies.set('console-session', 'x'.repeat(200));
    expect((await visitor.get(samplePage())).status).toBe(200);
  });

  it('load nothing from other sites, and run no scripts', async () => {
    const { headers, html } = await new ConsoleVisitor(register.console).get(samplePage());
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|\sstyle=|\son\w+=/);
    const loaded = [...html.matchAll(/<(?:link|img)[^>]*(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((address) => !address.startsWith('/assets/'))).toEqual([]);
  });

  it('state the order of the projects, and leave space around warnings inside a card', async () => {
    const { html, text } = await new ConsoleVisitor(register.console).get('/grid');
    expect(text).toContain('The project that was uploaded last is first.');
    const [stylesheet = ''] = /[^"]+\/grid\.css/.exec(html) ?? [];
    const css = await (await fetch(new URL(stylesheet, register.console))).text();
    expect(css).toMatch(/\.grid-warnings:not\(\.card\) \{\s*padding:/);
  });

  it('name the differences of two versions as the list of objects does', async () => {
    const visitor = new ConsoleVisitor(register.console);
    const { html } = await visitor.get(`${samplePage()}/compare?from=1&to=2`);
    const heads = [
      ...html.matchAll(/<p class="difference-head">.*?version=2">(.*?)<\/a> <strong>(.*?)<\/strong>.*?(..\.xml)/g),
    ];
    expect(heads.map(([, ...texts]) => texts)).toEqual([
      ['Thetford North – Croxton sectionaliser', 'Breaker', 'EQ.xml'],
      ['Thetford North – Brandon', 'ACLineSegment', 'EQ.xml'],
      ['Thetford North – Brandon', 'ACLineSegment', 'SC.xml'],
    ]);
  });

  it('name the objects to which a difference of two versions refers, and link them', async () => {
    const [ONE, OTHER, NODE, BASE] = ['4', '5', '6', '7'].map(
      (digit) => `${digit.repeat(8)}-0000-4000-8000-0000000000ac`,
    );
    const terminal = (line: unknown) =>
      `<cim:Terminal rdf:ID="_${NODE}"><cim:Terminal.ConductingEquipment rdf:resource="#_${line}"/><cim:Terminal.ConnectivityNode rdf:resource="#_${BASE}"/></cim:Terminal>`;
    const lines = lineSegment(String(ONE), 'West line') + lineSegment(String(OTHER), 'East line');
    const project = { area: 'SEPD', publicationYear: 2031, period: '02', projectId: 'Rewired' };
    for (const line of [ONE, OTHER])
      await publishGrid(
        register,
        project,
        await gridArchive({ EQ: differenceModelXml('EQ', { forward: lines + terminal(line) }) }),
      );
    const { html } = await new ConsoleVisitor(register.console).get('/grid/SEPD/2031/02/Rewired/compare?from=1&to=2');
    const link = (version: number, mRID: unknown, name: string) =>
      `<a href="/grid/SEPD/2031/02/Rewired/objects/${mRID}?version=${version}">${name}</a>`;
    expect(html).toContain(`<del>${link(1, ONE, 'West line')}</del>`);
    expect(html).toContain(`<ins>${link(2, OTHER, 'East line')}</ins>`);
  });

  it('open the pages of an object whose mRID has 512 characters, all of which are percent-encoded', async () => {
    const mRID = '^'.repeat(512);
    const project = { area: 'SEPD', publicationYear: 2031, period: '02', projectId: 'Long' };
    const EQ = differenceModelXml('EQ', { forward: lineSegment(mRID, 'Long line') });
    await publishGrid(register, project, await gridArchive({ EQ }));
    const visitor = new ConsoleVisitor(register.console);
    const path = `/grid/SEPD/2031/02/Long/objects/${encodeURIComponent(mRID)}`;
    expect((await visitor.get('/grid/SEPD/2031/02/Long')).html).toContain(path);
    const page = await visitor.get(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Long line');
  });

  it('name an object of which only values change as the base model does, in its list and on its page', async () => {
    const visitor = new ConsoleVisitor(register.console);
    const { html } = await visitor.get('/grid/EPN/2026/01/Brandon-solar');
    const [row = ''] = /<tr role="row">(?:(?!<\/tr>)[^])*Brandon Heath old tap changer[^]*?<\/tr>/.exec(html) ?? [];
    expect(row).toContain('RatioTapChanger');
    const [, address = ''] = /href="([^"]*)"/.exec(row) ?? [];
    const page = await visitor.get(address.replaceAll('&amp;', '&'));
    expect(page.html).toMatch(/<h1[^>]*>\s*Brandon Heath old tap changer\s*<\/h1>/);
    expect(page.text).toContain('RatioTapChanger');
  });

  it('link locations on the map and in its table to pages that exist, also of objects that only the base model contains', async () => {
    const [LINE, SITE, POINT] = ['a', 'b', 'c'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-0000000000aa`);
    const location = `<cim:Location rdf:ID="_${SITE}"><cim:Location.PowerSystemResources rdf:resource="#_${LINE}"/></cim:Location>`;
    const coordinates =
      '<cim:PositionPoint.xPosition>0.4</cim:PositionPoint.xPosition><cim:PositionPoint.yPosition>52</cim:PositionPoint.yPosition>';
    const point = `<cim:PositionPoint rdf:ID="_${POINT}">${coordinates}<cim:PositionPoint.Location rdf:resource="#_${SITE}"/></cim:PositionPoint>`;
    const project = { area: 'SEPD', publicationYear: 2031, period: '01', projectId: 'Moved' };
    await publishBaseModel(
      register,
      project,
      await baseArchive({
        EQ: fullModelXml(
          'EQ',
          `<cim:ACLineSegment rdf:ID="_${LINE}"><cim:IdentifiedObject.name>Quay</cim:IdentifiedObject.name></cim:ACLineSegment>`,
        ),
        GL: fullModelXml('GL', location + point),
      }),
    );
    const moved = (x: string) => attributeChange(String(POINT), 'cim:PositionPoint.xPosition', x);
    const GL = differenceModelXml('GL', { reverse: moved('0.4'), forward: moved('0.5') });
    await publishGrid(register, project, await gridArchive({ GL }));
    const visitor = new ConsoleVisitor(register.console);
    for (const path of ['/grid/SEPD/2031/01/Moved', '/grid/EPN/2026/01/Brandon-solar', samplePage()]) {
      const { html } = await visitor.get(path);
      const links = [...html.matchAll(/href="([^"]*\/(?:objects|after)\/[^"]*)"/g)].map(([, link = '']) => link);
      expect(links).not.toEqual([]);
      for (const link of new Set(links)) {
        const page = await visitor.get(link.replaceAll('&amp;', '&'));
        expect([link, page.status]).toEqual([link, 200]);
      }
    }
  });

  it('name a location on the map as the base model does that was published last, also after earlier views', async () => {
    const [LINE, SITE, POINT] = ['a', 'b', 'c'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-0000000000ad`);
    const values =
      '<cim:PositionPoint.xPosition>0.4</cim:PositionPoint.xPosition><cim:PositionPoint.yPosition>52</cim:PositionPoint.yPosition>';
    const forward = `<cim:Location rdf:ID="_${SITE}"><cim:Location.PowerSystemResources rdf:resource="#_${LINE}"/></cim:Location><cim:PositionPoint rdf:ID="_${POINT}">${values}<cim:PositionPoint.Location rdf:resource="#_${SITE}"/></cim:PositionPoint>`;
    const project = { area: 'SEPD', publicationYear: 2032, period: '01', projectId: 'Named' };
    const publishNamed = async (name: string) => {
      const line = `<cim:ACLineSegment rdf:ID="_${LINE}"><cim:IdentifiedObject.name>${name}</cim:IdentifiedObject.name></cim:ACLineSegment>`;
      await publishBaseModel(register, project, await baseArchive({ EQ: fullModelXml('EQ', line) }));
    };
    await publishGrid(register, project, await gridArchive({ GL: differenceModelXml('GL', { forward }) }));
    const visitor = new ConsoleVisitor(register.console);
    const namesOn = async () => {
      const { html } = await visitor.get('/grid/SEPD/2032/01/Named');
      const [, map = ''] = /<g class="map-names"[^>]*>([^]*?)<\/g>/.exec(html) ?? [];
      return [...map.matchAll(/<text[^>]*>([^<]*)</g)].map(([, name]) => name);
    };
    expect([await namesOn(), await namesOn()]).toEqual([[], []]);
    await publishNamed('Old quay');
    expect([await namesOn(), await namesOn()]).toEqual([['Old quay'], ['Old quay']]);
    await publishNamed('New quay');
    expect([await namesOn(), await namesOn()]).toEqual([['New quay'], ['New quay']]);
  });

  it('show the classes of an object that one of another class replaces, and that an equal object changes no value', async () => {
    const [SWITCH, LINE] = ['d', 'e'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-0000000000aa`);
    const whole = (type: string) => `<cim:${type} rdf:ID="_${SWITCH}"/>`;
    const line = lineSegment(String(LINE), 'Equal line');
    const EQ = differenceModelXml('EQ', { reverse: whole('Breaker') + line, forward: whole('Disconnector') + line });
    const project = { area: 'SEPD', publicationYear: 2031, period: '02', projectId: 'Replaced' };
    await publishGrid(register, project, await gridArchive({ EQ }));
    const visitor = new ConsoleVisitor(register.console);
    const replaced = await visitor.get(`/grid/SEPD/2031/02/Replaced/objects/${SWITCH}`);
    expect(replaced.text).toMatch(/~ ?changed Disconnector/);
    expect(replaced.html).toMatch(/title="rdf:type"[^]*?cim:Breaker[^]*?cim:Disconnector/);
    expect((await visitor.get(`/grid/SEPD/2031/02/Replaced/objects/${LINE}`)).text).toContain('No value changes.');
  });

  it('show each value of an object that one file adds or removes as a whole and another file changes', async () => {
    const [ADDED, REMOVED] = ['1', '2'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-0000000000ab`);
    const resistance = (mRID: unknown, value: string) => attributeChange(String(mRID), 'cim:ACLineSegment.r0', value);
    const archive = await gridArchive({
      EQ: differenceModelXml('EQ', {
        ...{ forward: lineSegment(String(ADDED), 'New line'), reverse: lineSegment(String(REMOVED), 'Old line') },
      }),
      SC: differenceModelXml('SC', { reverse: resistance(ADDED, '0.71'), forward: resistance(REMOVED, '0.72') }),
    });
    await publishGrid(register, { area: 'SEPD', publicationYear: 2031, period: '02', projectId: 'Mixed' }, archive);
    const visitor = new ConsoleVisitor(register.console);
    const added = await visitor.get(`/grid/SEPD/2031/02/Mixed/objects/${ADDED}`);
    expect(added.text).toMatch(/\+ ?added/);
    expect(added.html).toMatch(/<td role="cell" class="before">.*Before<\/span>\s*<div class="value">0\.71</);
    const removed = await visitor.get(`/grid/SEPD/2031/02/Mixed/objects/${REMOVED}`);
    expect(removed.text).toMatch(/removed/);
    expect(removed.html).toMatch(/<td role="cell" class="after">.*After<\/span>\s*<div class="value">0\.72</);
    expect(added.html.match(/<th role="columnheader" scope="col">Before/g)).toHaveLength(1); // not in the table of associations
  });

  it('state at the end of the objects that do not fit that there is none any more, whatever the earlier pages have', async () => {
    const address = `${samplePage()}/after?version=1&after=${textCursor('z')}`;
    const { text } = await new ConsoleVisitor(register.console).get(address);
    expect(text).toContain('No further object that does not fit.');
    expect(text).toContain('Back to the first');
  });

  it('link to the first differences from a later page that has none', async () => {
    const address = `${samplePage()}/compare?from=1&to=2&after=${textCursor('GL reverse ~')}`;
    const { text } = await new ConsoleVisitor(register.console).get(address);
    expect(text).toContain('No further difference.');
    expect(text).toContain('Back to the first');
  });

  it('link to the first projects from a later page that has become empty', async () => {
    const after = cursorOf(['2000-01-01T00:00:00.000000Z', '0'.repeat(8) + '-0000-4000-8000-' + '0'.repeat(12)]);
    const { text, html } = await new ConsoleVisitor(register.console).get(`/grid?after=${after}`);
    expect(text).toContain('No further development project.');
    expect(html).toContain('href="/grid">Back to the first</a>');
  });

  it('propose a class where neither the project nor a base model states one', async () => {
    const { text } = await new ConsoleVisitor(register.console).get('/grid/NPGY/2025/02/Skipton-East');
    expect(text).toMatch(/CurrentLimit \(proposed\)/);
  });

  it('lead an admin from a project to the check of an archive, with its area, publication and name filled in', async () => {
    const { area, year, period, project } = register.sandbox.grid;
    expect((await new ConsoleVisitor(register.console).get(samplePage())).text).not.toContain('Check the next version');
    const visitor = await backOffice(register);
    const { html } = await visitor.get(samplePage());
    const [, address = ''] = /<a href="([^"]*)">Check the next version<\/a>/.exec(html) ?? [];
    const form = await visitor.get(address.replaceAll('&amp;', '&'));
    expect(form.html).toMatch(new RegExp(`<option value="${area}" selected>`));
    expect(form.html).toMatch(new RegExp(`name="year" value="${year}"`));
    expect(form.html).toMatch(new RegExp(`<option value="${period}" selected>`));
    expect(form.html).toMatch(new RegExp(`name="project" value="${project}"`));
  });

  it('link a model to the published model on which it depends', async () => {
    const visitor = new ConsoleVisitor(register.console);
    const { html } = await visitor.get('/grid/EPN/2026/01/Brandon-solar');
    const [, address] = /<a href="([^"]*)">Thetford-33kV EQ\.xml, EPN May 2026, version 1<\/a>/.exec(html) ?? [];
    expect(address).toBe(`${samplePage()}?version=1`);
    expect((await visitor.get(address ?? '')).text).toContain('Thetford-33kV');
  });
});
