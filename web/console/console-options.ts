import type { PageServerOptions } from '../shared/page-server-options';
import type { WebSettings } from '../shared/web-server';

/** Address on which the console listens, and public URLs. */
interface ConsoleSettings extends WebSettings {
  /** URL of the console. */
  readonly consoleUrl: string;
  /** URL of the REST interfaces, from which browsers download files of development projects. */
  readonly filesUrl: string;
}

/** Options of the console. */
export interface ConsoleOptions extends PageServerOptions {
  readonly settings: ConsoleSettings;
  /** URL of the gateway; live events arrive over its WebSocket at `/graphql`. */
  readonly gatewayUrl: string;
}
