import { createServer } from 'node:net';
import { SettingsError } from './settings/read-settings';
import type { Startup } from './startup';

/** The services that users call, with the variables of their ports. */
const PORT_VARIABLES = {
  gateway: 'GATEWAY_PORT',
  'rest-adapter': 'REST_PORT',
  portal: 'PORTAL_PORT',
  console: 'CONSOLE_PORT',
} as const;

/**
 * Throws a SettingsError with every port of a service that users call, if another process uses it. A first start step, because the
 * servers start last, after PostgreSQL and all subgraphs.
 */
export async function requireFreePorts({ settings, wiring }: Startup): Promise<void> {
  const { host, ports } = settings;
  const services = (Object.keys(PORT_VARIABLES) as (keyof typeof PORT_VARIABLES)[]).filter((name) => wiring.runs(name));
  const problems = await Promise.all(
    services.map(async (service) => {
      const port = ports[service];
      const isTaken = port !== 0 && (await isInUse(port, host));
      return isTaken
        ? [`${PORT_VARIABLES[service]}: port ${port} is in use; stop the process that uses it, or choose another port`]
        : [];
    }),
  );
  if (problems.flat().length > 0) throw new SettingsError(problems.flat());
}

/** Other errors, as of a port that needs rights, are reported when the server starts. */
function isInUse(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen(port, host, () => server.close(() => resolve(false)));
  });
}
