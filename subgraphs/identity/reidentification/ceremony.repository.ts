import { randomUUID } from 'node:crypto';
import { hasStarted, isInTime } from '../../server/database/register-clock';
import type { Database } from '../../server/database/database';
import type { Session } from '../../server/database/transaction';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { decryptValue } from '../../server/encryption';
import type { Contact } from '../contacts/contact';
import type { IdentityKeys } from '../keys';
import type { CeremonyStart, ChallengeKind } from './ceremony';
import { LINK_SECONDS, type ReidentificationScope } from './reidentification';
import { boundReturnAddress } from './reidentification.repository';

/** A ceremony with a valid secret. */
export interface OpenCeremony extends CeremonyStart {
  readonly id: string;
  readonly parentId: string | null;
  readonly reidentificationId: string;
  readonly recordId: string;
  readonly scope: ReidentificationScope;
  /** The initiating Data User. */
  readonly duid: string;
  /** Series of the bearer token that initiated it; empty before the first revocation, null if the previous release stored it. */
  readonly tokenSeries: string | null;
  readonly expiresAt: Date;
  /** Expiry of the token; no later step expires after it. */
  readonly tokenExpiresAt: Date;
  /** Return URL with the token-ref; null for the register's own page. */
  readonly returnUrl: string | null;
  /** The contact that the customer proved in this ceremony, or before a passkey is added; null for none. */
  readonly provenBy: Contact | null;
}

/** A challenge that was taken for verification; the database no longer stores it. */
interface TakenChallenge {
  readonly kind: ChallengeKind;
  readonly challenge: string;
}

/** A ceremony to be stored. */
interface NewCeremony extends CeremonyStart {
  readonly reidentificationId: string;
  /** The ceremony for which a proof is made. */
  readonly parentId?: string;
  readonly secret: string;
  readonly expiresAt: Date;
  readonly provenBy?: Contact | null;
}

const INSERT = `
  insert into ceremony (id, secret_hash, reidentification_id, parent_id, kind, proofs, vouched, expires_at, proven_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'hex'))`;
/** The lifetime of a mailed link; that of a redirect is shorter. */
const LIFETIME = `interval '${LINK_SECONDS} s'`;

const OPEN = `
  select c.id, c.parent_id as "parentId", c.kind, c.proofs, c.vouched, c.expires_at as "expiresAt",
    i.id as "reidentificationId", i.record_id as "recordId", i.scope, i.duid, i.token_series as "tokenSeries",
    i.expires_at as "tokenExpiresAt", i.return_address as "returnAddress",
    encode(c.proven_by, 'hex') as "provenBy"
  from ceremony c join reidentification i on i.id = c.reidentification_id left join ceremony parent on parent.id = c.parent_id
  where c.secret_hash = $1 and c.used_at is null and parent.used_at is null and i.confirmed_at is null
    and ${isInTime('c.expires_at', LIFETIME)} and i.expires_at > register_now() and ${hasStarted('i.issued_at')}`;
const USE = `
  update ceremony set used_at = register_now(), challenge = null, challenge_kind = null, proven_by = decode($2, 'hex')
  where id = $1 and used_at is null and ${isInTime('expires_at', LIFETIME)}`;
const USE_PARENT = `
  update ceremony set used_at = register_now(), challenge = null, challenge_kind = null where id = $1 and used_at is null`;
const IS_USED = `
  select from ceremony where secret_hash = $1 and used_at is not null and expires_at > register_now()`;
const STORE_CHALLENGE = `
  update ceremony set challenge = $2, challenge_kind = $3 where id = $1 and used_at is null and ${isInTime('expires_at', LIFETIME)}`;
const TAKE_CHALLENGE = `
  with taken as (
    select id, challenge, challenge_kind from ceremony
    where id = $1 and used_at is null and challenge = $2 and ${isInTime('expires_at', LIFETIME)} for update
  )
  update ceremony c set challenge = null, challenge_kind = null from taken where c.id = taken.id
  returning taken.challenge, taken.challenge_kind as kind`;

type CeremonyRow = Omit<OpenCeremony, 'returnUrl'> & { readonly returnAddress: Buffer | null };

/** Ceremonies, found by the keyed hash of a secret and used once. */
export class CeremonyRepository {
  private readonly hash: KeyedHash;

  constructor(
    private readonly database: Database,
    private readonly keys: IdentityKeys,
  ) {
    this.hash = keyedHash(keys.hashKey, 'ceremony');
  }

  /** Returns the ceremony of a secret; undefined if the secret is unknown, used or expired, without distinction. */
  async bySecret(secret: string): Promise<OpenCeremony | undefined> {
    const { rows } = await this.database.pool.query<CeremonyRow>(OPEN, [this.hash(secret)]);
    const [row] = rows;
    if (!row) return undefined;
    const { returnAddress, ...ceremony } = row;
    return { ...ceremony, returnUrl: returnAddress && this.opened(ceremony.reidentificationId, returnAddress) };
  }

  async insert(session: Session, ceremony: NewCeremony): Promise<void> {
    const { secret, reidentificationId, parentId = null, kind, proofs, vouched, expiresAt, provenBy = null } = ceremony;
    const ids = [randomUUID(), this.hash(secret), reidentificationId, parentId];
    const values = [...ids, kind, proofs, vouched, expiresAt, provenBy];
    await session.query(INSERT, values);
  }

  /** Uses a ceremony and, for a proof, its parent; stores what it proved. One of concurrent calls succeeds; returns false for the others. */
  async use(
    session: Session,
    { id, parentId, provenBy }: Pick<OpenCeremony, 'id' | 'parentId' | 'provenBy'>,
  ): Promise<boolean> {
    if (parentId !== null && (await session.query(USE_PARENT, [parentId])).rowCount !== 1) return false;
    return (await session.query(USE, [id, provenBy])).rowCount === 1;
  }

  /** Returns whether the ceremony of a secret was used and has not expired. */
  async isUsed(secret: string): Promise<boolean> {
    return (await this.database.pool.query(IS_USED, [this.hash(secret)])).rowCount === 1;
  }

  /** Stores a challenge in place of any earlier one; returns false if the ceremony is used or expired. */
  async storeChallenge(id: string, { kind, challenge }: TakenChallenge): Promise<boolean> {
    return (await this.database.pool.query(STORE_CHALLENGE, [id, challenge, kind])).rowCount === 1;
  }

  /**
   * Takes the challenge to which a response belongs, which can be used only once; undefined if the ceremony has another one or none. The
   * response to a challenge that another tab has replaced leaves the newer one.
   */
  async takeChallenge(id: string, challenge: string | undefined): Promise<TakenChallenge | undefined> {
    return (await this.database.pool.query<TakenChallenge>(TAKE_CHALLENGE, [id, challenge])).rows[0];
  }

  private opened(reidentificationId: string, sealed: Buffer): string {
    return decryptValue(this.keys.encryptionKey, sealed, boundReturnAddress(reidentificationId)).toString('utf8');
  }
}

const LOCK_LIVE = `
  select from identity_record where id = $1 and anonymised_at is null and closing_at is null for no key update`;

/**
 * Locks an Identity Record until the transaction ends, which blocks closing and enrolment. Returns false if it is closing or anonymised.
 */
export async function lockLiveRecord(session: Session, recordId: string): Promise<boolean> {
  return (await session.query(LOCK_LIVE, [recordId])).rowCount === 1;
}
