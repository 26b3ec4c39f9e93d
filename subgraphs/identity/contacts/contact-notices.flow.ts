import { registerTime } from '../../server/database/register-clock';
import { isChecking } from '../../server/database/check-only';
import { type Session, inTransaction } from '../../server/database/transaction';
import { contestsToday, countContact, meterPointOf, noteContest, proveContacts } from './contact.repository';
import { lockContests, lockMeterPoint } from '../locks.sql';
import { TODAY } from '../occupancy/tenancy-change.sql';
import { type TenancyContacts, contestants, currentContacts } from './contacts';
import { type NoticeReceiver, noticeReceiver } from '../mails/outgoing-mail';
import { groupedByAge } from '../occupancy/oldest-records';
import type { OccupantRecord } from '../occupancy/occupancy';
import type { IdentityDependencies } from '../dependencies';
import type { AddedRecord, AddedRecordNotes } from '../records/identity-record.repository';
import type { Contact, HeldContact } from './contact';

/** A passkey that was added to a record. */
interface AddedPasskey {
  readonly contact: Contact;
  /** The contact that was proven first; null if the Data User vouched. */
  readonly provenBy: Contact | null;
}

/** Effects of a new contact, in the transaction that adds it (decisions A/B, 11). */
export interface ContactNotes extends AddedRecordNotes {
  passkeyAdded(session: Session, occupant: OccupantRecord, added: AddedPasskey): Promise<void>;
  /** Records contests at a meter point that start without a new contact, such as on a day of moving in. */
  noteAt(session: Session, mpxnIndex: Buffer): Promise<void>;
  /** The job: the same for the meter point of a record. */
  noteOf(recordId: string): Promise<void>;
}

/** Name of the job that records contests on the day of moving in. */
export const NOTE_CONTESTS = 'note-contests';

/** Start of the day of moving in in Great Britain, if it is in the future. */
const MOVES_IN = `select $1::date::timestamp at time zone 'Europe/London' as at where $1::date > ${TODAY}`;

/** Counts, contests and mails over the tables of `identity`. */
export function contactNotes(dependencies: IdentityDependencies): ContactNotes {
  return new StoredContactNotes(dependencies);
}

class StoredContactNotes implements ContactNotes {
  constructor(private readonly dependencies: IdentityDependencies) {}

  async recordAdded(session: Session, added: AddedRecord): Promise<void> {
    const { recordId, duid, mpxnIndex, moveInDate, isVerified, hasEmail } = added;
    if (!isVerified) return;
    await this.planNote(session, recordId, moveInDate);
    if (!hasEmail) return;
    await countContact(session, duid, 'asserted');
    await this.noteAt(session, mpxnIndex);
  }

  async passkeyAdded(session: Session, occupant: OccupantRecord, { contact, provenBy }: AddedPasskey): Promise<void> {
    const { duid, mpxn, tenancy, isVerified } = occupant;
    if (!isVerified) return;
    const mpxnIndex = this.dependencies.indexes.mpxn(mpxn);
    await lockMeterPoint(session, mpxnIndex);
    if (provenBy !== null) await proveContacts(session, { mpxnIndex, tenancy }, provenBy, contact);
    await countContact(session, duid, 'asserted');
    await this.noteAt(session, mpxnIndex);
  }

  async noteOf(recordId: string): Promise<void> {
    await inTransaction(this.dependencies.database.pool, async (session) => {
      const mpxnIndex = await meterPointOf(session, recordId);
      if (mpxnIndex === undefined) return;
      await lockMeterPoint(session, mpxnIndex);
      await this.noteAt(session, mpxnIndex);
    });
  }

  async noteAt(session: Session, mpxnIndex: Buffer): Promise<void> {
    const current = currentContacts(await this.dependencies.occupants.verifiedAtIndex(mpxnIndex, session));
    const tenancy = current.records[0]?.tenancy ?? '';
    const byDuid = (one: HeldContact, other: HeldContact) => (one.duid < other.duid ? -1 : 1);
    for (const contestant of contestants(current, current.groups).toSorted(byDuid)) {
      if (await noteContest(session, { mpxnIndex, tenancy }, contestant))
        await this.notify(session, current, contestant);
    }
  }

  /** Counts a new contest, and mails a notice to every address among the contacts. */
  private async notify(session: Session, current: TenancyContacts, { duid }: HeldContact): Promise<void> {
    const { mails } = this.dependencies;
    await this.countContest(session, duid);
    const at = await registerTime(session);
    for (const receiver of addressed(current)) {
      await mails.enqueue(session, { kind: 'contest-notice', ...receiver, duid, at });
    }
  }

  /**
   * Counts a contest, and alerts the back office by one line a day. Up to the threshold a Data User's contests wait for each other, so that
   * one of them counts exactly the threshold.
   */
  private async countContest(session: Session, duid: string): Promise<void> {
    const { logger, limits } = this.dependencies;
    const isBelow = (await contestsToday(session, duid)) < limits.contestAlert;
    if (isBelow) await lockContests(session, duid);
    await countContact(session, duid, 'contest');
    const contests = await contestsToday(session, duid);
    if (isBelow && contests === limits.contestAlert && !isChecking())
      logger.warn({ dataUser: duid, contests }, 'Data User reached the alert threshold of contests');
  }

  /** Plans the job for a record with a future day of moving in, which contests nothing before that day. */
  private async planNote(session: Session, recordId: string, moveInDate: string): Promise<void> {
    const [movesIn] = (await session.query<{ at: Date }>(MOVES_IN, [moveInDate])).rows;
    const key = `${NOTE_CONTESTS} ${recordId}`;
    if (movesIn) await this.dependencies.jobs.add(session, NOTE_CONTESTS, { recordId }, { key, runAt: movesIn.at });
  }
}

/** Returns each e-mail address among the contacts. */
function addressed({ records }: TenancyContacts): readonly NoticeReceiver[] {
  const emails = records.flatMap(({ id, createdAt, isClosing, isClosed, contacts }) =>
    contacts
      .filter(({ kind }) => kind === 'email')
      .map(({ contact }) => ({ id, createdAt, isClosing, isClosed, contact })),
  );
  return groupedByAge(emails, ({ contact }) => contact).map(noticeReceiver);
}
