/** An address that a page may link to: http or https only, whatever else a record may hold. */
export function webLink(address: string | null | undefined): string | undefined {
  if (address == null || !URL.canParse(address)) return undefined;
  return ['https:', 'http:'].includes(new URL(address).protocol) ? address : undefined;
}

/** The way back to the organisation that sent the customer; after a withdrawal it says so (2-decisions-a-b.md, section 9). */
export function returnLink(returnUrl: string | null, action?: 'withdrawn'): string | undefined {
  const address = webLink(returnUrl);
  if (address === undefined || action === undefined) return address;
  const url = new URL(address);
  url.searchParams.set('dar-action', action);
  return url.href;
}
