import { randomUUID } from 'node:crypto';
import type { Database } from '../../server/database';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { unseal } from '../../server/sealed';
import type { Session } from '../../server/transaction';
import type { CeremonyStart, ChallengeKind } from '../domain/ceremony';
import type { Contact } from '../domain/contacts';
import type { IdentityKeys } from '../foundation';
import { boundReturnAddress } from './reidentification.repository';

/** A ceremony that its secret opens. */
export interface OpenCeremony extends CeremonyStart {
  readonly id: string;
  readonly parentId: string | null;
  readonly reidentificationId: string;
  readonly recordId: string;
  /** By meter point no passkey is named to the browser: the initiator, who has the redirect, would learn credential ids. */
  readonly isDiscovered: boolean;
  /** The initiating Data User. */
  readonly duid: string;
  readonly expiresAt: Date;
  /** Expiry of the token: no later step lives longer. */
  readonly tokenExpiresAt: Date;
  /** Where the customer returns to, with the token-ref; null for the register's own page. */
  readonly returnUrl: string | null;
  /** The contact that the customer has proved before a passkey is added; null for none. */
  readonly provenBy: Contact | null;
}

/** A challenge taken out to be answered: it is gone from the database. */
export interface TakenChallenge {
  readonly kind: ChallengeKind;
  readonly challenge: string;
}

/** A ceremony to be stored. */
export interface NewCeremony extends CeremonyStart {
  readonly reidentificationId: string;
  /** The ceremony that a proof is for. */
  readonly parentId?: string;
  readonly secret: string;
  readonly expiresAt: Date;
  readonly provenBy?: Contact | null;
}

const INSERT = `
  insert into ceremony (id, secret_hash, reidentification_id, parent_id, kind, proofs, vouched, expires_at, proven_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'hex'))`;
const OPEN = `
  select c.id, c.parent_id as "parentId", c.kind, c.proofs, c.vouched, c.expires_at as "expiresAt",
    i.id as "reidentificationId", i.record_id as "recordId", i.scope = 'cross' as "isDiscovered", i.duid,
    i.expires_at as "tokenExpiresAt", i.return_address as "returnAddress",
    encode(c.proven_by, 'hex') as "provenBy"
  from ceremony c join reidentification i on i.id = c.reidentification_id left join ceremony parent on parent.id = c.parent_id
  where c.secret_hash = $1 and c.used_at is null and parent.used_at is null and i.confirmed_at is null
    and c.expires_at > register_now() and i.expires_at > register_now()`;
const USE = `
  update ceremony set used_at = register_now(), challenge = null, challenge_kind = null
  where id = $1 and used_at is null and expires_at > register_now()`;
const USE_PARENT = `
  update ceremony set used_at = register_now(), challenge = null, challenge_kind = null where id = $1 and used_at is null`;
const KEEP_CHALLENGE = `
  update ceremony set challenge = $2, challenge_kind = $3 where id = $1 and used_at is null and expires_at > register_now()`;
const TAKE_CHALLENGE = `
  with held as (
    select id, challenge, challenge_kind from ceremony
    where id = $1 and used_at is null and challenge is not null and expires_at > register_now() for update
  )
  update ceremony c set challenge = null, challenge_kind = null from held where c.id = held.id
  returning held.challenge, held.challenge_kind as kind`;

type CeremonyRow = Omit<OpenCeremony, 'returnUrl'> & { readonly returnAddress: Buffer | null };

/** Ceremonies: entered by a secret that is stored as a keyed hash, used once. */
export class CeremonyRepository {
  private readonly hash: KeyedHash;

  constructor(
    private readonly database: Database,
    private readonly keys: IdentityKeys,
  ) {
    this.hash = keyedHash(keys.hashKey, 'ceremony');
  }

  /** The ceremony of a secret that is neither used nor expired; undefined otherwise, without distinction. */
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

  /** Uses a ceremony up, and the one that it proves something for: of two at once one wins; false for the other. */
  async use(session: Session, { id, parentId }: Pick<OpenCeremony, 'id' | 'parentId'>): Promise<boolean> {
    if (parentId !== null && (await session.query(USE_PARENT, [parentId])).rowCount !== 1) return false;
    return (await session.query(USE, [id])).rowCount === 1;
  }

  /** Keeps a challenge in the place of any earlier one; false when the ceremony is over. */
  async keepChallenge(id: string, { kind, challenge }: TakenChallenge): Promise<boolean> {
    return (await this.database.pool.query(KEEP_CHALLENGE, [id, challenge, kind])).rowCount === 1;
  }

  /** Takes the challenge out: whatever is answered to it, it is not answered again. */
  async takeChallenge(id: string): Promise<TakenChallenge | undefined> {
    return (await this.database.pool.query<TakenChallenge>(TAKE_CHALLENGE, [id])).rows[0];
  }

  private opened(reidentificationId: string, sealed: Buffer): string {
    return unseal(this.keys.encryptionKey, sealed, boundReturnAddress(reidentificationId)).toString('utf8');
  }
}
