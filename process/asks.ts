import type { ServiceName } from '../subgraphs/server/caller';

/**
 * Which services each service asks: over HTTP, unless they run in the same process. `access` has the keys of the tokens that they
 * verify, `grid-models` bytes of files.
 */
export const ASKS: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  identity: ['access'],
  access: ['identity'],
  'grid-models': ['access'],
  tariffs: ['access'],
  gateway: ['access', 'identity', 'grid-models', 'tariffs'],
  'rest-adapter': ['gateway', 'access', 'grid-models'],
  portal: ['gateway'],
  console: ['gateway'],
};
