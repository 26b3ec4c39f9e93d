import type { Violation } from '../../../../schema/register-error';
import type { AccessRecordInput } from '../access-record';
import type { RegistrationContext, RegistrationRule } from './registration-rule';

const REF = ['recordMetadata', 'identityRecordRef'];
const TOKEN = ['reidentificationToken'];

/**
 * The link to the Identity Record (specification, rejected condition 2). A POST has exactly one of `identity-record-ref` and
 * `reidentification-token`. A PUT does not change the link: its reference is absent or the linked one, and it has no token.
 */
export const identityLink: RegistrationRule = (input, ruleContext) =>
  ruleContext.replaces ? unchangedLink(input, ruleContext.replaces) : newLink(input);

function newLink({ recordMetadata, reidentificationToken }: AccessRecordInput): Violation[] {
  const hasRef = recordMetadata.identityRecordRef != null;
  const hasToken = reidentificationToken != null;
  if (hasRef && hasToken) {
    return [{ code: 'VAL005', path: REF, message: 'must be omitted when reidentification-token is supplied' }];
  }
  if (hasRef || hasToken) return [];
  return [{ code: 'VAL005', path: REF, message: 'is required unless reidentification-token is supplied' }];
}

function unchangedLink(
  input: AccessRecordInput,
  { identityRecordRef }: NonNullable<RegistrationContext['replaces']>,
): Violation[] {
  const violations: Violation[] = [];
  const ref = input.recordMetadata.identityRecordRef;
  if (ref != null && ref !== identityRecordRef) {
    violations.push({ code: 'VAL005', path: REF, message: 'cannot be changed: omit it, or send the linked one' });
  }
  if (input.reidentificationToken != null) {
    violations.push({ code: 'VAL005', path: TOKEN, message: 'is for registering a new record only' });
  }
  return violations;
}
