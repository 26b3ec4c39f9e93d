import { isInTime } from '../../server/database/register-clock';
import type { Database } from '../../server/database/database';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { type Purge, expiredRows, rowsAhead } from '../../server/retention';
import type { Session } from '../../server/database/transaction';
import { type IdentityKeys, newSecret } from '../keys';
import type { Contact } from './contact';

const ADD = `
  insert into contact_link (secret_hash, session_id, contact) values ($1, $2, decode($3, 'hex')) returning expires_at as "expiresAt"`;

/** The lifetime that the table gives a link, an SQL interval. */
const LIFETIME = `interval '10 minutes'`;

/** A link is valid only in the session that requested it. */
const OPEN = `secret_hash = $1 and session_id = $2 and used_at is null and ${isInTime('expires_at', LIFETIME)}`;
const READ = { name: 'contact_link', text: `select expires_at as "expiresAt" from contact_link where ${OPEN}` };
const USE = `update contact_link set used_at = register_now() where ${OPEN} returning encode(contact, 'hex') as contact`;
const EXPIRED = { table: 'contact_link', column: 'expires_at', through: 'register_now()' };

/** Mailed links by which a customer proves a second contact in the session of the first one, found by the keyed hash of their secret. */
export class ContactLinkRepository {
  /** Deletes expired links, and those that were added while the clock was ahead. */
  readonly purgeExpired: readonly Purge[];
  private readonly hash: KeyedHash;

  constructor(
    private readonly database: Database,
    { hashKey }: Pick<IdentityKeys, 'hashKey'>,
  ) {
    this.hash = keyedHash(hashKey, 'contact-link');
    this.purgeExpired = [
      expiredRows(database.pool, EXPIRED),
      rowsAhead(database.pool, { ...EXPIRED, lifetime: LIFETIME }),
    ];
  }

  /** Adds a link for a session and a contact. Only the mail contains its secret. */
  async add(session: Session, sessionId: string, contact: Contact): Promise<{ secret: string; expiresAt: Date }> {
    const secret = newSecret();
    const { rows } = await session.query<{ expiresAt: Date }>(ADD, [this.hash(secret), sessionId, contact]);
    return { secret, expiresAt: rows[0]?.expiresAt as Date };
  }

  /** Returns the expiry of a link; undefined if it is not valid in this session. */
  async read(secret: string, sessionId: string): Promise<{ readonly expiresAt: Date } | undefined> {
    const [row] = await this.database.reads.rows<{ expiresAt: Date }>(READ, [this.hash(secret), sessionId]);
    return row;
  }

  /** Uses a link and returns the contact that it proves; undefined if it is not valid in this session. */
  async use(session: Session, secret: string, sessionId: string): Promise<Contact | undefined> {
    return (await session.query<{ contact: Contact }>(USE, [this.hash(secret), sessionId])).rows[0]?.contact;
  }
}
