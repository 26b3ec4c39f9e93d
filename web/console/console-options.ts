import type { Agent } from 'node:https';
import type { PageServerOptions } from '../shared/page-server-options';
import type { WebSettings } from '../shared/web-server';

/** Address on which the console listens, and public URLs. */
interface ConsoleSettings extends WebSettings {
  /** URL of the console. */
  readonly consoleUrl: string;
  /** URL of the REST interfaces, from which browsers download files of development projects. */
  readonly filesUrl: string;
}

/** Where the console follows live events: over a WebSocket at `/graphql` of the gateway. */
interface GatewayAddress {
  readonly url: string;
  /** Connects to a gateway in another process, over mutual TLS. */
  readonly agent?: Agent;
}

/** Options of the console. */
export interface ConsoleOptions extends PageServerOptions {
  readonly settings: ConsoleSettings;
  readonly gateway: GatewayAddress;
}
