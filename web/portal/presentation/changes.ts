import type { Language } from '../request/languages';
import { dayInWords, lastDayInWords } from './dates';
import type { CustomerRecord, LegalBasis } from './operation-results';
import { purposeInWords } from './purposes';

/** A change of an access by its organisation. Members are values that applied before it; absent for what did not change. */
export interface Change {
  readonly on: string;
  readonly legalBasis?: LegalBasis | null;
  readonly purpose?: string | null;
  readonly dataTypes?: readonly string[];
  /** Last day of the access by the former expiry; null if no expiry was set. */
  readonly expiry?: string | null;
  readonly leadController?: string | null;
  /** Whether a member above is present. */
  readonly hasFormerValues: boolean;
  /** Sections whose former content is not shown. */
  readonly sections: readonly Version['replacedSections'][number][];
}

type Version = CustomerRecord['versions']['nodes'][number];

/**
 * Returns the changes of a registered access, newest first (decisions A/B, 3: PUT). A report on a discovered access is no change by the
 * organisation.
 */
export function changesOf({ versions, discoveredAccess }: CustomerRecord, language: Language): Change[] {
  if (discoveredAccess !== null) return [];
  const { nodes } = versions;
  return nodes.slice(0, -1).map((version, index) => changeOf(version, nodes[index + 1] as Version, language));
}

function changeOf(after: Version, before: Version, language: Language): Change {
  const values = {
    ...(after.legalBasis !== before.legalBasis && { legalBasis: before.legalBasis }),
    ...(after.purpose !== before.purpose && { purpose: purposeInWords(before.purpose, language) }),
    ...(!isSameSet(after.dataTypes, before.dataTypes) && { dataTypes: before.dataTypes }),
    ...(after.expiry !== before.expiry && { expiry: before.expiry && lastDayInWords(before.expiry, language) }),
    ...(after.leadControllerName !== before.leadControllerName && { leadController: before.leadControllerName }),
  };
  return {
    ...{ on: dayInWords(after.recordedAt, language), ...values, hasFormerValues: Object.keys(values).length > 0 },
    sections: after.replacedSections,
  };
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item));
}
