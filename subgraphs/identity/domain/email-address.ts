import type { Violation } from '../../../schema/register-error';

const LONGEST = 254;
const LONGEST_LOCAL_PART = 64;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const EMAIL_ADDRESS = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@${LABEL}(?:\\.${LABEL})+$`);

/** The form in which e-mail addresses are kept and compared: trimmed and lower-case (2-decisions-a-b.md, section 1). */
export function comparableEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** An e-mail address: dot-atom at a domain name, at most 254 characters without surrounding white space. */
export function emailViolations(path: Violation['path'], email: string | null): Violation[] {
  if (email === null) return [];
  const address = comparableEmail(email);
  if (address.length > LONGEST) return [{ code: 'VAL003', path, message: `is longer than ${LONGEST} characters` }];
  const [, localPart] = EMAIL_ADDRESS.exec(address) ?? [];
  if (localPart !== undefined && localPart.length <= LONGEST_LOCAL_PART) return [];
  return [{ code: 'VAL001', path, message: 'is not an e-mail address' }];
}
