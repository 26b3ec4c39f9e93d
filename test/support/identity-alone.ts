import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import pino from 'pino';
import { IDENTITY_JOBS } from '../../subgraphs/identity/tables.sql';
import { startIdentity } from '../../subgraphs/identity/identity.module';
import type { Caller } from '../../subgraphs/server/callers/caller';
import { sessionOptions } from '../../subgraphs/server/database/database';
import { databaseAddress } from '../../subgraphs/server/database/database-login';
import { jobQueue } from '../../subgraphs/server/jobs/jobs';
import { keyedHash } from '../../subgraphs/server/keyed-hash';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';
import { Pool } from 'pg';
import { accessOfOrganisations, urls } from './identity-surroundings';
import { type FreshDatabase, migratedDatabase } from './postgres';
import { readSettings } from '../../process/settings/read-settings';
import { type Mails, mailQueue } from '../../subgraphs/identity/mails/mail-queue.flow';
import type { IdentityKeys } from '../../subgraphs/identity/keys';

/** The subgraph `identity` without other services, with its database, its mails and its log. */
export interface IdentityAlone {
  readonly link: SubgraphLink;
  /** A session as the owner of the database, `identity` first in its search path. */
  readonly owner: Client;
  /** The queue of mails and the pool, as modules of the subgraph use them. */
  readonly mails: Mails;
  readonly pool: Pool;
  log(): string;
  close(): Promise<void>;
}

/** A Data User of an arbitrary account. */
export const DATA_USER: Caller = {
  accountId: `acc_${'a'.repeat(24)}`,
  role: 'data_user',
  duid: `duid_${'a'.repeat(24)}`,
  mpid: null,
};

const OWN = { service: null, transactionId: `tid_${'0'.repeat(24)}`, clientAddress: '127.0.0.1' } as const;

/** Starts it, with or without a mail server. */
export async function startIdentityAlone(smtpUrl?: string): Promise<IdentityAlone> {
  const database = await migratedDatabase();
  const keys = { indexKey: randomBytes(32), encryptionKey: randomBytes(32), hashKey: randomBytes(32) };
  const { limits } = readSettings({});
  const lines: string[] = [];
  const identity = await startIdentity({
    databaseUrl: database.url,
    keys,
    urls: { ...urls, smtpUrl },
    access: accessOfOrganisations,
    logger: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    production: false,
    clockOffsetSeconds: 0,
    rateLimitsOff: false,
    limits,
  });
  const pool = new Pool(sessionOptions(databaseAddress(database.url, 'identity', keys.hashKey)));
  const owner = new Client({ connectionString: database.url, options: '-c search_path=identity,register' });
  await owner.connect();
  return {
    link: identity.link,
    owner,
    pool,
    mails: mailQueue({ keys, limits, jobs: jobQueue(IDENTITY_JOBS), rateLimits: rateLimits(pool, keys) }),
    log: () => lines.join(''),
    close: () => closeAll(identity, pool, owner, database),
  };
}

function rateLimits(pool: Pool, { hashKey }: IdentityKeys) {
  return { pool, schema: 'identity', hash: keyedHash(hashKey, 'rate-limit'), off: false };
}

async function closeAll(identity: { close(): Promise<void> }, pool: Pool, owner: Client, database: FreshDatabase) {
  await Promise.all([identity.close(), pool.end(), owner.end()]);
  await database.drop();
}

const REGISTER = 'mutation Register($input: IdentityRecordInput!) { registerIdentityRecord(input: $input) { ir } }';

/** Registers an Identity Record; returns its key and its internal id. */
export async function registeredRecord(
  { link, owner }: Pick<IdentityAlone, 'link' | 'owner'>,
  mpxn: string,
  email: string | null,
): Promise<{ readonly ir: string; readonly id: string }> {
  const address = { addressLine1: '7 Quillfeather Row', townCity: 'Otterby', postcode: 'OX1 2JD' };
  const piiPrincipal = { mpxn, moveInDate: '2019-08-17', address };
  const { data, errors } = await link.execute(
    { query: REGISTER, variables: { input: { piiPrincipal, expressedBy: 'DATA_SUBJECT', email } }, fixed: true },
    { caller: DATA_USER, ...OWN },
  );
  if (errors?.[0]) throw errors[0];
  const { ir } = (data as { registerIdentityRecord: { ir: string } }).registerIdentityRecord;
  const { rows } = await owner.query<{ id: string }>('select id from identity_record where ref = $1', [ir]);
  return { ir, id: rows[0]?.id as string };
}
