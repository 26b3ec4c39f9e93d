import { MPXN_PROFILE } from '../../schema/mpxn';
import { type Entry, entryOfQuery, entryOfTyping, isLongNumber, namesSomebody } from '../request/entry';
import type { Page, View, Visit } from '../page';
import { isRefusal } from '../../web/register-refusal';

const PARAMETERS = ['ir', 'mpxn', 'return'];
/** Of a number of 13 digits either the register takes none, or the check digit is wrong. */
const LONG_NUMBER = MPXN_PROFILE === 'gb' ? 'entry.wrongDigit' : 'entry.longNumber';

/**
 * The start: somebody comes by a link of a Data User, or types who they are. What a link carries goes into a sealed cookie and leaves
 * the address bar; a malformed link is answered like none, but one with a number of 13 digits says what to enter, once.
 */
export const entryPage: Page = {
  method: 'GET',
  path: '/',
  place: 'portal',
  answer({ query, sealed, cookies, wording }) {
    if (!PARAMETERS.some((name) => name in query)) {
      const { hasLongNumber, ...entry } = sealed.read<Entry>('entry') ?? {};
      if (hasLongNumber) sealed.write('entry', entry);
      const errors = hasLongNumber ? { typed: '', errors: [{ text: wording(LONG_NUMBER), href: '#identifier' }] } : {};
      return { view: 'entry', model: { signedIn: cookies.read('session') !== undefined, ...errors } };
    }
    const entry = entryOfQuery(query);
    sealed.write('entry', entry);
    return { seeOther: namesSomebody(entry) ? '/sign-in' : '/' };
  },
};

/** What somebody typed; the link by which they came still says where they want to be sent back. */
export const entryForm: Page = {
  method: 'POST',
  path: '/',
  place: 'portal',
  answer(visit) {
    const { form, sealed } = visit;
    const typed = form['identifier'] ?? '';
    const entry = entryOfTyping(typed);
    if (!entry) return entryFault(visit, typed);
    const { ir, returnUrl } = sealed.read<Entry>('entry') ?? {};
    sealed.write('entry', { ...(ir ? { ir } : {}), ...(returnUrl ? { returnUrl } : {}), ...entry });
    return { seeOther: '/sign-in' };
  },
};

/** The start, which says that what was entered is neither a meter point number nor an e-mail address. */
function entryFault({ wording }: Visit, typed: string): View {
  const errors = [{ text: wording(isLongNumber(typed) ? LONG_NUMBER : 'entry.fault'), href: '#identifier' }];
  return { view: 'entry', model: { path: '/', typed, errors }, status: 400 };
}

/**
 * What follows when the register refused a sign-in: the start, which tells what to enter, if what was entered has no form that the
 * register accepts. Every other refusal is thrown on.
 */
export function refusedEntry(visit: Visit, { email, mpxn }: Entry, refusal: unknown): View {
  if (!isRefusal(refusal, 'VAL001', 'VAL003')) throw refusal;
  return entryFault(visit, email ?? mpxn ?? '');
}
