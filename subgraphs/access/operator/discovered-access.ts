import { DATA_TYPES } from '../../../schema/data-types';
import type { AccessState } from '../records/access-record';
import { type AccessRecordDocument, type DiscoveredAccess } from '../records/record-document';

/** States of a discovered access; neither authorises data release. */
export type DiscoveredState = Extract<AccessState, 'DISCOVERED' | 'EXPIRED'>;

/** One report of the communications operator (decisions A/B, 5). */
export interface DiscoveredAccessReport extends Omit<DiscoveredAccess, 'lastSeen'> {
  mpxn: string;
  /** The operator's reference of the report. */
  sourceReference: string;
  lastSeen?: string | null;
}

/** Results of earlier reports of the same organisation at the same meter point. */
export interface KnownDiscovery {
  readonly access: DiscoveredAccess;
  /** Whether its expiry has passed. */
  readonly hasExpired: boolean;
  /** Day on which the registered access that claimed the record ended; null if it was not claimed, or the access has not ended. */
  readonly claimEnded: string | null;
}

/** Facts that decide whether a report repeats an earlier one, beside its content. */
interface ReportComparison {
  /** Whether the report itself is too old for a DISCOVERED record. */
  readonly hasExpired: boolean;
  /** Whether its source reference is that of an earlier report. */
  readonly hasSameReference: boolean;
}

/** Schema profile version of records of discovered accesses. */
const SCHEMA_VERSION = 'discovered-1';

/** Content of a single report. */
export function discoveredAccessOf(report: DiscoveredAccessReport): DiscoveredAccess {
  const { organisationName, organisationReference, firstSeen, lastSeen = null } = report;
  const dataTypesObserved = DATA_TYPES.filter((type) => report.dataTypesObserved.includes(type));
  return { organisationName, organisationReference, firstSeen, lastSeen, dataTypesObserved };
}

/** Merges a report into the known access: earliest and latest day, all categories, and the name of the report. */
export function updatedAccess(known: DiscoveredAccess, report: DiscoveredAccess): DiscoveredAccess {
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
 * Whether a report repeats the known access. A new record, which warns the customer again, is made if the known one has expired, or if the
 * registered access that claimed it ended before the organisation was seen again. Sightings have a resolution of one day: one on the day of
 * the end counts as later. No new record is made for a report with the source reference of an earlier one and no later day, for a sighting
 * before the end of the registered access, or, if the known record has expired, for a report that is too old for a DISCOVERED record.
 */
export function isRepeat(known: KnownDiscovery, report: DiscoveredAccess, comparison: ReportComparison): boolean {
  const lastDay = lastDayOf(report);
  if (comparison.hasSameReference && lastDay <= lastDayOf(known.access)) return true;
  if (known.claimEnded !== null && lastDay < known.claimEnded) return true;
  return known.hasExpired ? comparison.hasExpired : known.claimEnded === null;
}

/** Expiry of a discovered access: `maxAgeDays` days after the last sighting; null if it never expires. */
export function expiryOf(access: DiscoveredAccess, maxAgeDays: number | undefined): Date | null {
  if (maxAgeDays === undefined) return null;
  const expiry = startOf(lastDayOf(access));
  expiry.setUTCDate(expiry.getUTCDate() + maxAgeDays);
  return expiry;
}

/** Instant at which a day starts, in UTC; the registration of an access that was first seen on that day. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

/** Stored document of a discovered access: the organisation as sole controller, without legal basis, purpose or contact. */
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
    consent: null,
    discoveredAccess: access,
    sourceReferenceSealed,
  };
}

function lastDayOf({ firstSeen, lastSeen }: DiscoveredAccess): string {
  return lastSeen ?? firstSeen;
}
