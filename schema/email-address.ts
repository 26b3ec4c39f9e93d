import type { Violation } from './register-error';

const MAX_LENGTH = 254;
const MAX_LOCAL_PART_LENGTH = 64;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const EMAIL_ADDRESS = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@${LABEL}(?:\\.${LABEL})+$`);
const TOO_LONG = { code: 'VAL003', message: `is longer than ${MAX_LENGTH} characters` } as const;
const NO_ADDRESS = { code: 'VAL001', message: 'is not an e-mail address' } as const;

/**
 * Returns undefined for an e-mail address: a dot-atom at a domain name, at most 254 characters, without surrounding white space (decisions
 * A/B, 1). Otherwise returns the violation, which does not contain the text: of the form first, then of the length.
 */
export function emailAddressViolation(text: string): Pick<Violation, 'code' | 'message'> | undefined {
  const [, localPart] = EMAIL_ADDRESS.exec(text) ?? [];
  if (localPart === undefined) return NO_ADDRESS;
  if (text.length > MAX_LENGTH) return TOO_LONG;
  return localPart.length <= MAX_LOCAL_PART_LENGTH ? undefined : NO_ADDRESS;
}

/**
 * Returns the violation of an e-mail address that white space may surround. The white space counts towards the length, as in the
 * contracts (`maxLength`).
 */
export function emailInputViolation(text: string): ReturnType<typeof emailAddressViolation> {
  return emailAddressViolation(text.trim()) ?? (text.length > MAX_LENGTH ? TOO_LONG : undefined);
}
