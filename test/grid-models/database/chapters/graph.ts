import { PublishedFileQueries } from '../../../../subgraphs/grid-models/files/published-file.queries';
import { type GridGraph, gridGraph } from '../../../support/grid-graph';
import { attributeChange, differenceModelXml, gridArchive, lineSegment } from '../../../support/grid-archives';
import { TEST_KEY } from '../../../support/grid-database';

export function graph(): void {
  const NEW_LINE = 'aaaaaaaa-0000-4000-8000-000000000001';
  const OLD_LINE = 'AAAAAAAA-0000-4000-8000-000000000002';
  const BREAKER = 'bbbbbbbb-0000-4000-8000-000000000003';
  const LATE_LINE = 'cccccccc-0000-4000-8000-000000000004';
  const MODEL = 'dddddddd-0000-4000-8000-000000000005';
  const BASE = 'eeeeeeee-0000-4000-8000-000000000006';
  const [PLACE, SYSTEM, GONE] = ['f1', 'f2', 'a0'].map((start) => `${start}000000-0000-4000-8000-000000000007`);

  const point = (id: string, location: string | undefined, sequence: number, x: string, y: string) =>
    `<cim:PositionPoint rdf:ID="_${id}"><cim:PositionPoint.sequenceNumber>${sequence}</cim:PositionPoint.sequenceNumber>
  <cim:PositionPoint.xPosition>${x}</cim:PositionPoint.xPosition><cim:PositionPoint.yPosition>${y}</cim:PositionPoint.yPosition>
  <cim:PositionPoint.Location rdf:resource="#_${location}"/></cim:PositionPoint>`;

  const location = (id: string | undefined, object: string) => `<cim:Location rdf:ID="_${id}">
  <cim:Location.CoordinateSystem rdf:resource="#_${SYSTEM}"/>
  <cim:Location.PowerSystemResources rdf:resource="#_${object}"/></cim:Location>`;

  const switchChange = (open: boolean) => `<cim:Breaker rdf:about="#_${BREAKER}">
  <cim:IdentifiedObject.name>Breaker 7</cim:IdentifiedObject.name>
  <cim:IdentifiedObject.description>feeds the hospital</cim:IdentifiedObject.description>
  <cim:Switch.open>${String(open)}</cim:Switch.open>
  <cim:Terminal.phases rdf:resource="http://iec.ch/TC57/CIM100#PhaseCode.ABC"/>
  <cim:Switch.ratedCurrent>${open ? '630' : '630.5'}</cim:Switch.ratedCurrent></cim:Breaker>`;

  const LOCATED = `${location(PLACE, NEW_LINE)}<cim:CoordinateSystem rdf:ID="_${SYSTEM}">
      <cim:CoordinateSystem.crsUrn>urn:ogc:def:crs:EPSG::4326</cim:CoordinateSystem.crsUrn></cim:CoordinateSystem>
      ${point('p2', PLACE, 2, '0.2', '52.2')}${point('p1', PLACE, 1, '0.1', '52.1')}${point('p3', PLACE, 3, 'east', '52')}`;

  const FIRST = {
    EQ: differenceModelXml('EQ', {
      mRID: MODEL,
      dependentOn: [BASE],
      reverse: lineSegment(OLD_LINE, 'Mill Lane') + switchChange(false),
      forward: lineSegment(NEW_LINE, 'Harbour Road') + switchChange(true),
    }),
    SC: differenceModelXml('SC', {
      reverse: null,
      forward: `<rdf:Description rdf:about="#_${NEW_LINE}"><cim:ACLineSegment.note>one</cim:ACLineSegment.note>
      <cim:ACLineSegment.note>two</cim:ACLineSegment.note><cim:ACLineSegment.r0>0.4</cim:ACLineSegment.r0></rdf:Description>`,
    }),
    GL: differenceModelXml('GL', {
      reverse: location(GONE, OLD_LINE) + point('p4', GONE, 1, '0.5', '52.5'),
      forward: LOCATED,
    }),
  };

  /** Another line and another resistance; the old line and its location are no longer removed; SC is unchanged. */
  const SECOND = {
    ...FIRST,
    EQ: differenceModelXml('EQ', {
      mRID: MODEL,
      dependentOn: [BASE],
      reverse: switchChange(false),
      forward: lineSegment(LATE_LINE, 'Quay') + lineSegment(NEW_LINE, 'Harbour Road', '0.3') + switchChange(true),
    }),
    GL: differenceModelXml('GL', { reverse: '', forward: LOCATED }),
  };

  const PROJECT = `developmentProject(area: "epn", publicationYear: 2026, period: "01", projectId: "P1")`;
  const FILE = `area: "EPN", publicationYear: 2026, period: "01", projectId: "P1"`;

  describe('Published grid models in the graph', () => {
    let grid: GridGraph;
    beforeAll(async () => {
      grid = await gridGraph();
      await grid.published(await gridArchive(FIRST));
      await grid.published(await gridArchive(SECOND));
    });
    afterAll(() => grid?.close());

    const version = async (selection: string, number = 1) =>
      (await grid.execute(`{ ${PROJECT} { version(version: ${number}) { ${selection} } } }`)).developmentProject
        .version;
    const model = async (file: string, selection: string) =>
      (await version(`model(file: ${file}) { ${selection} }`)).model;
    const items = async (filter: string, selection = 'mRID') =>
      (await model('EQ_XML', `items${filter} { totalCount nodes { ${selection} } }`)).items;

    describe('a development project', () => {
      it('is found by code or alias of its licence area, case-insensitive', async () => {
        const selection =
          '{ projectId publicationYear period licenceArea { code name group distributorId gspGroup aliases } }';
        const { developmentProject } = await grid.execute(`{ ${PROJECT} ${selection} }`);
        expect(developmentProject).toEqual({
          projectId: 'P1',
          publicationYear: 2026,
          period: '01',
          licenceArea: {
            code: 'EPN',
            name: 'Eastern',
            group: 'UK Power Networks',
            distributorId: '10',
            gspGroup: 'A',
            aliases: [],
          },
        });
      });

      it('has its versions, newest first, each with the published archive', async () => {
        const { developmentProject } = await grid.execute(
          `{ ${PROJECT} { latestVersion { version } versions { version project { projectId } archive { name size sha256 } } } }`,
        );
        expect(developmentProject.latestVersion).toEqual({ version: 2 });
        expect(developmentProject.versions).toMatchObject([
          { version: 2, project: { projectId: 'P1' }, archive: { name: 'LTDS_EPN_2026-01_P1_v2.zip' } },
          { version: 1, project: { projectId: 'P1' }, archive: { name: 'LTDS_EPN_2026-01_P1_v1.zip' } },
        ]);
        expect(developmentProject.versions[0].archive.sha256).toMatch(/^[0-9a-f]{64}$/);
      });

      it.each(['ENWL', 'nowhere'])('is null in another licence area: %s', async (area) => {
        expect(await grid.execute(`{ ${PROJECT.replace('epn', area)} { id } }`)).toEqual({ developmentProject: null });
      });

      it('is an entity, and so is a difference model', async () => {
        const { developmentProject } = await grid.execute(
          `{ ${PROJECT} { id latestVersion { model(file: SC_XML) { id } } } }`,
        );
        const representations = [
          { __typename: 'DevelopmentProject', id: developmentProject.id },
          { __typename: 'DifferenceModel', id: developmentProject.latestVersion.model.id },
          { __typename: 'DifferenceModel', id: 'no id' },
        ];
        const query = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
        ... on DevelopmentProject { projectId } ... on DifferenceModel { file } } }`;
        const { _entities: entities } = await grid.execute(query, { representations });
        expect(entities).toEqual([{ projectId: 'P1' }, { file: 'SC_XML' }, null]);
      });
    });

    describe('a difference model', () => {
      it('has a header, sections, and counts by class', async () => {
        const selection = `stored { name size } header { mRID created profile version dependentOn supersedes }
        forwardDifferences { items statements } reverseDifferences { items statements }
        classCounts { section type items statements } projectVersion { version }`;
        expect(await model('EQ_XML', selection)).toEqual({
          stored: { name: 'EQ.xml', size: Buffer.byteLength(FIRST.EQ) },
          header: {
            mRID: MODEL,
            created: '2026-05-01T00:00:00Z',
            profile: ['http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0'],
            version: '001',
            dependentOn: [BASE],
            supersedes: [],
          },
          forwardDifferences: { items: 2, statements: 10 },
          reverseDifferences: { items: 2, statements: 10 },
          classCounts: [
            { section: 'FORWARD', type: 'cim:ACLineSegment', items: 1, statements: 5 },
            { section: 'FORWARD', type: 'cim:Breaker', items: 1, statements: 5 },
            { section: 'REVERSE', type: 'cim:ACLineSegment', items: 1, statements: 5 },
            { section: 'REVERSE', type: 'cim:Breaker', items: 1, statements: 5 },
          ],
          projectVersion: { version: 1 },
        });
      });

      it('has null for an absent section', async () => {
        expect(await model('SC_XML', 'forwardDifferences { items } reverseDifferences { items }')).toEqual({
          forwardDifferences: { items: 1 },
          reverseDifferences: null,
        });
      });

      it('has items with name, description, numbers, enumerations and associations', async () => {
        const selection = `section mRID type isObject name description statements
        attributes { name value number } associations { name target }`;
        const { nodes } = await items('(type: "cim:Breaker", section: FORWARD)', selection);
        expect(nodes).toEqual([
          {
            section: 'FORWARD',
            mRID: BREAKER,
            type: 'cim:Breaker',
            isObject: false,
            name: 'Breaker 7',
            description: 'feeds the hospital',
            statements: 5,
            attributes: [
              { name: 'cim:Switch.open', value: 'true', number: null },
              { name: 'cim:Terminal.phases', value: 'cim:PhaseCode.ABC', number: null },
              { name: 'cim:Switch.ratedCurrent', value: '630', number: 630 },
            ],
            associations: [],
          },
        ]);
        const [line] = (await items('(type: "cim:ACLineSegment")', selection)).nodes;
        expect(line.associations).toEqual([
          { name: 'cim:Equipment.EquipmentContainer', target: '4f1c3b0e-0000-4000-8000-000000000000' },
        ]);
      });

      it.each([
        ['all', '', [OLD_LINE, BREAKER, NEW_LINE, BREAKER]],
        ['a section', '(section: FORWARD)', [NEW_LINE, BREAKER]],
        ['a class', '(type: "cim:ACLineSegment")', [OLD_LINE, NEW_LINE]],
        ['a class in a section', '(type: "cim:ACLineSegment", section: REVERSE)', [OLD_LINE]],
        ['an object, in any case', `(mRID: "${BREAKER.toUpperCase()}")`, [BREAKER, BREAKER]],
        ['an object as a file refers to it', `(mRID: "#_${BREAKER}")`, [BREAKER, BREAKER]],
        ['an object as a URN', `(mRID: "urn:uuid:${BREAKER.toUpperCase()}")`, [BREAKER, BREAKER]],
        ['an object in a section', `(mRID: "${BREAKER}", section: REVERSE)`, [BREAKER]],
        ['an attribute', '(statement: { name: "cim:Switch.open" })', [BREAKER, BREAKER]],
        ['a value', '(statement: { name: "cim:Switch.open", value: "true" })', [BREAKER]],
        [
          'an enumeration',
          '(statement: { name: "cim:Terminal.phases", value: "cim:PhaseCode.ABC" })',
          [BREAKER, BREAKER],
        ],
        [
          'an association in a section',
          '(section: FORWARD, statement: { name: "cim:Equipment.EquipmentContainer", value: "4f1c3b0e-0000-4000-8000-000000000000" })',
          [NEW_LINE],
        ],
        ...['4F1C3B0E-', '_4f1c3b0e-', '#_4F1c3b0e-', 'urn:uuid:4f1c3b0e-'].map((start): [string, string, string[]] => [
          `an association as it may be written: ${start}`,
          `(section: FORWARD, statement: { name: "cim:Equipment.EquipmentContainer", value: "${start}0000-4000-8000-000000000000" })`,
          [NEW_LINE],
        ]),
        ['a text in another case', '(statement: { name: "cim:IdentifiedObject.name", value: "harbour road" })', []],
        ['a text that looks like a reference', '(statement: { name: "cim:Switch.open", value: "#true" })', []],
        ['a value in a class', '(type: "cim:Breaker", statement: { name: "cim:ACLineSegment.r", value: "0.1" })', []],
        [
          'a value of an object',
          `(mRID: "${BREAKER}", statement: { name: "cim:Switch.open", value: "false" })`,
          [BREAKER],
        ],
      ])('lists its items by %s', async (_, filter, expected) => {
        const { nodes, totalCount } = await items(filter);
        expect(nodes.map(({ mRID }: { mRID: string }) => mRID)).toEqual(expected);
        expect(totalCount).toBe(expected.length);
      });

      it('lists an item with a repeated statement once', async () => {
        const filter = '(statement: { name: "cim:ACLineSegment.note" })';
        const { items: found } = await model(
          'SC_XML',
          `items${filter} { totalCount nodes { mRID attributes { value } } }`,
        );
        const attributes = ['one', 'two', '0.4'].map((value) => ({ value }));
        expect(found).toEqual({ totalCount: 1, nodes: [{ mRID: NEW_LINE, attributes }] });
      });

      it('has pages that together contain every item', async () => {
        const seen: string[] = [];
        for (let after: string | null = null; ;) {
          const page: { nextCursor: string | null; nodes: { mRID: string; section: string }[] } = (
            await model(
              'EQ_XML',
              `items(first: 1, after: ${JSON.stringify(after)}) { nextCursor nodes { mRID section } }`,
            )
          ).items;
          seen.push(...page.nodes.map(({ mRID, section }) => `${section} ${mRID}`));
          after = page.nextCursor;
          if (after === null) break;
        }
        expect(seen).toEqual([
          `REVERSE ${OLD_LINE}`,
          `REVERSE ${BREAKER}`,
          `FORWARD ${NEW_LINE}`,
          `FORWARD ${BREAKER}`,
        ]);
      });

      it('links an item to the change of its object', async () => {
        const { nodes } = await items('(section: REVERSE)', 'change { mRID kind files }');
        expect(nodes).toEqual([
          { change: { mRID: OLD_LINE, kind: 'REMOVED', files: ['EQ_XML'] } },
          { change: { mRID: BREAKER, kind: 'CHANGED', files: ['EQ_XML'] } },
        ]);
      });
    });

    describe('the change of an object', () => {
      const objects = async (filter: string, selection = 'mRID') =>
        (await version(`objects${filter} { totalCount nodes { ${selection} } }`)).objects;

      it('has old and new values over the three files', async () => {
        const selection = 'kind type name files values { file name isAssociation before after }';
        const one = await version(`object(mRID: "${BREAKER.toUpperCase()}") { ${selection} }`);
        expect(one.object).toEqual({
          kind: 'CHANGED',
          type: 'cim:Breaker',
          name: 'Breaker 7',
          files: ['EQ_XML'],
          values: [
            { file: 'EQ_XML', name: 'cim:Switch.open', isAssociation: false, before: ['false'], after: ['true'] },
            {
              file: 'EQ_XML',
              name: 'cim:Switch.ratedCurrent',
              isAssociation: false,
              before: ['630.5'],
              after: ['630'],
            },
          ],
        });
        const line = await version(`object(mRID: "${NEW_LINE}") { ${selection} }`);
        expect(line.object).toMatchObject({ kind: 'ADDED', files: ['EQ_XML', 'SC_XML'] });
        expect(line.object.values.at(-1)).toEqual({
          ...{ file: 'SC_XML', name: 'cim:ACLineSegment.r0', isAssociation: false, before: [], after: ['0.4'] },
        });
        expect((await version('object(mRID: "unknown") { mRID }')).object).toBeNull();
        for (const before of ['_', '#_', 'urn:uuid:'])
          expect((await version(`object(mRID: "${before}${BREAKER}") { mRID }`)).object).toEqual({ mRID: BREAKER });
      });

      it.each([
        ['a kind', '(kind: REMOVED, type: "cim:ACLineSegment")', [OLD_LINE]],
        ['a class', '(type: "cim:ACLineSegment")', [NEW_LINE, OLD_LINE]],
        ['the beginning of an mRID, in any case', '(search: "AAAA")', [NEW_LINE, OLD_LINE]],
        ['the beginning of an mRID as files refer to it', '(search: "#_aaaa")', [NEW_LINE, OLD_LINE]],
        ['the beginning of an mRID as a URN', '(search: "urn:uuid:AAAA")', [NEW_LINE, OLD_LINE]],
        ['nothing but the beginning of a reference', '(search: "#_")', []],
        ['a part of a name, in any case', '(search: "bOUr r")', [NEW_LINE]],
        ['a part of a name in a class', '(type: "cim:ACLineSegment", search: "l")', [OLD_LINE]],
        ['what stands for any text elsewhere', '(search: "%")', []],
        ['the middle of an mRID', '(search: "0000-4000")', []],
      ])('is listed by %s', async (_, filter, expected) => {
        const { nodes, totalCount } = await objects(filter);
        expect(nodes.map(({ mRID }: { mRID: string }) => mRID)).toEqual(expected);
        expect(totalCount).toBe(expected.length);
      });

      it('is listed by class and name, points last, page by page', async () => {
        const { nodes } = await version('objects { nodes { mRID type } }').then((each) => each.objects);
        const keys = nodes.map(({ mRID }: { mRID: string }) => mRID.toLowerCase());
        expect(nodes.map(({ type }: { type: string }) => type)).toEqual([
          ...['cim:ACLineSegment', 'cim:ACLineSegment', 'cim:Breaker', 'cim:CoordinateSystem'],
          ...['cim:Location', 'cim:Location'],
          ...Array.from({ length: 4 }, () => 'cim:PositionPoint'),
        ]);
        const first = (await version('objects(first: 2) { nextCursor nodes { mRID } }')).objects;
        const second = (
          await version(`objects(first: 500, after: "${first.nextCursor}") { nextCursor nodes { mRID } }`)
        ).objects;
        expect([...first.nodes, ...second.nodes].map(({ mRID }) => mRID.toLowerCase())).toEqual(keys);
        expect(second.nextCursor).toBeNull();
      });

      it('is counted by class', async () => {
        const { classCounts } = await version('classCounts { type added removed changed }');
        expect(classCounts).toEqual([
          { type: 'cim:PositionPoint', added: 3, removed: 1, changed: 0 },
          { type: 'cim:ACLineSegment', added: 1, removed: 1, changed: 0 },
          { type: 'cim:Location', added: 1, removed: 1, changed: 0 },
          { type: 'cim:Breaker', added: 0, removed: 0, changed: 1 },
          { type: 'cim:CoordinateSystem', added: 1, removed: 0, changed: 0 },
        ]);
        // A replica of the previous release stores no counts.
        await grid.owner.query(`alter table object_class_count disable trigger user; delete from object_class_count;
          alter table object_class_count enable trigger user`);
        expect(await version('classCounts { type added removed changed }')).toEqual({ classCounts });
      });

      it('has a location: ordered points, the object and the coordinate system', async () => {
        const selection = 'mRID kind object objectType objectName coordinateSystem points { sequence x y }';
        const { locations } = await version(`locations { totalCount nodes { ${selection} } }`);
        expect(locations).toEqual({
          totalCount: 2,
          nodes: [
            {
              mRID: GONE,
              kind: 'REMOVED',
              object: OLD_LINE,
              objectType: 'cim:ACLineSegment',
              objectName: 'Mill Lane',
              coordinateSystem: 'urn:ogc:def:crs:EPSG::4326',
              points: [{ sequence: 1, x: 0.5, y: 52.5 }],
            },
            {
              mRID: PLACE,
              kind: 'ADDED',
              object: NEW_LINE,
              objectType: 'cim:ACLineSegment',
              objectName: 'Harbour Road',
              coordinateSystem: 'urn:ogc:def:crs:EPSG::4326',
              points: [
                { sequence: 1, x: 0.1, y: 52.1 },
                { sequence: 2, x: 0.2, y: 52.2 },
              ],
            },
          ],
        });
      });
    });

    describe('two versions', () => {
      const comparison = async (selection: string, between = '(from: 1, to: 2)') =>
        (await grid.execute(`{ ${PROJECT} { comparison${between} { ${selection} } } }`)).developmentProject.comparison;
      const DIFFERENCE = 'file section mRID type kind values { name before after }';
      const DIFFERENT = [
        { file: 'EQ_XML', section: 'FORWARD', mRID: NEW_LINE, kind: 'CHANGED' },
        { file: 'EQ_XML', section: 'REVERSE', mRID: OLD_LINE, kind: 'REMOVED' },
        { file: 'EQ_XML', section: 'FORWARD', mRID: LATE_LINE, kind: 'ADDED' },
        { file: 'GL_XML', section: 'REVERSE', mRID: GONE, kind: 'REMOVED' },
        { file: 'GL_XML', section: 'REVERSE', mRID: 'p4', kind: 'REMOVED' },
      ];

      it('are compared item by item', async () => {
        const { counts, differences } = await comparison(
          `counts { file added removed changed } differences { nodes { ${DIFFERENCE} } }`,
        );
        expect(counts).toEqual([
          { file: 'EQ_XML', added: 1, removed: 1, changed: 1 },
          { file: 'SC_XML', added: 0, removed: 0, changed: 0 },
          { file: 'GL_XML', added: 0, removed: 2, changed: 0 },
        ]);
        expect(differences.nodes).toMatchObject(DIFFERENT);
        expect(differences.nodes.map(({ type }: { type: string }) => type)).toEqual([
          ...['cim:ACLineSegment', 'cim:ACLineSegment', 'cim:ACLineSegment', 'cim:Location', 'cim:PositionPoint'],
        ]);
        expect(differences.nodes[0].values).toEqual([{ name: 'cim:ACLineSegment.r', before: ['0.1'], after: ['0.3'] }]);
        expect(differences.nodes[1].values[0]).toEqual({
          name: 'cim:IdentifiedObject.name',
          before: ['Mill Lane'],
          after: [],
        });
        expect(differences.nodes[2].values[0]).toEqual({
          name: 'cim:IdentifiedObject.name',
          before: [],
          after: ['Quay'],
        });
      });

      it('are compared with the names of the second version, or of the first if only that has the object', async () => {
        const { differences } = await comparison('differences { nodes { kind name } }');
        expect(differences.nodes).toEqual([
          { kind: 'CHANGED', name: 'Harbour Road' },
          { kind: 'REMOVED', name: 'Mill Lane' },
          { kind: 'ADDED', name: 'Quay' },
          { kind: 'REMOVED', name: null },
          { kind: 'REMOVED', name: null },
        ]);
      });

      it('are compared with class and name from any file, and by mRIDs case-insensitively', async () => {
        const place = { ...TEST_KEY, projectId: 'NAMED' };
        const SC = (r0: string, container: string) =>
          differenceModelXml('SC', {
            forward: `${attributeChange(NEW_LINE, 'cim:ACLineSegment.r0', r0)}<rdf:Description rdf:about="#_${BREAKER}">
            <cim:Equipment.EquipmentContainer rdf:resource="#_${container}"/></rdf:Description>`,
          });
        await grid.published(await gridArchive({ EQ: FIRST.EQ, SC: SC('1', BASE) }), place);
        await grid.published(await gridArchive({ EQ: FIRST.EQ, SC: SC('2', BASE.toUpperCase()) }), place);
        const { developmentProject } = await grid.execute(
          `{ ${PROJECT.replace('P1', 'NAMED')} { comparison(from: 1, to: 2) { differences { nodes { mRID type name } } } } }`,
        );
        expect(developmentProject.comparison.differences.nodes).toEqual([
          { mRID: NEW_LINE, type: 'cim:ACLineSegment', name: 'Harbour Road' },
        ]);
      });

      it('can be compared in the other direction', async () => {
        const { differences } = await comparison('differences { nodes { kind } }', '(from: 2, to: 1)');
        expect(differences.nodes.map((each: { kind: string }) => each.kind)).toEqual([
          ...['CHANGED', 'ADDED', 'REMOVED', 'ADDED', 'ADDED'],
        ]);
      });

      it.each(['ADDED', 'REMOVED', 'CHANGED'])('are compared by kind: %s', async (kind) => {
        const { differences } = await comparison(`differences(kind: ${kind}) { nodes { mRID kind } }`);
        expect(differences.nodes).toEqual(
          DIFFERENT.filter((each) => each.kind === kind).map(({ mRID }) => ({ mRID, kind })),
        );
      });

      it('are compared page by page, file by file', async () => {
        const seen: unknown[] = [];
        for (let after: string | null = null; ;) {
          const page: { nextCursor: string | null; nodes: unknown[] } = (
            await comparison(
              `differences(first: 1, after: ${JSON.stringify(after)}) { nextCursor nodes { file section mRID kind } }`,
            )
          ).differences;
          seen.push(...page.nodes);
          after = page.nextCursor;
          if (after === null) break;
        }
        expect(seen).toEqual(DIFFERENT);
        const { differences } = await comparison('differences(file: GL_XML) { nodes { file section mRID kind } }');
        expect(differences.nodes).toEqual(DIFFERENT.filter(({ file }) => file === 'GL_XML'));
      });

      it('have no differences if they are the same; the comparison is null if one does not exist', async () => {
        expect(await comparison('differences { nodes { mRID } }', '(from: 1, to: 1)')).toEqual({
          differences: { nodes: [] },
        });
        expect(await comparison('from { version }', '(from: 1, to: 3)')).toBeNull();
      });
    });

    describe('a published file', () => {
      it('is read from the database once for many requests; a missing one is read each time, until it is published', async () => {
        const files = new PublishedFileQueries(grid.database);
        const read = jest.spyOn(grid.database.reads, 'rows');
        const key = { ...TEST_KEY, projectId: 'Read-once', version: 1 };
        const missing = [await files.representations(key, 'EQ'), await files.representations(key, 'EQ')];
        expect([missing, read.mock.calls.length]).toEqual([[[], []], 2]);
        await grid.published(await gridArchive(), key);
        read.mockClear();
        const found = await files.representations(key, 'EQ');
        expect(found.map(({ view }) => view)).toContain('rdf');
        expect(await files.representations(key, 'EQ')).toBe(found);
        expect(await files.representations(key, 'SC')).not.toEqual(found);
        expect(read).toHaveBeenCalledTimes(2);
        read.mockRestore();
      });

      it('has every representation, each with an address of its bytes', async () => {
        const selection = '{ name publishedAt representations { view encoding size sha256 address } }';
        const { publishedFile } = await grid.execute(
          `{ publishedFile(${FILE}, version: 1, cimFile: EQ_XML) ${selection} }`,
        );
        expect(publishedFile.name).toBe('LTDS_EPN_2026-01_P1_v1_EQ.xml');
        const forms = publishedFile.representations as {
          view: string;
          encoding: string;
          size: number;
          address: string;
        }[];
        expect(forms.map(({ view, encoding }) => `${view} ${encoding}`).toSorted()).toEqual(
          ['RDF IDENTITY', 'RDF GZIP', 'JSON IDENTITY', 'JSON GZIP'].toSorted(),
        );
        const rdf = forms.find(({ view, encoding }) => view === 'RDF' && encoding === 'IDENTITY');
        expect(String(await grid.running.files.open(String(rdf?.address)))).toBe(FIRST.EQ);
      });

      it('can be the archive', async () => {
        const { publishedArchive } = await grid.execute(
          `{ publishedArchive(${FILE.replace('EPN', 'epn')}, version: 2) { name representations { view encoding } } }`,
        );
        expect(publishedArchive).toEqual({
          name: 'LTDS_EPN_2026-01_P1_v2.zip',
          representations: [{ view: 'ZIP', encoding: 'IDENTITY' }],
        });
      });

      it.each([
        ['version', `${FILE}, version: 3`],
        ['year', `${FILE.replace('2026', '2147483647')}, version: 1`],
        ['licence area', `${FILE.replace('EPN', 'XYZ')}, version: 1`],
      ])('is null for an unknown %s', async (_, place) => {
        expect(await grid.execute(`{ publishedFile(${place}, cimFile: SC_XML) { name } }`)).toEqual({
          publishedFile: null,
        });
        expect(await grid.execute(`{ publishedArchive(${place}) { name } }`)).toEqual({ publishedArchive: null });
      });
    });

    describe('a staged version', () => {
      it('is not visible', async () => {
        const { rows } = await grid.owner.query<{ id: string }>(
          `with project as (insert into development_project (area, publication_year, period, project_id) values ('EPN', 2027, '01', 'LATER')),
           version as (insert into project_version (archive_sha256) values (sha256('x')) returning id)
         insert into difference_model (project_version, file, mrid, created, scenario_time, modeling_authority_set, profile, description,
           model_version, dependent_on, supersedes)
         select id, 'EQ', 'staged', '', '', '', '{}', '', '', '{}', '{}' from version returning id`,
        );
        const query = `query ($id: ID!) { differenceModel(id: $id) { id } differenceModels(mRID: "staged") { id }
        developmentProjects(publicationYear: 2027) { totalCount nodes { id } }
        developmentProject(area: "EPN", publicationYear: 2027, period: "01", projectId: "LATER") { id } }`;
        expect(await grid.execute(query, { id: rows[0]?.id })).toEqual({
          differenceModel: null,
          differenceModels: [],
          developmentProjects: { totalCount: 0, nodes: [] },
          developmentProject: null,
        });
      });
    });
  });
}
