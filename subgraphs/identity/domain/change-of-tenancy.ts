import type { Violation } from '../../../schema/register-error';
import { textViolations } from './text';

/** A Change of Tenancy as the communications operator records it (2-decisions-a-b.md, section 5). */
export interface ChangeOfTenancy {
  readonly mpxn: string;
  /** Day on which the tenancy begins, `YYYY-MM-DD`; it may lie ahead. */
  readonly effectiveDate: string;
  /** What the operator knows the change by. */
  readonly sourceReference: string;
}

/** Characters of a source reference at most. */
const LONGEST_REFERENCE = 255;

/** What is wrong with a Change of Tenancy, for callers that come past the REST contract. */
export function changeOfTenancyViolations({ sourceReference }: ChangeOfTenancy): Violation[] {
  return textViolations(['sourceReference'], sourceReference, { shortest: 1, longest: LONGEST_REFERENCE });
}
