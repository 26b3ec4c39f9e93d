import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import pino from 'pino';
import { ConsumerStatusQueries } from '../../subgraphs/tariffs/consumers/consumer-status.queries';
import { type ConsumerTokens, consumerTokens } from '../../subgraphs/tariffs/consumers/consumer-tokens.flow';
import { issuerKeys } from '../../subgraphs/tariffs/consumers/issuer-keys.client';
import { tariffTables } from '../../subgraphs/tariffs/tables.sql';
import type { RegisterEntryStatus } from '../../subgraphs/tariffs/register-entries/register-entry-status';
import { openDatabase } from '../../subgraphs/server/database/database';
import { databaseAddress } from '../../subgraphs/server/database/database-login';
import { migrate } from '../../subgraphs/server/database/migrate';
import { freshDatabase } from './postgres';

/** Verification of consumers' tokens on the tables of `tariffs`, with suppliers and RTI Users. */
export interface ConsumerFixture {
  readonly tokens: ConsumerTokens;
  /** Returns the verification of another process: its cache contains no token that {@link tokens} has verified. */
  elsewhere(options?: {
    readonly production?: boolean;
    readonly cooldownMs?: number;
    readonly cacheTtlMs?: number;
  }): ConsumerTokens;
  addSupplier(mpid: string, issuer: string, audience: string): Promise<void>;
  /** Replaces issuer and audience of a supplier by those of another. */
  moveIssuer(from: string, to: string): Promise<void>;
  addRtiUser(userId: string): Promise<void>;
  setStatus(entry: { readonly mpid: string } | { readonly userId: string }, status: RegisterEntryStatus): Promise<void>;
  /** Moves the register's clock by so many seconds against real time. */
  moveClock(seconds: number): Promise<void>;
  /** Returns the number of statements that token verification has sent to the database. */
  reads(): number;
  log(): string;
  close(): Promise<void>;
}

/** Creates the fixture. */
export async function consumerFixture(): Promise<ConsumerFixture> {
  const fresh = await freshDatabase();
  const address = databaseAddress(fresh.url, 'tariffs', randomBytes(32));
  await migrate(address, tariffTables, true, {});
  const database = openDatabase(address);
  const owner = new Pool({ connectionString: fresh.url, options: '-c search_path=tariffs,register', max: 2 });
  owner.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  let reads = 0;
  const statuses = new ConsumerStatusQueries(database);
  const counted: Pick<ConsumerStatusQueries, 'of'> = {
    of: (token) => {
      reads += 1;
      return statuses.of(token);
    },
  };
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const opened: { close(): void }[] = [];
  const elsewhere: ConsumerFixture['elsewhere'] = ({ production = false, ...options } = {}) => {
    const keys = issuerKeys({ production, logger, ...options });
    opened.push(keys);
    return consumerTokens(counted, keys, logger);
  };
  return {
    tokens: elsewhere(),
    elsewhere,
    async addSupplier(mpid, issuer, audience) {
      await owner.query(
        `insert into supplier (mpid, name, display_name, support, api_url, issuer, audience)
         values ($1, 'Supplier', 'Supplier', 'support', 'https://api.example', $2, $3)`,
        [mpid, issuer, audience],
      );
    },
    async moveIssuer(from, to) {
      const { rows } = await owner.query('select issuer, audience from supplier where mpid = $1', [from]);
      await owner.query('update supplier set issuer = null, audience = null where mpid = $1', [from]);
      const { issuer, audience } = rows[0] as { issuer: string; audience: string };
      await owner.query('update supplier set issuer = $2, audience = $3 where mpid = $1', [to, issuer, audience]);
    },
    async addRtiUser(userId) {
      await owner.query(
        `insert into rti_user (user_id, name, display_name, support) values ($1, 'User', 'User', 'support')`,
        [userId],
      );
    },
    async setStatus(entry, status) {
      if ('mpid' in entry) await owner.query('update supplier set status = $2 where mpid = $1', [entry.mpid, status]);
      else await owner.query('update rti_user set status = $2 where user_id = $1', [entry.userId, status]);
    },
    async moveClock(seconds) {
      await owner.query('select register.set_clock_offset($1)', [seconds]);
    },
    reads: () => reads,
    log: () => lines.join(''),
    close: async () => {
      opened.forEach((each) => each.close());
      await database.close();
      await owner.end();
      await fresh.drop();
    },
  };
}
