import type { Pool } from 'pg';
import { RegisterError } from '../../schema/register-error';
import { type KeyedHash, keyedHash } from './keyed-hash';
import { type Purge, expiredRows } from './retention';
import { encryptValue, decryptValue } from './encryption';
import { contentText, contentTextOf010 } from './request-content';
import type { Database } from './database/database';
import { type Session, inTransaction } from './database/transaction';

/**
 * Idempotency keys (decisions A/B, 7). Stores a keyed hash of key and body and the encrypted 2xx response, for 24 hours
 * (15 minutes with a signing secret), in the statement or transaction of the change. Of two concurrent requests with
 * one key, the unique index admits the first; the second waits until the first ends and returns its response.
 */
export interface Idempotency {
  /** Describes a request with an idempotency key, or without one (null). `operation` is the name of the mutation. */
  request(accountId: string, operation: string, key: string | null, body: unknown): IdempotentRequest;
}

/** A request whose key the statement that makes the change claims. */
export interface IdempotentRequest {
  /** Returns the five parameters of {@link claimIdempotencyKey}, with the response to store. */
  claim(response: unknown): readonly unknown[];
  /**
   * Returns the response that an earlier request with this key stored, or undefined. Throws CNF004 if that request had
   * another body. Call it before all other checks: a stored response does not depend on later changes.
   */
  findStoredResponse<Response>(): Promise<Response | undefined>;
  /**
   * Returns the stored response after a claim that yielded no row: the request that holds the key has ended by then.
   */
  storedResponse<Response>(): Promise<Response>;
}

/**
 * How long a response is stored: 15 minutes if it contains a signing secret, which is returned only once; 24 hours
 * otherwise.
 */
export type ResponseRetention = '24 hours' | '15 minutes';

/**
 * Common table expression `claim` of a changing statement, with parameters $1 to $5. It yields a row if the key is new
 * or its stored response has expired. Make the change itself conditional: `where $3::bytea is null or exists (select
 * from claim)`.
 *
 * @param recordId parameter with the id that the subgraph stores in the column `record_id`, to delete the response with the record
 */
export const claimIdempotencyKey = (retention: ResponseRetention, recordId?: string): string => `
  claim as (
    insert into idempotency_key as held (account_id, operation, key_hash, body_hash, answer, expires_at${recordId ? ', record_id' : ''})
    select $1, $2, $3::bytea, $4, $5, register_now() + interval '${retention}'${recordId ? `, ${recordId}::uuid` : ''} where $3::bytea is not null
    on conflict (account_id, operation, key_hash) do update
      set body_hash = excluded.body_hash, answer = excluded.answer, expires_at = excluded.expires_at${recordId ? ', record_id = excluded.record_id' : ''}
      where held.expires_at <= register_now()
    returning true
  )`;

/** {@link claimIdempotencyKey} for a response without a signing secret. */
export const CLAIM_IDEMPOTENCY_KEY = claimIdempotencyKey('24 hours');

const STORE_RESPONSE = { name: 'store_response', text: `with ${CLAIM_IDEMPOTENCY_KEY} select from claim` };
const STORE_RESPONSE_OF_RECORD = {
  name: 'store_response_of_record',
  text: `with ${claimIdempotencyKey('24 hours', '$6')} select from claim`,
};

/**
 * Stores the response of a request in a separate statement. Returns false if an earlier request claimed the key.
 *
 * @param recordId the record with which the subgraph deletes the response
 */
export async function storeResponse(
  session: Session,
  request: IdempotentRequest,
  response: unknown,
  recordId?: string,
): Promise<boolean> {
  const values = [...request.claim(response), ...(recordId === undefined ? [] : [recordId])];
  const hasKey = values[2] !== null;
  const statement = recordId === undefined ? STORE_RESPONSE : STORE_RESPONSE_OF_RECORD;
  return !hasKey || (await session.query({ ...statement, values })).rowCount === 1;
}

/**
 * Returns the response that an earlier request with the same key stored, with `replayed: true`, or else the response of
 * `work`, which claims the key and stores its response. `work` returns undefined if a concurrent request has claimed the
 * key; that request's response is returned then. Responses are stored as JSON: `Response` contains instants as text.
 */
export async function replayable<Response>(
  request: IdempotentRequest,
  work: () => Promise<Response | undefined>,
): Promise<{ readonly response: Response; readonly replayed: boolean }> {
  const stored = await request.findStoredResponse<Response>();
  if (stored !== undefined) return { response: stored, replayed: true };
  const response = await work();
  if (response !== undefined) return { response, replayed: false };
  return { response: await request.storedResponse<Response>(), replayed: true };
}

/** Rolls back the transaction of a request whose key an earlier request claimed. */
const KEY_ALREADY_CLAIMED = new Error('an earlier request has claimed the idempotency key');

/**
 * Runs `work` and stores its response in one transaction. If an earlier request claimed the idempotency key, rolls back
 * and returns undefined.
 */
export async function once<Response>(
  pool: Pool,
  request: IdempotentRequest,
  work: (session: Session) => Promise<Response>,
): Promise<Response | undefined> {
  const workAndStore = async (session: Session) => {
    const response = await work(session);
    if (!(await storeResponse(session, request, response))) throw KEY_ALREADY_CLAIMED;
    return response;
  };
  return inTransaction(pool, workAndStore).catch((error: unknown) => {
    if (error !== KEY_ALREADY_CLAIMED) throw error;
    return undefined;
  });
}

/** Deletes expired idempotency keys with their responses. */
export function expiredIdempotencyKeys(pool: Pool): Purge {
  return expiredRows(pool, { table: 'idempotency_key', column: 'expires_at', through: 'register_now()' });
}

const VISIBLE_KEY = /^[!-~]{1,255}$/;

/** Throws VAL001 unless the key is null or 1 to 255 visible ASCII characters. */
export function requireIdempotencyKey(key: string | null): void {
  if (key === null || VISIBLE_KEY.test(key)) return;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw new RegisterError('VAL001', message, { violations: [{ code: 'VAL001', path: ['idempotencyKey'], message }] });
}

const STORED_RESPONSE = {
  name: 'stored_response',
  text: 'select body_hash, answer from idempotency_key where account_id = $1 and operation = $2 and key_hash = $3',
};

const CURRENT_RESPONSE = {
  name: 'current_response',
  text: `${STORED_RESPONSE.text} and expires_at > register_now()`,
};

interface StoredResponse {
  readonly body_hash: Buffer;
  readonly answer: Buffer;
}

/** Creates idempotency with the database and the keys of a subgraph. */
export function idempotency(
  database: Pick<Database, 'pool' | 'reads'>,
  hashKey: Buffer,
  encryptionKey: Buffer,
): Idempotency {
  const hashOfKey = keyedHash(hashKey, 'idempotency-key');
  const hashOfBody = keyedHash(hashKey, 'idempotency-body');
  return {
    request: (accountId, operation, key, body) =>
      idempotentRequest({ database, accountId, operation, key, body, hashOfKey, hashOfBody, encryptionKey }),
  };
}

interface RequestInput {
  readonly database: Pick<Database, 'pool' | 'reads'>;
  readonly accountId: string;
  readonly operation: string;
  readonly key: string | null;
  readonly body: unknown;
  readonly hashOfKey: KeyedHash;
  readonly hashOfBody: KeyedHash;
  readonly encryptionKey: Buffer;
}

function idempotentRequest({
  database,
  accountId,
  operation,
  key,
  body,
  hashOfKey,
  hashOfBody,
  encryptionKey,
}: RequestInput): IdempotentRequest {
  if (key === null) {
    return {
      claim: () => [accountId, operation, null, null, null],
      findStoredResponse: () => Promise.resolve(undefined),
      storedResponse: () => Promise.reject(new Error('a request without an idempotency key has no stored response')),
    };
  }
  requireIdempotencyKey(key);
  const keyHash = hashOfKey(key);
  const bodyHash = hashOfBody(contentText(body));
  const rowId = `${accountId} ${operation} ${keyHash.toString('hex')}`;
  const isOfBody = (hash: Buffer) => hash.equals(bodyHash) || hash.equals(hashOfBody(contentTextOf010(body)));
  const decrypted = <Response>(stored: StoredResponse | undefined): Response => {
    if (!stored || !isOfBody(stored.body_hash)) throw new RegisterError('CNF004');
    return JSON.parse(decryptValue(encryptionKey, stored.answer, rowId).toString('utf8')) as Response;
  };
  const values = [accountId, operation, keyHash];
  return {
    claim: (response) => [
      accountId,
      operation,
      keyHash,
      bodyHash,
      encryptValue(encryptionKey, JSON.stringify(response), rowId),
    ],
    async findStoredResponse<Response>() {
      const [stored] = await database.reads.rows<StoredResponse>(CURRENT_RESPONSE, values);
      return stored && decrypted<Response>(stored);
    },
    async storedResponse<Response>() {
      const { rows } = await database.pool.query<StoredResponse>({ ...STORED_RESPONSE, values });
      return decrypted<Response>(rows[0]);
    },
  };
}
