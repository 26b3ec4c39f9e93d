import 'reflect-metadata';
import type { Logger } from 'pino';
import { sandboxedSettings } from '../sandbox/keys';
import type { ServiceName } from '../subgraphs/server/callers/caller';
import { errorFields, logConsole } from '../subgraphs/server/observability/failures';
import { exportTraces } from '../subgraphs/server/observability/tracing';
import { requireFreePorts } from './free-ports';
import { serviceLog } from './service-log';
import type { Settings } from './settings/settings';
import { type ShutdownSignal, shutdownSignal } from './shutdown';
import { startConsole, startGateway, startPortal, startRestAdapter, startSandbox } from './start-servers';
import {
  startAccess,
  startDatabase,
  startGridModels,
  startIdentity,
  startMailbox,
  startTariffs,
} from './start-subgraphs';
import { startupErrorMessage } from './startup-error';
import { Startup } from './startup';

/** The start steps in their order. A step that names a service runs only in processes that run the service. */
const START_STEPS: readonly StartStep[] = [
  { start: requireFreePorts },
  { start: startMailbox, service: 'identity' },
  { start: startDatabase },
  { start: startIdentity, service: 'identity' },
  { start: startAccess, service: 'access' },
  { start: startGridModels, service: 'grid-models' },
  { start: startTariffs, service: 'tariffs' },
  { start: startGateway, service: 'gateway' },
  { start: startRestAdapter, service: 'rest-adapter' },
  { start: startPortal, service: 'portal' },
  { start: startConsole, service: 'console' },
  { start: startSandbox },
];

interface StartStep {
  readonly start: (startup: Startup) => Promise<void>;
  readonly service?: ServiceName;
}

/**
 * READ FIRST: the composition root. Starts the services that SERVICES names, in the order of {@link START_STEPS}.
 * Services of one process call each other directly; all other calls go over links.
 */
async function startRegister(settings: Settings, logger: Logger, shutdown: ShutdownSignal): Promise<Startup> {
  const startup = new Startup(settings, logger, shutdown);
  try {
    if (settings.exportTraces) startup.started.add(exportTraces([...settings.services].join(',')));
    for (const { start, service } of START_STEPS) {
      if (service === undefined || startup.wiring.runs(service)) await start(startup);
      shutdown.requested.throwIfAborted();
    }
  } catch (error) {
    await startup.started.close();
    throw error;
  }
  startup.databases.report(logger);
  return startup;
}

async function main(shutdown: ShutdownSignal): Promise<void> {
  const settings = await sandboxedSettings(process.env);
  const { logger, print } = serviceLog(settings.logLevel);
  logConsole(logger);
  process.on('uncaughtException', (error) => endAtUncaughtException(logger, error));
  const { urls, started } = await startRegister(settings, logger, shutdown);
  shutdown.requested.addEventListener('abort', () => void started.close().then(() => process.exit(0)));
  const servers = Object.entries(urls).map(([name, url]) => `${name} ${url}`);
  await print(`ready ${servers.join(' ') || [...settings.services].join(' ')}`);
}

/** Node would print the message, which may quote personal data. An unhandled rejection ends here, too. */
function endAtUncaughtException(logger: Logger, error: Error): never {
  logger.fatal({ failure: errorFields(error) }, 'uncaught exception: the process ends');
  process.exit(1);
}

const shutdown = shutdownSignal();
main(shutdown).catch((error: unknown) => {
  if (shutdown.requested.aborted) process.exit(0); // startRegister has closed everything that it had started
  process.stderr.write(`${startupErrorMessage(error, process.env)}\n`);
  process.exit(1);
});
