import type { ExecutionResult } from 'graphql';
import pino from 'pino';
import { readSettings } from '../../process/settings';
import { type RunningGridModels, startGridModels } from '../../subgraphs/grid-models/grid-models';
import type { CallContext, Caller } from '../../subgraphs/server/caller';
import type { Limits } from '../../subgraphs/server/rate-limits';
import { type GridDatabase, gridDatabase } from './grid-database';

/** Data of any kind: tests look into it by name. */
type AnswerData = ReturnType<typeof JSON.parse>;

/** The subgraph `grid-models` over the tables of a test. */
export interface GridGraph extends GridDatabase {
  readonly running: RunningGridModels;
  /** Data of an operation that must have no error; asked by nobody unless a caller is named. */
  ask(query: string, variables?: Record<string, unknown>, caller?: Caller): Promise<AnswerData>;
  /** The first error of an operation: its code, and the arguments that it names. */
  refusal(query: string, variables?: Record<string, unknown>, caller?: Caller): Promise<string>;
}

/** An account of the operator. */
export const ADMIN: Caller = { accountId: `acc_${'a'.repeat(24)}`, role: 'admin', duid: null, mpid: null };

/** Starts it. Limits are off unless some are given. */
export async function gridGraph(limits?: Partial<Limits>): Promise<GridGraph> {
  const grid = await gridDatabase();
  const running = await startGridModels({
    databaseUrl: grid.url,
    key: grid.key,
    logger: pino({ level: 'silent' }),
    production: false,
    clockOffsetSeconds: 0,
    rateLimitsOff: limits === undefined,
    limits: { ...readSettings({}).limits, ...limits },
  });
  const execute = (query: string, variables: Record<string, unknown> = {}, caller: Caller | null = null) =>
    running.link.execute({ query, variables }, contextOf(caller));
  return {
    ...grid,
    running,
    async ask(query, variables, caller) {
      const { data, errors } = await execute(query, variables, caller);
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    refusal: async (query, variables, caller) => refusalOf(await execute(query, variables, caller)),
    close: async () => {
      await running.close();
      await grid.close();
    },
  };
}

function contextOf(caller: Caller | null): CallContext {
  return { caller, service: null, transactionId: `tid_${'0'.repeat(24)}`, clientAddress: '192.0.2.1' };
}

function refusalOf({ errors }: ExecutionResult): string {
  const [{ extensions }] = errors as unknown as [{ extensions: { code: string; violations?: { path: string[] }[] } }];
  return [extensions.code, ...(extensions.violations ?? []).map(({ path }) => path.join('.'))].join(' ');
}
