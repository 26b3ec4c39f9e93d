import { emailAddressFault } from '../../../schema/email-address';
import type { Violation } from '../../../schema/register-error';

/** The form in which e-mail addresses are kept and compared: trimmed and lower-case (2-decisions-a-b.md, section 1). */
export function comparableEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** What is wrong with an e-mail address; surrounding white space is not. */
export function emailViolations(path: Violation['path'], email: string | null): Violation[] {
  const fault = email === null ? undefined : emailAddressFault(comparableEmail(email));
  return fault === undefined ? [] : [{ ...fault, path }];
}
