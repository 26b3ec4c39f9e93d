import type { Violation } from '../../../schema/register-error';
import type { AccessRecordInput } from './access-record';
import { codeLists } from './code-lists';
import { controllerArrangement } from './controller-arrangement';
import { fieldLimits } from './field-limits';
import { identityLink } from './identity-link';
import { legalBasisPopulation } from './legal-basis-population';
import { readOnlyFields } from './read-only-fields';
import { registeredAt } from './registered-at';
import { registeredState } from './registered-state';
import { webAddresses } from './web-addresses';

/** What the rules know beside the record itself. */
export interface RegistrationFacts {
  /** The Data User that registers or replaces. */
  readonly duid: string;
  /** Production accepts https only. */
  readonly production: boolean;
  /** The register's clock, at the instant of the call. */
  readonly now: Date;
  /** What is replaced (PUT); undefined when a new record is registered (POST). */
  readonly replaces?: { readonly identityRecordRef: string | null };
}

/** One rule: every violation of it, with the path of the offending field. */
export type RegistrationRule = (input: AccessRecordInput, facts: RegistrationFacts) => Violation[];

/** "Conditions that must be rejected as invalid requests" (1-specification.md, Errors), in its order, then the decisions' own. */
export const registrationRules: readonly RegistrationRule[] = [
  readOnlyFields,
  identityLink,
  controllerArrangement,
  legalBasisPopulation,
  registeredState,
  registeredAt,
  webAddresses,
  fieldLimits,
  codeLists,
];

/** All violations of all rules, one for each field. */
export function registrationViolations(input: AccessRecordInput, facts: RegistrationFacts): Violation[] {
  const seen = new Set<string>();
  return registrationRules
    .flatMap((rule) => rule(input, facts))
    .filter(({ path }) => {
      const field = path.join('.');
      return !seen.has(field) && seen.add(field);
    });
}
