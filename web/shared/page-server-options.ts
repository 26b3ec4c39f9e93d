import type { Logger } from 'pino';
import type { GraphClient } from '../../gateway/client/graph-client';
import type { WebSettings } from './web-server';

/** Settings and dependencies that portal and console have in common. */
export interface PageServerOptions {
  /** Client of the gateway: pages execute operations with the session of the signed-in person. */
  readonly graph: GraphClient;
  readonly settings: WebSettings;
  /** Key that encrypts cookies and from which form tokens are derived. */
  readonly key: Buffer;
  readonly logger: Logger;
}
