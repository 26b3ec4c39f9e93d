import type { Logger } from 'pino';
import type { GraphClient } from '../gateway/client/graph-client';
import type { WebSettings } from '../web/web-server';

/** Where the console listens, and by which address the back office knows it. */
export interface ConsoleSettings extends WebSettings {
  readonly consoleUrl: string;
  /** Public address of the REST interfaces: files of development projects are fetched from there. */
  readonly filesUrl: string;
}

/** What the console is started with. */
export interface ConsoleOptions {
  /** The graph: the console is an ordinary client of the gateway, with the session of whoever is signed in. */
  readonly graph: GraphClient;
  /** Address of the gateway; live events come from its WebSocket at `/graphql`. */
  readonly gatewayUrl: string;
  readonly settings: ConsoleSettings;
  /** Seals the sessions that the browser keeps, and makes the tokens of forms. */
  readonly key: Buffer;
  readonly logger: Logger;
}
