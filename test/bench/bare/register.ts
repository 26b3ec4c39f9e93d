import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Pool, PoolClient } from 'pg';
import type { Keys } from '../../../process/settings/keys';
import { keyedHash } from '../../../subgraphs/server/keyed-hash';
import { encryptValue } from '../../../subgraphs/server/encryption';
import { responseMetadata, sendJson } from './responses';
import { type RegistrationBody, documentOf } from './registration-body';
import { type Session, admit } from './session';

const OWNERSHIP = {
  name: 'ownership',
  text: `select account.status, register_now() as now, i.id, i.duid, i.meter_point_id
    from account left join identity_record i on i.ref = $2 and i.anonymised_at is null where account.account_id = $1`,
};

const CLAIM = {
  name: 'claim',
  text: `insert into access.idempotency_key (account_id, operation, key_hash, body_hash, answer, expires_at)
    values ($1, $2, $3, $4, $5, register_now() + interval '24 hours') on conflict do nothing`,
};

const RECORD = {
  name: 'record',
  text: `insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state,
    legal_basis, registered_at, expiry, document) values ($1, $2, $3, $4, $5, $6, $7, 'ACTIVE', $8, $9, $10, $11)`,
};

const VERSION = {
  name: 'version',
  text: `insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
    values ($1, 1, $2, $3, $4, $5, $6)`,
};

const TRANSITION = {
  name: 'transition',
  text: `insert into access_record_transition (record_id, number, to_state, cause, account_id) values ($1, 1, 'ACTIVE', 'registered', $2)`,
};

/** The four inserts as one statement: measures the cost of the additional round trips. */
export const ONE_STATEMENT = {
  name: 'register',
  text: `with claim as (
      insert into access.idempotency_key (account_id, operation, key_hash, body_hash, answer, expires_at)
      values ($1, $2, $3, $4, $5, register_now() + interval '24 hours') on conflict do nothing returning true),
    record as (
      insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state,
        legal_basis, registered_at, expiry, document)
      select $6::uuid, $7::bytea, $8::bytea, $9, $10::uuid, $11, $12, 'ACTIVE', $13, $14::timestamptz, $15::timestamptz, $16::jsonb from claim
      returning *),
    version as (
      insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
      select id, 1, $1, legal_basis, registered_at, expiry, document from record),
    transition as (
      insert into access_record_transition (record_id, number, to_state, cause, account_id)
      select id, 1, 'ACTIVE', 'registered', $1 from record)
    select id from record`,
};

/** Parameters of a registration, in the order of {@link ONE_STATEMENT}. */
type Columns = readonly [
  ...claim: [accountId: string, operation: string, keyHash: Buffer, bodyHash: Buffer, response: Buffer],
  ...record: [id: string, keyHash: Buffer, encryptedKey: Buffer, ...unknown[]],
];

/** Serves POST /v1/access-records: one transaction of named inserts, and at /one-statement/… one statement. */
export function addRegistration(app: FastifyInstance, pool: Pool, keys: Keys, session: Session): void {
  const columnsOf = columns(keys);
  const register = async (request: FastifyRequest<{ Body: RegistrationBody }>, reply: FastifyReply, insert: Insert) => {
    const claims = await session(request);
    const ref = request.body['record-metadata']['identity-record-ref'];
    const { rows } = await pool.query({ ...OWNERSHIP, values: [claims.accountId, ref] });
    const link = rows[0] as (Link & { status: string; now: Date }) | undefined;
    admit(claims, link);
    if (link?.duid !== claims.duid) throw new Error('not its owner');
    const key = `ak_${randomBytes(12).toString('hex')}`;
    const token = { key, expiry: request.body['access-event'].expiry };
    await insert(pool, columnsOf(claims.accountId, link, token, request));
    void reply.code(201).header('location', `/v1/access-records/${key}`);
    return sendJson(reply, { response: responseMetadata(request.url), 'access-token': token });
  };
  app.post<{ Body: RegistrationBody }>('/v1/access-records', (request, reply) =>
    register(request, reply, inTransaction),
  );
  app.post<{ Body: RegistrationBody }>('/one-statement/v1/access-records', (request, reply) =>
    register(request, reply, inOneStatement),
  );
}

interface Link {
  readonly id: string;
  readonly duid: string;
  readonly meter_point_id: string;
}

type Insert = (pool: Pool, values: Columns) => Promise<void>;

async function inOneStatement(pool: Pool, values: Columns): Promise<void> {
  const { rowCount } = await pool.query({ ...ONE_STATEMENT, values: [...values] });
  if (rowCount !== 1) throw new Error('the idempotency key is taken');
}

async function inTransaction(pool: Pool, values: Columns): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await insertRows(client, values);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function insertRows(client: PoolClient, values: Columns): Promise<void> {
  const [accountId] = values;
  const [id, keyHash, encryptedKey, duid, identityId, ref, meterPointId, legalBasis, registeredAt, expiry, document] =
    values.slice(5);
  const { rowCount } = await client.query({ ...CLAIM, values: values.slice(0, 5) });
  if (rowCount !== 1) throw new Error('the idempotency key is taken');
  await client.query({
    ...RECORD,
    values: [
      id,
      keyHash,
      encryptedKey,
      duid,
      identityId,
      ref,
      meterPointId,
      legalBasis,
      registeredAt,
      expiry,
      document,
    ],
  });
  await client.query({ ...VERSION, values: [id, accountId, legalBasis, registeredAt, expiry, document] });
  await client.query({ ...TRANSITION, values: [id, accountId] });
}

/** Hashes and encrypts the same values as the product. */
function columns({ accessHashKey, accessEncryptionKey }: Keys) {
  const hashOfKey = keyedHash(accessHashKey, 'access-key');
  const hashOfIdempotencyKey = keyedHash(accessHashKey, 'idempotency-key');
  const hashOfBody = keyedHash(accessHashKey, 'idempotency-body');
  const operation = 'registerAccessRecord';
  return (
    accountId: string,
    link: Link,
    token: { key: string; expiry: string | null },
    { body, headers }: FastifyRequest<{ Body: RegistrationBody }>,
  ): Columns => {
    const id = randomUUID();
    const idempotencyHash = hashOfIdempotencyKey(String(headers['idempotency-key']));
    const response = encryptValue(
      accessEncryptionKey,
      JSON.stringify(token),
      `${accountId} ${operation} ${idempotencyHash.toString('hex')}`,
    );
    const document = documentOf(body);
    return [
      ...[accountId, operation, idempotencyHash, hashOfBody(JSON.stringify(body)), response],
      ...[id, hashOfKey(token.key), encryptValue(accessEncryptionKey, token.key, id), link.duid, link.id],
      ...[body['record-metadata']['identity-record-ref'], link.meter_point_id, body.processing['legal-basis']],
      ...[new Date(body['access-event']['registered-at']), token.expiry && new Date(token.expiry), document],
    ] as unknown as Columns;
  };
}
