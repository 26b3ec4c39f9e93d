import type { Violation } from './register-error';

const MAX_LENGTH = 254;
const MAX_LOCAL_PART_LENGTH = 64;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const EMAIL_ADDRESS = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@${LABEL}(?:\\.${LABEL})+$`);

/**
 * Returns undefined for an e-mail address: a dot-atom at a domain name, at most 254 characters, without surrounding white space (decisions
 * A/B, 1). Otherwise returns the violation, which does not contain the text.
 */
export function emailAddressViolation(text: string): Pick<Violation, 'code' | 'message'> | undefined {
  if (text.length > MAX_LENGTH) return { code: 'VAL003', message: `is longer than ${MAX_LENGTH} characters` };
  const [, localPart] = EMAIL_ADDRESS.exec(text) ?? [];
  if (localPart !== undefined && localPart.length <= MAX_LOCAL_PART_LENGTH) return undefined;
  return { code: 'VAL001', message: 'is not an e-mail address' };
}
