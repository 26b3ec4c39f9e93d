import { dayInWords } from './dates';
import type { CustomerContact } from './operation-results';
import type { Language } from '../request/languages';

/** A contact as the page shows it, with the actions that it offers. */
interface ShownContact extends Omit<CustomerContact, 'dataUsers'> {
  readonly day: string;
  readonly organisations: readonly { readonly displayName: string; readonly contactUrl: string }[];
  /** True if a link may be mailed to this address. Following it proves that the address is also the customer's. */
  readonly canBeMailed: boolean;
  readonly canBeConfirmed: boolean;
  readonly canBeRejected: boolean;
}

/**
 * Returns the contacts of a home. A customer whom the supplier proved may confirm or reject them; any other customer
 * may prove those that are not yet their own.
 */
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

/** Returns whether the home has a passkey that is not yet one of the customer's own contacts. */
export function hasOtherPasskey(contacts: readonly CustomerContact[], mayJudge: boolean): boolean {
  return !mayJudge && contacts.some(({ kind, standing }) => kind === 'PASSKEY' && standing !== 'OWN');
}
