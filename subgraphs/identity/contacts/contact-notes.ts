import { type Session, inTransaction } from '../../server/transaction';
import {
  contestsToday,
  countContact,
  meterPointOf,
  noteContest,
  proveContacts,
  registerTime,
} from '../database/contact.repository';
import { lockMeterPoint } from '../database/meter-point-lock';
import { OccupancyRepository } from '../database/occupancy.repository';
import { TODAY } from '../database/tenancy-changes';
import { type Contact, type HeldContact, type TenancyContacts, contestants, currentContacts } from '../domain/contacts';
import type { OccupantRecord } from '../domain/occupant-record';
import type { Foundation } from '../foundation';

/** A record that a Data User has just added. */
export interface AddedContacts {
  readonly recordId: string;
  readonly duid: string;
  readonly mpxnIndex: Buffer;
  readonly moveInDate: string;
  readonly isVerified: boolean;
  readonly hasEmail: boolean;
}

/** A passkey that was just added to a record. */
export interface AddedPasskey {
  readonly contact: Contact;
  /** The contact that was proven before; null when the Data User has vouched. */
  readonly provenBy: Contact | null;
}

/** What follows from a new contact, in the transaction that adds it (2-decisions-a-b.md, section 11). */
export interface ContactNotes {
  /** The transaction holds the lock of the meter point. */
  recordAdded(session: Session, added: AddedContacts): Promise<void>;
  passkeyAdded(session: Session, occupant: OccupantRecord, added: AddedPasskey): Promise<void>;
  /** Notes contests that began without a new contact, such as on the day on which somebody moves in. */
  noteAt(session: Session, mpxnIndex: Buffer): Promise<void>;
  /** The same, of the meter point of a record: the job. */
  noteOf(recordId: string): Promise<void>;
}

/** Name of the job that looks for a contest when somebody has moved in. */
export const NOTE_CONTESTS = 'note-contests';

/** When the day of moving in begins in Great Britain, while it lies ahead. */
const MOVES_IN = `select $1::date::timestamp at time zone 'Europe/London' as at where $1::date > ${TODAY}`;

/** Counts, contests and mails over the tables of `identity`. */
export function contactNotes(foundation: Foundation): ContactNotes {
  return new StoredContactNotes(foundation);
}

class StoredContactNotes implements ContactNotes {
  private readonly occupancy: OccupancyRepository;

  constructor(private readonly foundation: Foundation) {
    this.occupancy = new OccupancyRepository(foundation.database, foundation.indexes, foundation.vault);
  }

  async recordAdded(session: Session, added: AddedContacts): Promise<void> {
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
    const mpxnIndex = this.foundation.indexes.mpxn(mpxn);
    await lockMeterPoint(session, mpxnIndex);
    if (provenBy !== null) await proveContacts(session, { mpxnIndex, tenancy }, provenBy, contact);
    await countContact(session, duid, 'asserted');
    await this.noteAt(session, mpxnIndex);
  }

  async noteOf(recordId: string): Promise<void> {
    await inTransaction(this.foundation.database.pool, async (session) => {
      const mpxnIndex = await meterPointOf(session, recordId);
      if (mpxnIndex === undefined) return;
      await lockMeterPoint(session, mpxnIndex);
      await this.noteAt(session, mpxnIndex);
    });
  }

  async noteAt(session: Session, mpxnIndex: Buffer): Promise<void> {
    const current = currentContacts(await this.occupancy.verifiedAtIndex(mpxnIndex, session));
    const tenancy = current.records[0]?.tenancy ?? '';
    for (const contestant of contestants(current, current.groups)) {
      if (await noteContest(session, { mpxnIndex, tenancy }, contestant)) await this.tell(session, current, contestant);
    }
  }

  /** Counts a new contest, alerts the back office, and tells every address among the contacts. */
  private async tell(session: Session, current: TenancyContacts, { duid }: HeldContact): Promise<void> {
    const { mails, limits, logger } = this.foundation;
    await countContact(session, duid, 'contest');
    const contests = await contestsToday(session, duid);
    if (contests === limits.contestAlert) logger.warn({ dataUser: duid, contests }, 'a Data User causes many contests');
    const at = await registerTime(session);
    for (const recordId of addressed(current)) {
      await mails.enqueue(session, { kind: 'contest-notice', recordId, duid, at });
    }
  }

  /** A record of who is yet to move in contests nothing before that day. */
  private async planNote(session: Session, recordId: string, moveInDate: string): Promise<void> {
    const [movesIn] = (await session.query<{ at: Date }>(MOVES_IN, [moveInDate])).rows;
    const key = `${NOTE_CONTESTS} ${recordId}`;
    if (movesIn) await this.foundation.jobs.add(session, NOTE_CONTESTS, { recordId }, { key, runAt: movesIn.at });
  }
}

/** One record for each address among the contacts. */
function addressed({ held }: TenancyContacts): readonly string[] {
  const emails = held.filter(({ kind }) => kind === 'email');
  return [...new Map(emails.map(({ contact, recordId }) => [contact, recordId])).values()];
}
