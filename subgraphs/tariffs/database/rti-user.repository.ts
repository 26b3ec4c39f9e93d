import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { RegisterError } from '../../../schema/register-error';
import { type Session, inTransaction } from '../../server/transaction';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import type { RtiContact, RtiUserInput } from '../domain/rti-user';
import type { ContactVault } from './contact-vault';
import { type EntryKind, setEntryStatus } from './entry-status';
import { RTI_USER_COLUMNS, type StoredRtiUser } from './rti-user-lists';

const KIND: EntryKind = { table: 'rti_user', key: 'user_id', unknown: 'NTF004' };

const SAVE = `
  insert into rti_user as kept (user_id, name, display_name, support, webhook_url, contact_sealed)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (user_id) do update
    set (name, display_name, support, webhook_url, contact_sealed, last_modified) =
      (excluded.name, excluded.display_name, excluded.support, excluded.webhook_url, excluded.contact_sealed, register_now())
    where kept.status <> 'removed'
  returning ${RTI_USER_COLUMNS}, xmax = 0 as "isNew"`;

const KEPT = `select ${RTI_USER_COLUMNS} from rti_user where user_id = $1 for update`;

/** Nobody turns to an RTI User that was removed. */
const FORGET_CONTACT = `update rti_user set contact_sealed = null where user_id = $1`;

/** Entries of RTI Users, as admins write them (3-decisions-c-d.md, D.1). */
export class RtiUserRepository {
  constructor(
    private readonly pool: Pool,
    private readonly contacts: ContactVault,
  ) {}

  /**
   * Makes or corrects an entry, CNF001 when it was removed. Without an identifier a new one is made. What is equal leaves the entry as it
   * is, also its `last_modified`.
   */
  save(input: RtiUserInput): Promise<{ readonly rtiUser: StoredRtiUser; readonly isNew: boolean }> {
    const userId = input.userId ?? `usr_${randomBytes(16).toString('hex')}`;
    return inTransaction(this.pool, async (session) => {
      const kept = (await session.query<StoredRtiUser>(KEPT, [userId])).rows[0];
      if (kept && kept.status !== 'removed' && this.isEqual(kept, input)) return { rtiUser: kept, isNew: false };
      return this.write(session, userId, input);
    });
  }

  private async write(session: Session, userId: string, input: RtiUserInput) {
    const { name, displayName, support, webhookUrl = null, contact = null } = input;
    const sealed = contact && this.contacts.seal(userId, contact);
    const { rows } = await session.query<StoredRtiUser & { isNew: boolean }>(SAVE, [
      ...[userId, name, displayName, support, webhookUrl, sealed],
    ]);
    const [row] = rows;
    if (row === undefined) throw new RegisterError('CNF001', 'The RTI User was removed');
    const { isNew, ...rtiUser } = row;
    return { rtiUser, isNew };
  }

  /** Sealed anew, the same contact is another text. */
  private isEqual(kept: StoredRtiUser, input: RtiUserInput): boolean {
    const { name, displayName, support, webhookUrl = null, contact = null } = input;
    const said = [name, displayName, support, webhookUrl];
    const isSame = [kept.name, kept.displayName, kept.support, kept.webhookUrl].every((each, at) => each === said[at]);
    const known = kept.contactSealed && this.contacts.open(kept.userId, kept.contactSealed);
    return isSame && textOf(known) === textOf(contact);
  }

  /**
   * Sets the status of an entry; NTF004 when there is none, CNF001 where its status does not lead there. With a removal its contact is
   * forgotten.
   */
  setStatus(userId: string, status: RegisterEntryStatus, accountId: string): Promise<void> {
    return inTransaction(this.pool, async (session) => {
      await setEntryStatus(session, KIND, userId, status, accountId);
      if (status === 'removed') await session.query(FORGET_CONTACT, [userId]);
    });
  }
}

/** What was not said is null. */
function textOf(contact: RtiContact | null): string {
  return JSON.stringify(contact && [contact.name ?? null, contact.email ?? null, contact.telephone ?? null]);
}
