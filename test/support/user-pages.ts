import type { PortalVisitor, VisitedPage } from './portal-visitor';
import { until } from './until';

/** A customer presses "Withdraw consent" for the access whose part of the list has a text; answers what the form was answered. */
export async function withdrawAccess(customer: PortalVisitor, text: string): Promise<VisitedPage> {
  const { html } = await customer.get('/access');
  const part = html.split('data-access="').find((each, index) => index > 0 && each.includes(text));
  if (part === undefined) throw new Error(`no access on the page says ${text}`);
  const path = `/access/${part.slice(0, part.indexOf('"'))}/withdraw`;
  return customer.press(await customer.get(path), path);
}

/** What is read on a page of the portal once it says a text: looks are written within a second. */
export function pageThatSays(customer: PortalVisitor, path: string, text: string): Promise<string> {
  return until(async () => {
    const page = await customer.get(path);
    return page.text.includes(text) ? page.text : undefined;
  });
}
