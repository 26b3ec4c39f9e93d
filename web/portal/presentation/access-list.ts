import { LEGACY_NOTICE_VERSION } from '../../../schema/legacy-consent';
import type { Language } from '../request/languages';
import { type Change, changesOf } from './changes';
import { dateInWords, dayInWords, lastDayInWords } from './dates';
import { groupBy } from './group-by';
import type { Controller, CustomerRecord, LegalBasis } from './operation-results';
import { purposeInWords } from './purposes';
import { webLink } from './web-link';

/** An organisation with its accesses. */
interface Organisation {
  readonly name: string;
  /** The communications operator discovered the access; the organisation has not registered it. */
  readonly isDiscovered: boolean;
  readonly accesses: readonly Access[];
}

/** An access to the meter data, as the pages show it. */
export interface Access {
  readonly id: string;
  readonly state: CustomerRecord['state'];
  readonly legalBasis: LegalBasis | null;
  readonly canBeWithdrawn: boolean;
  /** `object` if the customer has a right to object (UK GDPR, Article 21), `ask` if not. */
  readonly objection: 'object' | 'ask';
  readonly purpose: string | null;
  readonly dataTypes: readonly string[];
  readonly dataSource: string | null;
  readonly terms: readonly Terms[];
  readonly registered: string | undefined;
  /** Last day of the access; undefined if no expiry is set. */
  readonly expiry: string | undefined;
  readonly controllers: readonly ControllerLinks[];
  readonly recipients: readonly {
    readonly name: string;
    readonly role: string;
    readonly privacy: string | undefined;
  }[];
  /** The Data User, if it is not the organisation itself. */
  readonly registeredBy: { readonly name: string; readonly contact: string | undefined } | undefined;
  readonly seen: { readonly first: string; readonly last: string | undefined } | undefined;
  /** Newest first, at most 99. */
  readonly changes: readonly Change[];
  /** Whether there are changes before those. */
  readonly hasEarlierChanges: boolean;
}

/** Web pages of a controller: contact, and how to exercise rights. */
interface ControllerLinks {
  readonly name: string;
  readonly role: Controller['role'];
  readonly contact: string | undefined;
  readonly rights: string | undefined;
}

/** The terms of one controller, or of all. */
interface Terms {
  readonly link: string | undefined;
  /** Undefined if the client stated none (Interface B). */
  readonly version: string | undefined;
  /** Undefined if one notice covers all controllers. */
  readonly controller: string | undefined;
}

/**
 * Groups records by organisation. Discovered organisations come first, because the customer should check them; the
 * others follow in the order of their newest access.
 */
export function organisationsOf(records: readonly CustomerRecord[], language: Language): Organisation[] {
  const byName = groupBy(records, (record) => `${record.state === 'DISCOVERED' ? 0 : 1} ${nameOf(record)}`);
  return [...byName.values()]
    .map((group) => ({
      name: nameOf(group[0] as CustomerRecord),
      isDiscovered: group[0]?.state === 'DISCOVERED',
      accesses: group.map((record) => accessOf(record, language)),
    }))
    .toSorted((one, other) => Number(other.isDiscovered) - Number(one.isDiscovered));
}

/** Returns the counts above the list. */
export function countsOf(organisations: readonly Organisation[]) {
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

/** Returns a record as the pages show it. */
export function accessOf(record: CustomerRecord, language: Language): Access {
  const { id, state, legalBasis, purpose, dataTypes, registeredAt, expiry, processing, discoveredAccess } = record;
  return {
    id,
    state,
    legalBasis,
    canBeWithdrawn: state === 'ACTIVE' && isConsent(legalBasis),
    objection: legalBasis === 'UK_PUBLIC_TASK' || legalBasis === 'UK_LEGITIMATE_INTERESTS' ? 'object' : 'ask',
    purpose: purposeInWords(purpose, language),
    dataTypes: discoveredAccess?.dataTypesObserved ?? dataTypes,
    dataSource: processing.dataSource,
    terms: termsOf(record),
    registered: registeredAt === null ? undefined : dayInWords(registeredAt, language),
    expiry: expiry === null ? undefined : lastDayInWords(expiry, language),
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
    changes: changesOf(record, language),
    hasEarlierChanges: record.versions.nextCursor !== null,
  };
}

/** Returns the organisation of a record: the discovered one, else the sole or lead controller, else the Data User. */
export function nameOf({ discoveredAccess, leadControllerName, dataUser }: CustomerRecord): string {
  return discoveredAccess?.organisationName ?? leadControllerName ?? dataUser?.displayName ?? '';
}

/** Returns whether the legal basis is consent, which the customer may withdraw. */
function isConsent(legalBasis: LegalBasis | null): boolean {
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
    version: noticeVersion === LEGACY_NOTICE_VERSION ? undefined : noticeVersion,
    controller: controllerName,
  }));
}

function registrantOf(record: CustomerRecord): Access['registeredBy'] {
  const { dataUser } = record;
  if (!dataUser || dataUser.displayName === nameOf(record)) return undefined;
  return { name: dataUser.displayName, contact: webLink(dataUser.contactUrl) };
}
