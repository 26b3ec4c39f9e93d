import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/**
 * A dashboard that reads the register's events without end: when its socket breaks, it resumes after the last received
 * event.
 */
export interface FollowedStream {
  /** Ids of the received events, in order. */
  readonly events: readonly string[];
  /** Returns the number of resumptions. */
  resumed(): number;
  close(): Promise<void>;
}

const EVENTS = 'subscription ($after: String) { registerEvents(after: $after) { id cursor } }';

/** Subscribes to all events from now, at a gateway that may be killed. */
export function followStream(gateway: string, token: () => Promise<string>, after: string): FollowedStream {
  const events: string[] = [];
  let cursor = after;
  let resumed = 0;
  let closed = false;
  const client: Client = createClient({
    url: `${gateway.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: async () => ({ authorization: `Bearer ${await token()}` }),
    retryAttempts: 0,
  });
  const follow = async () => {
    const stream = client.iterate<{ registerEvents: { id: string; cursor: string } }>({
      query: EVENTS,
      variables: { after: cursor },
    });
    for await (const { data } of stream) {
      if (!data) continue;
      events.push(data.registerEvents.id);
      cursor = data.registerEvents.cursor;
    }
  };
  const following = (async () => {
    while (!closed) {
      await follow().catch(() => new Promise((resolve) => void setTimeout(resolve, 200)));
      resumed += 1;
    }
  })();
  return {
    events,
    resumed: () => resumed - 1,
    async close() {
      closed = true;
      await client.dispose();
      await following;
    },
  };
}
