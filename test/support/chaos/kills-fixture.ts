import { Pool } from 'pg';
import type { DemoData } from '../../../sandbox/sandbox-file';
import { type Place, type SharedRegister, freePort, placeOf, sandboxOf } from '../register';
import { until } from '../until';
import { type RestartableService, restartable } from './restartable';

/** A register with two gateways: its writing services and one gateway are processes that can be killed. */
export interface KillsFixture {
  readonly place: Place;
  /** `identity` and `access`: this process does all writing. */
  readonly core: RestartableService;
  /** A second gateway, which serves `replicaUrl` and the console. */
  readonly replica: RestartableService;
  readonly replicaUrl: string;
  readonly console: RestartableService;
  /** Its REST interface and first gateway run as long as the fixture. */
  readonly register: SharedRegister;
  readonly owner: Pool;
  close(): Promise<void>;
}

/** Opens the fixture; a test may move the clock of its database. */
export async function openKillsFixture(): Promise<KillsFixture> {
  const place = await placeOf();
  const names = [
    ...(['REST_PORT', 'GATEWAY_PORT', 'GATEWAY_LINK_PORT', 'CONSOLE_PORT'] as const),
    ...(['ACCESS_PORT', 'IDENTITY_PORT', 'MAILBOX_PORT'] as const),
  ];
  const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await freePort())])));
  const environment = { ...place.environment, ...ports, LOG_LEVEL: 'error', WEBHOOK_ALLOW_LOOPBACK: 'true' };
  const behind = {
    ...environment,
    GATEWAY_PORT: String(await freePort()),
    GATEWAY_LINK_PORT: String(await freePort()),
  };
  const url = (name: (typeof names)[number]) => `http://localhost:${ports[name]}`;
  const sandbox: DemoData = sandboxOf(place.dataDir);
  const owner = new Pool({ connectionString: place.databaseUrl, max: 5 });
  owner.on('error', () => undefined);
  const services = await Promise.all([
    restartable({ ...environment, SERVICES: 'identity,access' }),
    restartable({ ...behind, SERVICES: 'gateway' }),
    restartable({ ...behind, SERVICES: 'console' }),
    restartable({ ...environment, SERVICES: 'gateway,rest-adapter' }),
  ]);
  const [core, replica, console] = services;
  return {
    ...{ place, core, replica, console, owner, replicaUrl: `http://localhost:${behind.GATEWAY_PORT}` },
    register: {
      ...{ rest: url('REST_PORT'), gateway: url('GATEWAY_PORT'), console: url('CONSOLE_PORT'), portal: '' },
      ...{ mailbox: url('MAILBOX_PORT'), databaseUrl: place.databaseUrl, dataDir: place.dataDir, sandbox },
      log: () => '',
    },
    async close() {
      await Promise.all(services.map((service) => service.stop()));
      await owner.end();
      await place.remove();
    },
  };
}

/** Kills the writing services; ends their sessions, so that waiting statements do not run afterwards. */
export async function killCore({ core, owner }: KillsFixture): Promise<void> {
  await core.kill();
  await until(async () => {
    const { rows } = await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where usename ~ '^(identity|access)_' and datname = current_database()`,
    );
    return rows.length === 0 ? true : undefined;
  });
}
