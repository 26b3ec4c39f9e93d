import { type AccessRecordDocument, type AccessState, DATA_TYPES, type DataType } from './access-record';

/** What the communications operator saw of an organisation that is not registered, from all its reports. */
export interface DiscoveredAccess {
  organisationName: string;
  organisationReference: string;
  /** Calendar dates `YYYY-MM-DD`. */
  firstSeen: string;
  lastSeen: string | null;
  dataTypesObserved: DataType[];
}

/** How the record of what was discovered stands: it never authorises anything. */
export type DiscoveredState = Extract<AccessState, 'DISCOVERED' | 'EXPIRED'>;

/** One report (2-decisions-a-b.md, section 5). */
export interface DiscoveredAccessReport extends Omit<DiscoveredAccess, 'lastSeen'> {
  mpxn: string;
  /** What the operator knows the report by. */
  sourceReference: string;
  lastSeen?: string | null;
}

/** What the register knows from earlier reports of the same organisation at the same meter point. */
export interface KnownDiscovery {
  readonly access: DiscoveredAccess;
  /** Whether its expiry has passed. */
  readonly hasExpired: boolean;
  /** The day on which the registered access that it was claimed by ended; null when it was not claimed, or that has not ended. */
  readonly claimEnded: string | null;
}

/** What decides, beside what it says, whether a report repeats an earlier one. */
export interface ReportFacts {
  /** Whether what it says is itself too old to be shown. */
  readonly hasExpired: boolean;
  /** Whether the operator knows it by the same reference as the latest report. */
  readonly hasSameReference: boolean;
}

/** Version of the schema profile of these records, which are no Data User's. */
const SCHEMA_VERSION = 'discovered-1';

/** What a single report says. */
export function discoveredAccessOf(report: DiscoveredAccessReport): DiscoveredAccess {
  const { organisationName, organisationReference, firstSeen, lastSeen = null } = report;
  const dataTypesObserved = DATA_TYPES.filter((type) => report.dataTypesObserved.includes(type));
  return { organisationName, organisationReference, firstSeen, lastSeen, dataTypesObserved };
}

/** What is known after one more report: seen from the earliest day to the latest, all categories, the name as last told. */
export function broughtUpToDate(known: DiscoveredAccess, report: DiscoveredAccess): DiscoveredAccess {
  const firstSeen = known.firstSeen < report.firstSeen ? known.firstSeen : report.firstSeen;
  const lastDay = [lastDayOf(known), lastDayOf(report)].toSorted().at(-1) as string;
  const isNamed = known.lastSeen !== null || report.lastSeen !== null;
  return {
    organisationName: report.organisationName,
    organisationReference: report.organisationReference,
    firstSeen,
    lastSeen: isNamed || lastDay > firstSeen ? lastDay : null,
    dataTypesObserved: DATA_TYPES.filter((type) =>
      [known, report].some(({ dataTypesObserved }) => dataTypesObserved.includes(type)),
    ),
  };
}

/**
 * Whether a report is of what is known. It is not when that has expired, or the registered access by which it was claimed ended before the
 * organisation was seen again: then the customer is warned again. A report that is itself too old to be shown tells nothing new. Sightings
 * are known by the day: one on the day of the end counts as later, unless it is the report that is known already.
 */
export function isRepeat(known: KnownDiscovery, report: DiscoveredAccess, facts: ReportFacts): boolean {
  if (known.hasExpired) return facts.hasExpired;
  if (known.claimEnded === null || lastDayOf(report) < known.claimEnded) return true;
  return facts.hasSameReference && lastDayOf(report) <= lastDayOf(known.access);
}

/** When a discovered access expires: so many days after it was last seen; null when it never does. */
export function expiryOf(access: DiscoveredAccess, maxAgeDays: number | undefined): Date | null {
  if (maxAgeDays === undefined) return null;
  const expiry = startOf(lastDayOf(access));
  expiry.setUTCDate(expiry.getUTCDate() + maxAgeDays);
  return expiry;
}

/** The instant as which an access is registered that was first seen on a day. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

/** The record that everybody reads: the organisation as sole controller, and no legal basis, purpose or contact. */
export function documentOfDiscovered(
  access: DiscoveredAccess,
  sourceReferenceSealed: string,
): AccessRecordDocument & { readonly sourceReferenceSealed: string } {
  const controller = { name: access.organisationName, role: 'sole', contactUrl: null, privacyRightsUrl: null } as const;
  return {
    schemaVersion: SCHEMA_VERSION,
    controllerArrangement: { arrangementType: 'sole', art26Reference: null, controllers: [controller] },
    notice: null,
    purpose: null,
    dataTypes: access.dataTypesObserved,
    dataSource: null,
    recipients: null,
    controllerReference: null,
    consent: null,
    discoveredAccess: access,
    sourceReferenceSealed,
  };
}

function lastDayOf({ firstSeen, lastSeen }: DiscoveredAccess): string {
  return lastSeen ?? firstSeen;
}
