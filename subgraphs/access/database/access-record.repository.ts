import { randomUUID } from 'node:crypto';
import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import type { Database } from '../../server/database';
import { CLAIM_IDEMPOTENCY_KEY, type IdempotentRequest } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import { seal, unseal } from '../../server/sealed';
import {
  type AccessRecordInput,
  LEGAL_BASES,
  type RevocationReason,
  documentOf,
  mayFollow,
} from '../domain/access-record';
import { isLinkToClosed } from './closed-link';
import { type RedeemedToken, isSpentToken, unusableToken } from './consumed-token';
import { isActive } from './record-state';
import { ACCESS_RECORD_COLUMNS, type AccessRecordRow, StoredAccessRecord } from './stored-access-record';

/** What `identity` vouches for when a record is registered. */
export interface IdentityLink {
  readonly id: string;
  readonly meterPointId: string;
  /** The reference as the owner gave it; null in the cross-DUID flow, whose caller must not learn it. */
  readonly ref: string | null;
  /** In the cross-DUID flow: the token that the registration redeems. */
  readonly token?: RedeemedToken;
}

/** Who changes a record. */
export interface Actor {
  readonly accountId: string;
  readonly duid: string;
}

/** Through which interface a record is registered: B marks it for ever. */
export type RegisteringInterface = 'A' | 'B';

/** What a registration is answered with: the access token for Data Providers. */
export interface AccessToken {
  readonly key: string;
  readonly expiry: Date | null;
}

const BY_KEY = {
  name: 'access_record_by_key',
  text: `select key_hash, ${ACCESS_RECORD_COLUMNS} from access_record where key_hash = any($1::bytea[])`,
};

const BY_ID = {
  name: 'access_record_by_id',
  text: `select ${ACCESS_RECORD_COLUMNS} from access_record where id = any($1::uuid[])`,
};

/** What a version of a consent tells beside the rest: the Identity Record that it rests on. */
const RESTS_ON: Readonly<Record<RegisteringInterface, string>> = { A: '', B: ', identity_record_id' };

const registration = (
  redemption: string,
  through: RegisteringInterface = 'A',
): string => `with ${CLAIM_IDEMPOTENCY_KEY},${redemption}
    record as (
      insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state,
        legal_basis, registered_at, expiry, document${through === 'B' ? ', is_legacy' : ''})
      select $6, $7, $8, $9, $10, $11, $12, case when $15::timestamptz <= register_now() then 'EXPIRED' else 'ACTIVE' end,
        $13, $14, $15, $16${through === 'B' ? ', true' : ''}
      where $3::bytea is null or exists (select from claim)
      returning *),
    version as (
      insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document${RESTS_ON[through]})
      select id, version, $1, legal_basis, registered_at, expiry, document${RESTS_ON[through]} from record),
    transition as (
      insert into access_record_transition (record_id, number, to_state, cause, account_id)
      select id, 1, state, 'registered', $1 from record)
    select id from record`;

const REGISTER = { name: 'register_access_record', text: registration('') };

const REGISTER_LEGACY = { name: 'register_legacy_consent', text: registration('', 'B') };

/** Redeems the token where the idempotency key is new; a token that is not good any more takes everything back with it. */
const REGISTER_WITH_TOKEN = {
  name: 'register_access_record_with_token',
  text: registration(`
    redemption as (
      insert into consumed_token (token_hash, expires_at)
      select $17::bytea, $18::timestamptz where $3::bytea is null or exists (select from claim)),`),
};

/** Conditions under which a change is made; the database is the arbiter between callers at once. */
const CHANGEABLE = `key_hash = $1 and duid = $2 and ${isActive()}
  and ($4::int[] is null or version = any($4))`;

/** Number of the next transition of `record`. */
export const NEXT_NUMBER = '(select max(number) + 1 from access_record_transition where record_id = record.id)';

const REPLACE = {
  name: 'replace_access_record',
  text: `with record as (
      update access_record set version = version + 1, legal_basis = $5, registered_at = $6, expiry = $7, document = $8,
        state = case when $7::timestamptz <= register_now() then 'EXPIRED' else state end
      where ${CHANGEABLE} and legal_basis = any($9::text[]) returning *),
    version as (
      insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
      select id, version, $3, legal_basis, registered_at, expiry, document from record),
    transition as (
      insert into access_record_transition (record_id, number, from_state, to_state, cause, account_id)
      select id, ${NEXT_NUMBER}, 'ACTIVE', state, 'replaced', $3 from record where state <> 'ACTIVE')
    select version, expiry from record`,
};

const REVOKE = {
  name: 'revoke_access_record',
  text: `with record as (
      update access_record set state = 'REVOKED', revoked_at = register_now() where ${CHANGEABLE} returning *),
    transition as (
      insert into access_record_transition (record_id, number, from_state, to_state, cause, reason, account_id)
      select id, ${NEXT_NUMBER}, 'ACTIVE', 'REVOKED', 'revoked', $5, $3 from record)
    select revoked_at from record`,
};

/** Access records in the database: found by the keyed hash of their key, changed by one conditional statement each. */
export class AccessRecordRepository {
  private readonly byKeyHash: (hash: Buffer) => Promise<AccessRecordRow | undefined>;
  private readonly rowById: (id: string) => Promise<AccessRecordRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly hashOfKey: KeyedHash,
    private readonly sealingKey: Buffer,
  ) {
    const hex = (hash: Buffer) => hash.toString('hex');
    type FoundRow = AccessRecordRow & { readonly key_hash: Buffer };
    this.byKeyHash = database.reads.byKey(BY_KEY, (row: FoundRow) => hex(row.key_hash), hex);
    this.rowById = database.reads.byKey(BY_ID, (row: AccessRecordRow) => row.id, String);
  }

  /** The record of an access key, read after the call: the hot path. */
  async byKey(key: string): Promise<StoredAccessRecord | null> {
    const row = await this.byKeyHash(this.hashOfKey(key));
    return row ? new StoredAccessRecord(row, key) : null;
  }

  /** The record of an internal id. */
  async byId(id: string): Promise<StoredAccessRecord | null> {
    const row = await this.rowById(id);
    return row ? new StoredAccessRecord(row) : null;
  }

  /** The access key of a record, for its owner. */
  keyOf(record: StoredAccessRecord): string {
    const { key_sealed, id } = record.row;
    return (record.openedKey ??= unseal(this.sealingKey, key_sealed, id).toString('utf8'));
  }

  /**
   * Registers a record with its first version and transition, and redeems the token that links it, if there is one. Undefined when the
   * idempotency key was used before; VAL009 when the token was, or its hour has passed.
   */
  async register(
    actor: Actor,
    input: AccessRecordInput,
    link: IdentityLink,
    idempotent: IdempotentRequest,
    through: RegisteringInterface = 'A',
  ): Promise<AccessToken | undefined> {
    const id = randomUUID();
    const key = newIdentifier('ak');
    const token = { key, expiry: input.accessEvent.expiry ?? null };
    const statement = {
      ...statementOf(link, through),
      values: [
        ...idempotent.claim(token),
        id,
        this.hashOfKey(key),
        seal(this.sealingKey, key, id),
        actor.duid,
        link.id,
        link.ref,
        link.meterPointId,
        input.processing.legalBasis,
        input.accessEvent.registeredAt,
        token.expiry,
        documentOf(input),
        ...(link.token ? [link.token.hash, link.token.expiresAt] : []),
      ],
    };
    const { rowCount } = await this.database.pool.query(statement).catch(refuseRegistration);
    return rowCount === 1 ? token : undefined;
  }

  /** The answer of an earlier registration with this idempotency key, if there was one. */
  async recallKept(idempotent: IdempotentRequest): Promise<AccessToken | undefined> {
    const kept = await idempotent.recallKept<KeptToken>(this.database.reads);
    return kept && tokenOf(kept);
  }

  /** The answer of the registration that claimed the idempotency key first. */
  async recall(idempotent: IdempotentRequest): Promise<AccessToken> {
    return tokenOf(await idempotent.recall<KeptToken>(this.database.pool));
  }

  /** Replaces the content of an ACTIVE record; undefined when it was not (or no longer) changeable in this way, CNF003 when its expiry let its Identity Record be closed. */
  async replace(actor: Actor, key: string, input: AccessRecordInput, ifVersions: number[] | null) {
    const { accessEvent, processing } = input;
    const values = [
      ...this.target(actor, key, ifVersions),
      processing.legalBasis,
      accessEvent.registeredAt,
      accessEvent.expiry ?? null,
      documentOf(input),
      LEGAL_BASES.filter((former) => mayFollow(former, processing.legalBasis)),
    ];
    const { rows } = await this.database.pool
      .query<{ version: number; expiry: Date | null }>({ ...REPLACE, values })
      .catch(refuseOfClosed);
    return rows[0];
  }

  /** Revokes an ACTIVE record; undefined when it was not (or no longer) changeable. */
  async revoke(
    actor: Actor,
    key: string,
    reason: RevocationReason | null,
    ifVersions: number[] | null,
  ): Promise<Date | undefined> {
    const { rows } = await this.database.pool.query<{ revoked_at: Date }>({
      ...REVOKE,
      values: [...this.target(actor, key, ifVersions), reason],
    });
    return rows[0]?.revoked_at;
  }

  private target(actor: Actor, key: string, ifVersions: number[] | null): unknown[] {
    return [this.hashOfKey(key), actor.duid, actor.accountId, ifVersions];
  }
}

function statementOf({ token }: IdentityLink, through: RegisteringInterface) {
  if (through === 'B') return REGISTER_LEGACY;
  return token ? REGISTER_WITH_TOKEN : REGISTER;
}

/** What refused the statement at the last instant; nothing of it was done. */
function refuseRegistration(error: unknown): never {
  if (isSpentToken(error)) throw unusableToken();
  return refuseOfClosed(error);
}

/** CNF003 for what the database refused because an Identity Record is closed; every other failure as it is. */
export function refuseOfClosed(error: unknown): never {
  throw isLinkToClosed(error) ? new RegisterError('CNF003') : error;
}

/** A token as it is kept, in JSON. */
interface KeptToken {
  readonly key: string;
  readonly expiry: string | null;
}

function tokenOf({ key, expiry }: KeptToken): AccessToken {
  return { key, expiry: expiry === null ? null : new Date(expiry) };
}
