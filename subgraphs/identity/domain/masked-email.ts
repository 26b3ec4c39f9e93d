import { comparableEmail } from './email-address';

/**
 * An e-mail address as an initiator sees it: first letter, `***@`, first letter, `***`, top-level domain, such as `j***@e***.uk`
 * (2-decisions-a-b.md, section 4), in the form in which addresses are compared. However short its parts are, nothing else of it
 * is told, not even their length.
 */
export function maskedEmail(email: string): string {
  const address = comparableEmail(email);
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return `${address.charAt(0)}***@${domain.charAt(0)}***${domain.slice(domain.lastIndexOf('.'))}`;
}
