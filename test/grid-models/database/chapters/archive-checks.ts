import { Readable } from 'node:stream';
import { differenceModelXml, gridArchive } from '../../../support/grid-archives';
import { baseArchive, fullModelXml } from '../../../support/grid-base-archives';
import { TEST_KEY } from '../../../support/grid-database';
import { type GridGraph, ADMIN, gridGraph } from '../../../support/grid-graph';

const [BAY, TERMINAL] = ['a', 'b'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);

/** An archive that writes names or classes in another form than its base model. */
export function archiveChecks(): void {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
  });
  afterAll(() => grid?.close());

  /** Publishes an EQ file as the base model, and checks one of a project against it. */
  async function checked(base: string, project: { readonly reverse: string; readonly forward: string }) {
    await grid.publishBase(await baseArchive({ EQ: fullModelXml('EQ', base) }));
    const { area, projectId } = TEST_KEY;
    const { prepareGridPublication } = await grid.execute(
      `mutation { prepareGridPublication(input: { area: "${area}", publicationYear: 2026, period: "01", projectId: "${projectId}" }) { address } }`,
      {},
      ADMIN,
    );
    const archive = await gridArchive({ EQ: differenceModelXml('EQ', project) });
    return grid.running.files.checkAt(prepareGridPublication.address, Readable.from(archive));
  }

  describe('A check', () => {
    it('compares names by their namespaces, whatever prefixes the files give them', async () => {
      const bay = (prefix: string, uri: string, value: string) =>
        `<${prefix}:Bay xmlns:${prefix}="${uri}" rdf:ID="_${BAY}"><${prefix}:x>${value}</${prefix}:x></${prefix}:Bay>`;
      const ofProject = (uri: string) => ({ reverse: bay('two', uri, '1'), forward: bay('two', uri, '2') });
      const [entsoe, own, other] = ['entsoe.eu/CIM/SchemaExtension/3/1#', 'one.example/own#', 'two.example/own#'].map(
        (address) => `http://${address}`,
      ) as [string, string, string];
      for (const uri of [entsoe, own])
        expect(await checked(bay('one', uri, '1'), ofProject(uri))).toMatchObject({
          ...{ isApplied: true, statementsAfter: 1, findings: [] },
        });
      expect(await checked(bay('two', own, '1'), ofProject(other))).toMatchObject({ statementsAfter: 2 });
    });

    it('finds the objects whose class is an rdf:type, as general RDF libraries write it', async () => {
      const of = (type: string, form: string) =>
        `<rdf:Description rdf:${form}_${BAY}"><rdf:type rdf:resource="http://iec.ch/TC57/CIM100#${type}"/></rdf:Description>`;
      const reference = `<cim:Terminal rdf:ID="_${TERMINAL}"><cim:Terminal.ConductingEquipment rdf:resource="#_${BAY}"/></cim:Terminal>`;
      const base = of('Breaker', 'about="#');
      expect(await checked(base, { reverse: '', forward: reference })).toMatchObject({ findings: [] });
      const replaced = { reverse: of('Breaker', 'ID="'), forward: of('Disconnector', 'ID="') };
      expect(await checked(base, replaced)).toMatchObject({ findings: [], statementsAfter: 0 });
    });

    it('counts values and associations before and after alike: a second class is neither', async () => {
      const base = `<cim:Fuse rdf:ID="_${BAY}"><rdf:type rdf:resource="http://iec.ch/TC57/CIM100#Switch"/><cim:Fuse.x>1</cim:Fuse.x></cim:Fuse>`;
      const project = { reverse: '', forward: `<cim:Breaker rdf:ID="_${TERMINAL}"/>` };
      expect(await checked(base, project)).toMatchObject({ statementsBefore: 1, statementsAfter: 1 });
    });

    it('applies the rdf:type that the reverse differences of an object with rdf:about delete', async () => {
      const of = (type: string) =>
        `<rdf:Description rdf:about="#_${BAY}"><rdf:type rdf:resource="http://iec.ch/TC57/CIM100#${type}"/></rdf:Description>`;
      const base = `<cim:Breaker rdf:ID="_${BAY}"/>`;
      const reference = `<cim:Terminal rdf:ID="_${TERMINAL}"><cim:Terminal.ConductingEquipment rdf:resource="#_${BAY}"/></cim:Terminal>`;
      expect(await checked(base, { reverse: of('Breaker'), forward: reference })).toMatchObject({
        findings: [{ kind: 'dangling-association', mRID: TERMINAL }],
      });
      expect(await checked(base + reference, { reverse: of('Breaker'), forward: '' })).toMatchObject({
        findings: [{ kind: 'dangling-association', mRID: TERMINAL }],
      });
      const replaced = { reverse: of('Breaker'), forward: of('Disconnector') + reference };
      expect(await checked(base, replaced)).toMatchObject({ findings: [], statementsAfter: 1 });
      expect(await checked(base, { reverse: of('Fuse'), forward: '' })).toMatchObject({
        findings: [{ kind: 'missing-statement', statement: { name: 'rdf:type', value: 'cim:Fuse' } }],
      });
    });

    it('states what the base model has instead of a missing statement, without what the project deletes or adds', async () => {
      const bay = (...values: string[]) =>
        `<cim:Bay rdf:ID="_${BAY}">${values.map((value) => `<cim:x>${value}</cim:x>`).join('')}<cim:y>9</cim:y></cim:Bay>`;
      const about = (...values: string[]) =>
        `<cim:Bay rdf:about="#_${BAY}">${values.map((value) => `<cim:x>${value}</cim:x>`).join('')}</cim:Bay>`;
      expect(await checked(bay('1', '2'), { reverse: about('1', '3'), forward: about('4') })).toMatchObject({
        findings: [{ kind: 'missing-statement', statement: { name: 'cim:x', value: '3' }, instead: ['2'] }],
      });
    });

    it('finds no missing class where an object without class is deleted', async () => {
      const reverse = `<rdf:Description rdf:ID="_${BAY}"><cim:x>1</cim:x></rdf:Description>`;
      const base = `<cim:Bay rdf:ID="_${BAY}"><cim:x>1</cim:x></cim:Bay>`;
      expect(await checked(base, { reverse, forward: '' })).toMatchObject({ findings: [], statementsAfter: 0 });
      const reference = `<cim:Terminal rdf:ID="_${TERMINAL}"><cim:Terminal.ConductingEquipment rdf:resource="#_${BAY}"/></cim:Terminal>`;
      expect(await checked(base + reference, { reverse, forward: '' })).toMatchObject({
        findings: [{ kind: 'dangling-association', mRID: TERMINAL }],
      });
    });
  });
}
