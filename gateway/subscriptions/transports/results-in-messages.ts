import { randomUUID } from 'node:crypto';
import type { JsonText } from '../../../subgraphs/server/graph/json-text';

/** Begins the JSON strings that stand for results. Random, so that no client can send it. */
const PREFIX = randomUUID();
const PLACEHOLDER = new RegExp(`"(${PREFIX}-\\d+)"`);

/**
 * Results of a connection that `graphql-ws` or `graphql-sse` puts into its messages. The library stringifies a placeholder, so that the gateway
 * writes a result once for all its receivers, and a result of megabytes does not block the event loop.
 */
export class ResultsInMessages {
  private readonly waiting = new Map<string, JsonText>();
  private count = 0;

  /** Returns what the library receives in place of a result: an object, as `graphql-ws` requires. */
  standInFor(result: JsonText): object {
    const placeholder = `${PREFIX}-${(this.count += 1)}`;
    this.waiting.set(placeholder, result);
    return { toJSON: () => placeholder };
  }

  /** Returns a message of the library as it is sent: with its result, if it has one. */
  complete(message: string): string | Uint8Array {
    const [start = '', placeholder = '', end = ''] = message.split(PLACEHOLDER);
    const result = this.waiting.get(placeholder);
    if (result === undefined) return message;
    this.waiting.delete(placeholder);
    return Buffer.concat([Buffer.from(start), result.bytes, Buffer.from(end)]);
  }
}
