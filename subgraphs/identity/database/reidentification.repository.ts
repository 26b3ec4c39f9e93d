import { randomUUID } from 'node:crypto';
import { newIdentifier } from '../../../schema/identifiers';
import type { Database } from '../../server/database';
import { CLAIM_IDEMPOTENCY_KEY, type IdempotentRequest } from '../../server/idempotency';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { type Forget, passedRows } from '../../server/retention';
import { seal } from '../../server/sealed';
import type { NamedStatement } from '../../server/short-reads';
import type { Session } from '../../server/transaction';
import {
  type Reidentification,
  type ReidentificationScope,
  PARTICIPATION_HOURS,
  TOKEN_SECONDS,
  reidentificationState,
  secondsAfter,
} from '../domain/reidentification';
import { currentContacts, isContested, isRejected } from '../domain/contacts';
import type { OccupantRecord } from '../domain/occupant-record';
import type { ReidentificationMethod } from '../domain/reidentification-methods';
import { returnAddress } from '../domain/return-address';
import type { IdentityKeys } from '../foundation';
import type { BlindIndexes } from './blind-index';
import type { OccupancyRepository } from './occupancy.repository';

/** Who starts a re-identification, of which record, how. */
export interface ReidentificationStart {
  readonly duid: string;
  readonly accountId: string;
  readonly scope: ReidentificationScope;
  readonly method: ReidentificationMethod;
  readonly recordId: string;
  /** Registered for the initiator; null when the customer ends on the register's own page. */
  readonly returnUrl: string | null;
  /** What the return URL carries back to the initiator. */
  readonly state: string | null;
}

/** A re-identification that can be stored: its token-ref is known before it is, so that the answer can be kept with it. */
export interface IssuedReidentification extends ReidentificationStart {
  readonly id: string;
  readonly tokenRef: string;
  readonly issuedAt: Date;
  /** Expiry of the token, one hour after issuance. */
  readonly expiresAt: Date;
}

/** Issues a token-ref; nothing is stored yet. */
export function issueReidentification(start: ReidentificationStart, issuedAt: Date): IssuedReidentification {
  return {
    ...start,
    id: randomUUID(),
    tokenRef: newIdentifier('mlr'),
    issuedAt,
    expiresAt: secondsAfter(issuedAt, TOKEN_SECONDS),
  };
}

/** What a stored return address is bound to. */
export function boundReturnAddress(reidentificationId: string): string {
  return `return address ${reidentificationId}`;
}

type ReidentificationRow = Omit<Reidentification, 'state'> & { readonly now: Date };

const BY_TOKEN: NamedStatement = {
  name: 'reidentification_by_token',
  text: `select i.id, i.duid, i.scope, i.method, i.record_id as "recordId", r.meter_point_id as "meterPointId",
      r.anonymised_at is not null as anonymised, r.closing_at is not null as closing, i.open_until as "openUntil",
      i.expires_at as "expiresAt", i.confirmed_at as "confirmedAt", register_now() as now
    from reidentification i join identity_record r on r.id = i.record_id where i.token_hash = $1`,
};
const INSERT = `
  insert into reidentification
    (id, token_hash, duid, account_id, scope, method, record_id, return_address, issued_at, open_until, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;
const KEEP_OPEN = 'update reidentification set open_until = greatest(open_until, $2) where id = $1';
const CONFIRM = `
  update reidentification set confirmed_at = register_now()
  where id = $1 and confirmed_at is null and expires_at > register_now()`;
const CLAIM = `with ${CLAIM_IDEMPOTENCY_KEY} select $3::bytea is null or exists (select from claim) as "isFirst"`;
/** The kept answer goes with the record of which it tells. */
const TIE = `
  update idempotency_key set record_id = $4 where account_id = $1 and operation = $2 and key_hash = $3`;

/**
 * Records by which a customer took part in a re-identification that a Data User initiated: a link pressed, a passkey asserted. A Data User
 * that vouches for the customer of a new passkey proves nothing.
 */
const TOOK_PART: NamedStatement = {
  name: 'customers_who_took_part',
  text: `select i.record_id as "recordId" from reidentification i join identity_record r on r.id = i.record_id
    where r.mpxn_index = $1 and i.duid = $2 and i.confirmed_at > register_now() - interval '${PARTICIPATION_HOURS} hours'
      and not exists (select from ceremony c where c.reidentification_id = i.id and c.vouched)`,
};

const PASSED = `reidentification where expires_at < register_now() - interval '30 days'`;

/** Re-identifications, found by the keyed hash of their token-ref. */
export class ReidentificationRepository {
  /** Forgets what expired 30 days ago, with its ceremonies. */
  readonly forget: Forget;
  private readonly hash: KeyedHash;

  constructor(
    private readonly database: Database,
    private readonly occupants: OccupancyRepository,
    private readonly indexes: Pick<BlindIndexes, 'mpxn'>,
    private readonly keys: IdentityKeys,
  ) {
    this.forget = passedRows(database.pool, 'reidentification', PASSED);
    this.hash = keyedHash(keys.hashKey, 'token-ref');
  }

  /**
   * The re-identification of a token-ref; undefined when there is none. Once a Change of Tenancy has ended the occupancy of its record
   * it has expired: the former occupant confirms nothing any more. So has one by meter point while contacts there stand against each
   * other, and one whose customer has no contact that was not rejected.
   */
  async byToken(tokenRef: string): Promise<Reidentification | undefined> {
    const [row] = await this.database.reads.rows<ReidentificationRow>(BY_TOKEN, [this.hash(tokenRef)]);
    if (!row) return undefined;
    const { now, ...facts } = row;
    const occupant = await this.occupants.byId(facts.recordId);
    const isOver = occupant !== undefined && (await this.isOver(occupant, facts));
    return { ...facts, state: isOver ? 'expired' : reidentificationState(facts, now) };
  }

  private async isOver(occupant: OccupantRecord, { scope }: Pick<Reidentification, 'scope'>): Promise<boolean> {
    if (occupant.occupancy === 'ended' || isRejected(occupant)) return true;
    return scope === 'cross' && isContested(currentContacts(await this.occupants.verifiedAt(occupant.mpxn)).groups);
  }

  /** Keeps the answer to a request, tied to the record of which it tells; false when the same request was answered before. */
  async claim(session: Session, request: IdempotentRequest, answer: unknown, recordId: string): Promise<boolean> {
    const claim = request.claim(answer);
    const { rows } = await session.query<{ isFirst: boolean }>(CLAIM, [...claim]);
    const isFirst = rows[0]?.isFirst === true;
    const [accountId, operation, keyHash] = claim;
    if (isFirst && keyHash !== null) await session.query(TIE, [accountId, operation, keyHash, recordId]);
    return isFirst;
  }

  /** Stores a re-identification that the customer can confirm until an instant. */
  async insert(session: Session, issued: IssuedReidentification, openUntil: Date): Promise<void> {
    const { id, tokenRef, duid, accountId, scope, method, recordId, returnUrl, state, issuedAt, expiresAt } = issued;
    const address =
      returnUrl === null
        ? null
        : seal(this.keys.encryptionKey, returnAddress(returnUrl, method, tokenRef, state), boundReturnAddress(id));
    const values = [id, this.hash(tokenRef), duid, accountId, scope, method, recordId, address];
    await session.query(INSERT, [...values, issuedAt, openUntil, expiresAt]);
  }

  /** The customer can confirm until this instant at least. */
  async keepOpen(session: Session, id: string, until: Date): Promise<void> {
    await session.query(KEEP_OPEN, [id, until]);
  }

  /** Confirms, once and within the hour; false when it is too late or was done before. */
  async confirm(session: Session, id: string): Promise<boolean> {
    return (await session.query(CONFIRM, [id])).rowCount === 1;
  }

  /**
   * Returns whether the customer of the current occupancy of a meter point has taken part in a re-identification that the Data User
   * initiated, within the last 24 hours (decisions A/B, section 8).
   */
  async hasTakenPart(mpxn: string, duid: string): Promise<boolean> {
    const rows = await this.database.reads.rows<{ recordId: string }>(TOOK_PART, [this.indexes.mpxn(mpxn), duid]);
    if (rows.length === 0) return false;
    const confirmed = new Set(rows.map(({ recordId }) => recordId));
    const records = await this.occupants.recordsAt(mpxn);
    return records.some(({ id, occupancy }) => confirmed.has(id) && occupancy === 'current');
  }
}
