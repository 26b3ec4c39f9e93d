import type { Violation } from '../../../../schema/register-error';
import type { AccessRecordInput } from '../access-record';
import { codeLists } from './code-lists';
import { controllerArrangement } from './controller-arrangement';
import { fieldLimits } from './field-limits';
import { identityLink } from './identity-link';
import { legalBasisPopulation } from './legal-basis-population';
import { readOnlyFields, registeredState } from './supplied-fields';
import { registeredAt } from './registered-at';
import { webAddresses } from './web-addresses';
import type { RegistrationContext, RegistrationRule } from './registration-rule';

/**
 * The limits of single fields, which the REST contract states, too, so that both interfaces report one code; then "Conditions that must be
 * rejected as invalid requests" (specification, Errors) in its order, then the rules of the decisions.
 */
export const registrationRules: readonly RegistrationRule[] = [
  fieldLimits,
  readOnlyFields,
  identityLink,
  controllerArrangement,
  legalBasisPopulation,
  registeredState,
  registeredAt,
  webAddresses,
  codeLists,
];

/** Returns the violations of all rules, the first of each field. */
export function registrationViolations(input: AccessRecordInput, ruleContext: RegistrationContext): Violation[] {
  const seen = new Set<string>();
  return registrationRules
    .flatMap((rule) => rule(input, ruleContext))
    .filter(({ path }) => {
      const field = path.join('.');
      return !seen.has(field) && seen.add(field);
    });
}
