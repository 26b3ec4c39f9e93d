import type { Pool } from 'pg';
import stringify from 'safe-stable-stringify';
import { RegisterError } from '../../schema/register-error';
import { type KeyedHash, keyedHash } from './keyed-hash';
import { type Forget, passedRows } from './retention';
import { seal, unseal } from './sealed';
import type { ShortReads } from './short-reads';
import { type Session, inTransaction } from './transaction';

/**
 * Idempotency keys (2-decisions-a-b.md, section 7): a keyed hash of key and body and the sealed 2xx answer, kept 24 hours (with a
 * signing secret 15 minutes) in the same statement or transaction as the change itself. Two callers at once: the unique index lets
 * one through, the other waits for its end and is given its answer.
 */
export interface Idempotency {
  /** A request under a key, or without one (null): `operation` is the mutation's name. */
  request(accountId: string, operation: string, key: string | null, body: unknown): IdempotentRequest;
}

/** One request, to be claimed by the statement that makes the change. */
export interface IdempotentRequest {
  /** The five values of {@link claimIdempotencyKey}, with the answer to keep. */
  claim(answer: unknown): readonly unknown[];
  /**
   * The answer kept by an earlier request with this key, undefined without one; CNF004 when that had another body. Asked first of
   * all, since what was answered once depends on nothing that has changed since.
   */
  recallKept<Answer>(reads: ShortReads): Promise<Answer | undefined>;
  /** The same, of a request whose claim came second: it waited for the first one's end, so there is an answer. */
  recall<Answer>(pool: Pool): Promise<Answer>;
}

/** How long an answer is kept: 24 hours, or 15 minutes when a signing secret is in it, which is shown once. */
export type KeptFor = '24 hours' | '15 minutes';

/**
 * First part of a changing statement, parameters $1 to $5: yields a row when the key is new, or the time for which its answer was
 * kept is over. The change itself is conditional: `where $3::bytea is null or exists (select from claim)`.
 */
export const claimIdempotencyKey = (keptFor: KeptFor): string => `
  claim as (
    insert into idempotency_key as held (account_id, operation, key_hash, body_hash, answer, expires_at)
    select $1, $2, $3::bytea, $4, $5, register_now() + interval '${keptFor}' where $3::bytea is not null
    on conflict (account_id, operation, key_hash) do update
      set body_hash = excluded.body_hash, answer = excluded.answer, expires_at = excluded.expires_at
      where held.expires_at <= register_now()
    returning true
  )`;

/** {@link claimIdempotencyKey} of an answer without a secret. */
export const CLAIM_IDEMPOTENCY_KEY = claimIdempotencyKey('24 hours');

const KEEP = { name: 'keep_answer', text: `with ${CLAIM_IDEMPOTENCY_KEY} select from claim` };

/**
 * Keeps the answer of a request by a statement of its own; false when an earlier one had its key. One without a key has nothing
 * to keep.
 */
export async function keepAnswer(session: Session, request: IdempotentRequest, answer: unknown): Promise<boolean> {
  const values = [...request.claim(answer)];
  const hasKey = values[2] !== null;
  return !hasKey || (await session.query({ ...KEEP, values })).rowCount === 1;
}

/** Takes back what was done for a request that came second. */
const CAME_SECOND = new Error('an earlier request had the idempotency key');

/**
 * Does what a request asks for in one transaction, unless one with the same key has: then nothing of it is done, and that one's
 * answer is given.
 */
export async function once<Answer>(
  pool: Pool,
  request: IdempotentRequest,
  work: (session: Session) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly replayed: boolean }> {
  const whole = async (session: Session) => {
    const answer = await work(session);
    if (!(await keepAnswer(session, request, answer))) throw CAME_SECOND;
    return { answer, replayed: false };
  };
  return inTransaction(pool, whole).catch(async (error: unknown) => {
    if (error !== CAME_SECOND) throw error;
    return { answer: await request.recall<Answer>(pool), replayed: true };
  });
}

/** The table, for a migration of each subgraph that has POST operations. */
export const CREATE_IDEMPOTENCY_KEY = `
  create table idempotency_key (
    account_id text not null,
    operation text not null,
    key_hash bytea not null,
    body_hash bytea not null,
    answer bytea not null,
    expires_at timestamptz not null,
    primary key (account_id, operation, key_hash)
  );
  create index idempotency_key_expiry on idempotency_key (expires_at)`;

/** Keys whose time is over, with their answers. */
export function passedIdempotencyKeys(pool: Pool): Forget {
  return passedRows(pool, 'idempotency_key', 'idempotency_key where expires_at <= register_now()');
}

const VISIBLE_KEY = /^[!-~]{1,255}$/;

/** VAL001 unless the key, if there is one, is 1 to 255 visible ASCII characters. */
export function requireIdempotencyKey(key: string | null): void {
  if (key === null || VISIBLE_KEY.test(key)) return;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw new RegisterError('VAL001', message, { violations: [{ code: 'VAL001', path: ['idempotencyKey'], message }] });
}

const RECALL = {
  name: 'recall_idempotency_key',
  text: 'select body_hash, answer from idempotency_key where account_id = $1 and operation = $2 and key_hash = $3',
};

const RECALL_KEPT = { name: 'recall_kept_answer', text: `${RECALL.text} and expires_at > register_now()` };

interface KeptAnswer {
  readonly body_hash: Buffer;
  readonly answer: Buffer;
}

/** Idempotency with the subgraph's own keys. */
export function idempotency(hashKey: Buffer, sealKey: Buffer): Idempotency {
  const hashOfKey = keyedHash(hashKey, 'idempotency-key');
  const hashOfBody = keyedHash(hashKey, 'idempotency-body');
  return {
    request: (accountId, operation, key, body) =>
      idempotentRequest({ accountId, operation, key, body, hashOfKey, hashOfBody, sealKey }),
  };
}

interface RequestParts {
  readonly accountId: string;
  readonly operation: string;
  readonly key: string | null;
  readonly body: unknown;
  readonly hashOfKey: KeyedHash;
  readonly hashOfBody: KeyedHash;
  readonly sealKey: Buffer;
}

function idempotentRequest({
  accountId,
  operation,
  key,
  body,
  hashOfKey,
  hashOfBody,
  sealKey,
}: RequestParts): IdempotentRequest {
  if (key === null) {
    return {
      claim: () => [accountId, operation, null, null, null],
      recallKept: () => Promise.resolve(undefined),
      recall: () => Promise.reject(new Error('a request without an idempotency key has nothing to recall')),
    };
  }
  requireIdempotencyKey(key);
  const keyHash = hashOfKey(key);
  const bodyHash = hashOfBody(stringify(body) ?? '');
  const bound = `${accountId} ${operation} ${keyHash.toString('hex')}`;
  const opened = <Answer>(kept: KeptAnswer | undefined): Answer => {
    if (!kept?.body_hash.equals(bodyHash)) throw new RegisterError('CNF004');
    return JSON.parse(unseal(sealKey, kept.answer, bound).toString('utf8')) as Answer;
  };
  const values = [accountId, operation, keyHash];
  return {
    claim: (answer) => [accountId, operation, keyHash, bodyHash, seal(sealKey, JSON.stringify(answer), bound)],
    async recallKept<Answer>(reads: ShortReads) {
      const [kept] = await reads.rows<KeptAnswer>(RECALL_KEPT, values);
      return kept && opened<Answer>(kept);
    },
    async recall<Answer>(pool: Pool) {
      const { rows } = await pool.query<KeptAnswer>({ ...RECALL, values });
      return opened<Answer>(rows[0]);
    },
  };
}
