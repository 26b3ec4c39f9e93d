import fc from 'fast-check';
import { APPLIED_CASES, removalOfATenth } from '../../../support/applied-cases';
import { type AppliedCase, appliedByPython, sorted } from '../../../support/applied-models';
import { HAS_PYTHON } from '../../../support/python';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { differenceModelXml, gridArchive, lineSegment } from '../../../support/grid-archives';
import { baseArchive } from '../../../support/grid-base-archives';
import { TEST_KEY } from '../../../support/grid-database';
import { ADMIN, type GridGraph, gridGraph } from '../../../support/grid-graph';
import { REAL_FILES } from '../../../support/real-grid-models';
import { until } from '../../../support/until';

const GENERATED_CASES = 30;
const OBJECTS_PER_QUERY = 25;

const STATEMENTS = 'statements { file name value isAssociation isNew }';
const FINDINGS = 'findings { kind file mRID name value }';

interface ShownFinding {
  readonly kind: string;
  readonly file: string;
  readonly mRID: string;
  readonly name: string;
  readonly value: string;
}

interface ShownStatement {
  readonly file: string;
  readonly name: string;
  readonly value: string;
  readonly isAssociation: boolean;
  readonly isNew: boolean;
}

interface ShownObject {
  readonly mRID: string;
  readonly statements: readonly ShownStatement[];
}

/** Objects after projects in the graph, compared with the results of an independent script. */
export function appliedModels(): void {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
  });
  afterAll(() => grid?.close());

  /** Publishes a case in a separate year, and reads all its objects and findings. */
  async function appliedByGraph({ base, project }: AppliedCase, publicationYear: number, subjects: readonly string[]) {
    const key = { ...TEST_KEY, publicationYear };
    const outcome = await grid.publishBase(await baseArchive(base), key);
    if (outcome.outcome === 'refused') throw new Error(JSON.stringify(outcome.faults));
    await grid.published(await gridArchive(project), key);
    const execute = async (selection: string) =>
      (
        await grid.execute(
          `{ developmentProject(area: "EPN", publicationYear: ${publicationYear}, period: "01", projectId: "P1") { version(version: 1) { ${selection} } } }`,
        )
      ).developmentProject.version;
    const statements: string[][] = [];
    const classes: string[][] = [];
    for (let at = 0; at < subjects.length; at += OBJECTS_PER_QUERY) {
      const page = subjects.slice(at, at + OBJECTS_PER_QUERY);
      const found = await execute(`objectsAfter(mRIDs: ${JSON.stringify(page)}) { mRID ${STATEMENTS} }`);
      const byMRID = new Map<string, ShownObject>(
        found.objectsAfter.map((object: ShownObject) => [object.mRID.toLowerCase(), object]),
      );
      for (const id of page)
        for (const each of byMRID.get(id.toLowerCase())?.statements ?? [])
          // The class is a field of the object; only a second one is a statement.
          (each.name === 'rdf:type' ? classes : statements).push(rowOf(id, each));
    }
    const findings: string[][] = [];
    for (let after: string | null = null; ;) {
      const page: { nodes: { findings: ShownFinding[] }[]; nextCursor: string | null } = (
        await execute(`unfittingObjects(after: ${JSON.stringify(after)}) { nodes { ${FINDINGS} } nextCursor }`)
      ).unfittingObjects;
      findings.push(...page.nodes.flatMap((node) => node.findings.map(findingRowOf)));
      if (page.nextCursor === null) return { statements: sorted(statements), classes, findings: sorted(findings) };
      after = page.nextCursor;
    }
  }

  /** Expected models of cases, and those without the project, which show the statements that are new. */
  const expectedOf = (cases: readonly AppliedCase[]) => {
    const models = appliedByPython([...cases, ...cases.map(({ base }) => ({ base, project: {} }))]);
    return cases.map((each, index) => ({ each, expected: models[index], before: models[cases.length + index] }));
  };

  const compare = async (
    { each, expected, before }: ReturnType<typeof expectedOf>[number],
    publicationYear: number,
  ) => {
    const former = new Set(before?.statements.map((row) => JSON.stringify(row)));
    const rows = (expected?.statements ?? []).map((row) => {
      const [file, subject, name, , value] = row as [string, string, string, string, string];
      return [file, subject, name, value, former.has(JSON.stringify(row)) ? 'former' : 'new'];
    });
    const subjects = [...new Set(rows.map(([, subject]) => subject as string))];
    const { classes, ...found } = await appliedByGraph(each, publicationYear, subjects);
    const wanted = {
      statements: sorted(rows.filter(([, , name]) => name !== 'rdf:type')),
      findings: expected?.findings ?? [],
    };
    if (JSON.stringify(found) !== JSON.stringify(wanted)) expect({ each, ...found }).toEqual({ each, ...wanted });
    expect(rows).toEqual(expect.arrayContaining(classes));
    return { ...wanted, classes };
  };

  (HAS_PYTHON ? it : it.skip)('are as an independent script computes them, of generated models', async () => {
    const kinds = new Set<string | undefined>();
    let secondClasses = 0;
    for (const [index, each] of expectedOf(fc.sample(APPLIED_CASES, GENERATED_CASES)).entries()) {
      const { findings, classes } = await compare(each, 2_000 + index);
      for (const [kind] of findings) kinds.add(kind);
      secondClasses += classes.length;
    }
    expect(kinds.size).toBe(3);
    expect(secondClasses).toBeGreaterThan(0);
  });

  (HAS_PYTHON && REAL_FILES.size > 0 ? it : it.skip)(
    'are as an independent script computes them, of a real grid of which a tenth is removed',
    async () => {
      const [removal] = expectedOf([removalOfATenth()]) as [ReturnType<typeof expectedOf>[number]];
      const { statements, findings } = await compare(removal, 3_000);
      expect(statements.length).toBeGreaterThan(1_000);
      expect(findings.length).toBeGreaterThan(50);
    },
    120_000,
  );

  it('are examined for one client although another sends many requests', async () => {
    const key = { ...TEST_KEY, publicationYear: 4_000 };
    await grid.publishBase(await baseArchive(), key);
    const EQ = differenceModelXml('EQ', { forward: lineSegment('A', 'One') });
    await grid.published(await gridArchive({ EQ }), key);
    const query = `{ developmentProject(area: "EPN", publicationYear: 4000, period: "01", projectId: "P1") {
      version(version: 1) { unfittingObjects { nodes { mRID } } } } }`;
    const rejected: string[] = [];
    const examined = (caller?: Caller) =>
      grid.execute(query, {}, caller).catch((error: unknown) => void rejected.push((error as Error).message));
    const holder = await grid.owner.connect();
    try {
      await holder.query('begin; lock table object_change in access exclusive mode'); // examinations take longer than requests wait
      const ofOne = Array.from({ length: 10 }, () => examined());
      const other = examined(ADMIN);
      await until(() => (rejected.length === 9 ? true : undefined));
      await holder.query('rollback');
      expect(await other).toMatchObject({
        developmentProject: { version: { unfittingObjects: { nodes: [{ mRID: 'A' }] } } },
      });
      await Promise.all(ofOne);
      expect(rejected.filter((message) => !message.includes('SYS002'))).toEqual([]);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
}

function rowOf(subject: string, { file, name, value, isAssociation, isNew }: ShownStatement): string[] {
  return [file.slice(0, 2), subject, name, isAssociation ? value.toLowerCase() : value, isNew ? 'new' : 'former'];
}

function findingRowOf({ kind, file, mRID, name, value }: ShownFinding): string[] {
  const isReference = /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i.test(value);
  return [
    ...[kind.toLowerCase().replace('_', '-'), file.slice(0, 2), mRID.toLowerCase(), name],
    isReference ? value.toLowerCase() : value,
  ];
}
