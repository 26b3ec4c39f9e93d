import { Client, type Pool, escapeLiteral } from 'pg';

/** The database of a test, and what executes an operation in it. */
export interface PlannedGraph {
  readonly owner: Pool;
  /** Matches the statements of an operation, if others run concurrently. */
  readonly pattern?: RegExp;
  execute(query: string): Promise<unknown>;
}

/** A node of an executed plan (`explain (analyze, format json)`). */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Heap Fetches'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows of each table that the statements of an operation read, and tables that they scan completely. */
export interface RowsRead {
  readonly rows: Readonly<Record<string, number>>;
  /** Rows that were not read by an index-only scan. */
  readonly fetched: Readonly<Record<string, number>>;
  readonly whole: readonly string[];
}

/** Plan of a prepared statement: for the parameter values, or generic (`plan_cache_mode`). */
export type Planning = 'force_custom_plan' | 'force_generic_plan';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Executes an operation, then explains each of its statements. */
export async function rowsRead(graph: PlannedGraph, query: string, planning: Planning): Promise<RowsRead> {
  const statements = await statementsOf(() => graph.execute(query), graph.pattern);
  const scans: PlanNode[] = [];
  for (const statement of statements) scans.push(...scansOf(await planOf(graph.owner, statement, planning)));
  const rows: Record<string, number> = {};
  const fetched: Record<string, number> = {};
  for (const scan of scans) {
    const table = String(scan['Relation Name']);
    const removed = (scan['Rows Removed by Filter'] ?? 0) + (scan['Rows Removed by Index Recheck'] ?? 0);
    const read = (scan['Actual Rows'] + removed) * scan['Actual Loops'];
    rows[table] = (rows[table] ?? 0) + read;
    fetched[table] =
      (fetched[table] ?? 0) + (scan['Node Type'] === 'Index Only Scan' ? (scan['Heap Fetches'] ?? 0) : read);
  }
  const whole = scans.filter((scan) => scan['Node Type'] === 'Seq Scan').map((scan) => String(scan['Relation Name']));
  return { rows, fetched, whole };
}

/** Returns the reads that `work` sends to the database. */
async function statementsOf(work: () => Promise<unknown>, pattern = /./): Promise<Statement[]> {
  const sent = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    const all = sent.mock.calls.map(([statement]) => statement as unknown as Statement);
    return all.filter(({ text }) => /^\s*(select|with)\b/.test(text) && pattern.test(text));
  } finally {
    sent.mockRestore();
  }
}

async function planOf(owner: Pool, { text, values }: Statement, planning: Planning): Promise<PlanNode> {
  const session = await owner.connect();
  try {
    await session.query(`set plan_cache_mode = ${planning}`);
    await session.query(`prepare explained as ${text}`);
    const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
    const { rows } = await session.query(`explain (analyze, format json) execute explained${given}`);
    return (rows[0] as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'][0].Plan;
  } finally {
    await session.query('deallocate all');
    session.release();
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (!Array.isArray(value)) return escapeLiteral(textOf(value));
  return escapeLiteral(`{${value.map((each) => JSON.stringify(textOf(each))).join(',')}}`);
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return value instanceof Buffer ? `\\x${value.toString('hex')}` : String(value);
}

function scansOf(node: PlanNode): PlanNode[] {
  const inner = (node.Plans ?? []).flatMap(scansOf);
  return node['Relation Name'] === undefined ? inner : [node, ...inner];
}
