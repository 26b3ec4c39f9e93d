import { returnUrlParts } from '../../../schema/return-url';

/** Returns a URL that a page may link to: http or https only, whatever a record contains. */
export function webLink(address: string | null | undefined): string | undefined {
  if (address == null || !URL.canParse(address)) return undefined;
  return ['https:', 'http:'].includes(new URL(address).protocol) ? address : undefined;
}

/**
 * Returns the link back to the organisation that sent the customer; after a withdrawal it says so in `dar-action`
 * (decisions A/B, 9).
 */
export function returnLink(returnUrl: string | null, action?: 'withdrawn'): string | undefined {
  const address = webLink(returnUrl);
  if (address === undefined || action === undefined) return address;
  const { beginning, fragment } = returnUrlParts(address);
  return `${beginning}dar-action=${action}${fragment}`;
}
