import type { ServiceName } from './caller';

/**
 * What a service may send to another one:
 *
 * - `callers`: requests in the name of callers, with their bearer tokens or, for suppliers, attested, and requests in its own name;
 * - `own account`: requests in its own name only;
 * - `clients`: requests of its clients with their credentials as sent, which the other service verifies;
 * - `reads`: HTTP requests only, such as for the key set of bearer tokens or the bytes of files.
 */
type ServiceRight = 'callers' | 'own account' | 'clients' | 'reads';

/**
 * Services that each service may call, with the requests that it may send. Checked by the called service for every
 * message.
 */
export const SERVICE_RIGHTS: Readonly<Record<ServiceName, Readonly<Partial<Record<ServiceName, ServiceRight>>>>> = {
  identity: { access: 'own account' },
  access: { identity: 'own account' },
  'grid-models': { access: 'own account' },
  tariffs: { access: 'own account' },
  gateway: { access: 'callers', identity: 'callers', 'grid-models': 'callers', tariffs: 'callers' },
  'rest-adapter': { gateway: 'clients', access: 'reads', 'grid-models': 'reads' },
  portal: { gateway: 'clients' },
  console: { gateway: 'clients' },
};
