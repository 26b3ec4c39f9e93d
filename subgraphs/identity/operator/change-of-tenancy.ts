import type { Violation } from '../../../schema/register-error';
import { textViolations } from '../../../schema/text-limits';

/** A Change of Tenancy as the communications operator records it (decisions A/B, 5). */
export interface ChangeOfTenancy {
  readonly mpxn: string;
  /** Day on which the tenancy starts, `YYYY-MM-DD`; it may be in the future. */
  readonly effectiveDate: string;
  /** The operator's reference of the change. */
  readonly sourceReference: string;
}

/** Maximum length of a source reference in characters. */
const MAX_REFERENCE_LENGTH = 255;

/** Returns the violations of a Change of Tenancy. It repeats the limits of the REST contract for GraphQL callers. */
export function changeOfTenancyViolations({ sourceReference }: ChangeOfTenancy): Violation[] {
  return textViolations(['sourceReference'], sourceReference, { min: 1, max: MAX_REFERENCE_LENGTH });
}
