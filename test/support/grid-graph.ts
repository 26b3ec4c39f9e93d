import type { ExecutionResult } from 'graphql';
import pino from 'pino';
import { type RunningGridModels, startGridModels } from '../../subgraphs/grid-models/grid-models.module';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import type { Limits } from '../../subgraphs/server/callers/rate-limits';
import { type GridDatabase, accessOfAdmins, gridDatabase } from './grid-database';
import { readSettings } from '../../process/settings/read-settings';

/** Untyped data: tests read it by name. */
type ResultData = ReturnType<typeof JSON.parse>;

/** The subgraph `grid-models` with the database of a test. */
export interface GridGraph extends GridDatabase {
  readonly running: RunningGridModels;
  /** Executes an operation and returns its data; throws on errors. Unauthenticated unless a caller is passed. */
  execute(query: string, variables?: Record<string, unknown>, caller?: Caller): Promise<ResultData>;
  /** Executes an operation and returns the code of its first error, with the paths of its violations. */
  errorOf(query: string, variables?: Record<string, unknown>, caller?: Caller): Promise<string>;
}

/** An admin. */
export const ADMIN: Caller = { accountId: `acc_${'a'.repeat(24)}`, role: 'admin', duid: null, mpid: null };

/** Starts the subgraph. Rate limits are off unless `limits` is passed. */
export async function gridGraph(limits?: Partial<Limits>): Promise<GridGraph> {
  const grid = await gridDatabase();
  const running = await startGridModels({
    databaseUrl: grid.url,
    key: grid.key,
    access: accessOfAdmins,
    logger: pino({ level: 'silent' }),
    production: false,
    clockOffsetSeconds: 0,
    rateLimitsOff: limits === undefined,
    limits: { ...readSettings({}).limits, ...limits },
  });
  const run = (query: string, variables: Record<string, unknown> = {}, caller: Caller | null = null) =>
    running.link.execute({ query, variables }, contextOf(caller));
  return {
    ...grid,
    running,
    async execute(query, variables, caller) {
      const { data, errors } = await run(query, variables, caller);
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    errorOf: async (query, variables, caller) => errorOf(await run(query, variables, caller)),
    close: async () => {
      await running.close();
      await grid.close();
    },
  };
}

function contextOf(caller: Caller | null): CallContext {
  return { caller, service: null, transactionId: `tid_${'0'.repeat(24)}`, clientAddress: '192.0.2.1' };
}

function errorOf({ errors }: ExecutionResult): string {
  const [{ extensions }] = errors as unknown as [{ extensions: { code: string; violations?: { path: string[] }[] } }];
  return [extensions.code, ...(extensions.violations ?? []).map(({ path }) => path.join('.'))].join(' ');
}
