import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { DIFFERENCE_LIMITS } from '../../../../subgraphs/grid-models/archives/archive-member.flow';
import type { CimFile } from '../../../../subgraphs/grid-models/rdf/difference-model';
import { type AppliedCase, appliedByPython, sorted } from '../../../support/applied-models';
import { HAS_PYTHON } from '../../../support/python';
import { baseArchive, fullModelXml } from '../../../support/grid-base-archives';
import { attributeChange, differenceModelXml, gridArchive, zipOf } from '../../../support/grid-archives';
import { TEST_KEY } from '../../../support/grid-database';
import { clearListedTypes, fillListedTypesOf } from '../../../support/grid-listed-types';
import { type GridGraph, ADMIN, gridGraph } from '../../../support/grid-graph';

const mRID = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
const [LINE, TERMINAL, OTHER, GONE, NEW, FAR, NOWHERE] = ['a', 'b', 'c', 'd', 'e', 'f', '9'].map(mRID) as [
  ...[string, string, string, string, string, string, string],
];

const object = (type: string, id: string, body = '', form = 'ID="_') =>
  `<cim:${type} rdf:${form}${id}">${body}</cim:${type}>`;
const text = (name: string, value: string) => `<cim:${name}>${value}</cim:${name}>`;
const to = (name: string, target: string) => `<cim:${name} rdf:resource="#_${target}"/>`;
const named = (name: string) => text('IdentifiedObject.name', name);

const BASE: Partial<Record<CimFile, string>> = {
  EQ: fullModelXml(
    'EQ',
    [
      object('ACLineSegment', LINE, named('Quay') + text('ACLineSegment.r', '0.1')),
      object('Terminal', TERMINAL, to('Terminal.ConductingEquipment', LINE) + to('Terminal.ConnectivityNode', GONE)),
      object('Terminal', OTHER, to('Terminal.ConnectivityNode', GONE) + to('Terminal.ConductingEquipment', FAR)),
      object('ConnectivityNode', GONE, named('Node')),
    ].join(''),
  ),
  SC: fullModelXml('SC', object('ACLineSegment', LINE, text('ACLineSegment.r0', '0.3'), 'about="#_')),
};

const PROJECT: Partial<Record<CimFile, string>> = {
  EQ: differenceModelXml('EQ', {
    reverse: [
      attributeChange(LINE, 'cim:ACLineSegment.r', '0.2'),
      object('ConnectivityNode', GONE, named('Node')),
      object('Terminal', TERMINAL, to('Terminal.ConnectivityNode', GONE), 'about="#_'),
    ].join(''),
    forward: [
      attributeChange(LINE, 'cim:ACLineSegment.x', '0.7'),
      object('Breaker', LINE),
      object('Junction', NEW, to('Equipment.EquipmentContainer', NOWHERE)),
      object('Terminal', TERMINAL, to('Terminal.ConnectivityNode', NEW), 'about="#_'),
    ].join(''),
  }),
};

/** Base models, and what becomes of them by a project. */
export function baseModels(): void {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
  });
  afterAll(() => grid?.close());

  const WARNINGS = 'warnings { file kind message }';
  const ofVersion = (selection: string, projectId = 'P1') =>
    `{ developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: "${projectId}") { version(version: 1) { ${selection} } } }`;
  const version = async (selection: string, projectId?: string) =>
    (await grid.execute(ofVersion(selection, projectId))).developmentProject.version;
  const FINDINGS = 'findings { kind file mRID name value }';
  const AFTER = `mRID type name existed exists statements { file name value isAssociation isNew targetExists } ${FINDINGS}`;

  describe('A version without a base model', () => {
    it('has no objects after it', async () => {
      await grid.published(await gridArchive(PROJECT));
      expect(
        await version(
          `baseModel { version } objectAfter(mRID: "${LINE}") { mRID } unfittingObjects { nodes { mRID } }
          object(mRID: "${LINE}") { inBaseModel { type } }`,
        ),
      ).toEqual({
        ...{ baseModel: null, objectAfter: null, unfittingObjects: null },
        object: { inBaseModel: null },
      });
    });
  });

  describe('A base model', () => {
    it('is published once, with its files; the same archive again is the same version', async () => {
      const archive = await baseArchive(BASE);
      expect(await grid.publishBase(archive)).toMatchObject({
        outcome: 'published',
        isNew: true,
        base: { version: 1 },
      });
      expect(await grid.publishBase(archive)).toMatchObject({
        outcome: 'published',
        isNew: false,
        base: { version: 1 },
      });
      const { baseModel } = await grid.execute(
        '{ baseModel(area: "epn", publicationYear: 2026, period: "01") { version publicationYear period files { file items statements header { version } } } }',
      );
      expect(baseModel).toEqual({
        ...{ version: 1, publicationYear: 2026, period: '01' },
        files: [
          { file: 'EQ_XML', items: 4, statements: 7, header: { version: '001' } },
          { file: 'SC_XML', items: 1, statements: 1, header: { version: '001' } },
          { file: 'GL_XML', items: 0, statements: 0, header: { version: '001' } },
        ],
      });
    });

    it.each([
      ['of an earlier cycle', '{ baseModel(area: "EPN", publicationYear: 2025, period: "02") { version } }', null],
      ['of another area', '{ baseModel(area: "LPN", publicationYear: 2026, period: "01") { version } }', null],
      ['of no area', '{ baseModel(area: "NOWHERE", publicationYear: 2026, period: "01") { version } }', null],
      [
        'of a later cycle',
        '{ baseModel(area: "EPN", publicationYear: 2027, period: "01") { version } }',
        { version: 1 },
      ],
      [
        'of a year that no publication can have',
        '{ baseModel(area: "EPN", publicationYear: 2147483647, period: "01") { version } }',
        { version: 1 },
      ],
      [
        'of a year before all publications',
        '{ baseModel(area: "EPN", publicationYear: -2147483648, period: "01") { version } }',
        null,
      ],
    ])('is that of the cycle or an earlier one: %s', async (_, query, expected) => {
      expect(await grid.execute(query)).toEqual({ baseModel: expected });
    });

    it('is rejected with all faults of all files, and then nothing of it is stored', async () => {
      const before = await grid.rows();
      const outcome = await grid.publishBase(
        await zipOf([
          { name: 'EQ.xml', bytes: differenceModelXml('EQ') },
          { name: 'SC.xml', bytes: fullModelXml('EQ', `<cim:A rdf:ID="_1"/><cim:A rdf:ID="_1"/>`) },
        ]),
      );
      expect(outcome).toMatchObject({ outcome: 'refused' });
      const faults = outcome.outcome === 'refused' ? outcome.faults : [];
      expect(faults.map(({ file, message }) => `${file}: ${message}`)).toEqual([
        'GL.xml: is missing from the archive',
        'EQ.xml: the file contains a difference model, not a full model',
        'SC.xml: rdf:ID of 1 occurs twice in the full model',
        expect.stringMatching(/^SC.xml: SC.xml must have the profile/),
      ]);
      expect(await grid.rows()).toEqual(before);
    });

    it('warns of reused mRIDs, missing and unpublished dependencies and times without zone, and of nothing else', async () => {
      const [key, eq, boundary] = [{ ...TEST_KEY, area: 'SWEST' }, mRID('1'), mRID('2')];
      const dependent = (file: CimFile, on: string, id?: string) =>
        fullModelXml(file, '', id).replace(
          '</md:FullModel>',
          `<md:Model.DependentOn rdf:resource="urn:uuid:${on}"/>$&`,
        );
      const warned = async (members: Partial<Record<CimFile, string>>) => {
        const outcome = await grid.publishBase(await baseArchive(members), key);
        if (outcome.outcome === 'refused') throw new Error(JSON.stringify(outcome.faults));
        const { baseModel } = await grid.execute(
          `{ baseModel(area: "SWEST", publicationYear: 2026, period: "01") { version ${WARNINGS} } }`,
        );
        expect(baseModel.version).toBe(outcome.base.version);
        const messages = outcome.warnings.map(({ message }) => message);
        expect(baseModel.warnings.map(({ message }: { message: string }) => message)).toEqual(messages);
        return outcome.warnings.map(({ file, kind }) => `${file} ${kind}`);
      };
      const whole = { EQ: fullModelXml('EQ', '', eq), SC: dependent('SC', eq), GL: dependent('GL', eq) };
      expect(await warned(whole)).toEqual([]);
      expect(await warned({ ...whole, SC: dependent('SC', boundary), GL: fullModelXml('GL', '') })).toEqual([
        'SC unpublished-dependency',
        'GL no-dependency',
      ]);
      const zoneless = fullModelXml('EQ', object('A', LINE), eq).replace(
        '00Z</md:Model.created',
        '00</md:Model.created',
      );
      expect(await warned({ ...whole, EQ: zoneless })).toEqual(['EQ reused-mrid', 'EQ created-without-zone']);
      const used = differenceModelXml('EQ', { mRID: mRID('3') });
      await grid.published(await gridArchive({ EQ: used }), { ...key, projectId: 'Used' });
      expect(await warned({ ...whole, EQ: fullModelXml('EQ', '', mRID('3')) })).toEqual(['EQ reused-mrid']);
    });

    it('has an mRID that a difference model must not have, which is warned of', async () => {
      const id = mRID('4');
      const key = { ...TEST_KEY, area: 'SEPD' };
      await grid.publishBase(await baseArchive({ EQ: fullModelXml('EQ', '', id.toUpperCase()) }), key);
      await grid.published(await gridArchive({ EQ: differenceModelXml('EQ', { mRID: id }) }), key);
      const { developmentProject } = await grid.execute(
        `{ developmentProject(area: "SEPD", publicationYear: 2026, period: "01", projectId: "P1") { version(version: 1) { ${WARNINGS} } } }`,
      );
      expect(developmentProject.version.warnings).toContainEqual({
        ...{ file: 'EQ_XML', kind: 'REUSED_MRID' },
        message: `The model mRID ${id} was published before with other contents.`,
      });
    });

    it('never changes', async () => {
      for (const statement of [
        `update base_model set published_at = register_now()`,
        `delete from base_item`,
        `insert into base_chunk (base, number, bytes) select number, 99, '' from base_model`,
      ])
        await expect(grid.owner.query(statement)).rejects.toThrow(/never changes/);
    });

    it('is published by two callers at once as two versions, or as one if it is the same', async () => {
      const key = { ...TEST_KEY, area: 'SPN' };
      const [one, other] = [await baseArchive(BASE), await baseArchive({})];
      const outcomes = await Promise.all([one, one, other].map((archive) => grid.publishBase(archive, key)));
      const versions = outcomes.map((each) => (each.outcome === 'published' ? each.base.version : 0));
      expect(Math.max(...versions)).toBeLessThanOrEqual(3);
      expect(new Set([versions[1], versions[2]]).size).toBe(2);
    });
  });

  describe('An object that a version describes by its class', () => {
    it('is added if the base model has nothing of it, else changed', async () => {
      const key = { ...TEST_KEY, area: 'SHEPD', projectId: 'DESCRIBED' };
      const described = (id: string) => object('ACLineSegment', id, text('ACLineSegment.r', '1'), 'about="#_');
      const archive = await gridArchive({
        EQ: differenceModelXml('EQ', {
          forward: [described(LINE.toUpperCase()), described(NEW), object('Breaker', OTHER)].join(''),
        }),
      });
      await grid.publishBase(await baseArchive(BASE), { ...key, publicationYear: 2027 });
      await grid.published(archive, key);
      await grid.publishBase(await baseArchive(BASE), key);
      await grid.published(await gridArchive({ EQ: differenceModelXml('EQ') }), key);
      await grid.published(archive, key);
      const { developmentProject } = await grid.execute(
        '{ developmentProject(area: "SHEPD", publicationYear: 2026, period: "01", projectId: "DESCRIBED") { versions { version objects { nodes { mRID kind } } } } }',
      );
      type Shown = { version: number; objects: { nodes: { mRID: string; kind: string }[] } };
      const kinds = Object.fromEntries(
        developmentProject.versions.map(({ version: number, objects }: Shown) => [
          number,
          [LINE, NEW, OTHER].map((id) => objects.nodes.find((node) => node.mRID.toLowerCase() === id)?.kind),
        ]),
      );
      expect([kinds[1], kinds[3]]).toEqual([
        ['ADDED', 'ADDED', 'ADDED'],
        ['CHANGED', 'ADDED', 'ADDED'],
      ]);
    });
  });

  describe('A location of which a version changes only the coordinates of points', () => {
    const [SITE, POINT, KEPT_POINT, LOST, SYSTEM] = ['1', '2', '3', '4', '5'].map(mRID) as [
      ...[string, string, string, string, string],
    ];
    const point = (id: string, sequence: number, x: string, y: string) =>
      object(
        'PositionPoint',
        id,
        text('PositionPoint.sequenceNumber', String(sequence)) +
          text('PositionPoint.xPosition', x) +
          text('PositionPoint.yPosition', y) +
          to('PositionPoint.Location', SITE),
      );
    const moved = (id: string, x: string) => attributeChange(id, 'cim:PositionPoint.xPosition', x);

    it('has both places, its object and its coordinate system from the base model', async () => {
      const key = { ...TEST_KEY, area: 'SWALES' };
      await grid.publishBase(
        await baseArchive({
          EQ: BASE.EQ as string,
          GL: fullModelXml(
            'GL',
            object('CoordinateSystem', SYSTEM, text('CoordinateSystem.crsUrn', 'urn:ogc:def:crs:EPSG::4326')) +
              object(
                'Location',
                SITE,
                to('Location.PowerSystemResources', LINE) + to('Location.CoordinateSystem', SYSTEM),
              ) +
              point(POINT, 1, '0.4', '52') +
              point(KEPT_POINT, 2, '0.6', '53'),
          ),
        }),
        key,
      );
      const GL = differenceModelXml('GL', {
        reverse: moved(POINT.toUpperCase(), '0.4') + moved(LOST, '1'),
        forward: moved(POINT.toUpperCase(), '0.5') + moved(LOST, '2'),
      });
      await grid.published(await gridArchive({ GL }), key);
      const { developmentProject } = await grid.execute(
        `{ developmentProject(area: "SWALES", publicationYear: 2026, period: "01", projectId: "P1") { version(version: 1) { unplacedPoints locations {
          nodes { mRID kind object objectType objectName changedObject coordinateSystem points { sequence x y } pointsBefore { sequence x y } } } } } }`,
      );
      expect(developmentProject.version).toEqual({
        unplacedPoints: 1,
        locations: {
          nodes: [
            {
              ...{ mRID: SITE, kind: 'CHANGED', object: LINE, objectType: 'cim:ACLineSegment', objectName: 'Quay' },
              ...{ changedObject: null, coordinateSystem: 'urn:ogc:def:crs:EPSG::4326' },
              points: [{ sequence: 1, x: 0.5, y: 52 }],
              pointsBefore: [{ sequence: 1, x: 0.4, y: 52 }],
            },
          ],
        },
      });
    });

    it('has class and name of its object from the base model, also if the version changes an attribute of the object', async () => {
      const key = { ...TEST_KEY, area: 'SWALES' };
      const EQ = differenceModelXml('EQ', { forward: attributeChange(LINE, 'cim:Conductor.length', '2') });
      const GL = differenceModelXml('GL', { forward: moved(POINT, '0.5') });
      await grid.published(await gridArchive({ EQ, GL }), key);
      const { developmentProject } = await grid.execute(
        `{ developmentProject(area: "SWALES", publicationYear: 2026, period: "01", projectId: "P1") { version(version: 2) {
          locations { nodes { objectType objectName changedObject } } } } }`,
      );
      expect(developmentProject.version.locations.nodes).toEqual([
        { objectType: 'cim:ACLineSegment', objectName: 'Quay', changedObject: LINE },
      ]);
    });
  });

  describe('An object after a project', () => {
    it('has what the base model has of it, without what is deleted, and with what is added', async () => {
      const { objectAfter } = await version(`objectAfter(mRID: "#_${TERMINAL.toUpperCase()}") { ${AFTER} }`);
      expect(objectAfter).toEqual({
        ...{ mRID: TERMINAL, type: 'cim:Terminal', name: null, existed: true, exists: true, findings: [] },
        statements: [
          {
            ...{ file: 'EQ_XML', name: 'cim:Terminal.ConductingEquipment', value: LINE },
            ...{ isAssociation: true, isNew: false, targetExists: true },
          },
          {
            ...{ file: 'EQ_XML', name: 'cim:Terminal.ConnectivityNode', value: NEW },
            ...{ isAssociation: true, isNew: true, targetExists: true },
          },
        ],
      });
    });

    it('has its class and name from the base model where the project states none', async () => {
      const IN_BASE = 'name inBaseModel { type name }';
      expect(
        await version(
          `line: object(mRID: "${LINE}") { ${IN_BASE} } terminal: object(mRID: "${TERMINAL}") { ${IN_BASE} } added: object(mRID: "${NEW}") { ${IN_BASE} }`,
        ),
      ).toEqual({
        line: { name: null, inBaseModel: { type: 'cim:ACLineSegment', name: 'Quay' } },
        terminal: { name: null, inBaseModel: { type: 'cim:Terminal', name: null } },
        added: { name: null, inBaseModel: null },
      });
    });

    it('is listed under its class in the base model where the project states none, also if its version was published before that was stored', async () => {
      const forward =
        attributeChange(TERMINAL, 'cim:IdentifiedObject.description', 'Moved') +
        attributeChange(LINE, 'cim:Equipment.aggregate', 'false') +
        attributeChange(NOWHERE, 'cim:IdentifiedObject.description', 'Of any class');
      await grid.published(await gridArchive({ EQ: differenceModelXml('EQ', { forward }) }), {
        ...TEST_KEY,
        projectId: 'LISTED',
      });
      const LISTED = 'objects { nodes { mRID } } terminals: objects(type: "cim:Terminal") { nodes { mRID } }';
      const expected = {
        objects: { nodes: [LINE, TERMINAL, NOWHERE].map((each) => ({ mRID: each })) },
        terminals: { nodes: [{ mRID: TERMINAL }] },
      };
      expect(await version(LISTED, 'LISTED')).toEqual(expected);
      await clearListedTypes(grid.owner);
      await fillListedTypesOf(grid.owner);
      expect(await version(LISTED, 'LISTED')).toEqual(expected);
    });

    it('has findings: a deleted statement that the base model lacks, and an object that is added twice', async () => {
      const { objectAfter } = await version(
        `objectAfter(mRID: "${LINE}") { ${FINDINGS} statements { file name value } }`,
      );
      expect(objectAfter).toEqual({
        findings: [
          { kind: 'MISSING_STATEMENT', file: 'EQ_XML', mRID: LINE, name: 'cim:ACLineSegment.r', value: '0.2' },
          { kind: 'ADDED_TWICE', file: 'EQ_XML', mRID: LINE, name: 'rdf:type', value: 'cim:Breaker' },
        ],
        statements: expect.arrayContaining([
          { file: 'EQ_XML', name: 'cim:ACLineSegment.r', value: '0.1' },
          { file: 'SC_XML', name: 'cim:ACLineSegment.r0', value: '0.3' },
        ]),
      });
    });

    it('that is removed has the associations that are left to it', async () => {
      const { objectAfter } = await version(
        `objectAfter(mRID: "${GONE}") { existed exists statements { name } ${FINDINGS} }`,
      );
      expect(objectAfter).toEqual({
        ...{ existed: true, exists: false, statements: [] },
        findings: [
          {
            ...{ kind: 'DANGLING_ASSOCIATION', file: 'EQ_XML', mRID: OTHER, name: 'cim:Terminal.ConnectivityNode' },
            value: GONE,
          },
        ],
      });
    });

    it('that is removed has the first 1,000 associations left to it, however many the project removes with it', async () => {
      const key = { ...TEST_KEY, area: 'WMID' };
      const terminal = (index: number) => `${String(index).padStart(8, '0')}-0000-4000-8000-00000000000b`;
      const terminals = Array.from({ length: 1_002 }, (_, index) =>
        object('Terminal', terminal(index), to('Terminal.ConnectivityNode', GONE)),
      );
      const node = object('ConnectivityNode', GONE, named('Node'));
      await grid.publishBase(await baseArchive({ EQ: fullModelXml('EQ', node + terminals.join('')) }), key);
      const left = async (projectId: string, removed: string) => {
        const archive = await gridArchive({ EQ: differenceModelXml('EQ', { reverse: node + removed }) });
        await grid.published(archive, { ...key, projectId });
        const { developmentProject } = await grid.execute(
          `{ developmentProject(area: "WMID", publicationYear: 2026, period: "01", projectId: "${projectId}") { version(version: 1) { objectAfter(mRID: "${GONE}") { findings { mRID } } } } }`,
        );
        return developmentProject.version.objectAfter.findings.map(({ mRID: id }: { mRID: string }) => id);
      };
      expect(await left('Node', '')).toEqual(Array.from({ length: 1_000 }, (_, index) => terminal(index)));
      expect(await left('Most', terminals.slice(0, 1_001).join(''))).toEqual([terminal(1_001)]);
    });

    it('can be one that the project does not mention, or none', async () => {
      const { objectAfter } = await version(`objectAfter(mRID: "${OTHER}") { ${AFTER} }`);
      expect(objectAfter).toMatchObject({
        statements: [
          { targetExists: false, isNew: false },
          { targetExists: false, isNew: false },
        ],
        findings: [{ kind: 'DANGLING_ASSOCIATION', mRID: OTHER, value: GONE }],
      });
      expect(await version(`objectAfter(mRID: "${NOWHERE}") { mRID }`)).toEqual({ objectAfter: null });
      expect(await grid.errorOf(ofVersion('objectAfter(mRID: "\\u0000") { mRID }'))).toBe('VAL001 mRID');
    });

    it('is found among others, each once, in the order of the mRIDs', async () => {
      const byMRIDs = (...mRIDs: string[]) => `(mRIDs: ${JSON.stringify(mRIDs)}) { mRID }`;
      const wanted = byMRIDs(`#_${OTHER.toUpperCase()}`, NOWHERE, LINE, OTHER);
      expect(await version(`objectsAfter${wanted} objectsByMRID${wanted}`)).toEqual({
        objectsAfter: [{ mRID: OTHER }, { mRID: LINE }],
        objectsByMRID: [{ mRID: LINE }], // the project does not mention the other
      });
      const tooMany = byMRIDs('\0', ...Array<string>(25).fill(LINE));
      for (const field of ['objectsAfter', 'objectsByMRID'])
        expect(await grid.errorOf(ofVersion(field + tooMany))).toBe('VAL003 mRIDs mRIDs.0');
    });

    (HAS_PYTHON ? it : it.skip)(
      'has the statements that an independent script computes, and the same findings',
      async () => {
        const [expected] = appliedByPython([{ base: BASE, project: PROJECT } as AppliedCase]);
        const found: string[][] = [];
        for (const each of [LINE, TERMINAL, OTHER, GONE, NEW]) {
          const { objectAfter } = await version(`objectAfter(mRID: "${each}") { ${AFTER} }`);
          for (const { file, name, value } of objectAfter.statements) found.push([file.slice(0, 2), each, name, value]);
        }
        const withoutTypes = (expected?.statements ?? []).filter(([, , name]) => name !== 'rdf:type');
        const wanted = withoutTypes.map(([file, subject, name, , value]) => [file, subject, name, value] as string[]);
        const second = found.filter(([, , name]) => name !== 'rdf:type');
        expect(sorted(second)).toEqual(sorted(wanted));
        const { unfittingObjects } = await version(`unfittingObjects { nodes { ${FINDINGS} } }`);
        type Shown = { kind: string; file: string; mRID: string; name: string; value: string };
        const findings = unfittingObjects.nodes.flatMap((node: { findings: Shown[] }) => node.findings);
        expect(
          sorted(
            findings.map(({ kind, file, mRID: subject, name, value }: Shown) => [
              ...[kind.toLowerCase().replace('_', '-'), file.slice(0, 2), subject, name, value],
            ]),
          ),
        ).toEqual(expected?.findings);
      },
    );
  });

  describe('A check of an archive', () => {
    const prepare = async (area: string, projectId: string) =>
      (
        await grid.execute(
          `mutation { prepareGridPublication(input: { area: "${area}", publicationYear: 2026, period: "01", projectId: "${projectId}" }) { address } }`,
          {},
          ADMIN,
        )
      ).prepareGridPublication.address as string;

    const prepareBase = async (area: string) =>
      (
        await grid.execute(
          `mutation { prepareBaseModelPublication(input: { area: "${area}", publicationYear: 2026, period: "01" }) { address } }`,
          {},
          ADMIN,
        )
      ).prepareBaseModelPublication.address as string;

    it('counts what becomes of the base model, lists what does not fit, and stores nothing', async () => {
      const address = await prepare('EPN', 'CHECKED');
      const before = await grid.rows();
      const outcome = await grid.running.files.checkAt(address, Readable.from(await gridArchive(PROJECT)));
      expect(outcome).toMatchObject({
        ...{ outcome: 'checked', isApplied: true, base: { publicationYear: 2026, period: '01', version: 1 } },
        ...{ statementsBefore: 8, statementsAfter: 9, findingCount: 4 },
        findings: expect.arrayContaining([
          {
            ...{ kind: 'missing-statement', file: 'EQ', mRID: LINE },
            statement: { name: 'cim:ACLineSegment.r', kind: 'text', value: '0.2' },
            instead: ['0.1'],
          },
        ]),
      });
      expect(await grid.rows()).toEqual(before);
      expect(await grid.running.files.publishAt(address, Readable.from(await gridArchive(PROJECT)))).toMatchObject({
        ...{ outcome: 'published', isNew: true },
      });
      expect(await grid.running.files.checkAt(address, Readable.from(await gridArchive(PROJECT)))).toEqual({
        outcome: 'gone',
      });
    });

    it.each(['of a project', 'of a base model'])('has the warnings that its publication then has: %s', async (kind) => {
      const isBase = kind === 'of a base model';
      const [eq, used] = [randomUUID(), randomUUID()];
      const address = isBase ? await prepareBase('NPGY') : await prepare('NPGY', 'WARNED');
      const dependentOn = (on: string) => `<md:Model.DependentOn rdf:resource="urn:uuid:${on}"/>`;
      const of = (file: CimFile, mRID_: string, ...on: string[]) =>
        (isBase ? fullModelXml(file, '', mRID_) : differenceModelXml(file, { mRID: mRID_ })).replace(
          '<md:Model.version>',
          `${on.map(dependentOn).join('')}$&`,
        );
      await grid.published(await gridArchive({ EQ: differenceModelXml('EQ', { mRID: used, dependentOn: [] }) }), {
        ...{ ...TEST_KEY, area: 'NPGY', projectId: `U-${used.slice(0, 8)}` },
      });
      const members = {
        EQ: of('EQ', eq, randomUUID()).replace('00Z</md:Model.created', '00</md:Model.created'),
        SC: of('SC', used.toUpperCase(), eq),
        GL: of('GL', eq.toUpperCase()),
      };
      const archive = await (isBase ? baseArchive(members) : gridArchive(members));
      const checked = await grid.running.files.checkAt(address, Readable.from(archive));
      const published = await grid.running.files.publishAt(address, Readable.from(archive));
      const warnings = [
        ['EQ', 'created-without-zone'],
        ['EQ', 'unpublished-dependency'],
        ['SC', 'reused-mrid'],
        ['GL', 'reused-mrid'],
        ['GL', 'no-dependency'],
      ].map(([file, warning]) => expect.objectContaining({ file, kind: warning }));
      expect(checked).toMatchObject({ outcome: 'checked', warnings });
      expect(published).toMatchObject({ outcome: 'published', warnings: 'warnings' in checked && checked.warnings });
    });

    it('does not apply files that are too large together, which is no fault of theirs', async () => {
      const address = await prepare('EPN', 'LARGE');
      const members = ['EQ', 'SC', 'GL'] as const;
      const archive = await gridArchive(Object.fromEntries(members.map((file) => [file, differenceModelXml(file)])));
      const limit = jest.replaceProperty(DIFFERENCE_LIMITS, 'member', 2 * differenceModelXml('EQ').length);
      const outcome = await grid.running.files.checkAt(address, Readable.from(archive));
      limit.restore();
      expect(outcome).toMatchObject({
        ...{ outcome: 'checked', base: { version: 1 }, isApplied: false },
        ...{ findingCount: 0, warnings: [{}, {}, {}] },
      });
    });

    it('checks only the files where no base model is published', async () => {
      const address = await prepare('LPN', 'CHECKED');
      expect(await grid.running.files.checkAt(address, Readable.from(await gridArchive(PROJECT)))).toMatchObject({
        ...{ outcome: 'checked', base: null, isApplied: false, findingCount: 0 },
      });
    });

    it('rejects what cannot be published, and an unknown address', async () => {
      const address = await prepare('EPN', 'REJECTED');
      const archive = await gridArchive({ EQ: BASE.EQ as string });
      expect(await grid.running.files.checkAt(address, Readable.from(archive))).toMatchObject({
        outcome: 'refused',
        faults: [{ file: 'EQ.xml', message: 'the file contains a full model, not a difference model' }],
      });
      const unknown = `/grid-modelling/uploads/${'a'.repeat(43)}`;
      expect(await grid.running.files.checkAt(unknown, Readable.from(archive))).toEqual({ outcome: 'gone' });
    });
  });

  describe('The objects that do not fit', () => {
    it('are listed page by page', async () => {
      const seen: string[] = [];
      for (let after: string | null = null; ;) {
        const { unfittingObjects }: { unfittingObjects: { nodes: { mRID: string }[]; nextCursor: string | null } } =
          await version(`unfittingObjects(first: 1, after: ${JSON.stringify(after)}) { nodes { mRID } nextCursor }`);
        seen.push(...unfittingObjects.nodes.map((node) => node.mRID));
        after = unfittingObjects.nextCursor;
        if (after === null) break;
      }
      expect(seen).toEqual([LINE, GONE, NEW]);
      const { unfittingObjects } = await version('unfittingObjects(first: 3) { nodes { mRID } nextCursor }');
      expect(unfittingObjects).toMatchObject({ nodes: { length: 3 }, nextCursor: null });
    });
  });
}
