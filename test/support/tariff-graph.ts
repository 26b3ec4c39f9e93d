import { randomBytes } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { Pool } from 'pg';
import pino from 'pino';
import type { Registry } from 'prom-client';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import type { Limits } from '../../subgraphs/server/callers/rate-limits';
import type { RunningSubgraph } from '../../subgraphs/server/graph/running-subgraph';
import { startTariffs } from '../../subgraphs/tariffs/tariffs.module';
import { migratedDatabase } from './postgres';
import { readSettings } from '../../process/settings/read-settings';
import type { TariffKeys } from '../../subgraphs/tariffs/keys';

/** Data of any kind: tests read its fields by name. */
type ResultData = ReturnType<typeof JSON.parse>;

/** The subgraph `tariffs` with a separate database. */
export interface TariffGraph {
  readonly url: string;
  readonly keys: TariffKeys;
  readonly running: RunningSubgraph;
  /** Connections with the login of the owner. */
  readonly owner: Pool;
  /** Executes an operation and returns its data; throws on errors. Unauthenticated unless a caller is passed. */
  execute(query: string, variables?: Record<string, unknown>, caller?: Caller): Promise<ResultData>;
  /** Executes an operation and returns the code of its first error, with the paths of its violations. */
  errorOf(query: string, variables?: Record<string, unknown>, caller?: Caller): Promise<string>;
  /** Sets the register's clock ahead of real time. */
  moveClock(seconds: number): Promise<void>;
  /** Creates suppliers, as an admin. */
  suppliers(...mpids: string[]): Promise<void>;
  close(): Promise<void>;
}

const account = (digit: string) => `acc_${digit.repeat(24)}`;

/** An account of the operator. */
export const ADMIN: Caller = { accountId: account('a'), role: 'admin', duid: null, mpid: null };
/** An analyst. */
export const ANALYST: Caller = { accountId: account('b'), role: 'analyst', duid: null, mpid: null };

/** Returns the account of a supplier. */
export const supplierOf = (mpid: string): Caller => ({
  accountId: account('c'),
  role: 'supplier',
  duid: null,
  mpid,
});

/** The issuer of the tokens of all trial suppliers; each has another audience. */
export const CONSUMER_ISSUER = 'https://id.supplier.example';

/** Returns an RTI User as a caller, with the token of a supplier. */
export const consumerOf = (userId: string, mpid = 'LAPW'): Caller => ({
  ...{ accountId: userId, role: 'consumer', duid: null, mpid },
  consumer: {
    issuer: CONSUMER_ISSUER,
    subject: 'consumer-1',
    userId,
    mpxns: ['1012345678'],
    scopes: ['tariff:read'],
    issuedAt: new Date(),
  },
});

/** Returns the id of a trial tariff. */
export const trf = (number: number) => `trf_${number.toString(16).padStart(32, '0')}`;

/** Returns the GraphQL input that publishes a trial tariff. */
export function tariffInput(number: number, changed: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    tariffId: trf(number),
    name: `Tariff ${number}`,
    tariffType: 'STATIC',
    fuelType: 'ELECTRICITY',
    energyFlow: 'IMPORT',
    paymentMethod: 'DIRECT_DEBIT',
    meterType: 'SINGLE_RATE',
    customerType: 'RESIDENTIAL',
    ldzRegion: 'EA',
    standingCharge: '0.5312',
    vatIncluded: true,
    vatRate: 5,
    validFrom: '2026-01-01T00:00:00.000Z',
    rates: [
      {
        months: ['ALL'],
        daysAndHours: [
          { days: ['ALL'], hours: [{ validFrom: '00:00:00', validTo: '00:00:00', rate: [{ unitPrice: '0.2450' }] }] },
        ],
      },
    ],
    ...changed,
  };
}

/** Publishes a tariff. */
export const PUBLISH = `mutation Publish($input: TariffInput!) {
  publishTariff(input: $input) { isNew isChanged tariff { tariffId version name lastModified } }
}`;

/** Assigns a tariff to an MPxN. */
export const ASSIGN = `mutation Assign($mpxn: String!, $tariffId: String!, $from: DateTime!) {
  assignTariff(mpxn: $mpxn, tariffId: $tariffId, from: $from) { mpxn from tariff { tariffId } supplier { mpid } recordedAt }
}`;

const SAVE_SUPPLIER = 'mutation Save($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }';

/** Starts the subgraph at a database, without limits and metrics unless `changed` has them. */
export function startReplica(
  { url, keys }: Pick<TariffGraph, 'url' | 'keys'>,
  changed: Partial<Parameters<typeof startTariffs>[0]> = {},
): Promise<RunningSubgraph> {
  return startTariffs({
    databaseUrl: url,
    keys,
    logger: pino({ level: 'silent' }),
    production: false,
    clockOffsetSeconds: 0,
    rateLimitsOff: true,
    limits: readSettings({}).limits,
    webhookAllowLoopback: true,
    ...changed,
  });
}

/** Starts the subgraph. Limits are off unless `limits` is passed; it has no metrics without a registry. */
export async function tariffGraph(limits?: Partial<Limits>, metrics?: Registry): Promise<TariffGraph> {
  const fresh = await migratedDatabase();
  const keys = { hashKey: randomBytes(32), indexKey: randomBytes(32), encryptionKey: randomBytes(32) };
  const options = { rateLimitsOff: limits === undefined, limits: { ...readSettings({}).limits, ...limits }, metrics };
  const running = await startReplica({ url: fresh.url, keys }, options);
  const owner = new Pool({ connectionString: fresh.url, options: '-c search_path=tariffs,register', max: 2 });
  // Dropping the database may end the last sessions with an error.
  owner.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const run = (query: string, variables: Record<string, unknown> = {}, caller: Caller | null = null) =>
    running.link.execute({ query, variables }, contextOf(caller));
  const execute: TariffGraph['execute'] = async (query, variables, caller) => {
    const { data, errors } = await run(query, variables, caller);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  return {
    ...{ url: fresh.url, keys, running, owner, execute },
    errorOf: async (query, variables, caller) => errorOf(await run(query, variables, caller)),
    moveClock: async (seconds) => void (await owner.query('select register.set_clock_offset($1)', [seconds])),
    async suppliers(...mpids) {
      for (const mpid of mpids)
        await execute(
          SAVE_SUPPLIER,
          { input: supplierInput(mpid, { issuer: CONSUMER_ISSUER, audience: mpid }) },
          ADMIN,
        );
    },
    close: async () => {
      await running.close();
      await owner.end();
      await fresh.drop();
    },
  };
}

/** Returns the input that creates a trial supplier. */
export function supplierInput(mpid: string, changed: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    mpid,
    name: `${mpid} Energy Limited`,
    displayName: mpid,
    support: 'help@supplier.example',
    apiUrl: 'https://api.supplier.example',
    ...changed,
  };
}

function contextOf(caller: Caller | null): CallContext {
  return { caller, service: null, transactionId: `tid_${'0'.repeat(24)}`, clientAddress: '192.0.2.1' };
}

function errorOf({ errors }: ExecutionResult): string {
  const [{ extensions }] = errors as unknown as [{ extensions: { code: string; violations?: { path: string[] }[] } }];
  return [extensions.code, ...(extensions.violations ?? []).map(({ path }) => path.join('.'))].join(' ');
}
