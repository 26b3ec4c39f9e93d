import type { Database } from '../../server/database';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { type Forget, passedRows } from '../../server/retention';
import type { Session } from '../../server/transaction';
import type { Contact } from '../domain/contacts';
import type { IdentityKeys } from '../foundation';
import { newSecret } from './secrets';

const ADD = `
  insert into contact_link (secret_hash, session_id, contact) values ($1, $2, decode($3, 'hex')) returning expires_at as "expiresAt"`;

/** A link is good in the session that asked for it, and nowhere else. */
const OPEN = 'secret_hash = $1 and session_id = $2 and used_at is null and expires_at > register_now()';
const READ = { name: 'contact_link', text: `select expires_at as "expiresAt" from contact_link where ${OPEN}` };
const USE = `update contact_link set used_at = register_now() where ${OPEN} returning encode(contact, 'hex') as contact`;
const PASSED = 'contact_link where expires_at <= register_now()';

/** Mailed links by which a customer proves a second contact in the session that the first one began, by keyed hashes of their secrets. */
export class ContactLinkRepository {
  /** Deletes links that have expired. */
  readonly forgetExpired: Forget;
  private readonly hash: KeyedHash;

  constructor(
    private readonly database: Database,
    { hashKey }: Pick<IdentityKeys, 'hashKey'>,
  ) {
    this.hash = keyedHash(hashKey, 'contact-link');
    this.forgetExpired = passedRows(database.pool, 'contact_link', PASSED);
  }

  /** Makes a link for a session and a contact; only the mail carries its secret. */
  async add(session: Session, sessionId: string, contact: Contact): Promise<{ secret: string; expiresAt: Date }> {
    const secret = newSecret();
    const { rows } = await session.query<{ expiresAt: Date }>(ADD, [this.hash(secret), sessionId, contact]);
    return { secret, expiresAt: rows[0]?.expiresAt as Date };
  }

  /** Until when a link is good in a session; undefined when it is not. */
  async read(secret: string, sessionId: string): Promise<{ readonly expiresAt: Date } | undefined> {
    const [row] = await this.database.reads.rows<{ expiresAt: Date }>(READ, [this.hash(secret), sessionId]);
    return row;
  }

  /** Uses a link up: the contact that it proves; undefined when it cannot be used in this session. */
  async use(session: Session, secret: string, sessionId: string): Promise<Contact | undefined> {
    return (await session.query<{ contact: Contact }>(USE, [this.hash(secret), sessionId])).rows[0]?.contact;
  }
}
