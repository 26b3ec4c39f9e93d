import type { Logger } from 'pino';
import { LOWEST_UUID } from '../../../schema/identifiers';
import type { Database } from '../../server/database/database';
import { repeat } from '../../server/jobs/repeat';
import { inTransaction } from '../../server/database/transaction';
import type { ControllerReferences } from './controller-references.queries';

/** Seconds between two searches for references in clear. A replica of the previous release writes them, and a restore brings them back. */
const SEARCH_INTERVAL_SECONDS = 300;

/** Records that one transaction locks at most; a replacement of one waits until it ends. */
const MAX_RECORDS = 100;

const IN_CLEAR = `document ->> 'controllerReference' is not null`;

const NEXT = `select distinct record_id as id from access_record_version where ${IN_CLEAR} and record_id > $1
  order by record_id limit ${MAX_RECORDS}`;

/** Skips records that another transaction has locked; the next search finds them. */
const LOCK = 'select id from access_record where id = any($1) for no key update skip locked';
const VERSIONS = `
  select record_id as id, v.version, key_hash as "keyHash", v.document ->> 'controllerReference' as reference,
    is_reference_forgotten(record_id, v.version) as "isForgotten"
  from access_record_version v join access_record on id = record_id
  where record_id = any($1) and v.${IN_CLEAR}`;

const ENCRYPT = 'select seal_references($1, $2, $3, $4)';

interface VersionInClear {
  readonly id: string;
  readonly version: number;
  readonly keyHash: Buffer;
  readonly reference: string;
  /** Whether the Identity Record is closed: then the reference is deleted. */
  readonly isForgotten: boolean;
}

/**
 * Encrypts references that the previous release stored in clear, every five minutes, in short transactions. Replicas may run it
 * concurrently; a crash loses nothing. Returns a function that stops it after the current transaction.
 */
export function encryptReferences(
  database: Pick<Database, 'pool'>,
  references: Pick<ControllerReferences, 'encrypt'>,
  logger: Logger,
): () => Promise<void> {
  const encryptAll = async (isToStop: () => boolean) => {
    for (let last: string | undefined = LOWEST_UUID; last !== undefined && !isToStop();)
      last = await encryptSome(database, references, last);
  };
  return repeat(SEARCH_INTERVAL_SECONDS, encryptAll, logger);
}

/** Encrypts the references of the next records after an id; returns the last of these ids, undefined if there are none. */
function encryptSome(
  { pool }: Pick<Database, 'pool'>,
  references: Pick<ControllerReferences, 'encrypt'>,
  after: string,
): Promise<string | undefined> {
  return inTransaction(pool, async (session) => {
    const ids = (await session.query<{ id: string }>(NEXT, [after])).rows.map(({ id }) => id);
    if (ids.length === 0) return undefined;
    const { rows: locked } = await session.query<{ id: string }>(LOCK, [ids]);
    const { rows } = await session.query<VersionInClear>(VERSIONS, [locked.map(({ id }) => id)]);
    const sealed = rows.map(({ keyHash, reference, isForgotten }) =>
      references.encrypt(keyHash, isForgotten ? null : reference),
    );
    await session.query(ENCRYPT, [
      rows.map(({ id }) => id),
      rows.map(({ version }) => version),
      sealed.map((each) => each.sealed),
      sealed.map(({ wrappedKey }) => wrappedKey),
    ]);
    return ids.at(-1);
  });
}
