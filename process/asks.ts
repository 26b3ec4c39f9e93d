import type { ServiceName } from '../subgraphs/server/caller';

/** Which services each service asks: over HTTP, unless they run in the same process. `access` has the keys of the tokens. */
export const ASKS: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  identity: ['access'],
  access: ['identity'],
  gateway: ['access', 'identity'],
  'rest-adapter': ['gateway', 'access'],
  portal: ['gateway'],
  console: ['gateway'],
};
