import { randomUUID } from 'node:crypto';
import type { JsonText } from '../../../subgraphs/server/graph/json-text';

/** The JSON string that stands for a result. Random, so that no client can send it. */
const PLACEHOLDER = `result:${randomUUID()}`;

/** Stands for every result. An object, as `graphql-ws` requires. */
const STAND_IN = { toJSON: () => PLACEHOLDER };

/**
 * Results of a connection that `graphql-ws` or `graphql-sse` puts into its messages, in the order of the messages. The library stringifies a
 * placeholder, so that the gateway writes a result once for all its receivers, and a result of megabytes does not block the event loop.
 */
export class ResultsInMessages {
  private readonly waiting: JsonText[] = [];

  /** Returns what the library receives in place of a result. */
  standInFor(result: JsonText): object {
    this.waiting.push(result);
    return STAND_IN;
  }

  /** Returns a message of the library as it is sent: with its result, if it has one. */
  complete(message: string): string | Uint8Array {
    const [start = '', end] = message.split(`"${PLACEHOLDER}"`);
    const result = end === undefined ? undefined : this.waiting.shift();
    return result ? Buffer.concat([Buffer.from(start), result.bytes, Buffer.from(end as string)]) : message;
  }
}
