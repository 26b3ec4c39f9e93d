import { dayInWords } from './dates';
import type { CustomerContact } from './register-answers';
import type { Language } from '../request/languages';

/** A contact as its page shows it, and what can be done about it there. */
export interface ShownContact extends Omit<CustomerContact, 'dataUsers'> {
  readonly day: string;
  readonly organisations: readonly { readonly displayName: string; readonly contactUrl: string }[];
  /** Whether a link may be mailed to it, which proves that it is the customer's, too. */
  readonly canBeMailed: boolean;
  readonly canBeConfirmed: boolean;
  readonly canBeRejected: boolean;
}

/** The contacts of a home. A customer whom the supplier proved confirms or rejects them; any other customer proves those that are not theirs yet. */
export function shownContacts(
  contacts: readonly CustomerContact[],
  mayJudge: boolean,
  language: Language,
): ShownContact[] {
  return contacts.map(({ dataUsers, ...contact }) => ({
    ...contact,
    day: dayInWords(contact.since, language),
    organisations: dataUsers.flatMap((dataUser) => dataUser ?? []),
    canBeMailed: !mayJudge && contact.kind === 'EMAIL' && contact.standing !== 'OWN',
    canBeConfirmed: mayJudge && contact.standing !== 'CONFIRMED',
    canBeRejected: mayJudge && contact.standing !== 'REJECTED',
  }));
}

/** Whether a passkey of the home stands apart from the customer's own contacts. */
export function hasOtherPasskey(contacts: readonly CustomerContact[], mayJudge: boolean): boolean {
  return !mayJudge && contacts.some(({ kind, standing }) => kind === 'PASSKEY' && standing !== 'OWN');
}
