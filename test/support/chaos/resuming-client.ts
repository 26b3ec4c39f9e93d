import type { Subscriber, Subscription } from '../subscriber';

/** A client of `registerEvents` that begins again after the last cursor that it received, whenever its connection ends. */
export interface ResumingClient {
  /** Ids of the events in the order in which they came. */
  readonly told: readonly string[];
  /** How often it began again. */
  resumed(): number;
  stop(): Promise<void>;
}

const EVENTS = 'subscription ($after: String) { registerEvents(after: $after) { id cursor accessRecord { state } } }';

/** Follows all events from a cursor on. */
export function resumingClient(
  subscribe: (gateway: string, token: string, what: Subscription) => Subscriber,
  gateway: string,
  token: string,
  after: string,
): ResumingClient {
  const told: string[] = [];
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
        for (const { data } of taken.told.splice(0)) {
          if (!data) continue;
          told.push(data.registerEvents.id);
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
    told,
    resumed: () => resumed,
    async stop() {
      isStopped = true;
      await current.stop();
      await running;
    },
  };
}
