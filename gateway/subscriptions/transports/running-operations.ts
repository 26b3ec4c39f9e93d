/** Maximum number of concurrent operations per connection. */
export const MAX_CONCURRENT_OPERATIONS = 50;

/** Operations of a connection whose handlers have not ended. */
export interface RunningOperations {
  /** Returns true if the client uses an id for an operation that it has not completed. */
  isActive(id: string): boolean;
  /** Notes that the client has completed an operation and may use its id again. Its handler may run on. */
  complete(id: string): void;
  /**
   * Handles an operation after the previous one of its id, because graphql-ws distinguishes operations by their ids only.
   * Resolves when another operation may start, even if only to be rejected.
   */
  start(id: string, handle: () => Promise<void>): Promise<void>;
}

interface RunningOperation {
  isCompleted: boolean;
  /** Resolves when its handler has ended. */
  readonly ended: Promise<void>;
}

/** Returns the operations of a new connection. Those that wait for a previous one of their id count, too. */
export function runningOperations(): RunningOperations {
  /** The latest operation of each id. */
  const operations = new Map<string, RunningOperation>();
  let count = 0;
  let notifyEnded: (() => void) | undefined;
  return {
    isActive: (id) => operations.get(id)?.isCompleted === false,
    complete(id) {
      const operation = operations.get(id);
      if (operation) operation.isCompleted = true;
    },
    start(id, handle) {
      const previous = operations.get(id)?.ended;
      const run = async () => {
        await previous;
        if (!operation.isCompleted) await handle();
      };
      count += 1;
      const ended = run().finally(() => {
        count -= 1;
        if (operations.get(id) === operation) operations.delete(id);
        notifyEnded?.();
      });
      const operation: RunningOperation = { isCompleted: false, ended };
      operations.set(id, operation);
      if (count <= MAX_CONCURRENT_OPERATIONS) return Promise.resolve();
      return new Promise((resolve) => {
        notifyEnded = resolve;
      });
    },
  };
}
