import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { DemoData } from '../../../sandbox/sandbox-file';
import { customerToken, newCustomer } from '../customers';
import { graphOf } from '../graph';
import { type ControlledPostgres, controlledPostgres, freshDatabase } from '../postgres';
import { type SharedRegister, freePort, startRegisterProcess } from '../register';
import { accountOf, anonymousClient, tokenOf } from '../rest-client';
import { renewedToken } from './renewed-token';
import { type SupervisedService, supervised } from './supervised-processes';
import type { Writers } from './writers';

/** A register with one process per service, two of `access`, and its own PostgreSQL: all can be killed. */
export interface ChaosFixture {
  readonly postgres: ControlledPostgres;
  readonly databaseUrl: string;
  readonly services: readonly SupervisedService[];
  readonly register: SharedRegister;
  readonly by: Writers;
  /** Returns an admin's token. */
  admin(): Promise<string>;
  /** Returns the rows of one statement, run by the owner in a separate session. */
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const PORTS = [
  'GATEWAY_PORT',
  'GATEWAY_LINK_PORT',
  'REST_PORT',
  'PORTAL_PORT',
  'ACCESS_PORT',
  'IDENTITY_PORT',
  'GRID_MODELS_PORT',
  'TARIFFS_PORT',
  'CONSOLE_PORT',
  'MAILBOX_PORT',
] as const;

/** Opens the fixture: one process creates the demo data and ends; the services then use its database. */
export async function openChaosFixture(): Promise<ChaosFixture> {
  const postgres = await controlledPostgres();
  const database = await freshDatabase(postgres);
  const dataDir = mkdtempSync(join(tmpdir(), 'register-chaos-'));
  const ports = Object.fromEntries(await Promise.all(PORTS.map(async (name) => [name, String(await freePort())])));
  const environment = {
    ...(ports as Record<(typeof PORTS)[number], string>),
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    CLOCK_CAN_MOVE: 'true',
    LOG_LEVEL: 'error',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  };
  const whole = await startRegisterProcess(environment);
  const sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData;
  const url = (name: (typeof PORTS)[number]) => `http://localhost:${environment[name]}`;
  const register: SharedRegister = {
    ...{
      rest: url('REST_PORT'),
      gateway: url('GATEWAY_PORT'),
      portal: url('PORTAL_PORT'),
      console: url('CONSOLE_PORT'),
    },
    ...{ sandbox, mailbox: url('MAILBOX_PORT'), databaseUrl: database.url, dataDir, log: () => '' },
  };
  const rows = <Row>(text: string, values?: unknown[]) => rowsOf<Row>(database.url, text, values);
  const dataUser = renewedToken(() => tokenOf(register, 'data_user'));
  const duid = accountOf(sandbox, 'data_user').duid as string;
  const enroller = { name: '', duid, rest: restOf(register, dataUser), token: '', returnUrl: '' };
  const customer = await newCustomer(enroller);
  await whole.stop();
  const services = await Promise.all([
    supervised('identity', { ...environment, SERVICES: 'identity' }),
    supervised('access', { ...environment, SERVICES: 'access' }),
    supervised('access, the other', { ...environment, SERVICES: 'access', ACCESS_PORT: String(await freePort()) }),
    supervised('grid-models', { ...environment, SERVICES: 'grid-models' }),
    supervised('tariffs', { ...environment, SERVICES: 'tariffs' }),
    supervised('gateway', { ...environment, SERVICES: 'gateway' }),
    supervised('rest-adapter', { ...environment, SERVICES: 'rest-adapter' }),
  ]);
  const running = () => Promise.all(services.map((service) => service.running()));
  const by = writersOf(register, dataUser, { duid, customer, running, rows });
  const admin = renewedToken(() => tokenOf(register, 'admin'));
  return {
    ...{ postgres, databaseUrl: database.url, services, register, by, admin, rows },
    async close() {
      await Promise.all(services.map((service) => service.stop()));
      await postgres.remove();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function writersOf(
  register: SharedRegister,
  dataUser: () => Promise<string>,
  more: Pick<Writers, 'duid' | 'customer' | 'running' | 'rows'>,
): Writers {
  const operator = renewedToken(() => tokenOf(register, 'communications_operator'));
  const graph = (token: () => Promise<string>): Writers['asCustomer'] => {
    return async (query, variables) => graphOf(register, await token())(query, variables);
  };
  return {
    ...more,
    dataUser: restOf(register, dataUser),
    operator: restOf(register, operator),
    asDataUser: graph(dataUser),
    asOperator: graph(operator),
    asCustomer: graph(renewedToken(() => customerToken(register, more.customer))),
  };
}

function restOf({ rest }: SharedRegister, token: () => Promise<string>): Writers['dataUser'] {
  return async (...request) => anonymousClient(rest, `Bearer ${await token()}`)(...request);
}

async function rowsOf<Row>(databaseUrl: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}
