import type { Subscriber, Subscription } from '../subscriber';

/** A client of `registerEvents` that resumes after the last received cursor whenever its connection ends. */
export interface ResumingClient {
  /** Ids of the received events, in order. */
  readonly events: readonly string[];
  /** Returns the number of resumptions. */
  resumed(): number;
  stop(): Promise<void>;
}

const EVENTS = 'subscription ($after: String) { registerEvents(after: $after) { id cursor accessRecord { state } } }';

/** Subscribes to all events after a cursor. */
export function resumingClient(
  subscribe: (gateway: string, token: string, what: Subscription) => Subscriber,
  gateway: string,
  token: string,
  after: string,
): ResumingClient {
  const events: string[] = [];
  let cursor = after;
  let isStopped = false;
  let resumed = -1;
  let current: Subscriber;
  const running = (async () => {
    while (!isStopped) {
      current = subscribe(gateway, token, { query: EVENTS, variables: { after: cursor } });
      resumed += 1;
      const taken = current;
      const take = () => {
        for (const { data } of taken.messages.splice(0)) {
          if (!data) continue;
          events.push(data.registerEvents.id);
          ({ cursor } = data.registerEvents);
        }
      };
      const taking = setInterval(take, 10);
      await taken.ended;
      clearInterval(taking);
      take();
      await new Promise((resolve) => void setTimeout(resolve, 100));
    }
  })();
  return {
    events,
    resumed: () => resumed,
    async stop() {
      isStopped = true;
      await current.stop();
      await running;
    },
  };
}
