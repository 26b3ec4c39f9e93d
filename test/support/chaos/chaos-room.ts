import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { DemoData } from '../../../sandbox/demo-data';
import { type Customer, type DataUser, customerToken, newCustomer, newDataUser } from '../customers';
import { documentedFetch } from '../documented-fetch';
import { type ControlledPostgres, controlledPostgres, freshDatabase } from '../postgres';
import { type TestRegister, freePort, startRegisterProcess } from '../register';
import { type SupervisedService, supervised } from './supervised-processes';

/** A register of a process each, with two of `access`, on a PostgreSQL of its own: all of them may be killed. */
export interface ChaosRoom {
  readonly postgres: ControlledPostgres;
  readonly databaseUrl: string;
  readonly services: readonly SupervisedService[];
  readonly register: TestRegister;
  readonly dataUser: DataUser;
  readonly customer: Customer;
  /** Token of the customer's session. */
  readonly session: string;
  /** Token of an admin. */
  readonly admin: string;
  /** Rows of one statement, asked as the owner by a session of its own. */
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const PORTS = [
  'GATEWAY_PORT',
  'REST_PORT',
  'PORTAL_PORT',
  'ACCESS_PORT',
  'IDENTITY_PORT',
  'GRID_MODELS_PORT',
  'TARIFFS_PORT',
  'CONSOLE_PORT',
] as const;

/** Opens the room: the demo data is made by one process, which then ends; the services take over its database. */
export async function openChaosRoom(): Promise<ChaosRoom> {
  const postgres = await controlledPostgres();
  const database = await freshDatabase(postgres);
  const dataDir = mkdtempSync(join(tmpdir(), 'register-chaos-'));
  const ports = Object.fromEntries(await Promise.all(PORTS.map(async (name) => [name, String(await freePort())])));
  const environment = {
    ...(ports as Record<(typeof PORTS)[number], string>),
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  };
  const whole = await startRegisterProcess(environment);
  const sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData & { mailbox: string };
  const url = (name: (typeof PORTS)[number]) => `http://localhost:${environment[name]}`;
  const register: TestRegister = {
    ...{
      rest: url('REST_PORT'),
      gateway: url('GATEWAY_PORT'),
      portal: url('PORTAL_PORT'),
      console: url('CONSOLE_PORT'),
    },
    ...{ sandbox, mailbox: sandbox.mailbox, databaseUrl: database.url, dataDir, log: () => '' },
    close: () => Promise.resolve(),
  };
  const dataUser = await newDataUser(register, 'https://larkhill.example/return');
  const customer = await newCustomer(dataUser);
  const session = await customerToken(register, customer);
  const admin = await adminToken(register);
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
  return {
    ...{ postgres, databaseUrl: database.url, services, register, dataUser, customer, session, admin },
    rows: (text, values) => rowsOf(database.url, text, values),
    async close() {
      await Promise.all(services.map((service) => service.stop()));
      await postgres.remove();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function adminToken({ rest, sandbox }: TestRegister): Promise<string> {
  const { account_id, secret_key } = sandbox.accounts.find(({ role }) => role === 'admin') as DemoData['accounts'][0];
  const authorization = `Basic ${Buffer.from(`${account_id}:${secret_key}`).toString('base64')}`;
  const answer = await documentedFetch(`${rest}/v1/auth/token`, { headers: { authorization } });
  return ((await answer.json()) as { 'bearer-token': string })['bearer-token'];
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
