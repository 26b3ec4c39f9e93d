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
