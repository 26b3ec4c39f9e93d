import type * as Gateway from '../gateway/gateway';
import type * as Supergraph from '../gateway/supergraph';
import type * as Console from '../web/console/console';
import type * as Portal from '../web/portal/portal';
import type * as RestAdapter from '../rest-adapter/adapter';
import type * as Supplier from '../sandbox/supplier/supplier';
import type * as Mailbox from '../sandbox/mailbox';
import type * as Access from '../subgraphs/access/access.module';
import type * as GridModels from '../subgraphs/grid-models/grid-models.module';
import type * as Identity from '../subgraphs/identity/identity.module';
import type { ServiceName } from '../subgraphs/server/callers/caller';
import type * as Tariffs from '../subgraphs/tariffs/tariffs.module';

/** Loads the module of each service when a process needs it, so that a process loads only the code that it runs. */
export const load = {
  access: () => require('../subgraphs/access/access.module') as typeof Access,
  identity: () => require('../subgraphs/identity/identity.module') as typeof Identity,
  'grid-models': () => require('../subgraphs/grid-models/grid-models.module') as typeof GridModels,
  tariffs: () => require('../subgraphs/tariffs/tariffs.module') as typeof Tariffs,
  gateway: () => require('../gateway/gateway') as typeof Gateway,
  supergraph: () => require('../gateway/supergraph') as typeof Supergraph,
  'rest-adapter': () => require('../rest-adapter/adapter') as typeof RestAdapter,
  portal: () => require('../web/portal/portal') as typeof Portal,
  console: () => require('../web/console/console') as typeof Console,
  mailbox: () => require('../sandbox/mailbox') as typeof Mailbox,
  supplier: () => require('../sandbox/supplier/supplier') as typeof Supplier,
} as const;

/**
 * Loads the code of services before one of them opens a database connection: this blocks the event loop for a second, on a busy machine for
 * several, in which a connection would exceed the time that it may take.
 */
export function loadServices(services: Iterable<ServiceName>): void {
  for (const service of services) load[service]();
}
