import { PROJECT_ID_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import { licenceAreaOf } from './licence-areas';

/** Where an archive is published: licence area, year and cycle, development project. */
export interface PublicationPlace {
  /** Code of the licence area (C.4). */
  readonly area: string;
  readonly publicationYear: number;
  /** The May cycle is "01", the November cycle "02". */
  readonly period: PublicationPeriod;
  readonly projectId: string;
}

/** A cycle of publication in a year. */
export type PublicationPeriod = '01' | '02';

/** A place as somebody wrote it. */
export interface PublicationPlaceInput {
  /** Code or alias of a licence area, in any case. */
  readonly area: string;
  readonly publicationYear: number;
  readonly period: string;
  readonly projectId: string;
}

/** The first and the last year in which something is published. */
export const PUBLICATION_YEARS = [2000, 2100] as const;

/** The place that was written, or every reason why it is none, each with its field. */
export function publicationPlaceOf(
  input: PublicationPlaceInput,
): { readonly place: PublicationPlace } | { readonly violations: readonly Violation[] } {
  const area = licenceAreaOf(input.area);
  const violations = [
    ...(area ? [] : [violation('VAL003', 'area', 'must be the code of a licence area')]),
    ...yearViolations(input.publicationYear),
    ...(isPeriod(input.period) ? [] : [violation('VAL003', 'period', 'must be 01 (May) or 02 (November)')]),
    ...projectViolations(input.projectId),
  ];
  if (area === undefined || !isPeriod(input.period) || violations.length > 0) return { violations };
  const { publicationYear, period, projectId } = input;
  return { place: { area: area.code, publicationYear, period, projectId } };
}

/** The name of the archive of a version (C.1). */
export function archiveName({ area, publicationYear, period, projectId }: PublicationPlace, version: number): string {
  return `LTDS_${area}_${publicationYear}-${period}_${projectId}_v${version}.zip`;
}

/** Whether a text is a cycle of publication. */
export function isPeriod(text: string): text is PublicationPeriod {
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

function violation(code: Violation['code'], field: keyof PublicationPlaceInput, message: string): Violation {
  return { code, path: [field], message };
}
