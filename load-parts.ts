import type * as Gateway from './gateway/gateway';
import type * as Supergraph from './gateway/supergraph';
import type * as Console from './console/console';
import type * as Portal from './portal/portal';
import type * as RestAdapter from './rest-adapter/adapter';
import type * as Supplier from './sandbox/supplier';
import type * as Mailbox from './sandbox/mailbox';
import type * as Access from './subgraphs/access/access';
import type * as GridModels from './subgraphs/grid-models/grid-models';
import type * as Identity from './subgraphs/identity/identity';
import type * as Tariffs from './subgraphs/tariffs/tariffs';

/** The parts of the register, each loaded when it is started: a process pays for those that it runs. */
export const load = {
  access: () => require('./subgraphs/access/access') as typeof Access,
  identity: () => require('./subgraphs/identity/identity') as typeof Identity,
  gridModels: () => require('./subgraphs/grid-models/grid-models') as typeof GridModels,
  tariffs: () => require('./subgraphs/tariffs/tariffs') as typeof Tariffs,
  gateway: () => require('./gateway/gateway') as typeof Gateway,
  supergraph: () => require('./gateway/supergraph') as typeof Supergraph,
  restAdapter: () => require('./rest-adapter/adapter') as typeof RestAdapter,
  portal: () => require('./portal/portal') as typeof Portal,
  console: () => require('./console/console') as typeof Console,
  mailbox: () => require('./sandbox/mailbox') as typeof Mailbox,
  supplier: () => require('./sandbox/supplier') as typeof Supplier,
} as const;
