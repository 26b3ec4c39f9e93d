import type { Violation } from './register-error';

const LONGEST = 254;
const LONGEST_LOCAL_PART = 64;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const EMAIL_ADDRESS = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@${LABEL}(?:\\.${LABEL})+$`);

/**
 * An e-mail address: dot-atom at a domain name, at most 254 characters, without surrounding white space (2-decisions-a-b.md, section 1).
 * Undefined when the text is one, else what is wrong, which never echoes it.
 */
export function emailAddressFault(text: string): Pick<Violation, 'code' | 'message'> | undefined {
  if (text.length > LONGEST) return { code: 'VAL003', message: `is longer than ${LONGEST} characters` };
  const [, localPart] = EMAIL_ADDRESS.exec(text) ?? [];
  if (localPart !== undefined && localPart.length <= LONGEST_LOCAL_PART) return undefined;
  return { code: 'VAL001', message: 'is not an e-mail address' };
}
