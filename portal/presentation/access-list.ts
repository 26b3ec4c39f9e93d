import type { Language } from '../request/languages';
import { dateInWords, dayInWords } from './dates';
import { grouped } from './grouped';
import type { Controller, CustomerRecord, LegalBasis } from './register-answers';
import { webLink } from './web-link';

/** An organisation with access, and each access that is registered for it. */
export interface Organisation {
  readonly name: string;
  /** Not registered: seen by the communications operator. */
  readonly isDiscovered: boolean;
  readonly accesses: readonly Access[];
}

/** An access to the meter point, as the pages show it. */
export interface Access {
  readonly id: string;
  readonly state: CustomerRecord['state'];
  readonly legalBasis: LegalBasis | null;
  readonly canBeWithdrawn: boolean;
  /** Whether there is a right to object, or only to ask (Article 21 UK GDPR). */
  readonly objection: 'object' | 'ask';
  readonly purpose: string | null;
  readonly dataTypes: readonly string[];
  readonly dataSource: string | null;
  readonly terms: readonly Terms[];
  readonly registered: string | undefined;
  /** Undefined when no end is set. */
  readonly expiry: string | undefined;
  readonly controllers: readonly ControllerLinks[];
  readonly recipients: readonly {
    readonly name: string;
    readonly role: string;
    readonly privacy: string | undefined;
  }[];
  /** The Data User, when it is not the organisation itself. */
  readonly registeredBy: { readonly name: string; readonly contact: string | undefined } | undefined;
  readonly seen: { readonly first: string; readonly last: string | undefined } | undefined;
}

/** Where a customer reaches a controller, and exercises rights. */
export interface ControllerLinks {
  readonly name: string;
  readonly role: Controller['role'];
  readonly contact: string | undefined;
  readonly rights: string | undefined;
}

/** The terms of one controller, or those of all. */
export interface Terms {
  readonly link: string | undefined;
  readonly version: string;
  /** Undefined when one notice covers all controllers. */
  readonly controller: string | undefined;
}

/** How many there are of what. */
export interface AccessCounts {
  readonly organisations: number;
  readonly byConsent: number;
  readonly byOther: number;
  readonly discovered: number;
}

/** Organisations by the order of their newest access; those that are not registered come first, because they need a look. */
export function organisationsOf(records: readonly CustomerRecord[], language: Language): Organisation[] {
  const byName = grouped(records, (record) => `${record.state === 'DISCOVERED' ? 0 : 1} ${nameOf(record)}`);
  return [...byName.values()]
    .map((own) => ({
      name: nameOf(own[0] as CustomerRecord),
      isDiscovered: own[0]?.state === 'DISCOVERED',
      accesses: own.map((record) => accessOf(record, language)),
    }))
    .toSorted((one, other) => Number(other.isDiscovered) - Number(one.isDiscovered));
}

/** The counts above the list. */
export function countsOf(organisations: readonly Organisation[]): AccessCounts {
  const registered = organisations.filter(({ isDiscovered }) => !isDiscovered);
  const accesses = registered.flatMap((organisation) => organisation.accesses);
  const byConsent = accesses.filter(({ legalBasis }) => isConsent(legalBasis)).length;
  return {
    organisations: registered.length,
    byConsent,
    byOther: accesses.length - byConsent,
    discovered: organisations.length - registered.length,
  };
}

/** An access record in the words of its customer. */
export function accessOf(record: CustomerRecord, language: Language): Access {
  const { id, state, legalBasis, purpose, dataTypes, registeredAt, expiry, processing, discoveredAccess } = record;
  return {
    id,
    state,
    legalBasis,
    canBeWithdrawn: state === 'ACTIVE' && isConsent(legalBasis),
    objection: legalBasis === 'UK_PUBLIC_TASK' || legalBasis === 'UK_LEGITIMATE_INTERESTS' ? 'object' : 'ask',
    purpose,
    dataTypes: discoveredAccess?.dataTypesObserved ?? dataTypes,
    dataSource: processing.dataSource,
    terms: termsOf(record),
    registered: registeredAt === null ? undefined : dayInWords(registeredAt, language),
    expiry: expiry === null ? undefined : dayInWords(expiry, language),
    controllers: record.recordMetadata.controllerArrangement.controllers.map(linksOf),
    recipients: (processing.recipients ?? []).map(({ name, role, privacyUrl }) => ({
      name,
      role,
      privacy: webLink(privacyUrl),
    })),
    registeredBy: registrantOf(record),
    seen: discoveredAccess
      ? {
          first: dateInWords(discoveredAccess.firstSeen, language),
          last: lastSeenOf(discoveredAccess.lastSeen, language),
        }
      : undefined,
  };
}

/** The organisation of a record: the one that is seen, else the sole or lead controller. */
export function nameOf({ discoveredAccess, leadControllerName, dataUser }: CustomerRecord): string {
  return discoveredAccess?.organisationName ?? leadControllerName ?? dataUser?.displayName ?? '';
}

/** Whether the customer agreed, and so may withdraw. */
export function isConsent(legalBasis: LegalBasis | null): boolean {
  return legalBasis === 'UK_CONSENT' || legalBasis === 'UK_EXPLICIT_CONSENT';
}

function lastSeenOf(lastSeen: string | null, language: Language): string | undefined {
  return lastSeen === null ? undefined : dateInWords(lastSeen, language);
}

function linksOf({ name, role, contactUrl, privacyRightsUrl }: Controller): ControllerLinks {
  return { name, role, contact: webLink(contactUrl), rights: webLink(privacyRightsUrl) };
}

function termsOf({ notice }: CustomerRecord): Terms[] {
  const shared = notice?.sharedNotice;
  const all = shared ? [{ ...shared, controllerName: undefined }] : (notice?.notices ?? []);
  return all.map(({ termsUrl, noticeVersion, controllerName }) => ({
    link: webLink(termsUrl),
    version: noticeVersion,
    controller: controllerName,
  }));
}

function registrantOf(record: CustomerRecord): Access['registeredBy'] {
  const { dataUser } = record;
  if (!dataUser || dataUser.displayName === nameOf(record)) return undefined;
  return { name: dataUser.displayName, contact: webLink(dataUser.contactUrl) };
}
