import type { ServiceName } from '../../subgraphs/server/callers/caller';

/** Default port by environment variable. */
export const DEFAULT_PORTS = {
  GATEWAY_PORT: 4000,
  GATEWAY_LINK_PORT: 4010,
  REST_PORT: 4001,
  PORTAL_PORT: 4002,
  CONSOLE_PORT: 4003,
  MAILBOX_PORT: 4004,
  OIDC_PORT: 4005,
  ACCESS_PORT: 4011,
  IDENTITY_PORT: 4012,
  GRID_MODELS_PORT: 4013,
  TARIFFS_PORT: 4014,
} as const;

/** Variable of the port of each service. */
export const PORT_VARIABLES = {
  gateway: 'GATEWAY_PORT',
  'rest-adapter': 'REST_PORT',
  portal: 'PORTAL_PORT',
  console: 'CONSOLE_PORT',
  access: 'ACCESS_PORT',
  identity: 'IDENTITY_PORT',
  'grid-models': 'GRID_MODELS_PORT',
  tariffs: 'TARIFFS_PORT',
} as const satisfies Readonly<Record<ServiceName, keyof typeof DEFAULT_PORTS>>;

/** Ports to which no browser and no `fetch` connects (WHATWG Fetch, "bad port"). */
export const BAD_PORTS: ReadonlySet<number> = new Set([
  ...[1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530],
  ...[531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190],
  ...[5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
]);

/** Returns a problem for each service of a process that has the port of another one that clients reach. Port 0 is a free one. */
export function equalPorts(services: ReadonlySet<ServiceName>, ports: Readonly<Record<ServiceName, number>>): string[] {
  const opened = (['gateway', 'rest-adapter', 'portal', 'console'] as const).filter(
    (service) => services.has(service) && ports[service] !== 0,
  );
  return opened.flatMap((service, index) => {
    const former = opened.slice(0, index).find((each) => ports[each] === ports[service]);
    return former === undefined ? [] : [`${PORT_VARIABLES[service]}: is the port of ${PORT_VARIABLES[former]}, too`];
  });
}
