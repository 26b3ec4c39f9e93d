import type { Logger } from 'pino';
import type { GraphClient } from '../gateway/client/graph-client';
import type { WebSettings } from '../web/web-server';

/** Where the portal listens, and by which addresses the world knows it. */
export interface PortalSettings extends WebSettings {
  readonly portalUrl: string;
  readonly identityRedirectUrl: string;
}

/** What the portal is started with. */
export interface PortalOptions {
  /** The graph: the portal is an ordinary client of the gateway, with the session of the customer. */
  readonly graph: GraphClient;
  readonly settings: PortalSettings;
  /** Seals what is kept in the browser before somebody is signed in, and makes the tokens of forms. */
  readonly key: Buffer;
  readonly logger: Logger;
}
