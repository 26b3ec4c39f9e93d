import { createHash } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { newIdentifier } from '../../schema/identifiers';
import type { CallContext } from '../../subgraphs/server/caller';
import { inTime } from '../deadline';
import { type PresentedError, presented } from '../presentation';
import type { FailureReport } from '../request-log';
import type { LogEntry } from './event-log';
import { type EventAnswer, sharedAnswers } from './shared-answers';
import type { StreamedOperation } from './streamed-operations';
import type { SubscriptionMetrics } from './subscription-metrics';

/** A subscription of a caller, of which many may be identical. */
export interface Subscribed {
  readonly streamed: StreamedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: CallContext;
}

/** Answers an event for one subscription, and if it must be executed, begins with those that come next. */
export type AnswerTo = (entry: LogEntry, upcoming: () => readonly LogEntry[]) => Promise<EventAnswer>;

/** An event that is not this caller's business, or is gone, is not told at all. */
const UNTOLD: ReadonlySet<string> = new Set(['PRM001', 'PRM002', 'NTF001']);

/** Answers events by the graph, once for all subscriptions with the same text, variables and visibility (role, Data User and supplier). */
export function eventAnswers(
  report: FailureReport,
  metrics: SubscriptionMetrics,
): (subscribed: Subscribed) => AnswerTo {
  const shared = sharedAnswers();
  return (subscribed) => {
    const group = groupOf(subscribed);
    const answer = (entry: LogEntry, upcoming: () => readonly LogEntry[]): Promise<EventAnswer> =>
      shared.of(`${group}:${entry.id}`, () => {
        metrics.executed();
        const executed = execute(subscribed, entry, report);
        for (const each of upcoming()) void answer(each, () => []);
        return executed;
      });
    return async (entry, upcoming) => {
      const found = await answer(entry, upcoming);
      if (found.kind === 'answer') metrics.answered();
      return found;
    };
  };
}

function groupOf({ streamed, variables, context: { caller } }: Subscribed): string {
  const values = streamed.query.variables.map((name) => variables[name]);
  return createHash('sha256')
    .update(JSON.stringify([streamed.hash, values, caller?.role, caller?.duid, caller?.mpid]))
    .digest('base64');
}

async function execute(
  { streamed, variables, context }: Subscribed,
  entry: LogEntry,
  report: FailureReport,
): Promise<EventAnswer> {
  const { idVariable, responseKey } = streamed.query;
  const transactionId = newIdentifier('tid');
  const result = await inTime(
    streamed.execute({ ...variables, [idVariable]: entry.id }, { ...context, transactionId }),
  ).catch((error: unknown): Pick<ExecutionResult, 'data'> & { errors: unknown[] } => ({ errors: [error] }));
  for (const error of result.errors ?? []) report(error, transactionId);
  const errors = result.errors?.map(presented);
  const extensions = { transactionId };
  if (result.data?.[responseKey] == null) return withoutEvent(context, errors, extensions);
  return answerOf({ data: result.data, ...(errors ? { errors } : {}), extensions });
}

/** The event is not there, or not for this caller, who may not be told any; or why it cannot be told. */
function withoutEvent(
  { caller }: CallContext,
  errors: readonly PresentedError[] | undefined,
  extensions: object,
): EventAnswer {
  const codes = errors?.map((error) => error.extensions.code) ?? [];
  if (codes.includes('SYS002')) return { kind: 'unavailable' };
  if (caller?.role === 'supplier' && codes.includes('PRM001')) return { kind: 'refused' };
  if (!errors || codes.every((code) => UNTOLD.has(code))) return { kind: 'hidden' };
  return answerOf({ data: null, errors, extensions: { ...extensions } });
}

function answerOf(result: Extract<EventAnswer, { kind: 'answer' }>['result']): EventAnswer {
  return { kind: 'answer', result, size: JSON.stringify(result).length };
}
