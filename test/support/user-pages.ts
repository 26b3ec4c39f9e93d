import type { PortalVisitor, VisitedPage } from './portal-visitor';
import { until } from './until';

/**
 * Presses "Withdraw consent" for the access whose part of the list contains a text; returns the response to the form.
 */
export async function withdrawAccess(customer: PortalVisitor, text: string): Promise<VisitedPage> {
  const { html } = await customer.get('/access');
  const part = html.split('data-access="').find((each, index) => index > 0 && each.includes(text));
  if (part === undefined) throw new Error(`no access on the page says ${text}`);
  const path = `/access/${part.slice(0, part.indexOf('"'))}/withdraw`;
  return customer.press(await customer.get(path), path);
}

/** Waits until a page of the portal contains a text, and returns the page: reads are recorded within a second. */
export function pageWith(customer: PortalVisitor, path: string, text: string): Promise<string> {
  return until(async () => {
    const page = await customer.get(path);
    return page.text.includes(text) ? page.text : undefined;
  });
}
