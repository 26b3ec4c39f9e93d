import { createHash } from 'node:crypto';
import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import { newIdentifier } from '../../schema/identifiers';
import type { CallContext } from '../../subgraphs/server/callers/caller';
import { ownerOf } from '../../subgraphs/server/callers/resource-owner';
import { jsonBody, writtenText } from '../../subgraphs/server/graph/json-text';
import { withDeadline } from '../requests/deadline';
import { type FormattedError, formatError } from '../requests/error-format';
import type { FailureReport } from '../requests/request-log';
import type { LogEntry } from './event-log';
import { type EventResult, sharedResults } from './shared-results';
import type { EventExecution } from './streamed-operations';
import type { SubscriptionMetrics } from './subscription-metrics';

/** A caller's subscription; many may be identical. */
interface ActiveSubscription {
  readonly event: EventExecution;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: CallContext;
}

/** How a subscription requests the result of an event. */
export interface EventRequest {
  /** Whether its last result was `unavailable`. */
  readonly isRetry: boolean;
  /** Returns false once the subscription has ended. */
  isWanted(): boolean;
  /** Returns the events that the subscription requests after this one. */
  upcoming(): readonly LogEntry[];
}

/**
 * Returns the result of an event for one subscription. If the event is executed for the first time, also requests the
 * upcoming ones: a retry would repeat them too.
 */
export type ResultOf = (entry: LogEntry, request: EventRequest) => Promise<EventResult>;

/** Errors for which an event is omitted: it is not visible to the caller or no longer exists. */
const HIDING_CODES: ReadonlySet<string> = new Set(['PRM001', 'PRM002', 'NTF001']);

/**
 * Returns the results of events, executed once for all subscriptions with the same query, variables and visibility
 * (role, Data User, supplier) that had started before.
 */
export function eventResults(
  report: FailureReport,
  metrics: SubscriptionMetrics,
): (subscription: ActiveSubscription) => ResultOf {
  const shared = sharedResults();
  return (subscription) => {
    const group = groupOf(subscription);
    const owner = ownerOf(subscription.context);
    const since = performance.now();
    const resultOf: ResultOf = (entry, { isRetry, isWanted, upcoming }) =>
      shared.of(`${group}:${entry.id}`, { owner, since, isRetry, isWanted }, () => {
        metrics.executed();
        const executed = execute(subscription, entry, report);
        if (!isRetry) for (const each of upcoming()) void resultOf(each, { isRetry, isWanted, upcoming: () => [] });
        return executed;
      });
    return async (entry, request) => {
      const result = await resultOf(entry, request);
      if (result.kind === 'result') metrics.sent();
      return result;
    };
  };
}

function groupOf({ event, variables, context: { caller } }: ActiveSubscription): string {
  // A variable that is absent has its default, and one that is null has none.
  const values = event.variables.map((name) => (Object.hasOwn(variables, name) ? [variables[name]] : []));
  return createHash('sha256')
    .update(JSON.stringify([event.hash, values, caller?.role, caller?.duid, caller?.mpid]))
    .digest('base64');
}

async function execute(
  { event, variables, context }: ActiveSubscription,
  entry: LogEntry,
  report: FailureReport,
): Promise<EventResult> {
  const { idVariable, responseKey } = event;
  const transactionId = newIdentifier('tid');
  const result = await withDeadline(
    event.execute({ ...variables, [idVariable]: entry.id }, { ...context, transactionId }),
  ).catch((error: unknown): Pick<ExecutionResult, 'data'> & { errors: unknown[] } => ({ errors: [error] }));
  for (const error of result.errors ?? []) report(error, transactionId);
  const errors = result.errors?.map(formatError);
  const extensions = { transactionId };
  if (errors?.some((error) => error.extensions.code === 'SYS002')) return { kind: 'unavailable' };
  if (result.data?.[responseKey] == null) return withoutEvent(context, errors, extensions);
  return eventResult({ data: result.data, ...(errors ? { errors } : {}), extensions });
}

/** Classifies a result without event: rejected caller, hidden event, or an error to send. */
function withoutEvent(
  { caller }: CallContext,
  errors: readonly FormattedError[] | undefined,
  extensions: object,
): EventResult {
  const codes = errors?.map((error) => error.extensions.code) ?? [];
  if (caller?.role === 'supplier' && codes.includes('PRM001')) return { kind: 'rejected' };
  if (!errors || codes.every((code) => HIDING_CODES.has(code))) return { kind: 'hidden' };
  return eventResult({ data: null, errors, extensions: { ...extensions } });
}

function eventResult(result: FormattedExecutionResult): EventResult {
  return { kind: 'result', result: writtenText(jsonBody(result)) };
}
