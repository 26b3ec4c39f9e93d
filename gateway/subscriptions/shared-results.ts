import { LRUCache } from 'lru-cache';
import { fairLimit } from '../../subgraphs/server/fair-limit';
import type { JsonText } from '../../subgraphs/server/graph/json-text';

/**
 * Outcome of an event for a subscription. `result`: send it. `hidden`: the caller may not see the event. `rejected`: the
 * caller may receive no events any more. `unavailable`: the event or one of its fields failed, or was not complete by the
 * deadline of an operation; retry for a time.
 */
export type EventResult =
  | { readonly kind: 'result'; readonly result: JsonText }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'unavailable' };

/** Who requests the result of an event, and whether its last result was `unavailable`. */
interface ResultRequest {
  readonly owner: string;
  readonly isRetry: boolean;
  /** When its subscription started, by `performance.now()`. An execution that began earlier shows a state that may have changed since. */
  readonly since: number;
  /** Returns false once the subscription has ended. */
  isWanted(): boolean;
}

/** When an execution began, by `performance.now()`; undefined while it waits. */
interface Execution {
  began?: number;
}

/** An execution that waits or runs. */
interface PendingResult extends Execution {
  readonly result: Promise<EventResult>;
  /** Whether each request for it still wants it. */
  readonly requests: (() => boolean)[];
}

/** Results shared by identical subscriptions with the same visibility: each event is executed once for all of them. */
interface SharedResults {
  /**
   * Returns the result for a key, of an execution that began after the subscription started: a change or an erasure that was complete by then
   * is in it. Executes at most once concurrently and caches a successful result for 5 s. Other outcomes are not cached, so that a reactivated
   * supplier receives the events it missed. The execution counts for the owner that requests it first. It is dropped, with the result
   * `unavailable`, if no request wants it any more when it may run.
   */
  of(key: string, request: ResultRequest, execute: () => Promise<EventResult>): Promise<EventResult>;
}

/** Lifetime of a cached result. It shows the state at the time of its first delivery to a subscription that had started by then. */
const RESULT_TTL_MS = 5_000;
/** Maximum total size of all cached results. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
/** Fewer than the default connections of a pool (DATABASE_POOL); an execution of many fields may use several of them. */
const MAX_CONCURRENT_EXECUTIONS = 9;
/** Almost all, so that a stream executes its prefetched events at once; one remains for others, however slow these are. */
export const MAX_CONCURRENT_EXECUTIONS_OF_OWNER = 8;
/** Retries among these executions, one of each owner: most places remain for others while a dependency does not respond. */
const MAX_CONCURRENT_RETRIES = 4;

/** A successful result of an execution. */
type CachedResult = Extract<EventResult, { kind: 'result' }> & Required<Execution>;

/** Returns whether an execution began, or will begin, after this time. */
const beginsAfter = (since: number, { began = Infinity }: Execution): boolean => began >= since;

/** Creates the results shared by all subscriptions of this gateway. */
export function sharedResults(): SharedResults {
  const cache = new LRUCache<string, CachedResult>({
    maxSize: MAX_CACHED_BYTES,
    ttl: RESULT_TTL_MS,
    ttlAutopurge: true, // personal data remains in memory no longer
    sizeCalculation: ({ result }) => result.bytes.length,
  });
  const pending = new Map<string, PendingResult>();
  const limited = fairLimit({ max: MAX_CONCURRENT_EXECUTIONS, maxOfOwner: MAX_CONCURRENT_EXECUTIONS_OF_OWNER });
  const limitedRetry = fairLimit({ max: MAX_CONCURRENT_RETRIES, maxOfOwner: 1 });
  const begin = (
    key: string,
    { owner, isRetry }: ResultRequest,
    execute: () => Promise<EventResult>,
  ): PendingResult => {
    const requests: PendingResult['requests'] = [];
    const remove = () => void (pending.get(key) === execution && pending.delete(key));
    const executeIfWanted = async (): Promise<EventResult> => {
      if (requests.some((isWanted) => isWanted())) {
        execution.began = performance.now();
        return execute();
      }
      remove(); // a later request is executed again
      return { kind: 'unavailable' };
    };
    const run = () => limited(owner, executeIfWanted);
    const finish = async () => {
      try {
        const result = await (isRetry ? limitedRetry(owner, run) : run());
        if (result.kind === 'result') cache.set(key, { ...result, began: execution.began as number });
        return result;
      } finally {
        remove();
      }
    };
    const execution: PendingResult = { result: finish(), requests };
    pending.set(key, execution);
    return execution;
  };
  return {
    of(key, request, execute) {
      const cached = cache.get(key);
      if (cached && beginsAfter(request.since, cached)) return Promise.resolve(cached);
      const running = pending.get(key);
      const each = running && beginsAfter(request.since, running) ? running : begin(key, request, execute);
      each.requests.push(request.isWanted);
      return each.result;
    },
  };
}
