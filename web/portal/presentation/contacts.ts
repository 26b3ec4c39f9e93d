import { dayInWords } from './dates';
import { groupBy } from './group-by';
import type { CustomerContact } from './operation-results';
import type { PageContext } from '../page';

/** A contact as the page shows it, with the actions that it offers. */
interface ShownContact extends Omit<CustomerContact, 'dataUsers' | 'shown' | 'since'> {
  /** Differs from the names of the other contacts. */
  readonly name: string;
  /** Undefined if the customer may read neither the day nor the organisations. */
  readonly day: string | undefined;
  readonly organisations: readonly { readonly displayName: string; readonly contactUrl: string }[];
  /** True if a link may be mailed to this address. Following it proves that the address is also the customer's. */
  readonly canBeMailed: boolean;
  readonly canBeConfirmed: boolean;
  readonly canBeRejected: boolean;
}

/**
 * Returns the contacts of a home. A customer whom the supplier proved may confirm or reject them; a customer who signed in
 * by a contact may prove those that are not yet their own.
 */
export function shownContacts(
  contacts: readonly CustomerContact[],
  mayJudge: boolean,
  { language, translate }: Pick<PageContext, 'language' | 'translate'>,
): ShownContact[] {
  const canProve = hasOwn(contacts);
  const all = contacts.map(({ dataUsers, shown, since, ...contact }) => ({
    ...contact,
    name: shown ?? translate('contacts.passkey'),
    day: since === null ? undefined : dayInWords(since, language),
    organisations: dataUsers.flatMap((dataUser) => dataUser ?? []),
    canBeMailed: canProve && contact.kind === 'EMAIL' && contact.standing !== 'OWN',
    canBeConfirmed: mayJudge && contact.standing !== 'CONFIRMED',
    canBeRejected: mayJudge && contact.standing !== 'REJECTED',
  }));
  const withOrigin = renamed(all, ({ name, day, organisations: [first] }) => {
    if (day === undefined) return name;
    return first === undefined
      ? translate('contacts.nameWithDay', { name, day })
      : translate('contacts.nameWithOrigin', { name, day, organisation: first.displayName });
  });
  return renamed(withOrigin, ({ name }, index) => translate('contacts.nameWithNumber', { name, number: index + 1 }));
}

/** Changes the names of those contacts whose name is not unique; `index` counts the contacts of one name. */
function renamed(
  contacts: readonly ShownContact[],
  nameOf: (contact: ShownContact, index: number) => string,
): ShownContact[] {
  const byName = groupBy(contacts, ({ name }) => name);
  return contacts.map((contact) => {
    const equal = byName.get(contact.name) ?? [];
    return equal.length > 1 ? { ...contact, name: nameOf(contact, equal.indexOf(contact)) } : contact;
  });
}

/** Returns whether the home has a passkey that is not yet one of the customer's own contacts. */
export function hasOtherPasskey(contacts: readonly CustomerContact[]): boolean {
  return hasOwn(contacts) && contacts.some(({ kind, standing }) => kind === 'PASSKEY' && standing !== 'OWN');
}

/** Whether the customer signed in by a contact, to which others can be proven to belong; a sign-in at the supplier has none. */
function hasOwn(contacts: readonly CustomerContact[]): boolean {
  return contacts.some(({ standing }) => standing === 'OWN');
}
