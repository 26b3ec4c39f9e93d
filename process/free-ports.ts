import { createServer } from 'node:net';
import { PORT_VARIABLES } from './settings/ports';
import { SettingsError } from './settings/read-settings';
import type { Startup } from './startup';

const USER_SERVICES = ['gateway', 'rest-adapter', 'portal', 'console'] as const;

/**
 * Throws a SettingsError with each port, of the services that users call, that another process uses. It is the first start step,
 * because these servers start last, after PostgreSQL and all subgraphs.
 */
export async function requireFreePorts({ settings, wiring }: Startup): Promise<void> {
  const { host, ports } = settings;
  const services = USER_SERVICES.filter((service) => wiring.runs(service) && ports[service] !== 0);
  const inUse = await Promise.all(services.map((service) => isInUse(ports[service], host)));
  const problems = services
    .filter((_, index) => inUse[index])
    .map((service) => {
      const port = ports[service];
      return `${PORT_VARIABLES[service]}: port ${port} is in use; stop the process that uses it, or choose another port`;
    });
  if (problems.length > 0) throw new SettingsError(problems);
}

/** Errors other than EADDRINUSE, as of a port that needs rights, are reported when the server starts. */
function isInUse(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen(port, host, () => server.close(() => resolve(false)));
  });
}
