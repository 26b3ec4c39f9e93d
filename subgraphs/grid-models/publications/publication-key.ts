import { PROJECT_ID_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import { licenceAreaOf } from '../projects/licence-areas';

/** Identifies the base models of a publication cycle of an area: those published under one key are its versions. */
export interface BaseModelKey {
  /** Code of the licence area (decisions C.4). */
  readonly area: string;
  readonly publicationYear: number;
  /** `01` is the May cycle, `02` the November cycle. */
  readonly period: PublicationPeriod;
}

/** Identifies a development project of a publication cycle: the archives published under one key are its versions. */
export interface PublicationKey extends BaseModelKey {
  readonly projectId: string;
}

/** A publication cycle of a year. */
export type PublicationPeriod = '01' | '02';

/** The key of a base model as a client or the operator supplies it. */
export interface BaseModelKeyInput {
  /** Code or alias of a licence area, case-insensitive. */
  readonly area: string;
  readonly publicationYear: number;
  readonly period: string;
}

/** A publication key as a client or the operator supplies it. */
export interface PublicationKeyInput extends BaseModelKeyInput {
  readonly projectId: string;
}

/** First and last valid year of a publication. */
const PUBLICATION_YEARS = [2000, 2100] as const;

/** A valid key, or all violations of the input, each with its field. */
type ParsedKey<Key> = { readonly key: Key } | { readonly violations: readonly Violation[] };

/** Validates the key of a base model. Returns the key with the code of the area. */
export function baseModelKeyOf({ area, publicationYear, period }: BaseModelKeyInput): ParsedKey<BaseModelKey> {
  const licenceArea = licenceAreaOf(area);
  const violations = [
    ...(licenceArea ? [] : [violation('VAL003', 'area', 'must be the code of a licence area')]),
    ...yearViolations(publicationYear),
    ...(isPeriod(period) ? [] : [violation('VAL003', 'period', 'must be 01 (May) or 02 (November)')]),
  ];
  if (licenceArea === undefined || !isPeriod(period) || violations.length > 0) return { violations };
  return { key: { area: licenceArea.code, publicationYear, period } };
}

/** Validates a publication key. Returns the key with the code of the area. */
export function publicationKeyOf(input: PublicationKeyInput): ParsedKey<PublicationKey> {
  const { projectId } = input;
  const parsed = baseModelKeyOf(input);
  const violations = projectViolations(projectId);
  if ('violations' in parsed) return { violations: [...parsed.violations, ...violations] };
  return violations.length > 0 ? { violations } : { key: { ...parsed.key, projectId } };
}

/** File name of the archive of a version (decisions C.1). */
export function archiveName({ area, publicationYear, period, projectId }: PublicationKey, version: number): string {
  return `LTDS_${area}_${publicationYear}-${period}_${projectId}_v${version}.zip`;
}

/** File name of a member of a version: the name of the archive with that of the member, so that downloads of many projects stay apart. */
export function memberName(key: PublicationKey, version: number, member: string): string {
  return archiveName(key, version).replace(/\.zip$/, `_${member}.xml`);
}

/** Returns whether a text is a publication cycle. */
function isPeriod(text: string): text is PublicationPeriod {
  return text === '01' || text === '02';
}

function yearViolations(year: number): Violation[] {
  const [first, last] = PUBLICATION_YEARS;
  if (Number.isInteger(year) && year >= first && year <= last) return [];
  return [violation('VAL003', 'publicationYear', `must be a year from ${first} to ${last}`)];
}

function projectViolations(projectId: string): Violation[] {
  if (PROJECT_ID_PATTERN.test(projectId)) return [];
  return [violation('VAL001', 'projectId', `must match ${PROJECT_ID_PATTERN.source}`)];
}

function violation(code: Violation['code'], field: keyof PublicationKeyInput, message: string): Violation {
  return { code, path: [field], message };
}
