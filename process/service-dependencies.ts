import type { ServiceName } from '../subgraphs/server/callers/caller';
import { SERVICE_RIGHTS } from '../subgraphs/server/callers/service-rights';

/** Services that each service calls, over links unless both run in one process. */
export const SERVICE_DEPENDENCIES = Object.fromEntries(
  Object.entries(SERVICE_RIGHTS).map(([service, rights]) => [service, Object.keys(rights)]),
) as unknown as Readonly<Record<ServiceName, readonly ServiceName[]>>;

/** Returns the services of a process that a service of another process calls. */
export function servicesCalledFromOutside(services: ReadonlySet<ServiceName>): ServiceName[] {
  const others = (Object.keys(SERVICE_RIGHTS) as ServiceName[]).filter((service) => !services.has(service));
  return [...services].filter((service) => others.some((other) => SERVICE_DEPENDENCIES[other].includes(service)));
}

/** Returns the services of a process that call a service of another process. */
export function servicesThatCallOutside(services: ReadonlySet<ServiceName>): ServiceName[] {
  return [...services].filter((service) => SERVICE_DEPENDENCIES[service]?.some((called) => !services.has(called)));
}
