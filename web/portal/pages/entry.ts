import { MPXN_PROFILE } from '../../../schema/mpxn';
import {
  type SignInHint,
  hintFromQuery,
  hintFromInput,
  isLongNumber,
  identifiesCustomer,
} from '../request/sign-in-hint';
import type { View } from '../../shared/page-response';
import { type PageContext, portal } from '../page';
import { customerSession } from './customer-records';
import type { Translate } from '../request/languages';
import { hasErrorCode } from '../../shared/operation-error';

const PARAMETERS = ['ir', 'mpxn', 'return'];

/** Texts about the meter point numbers that the register accepts. */
type NumberText = 'fault' | 'longNumber';

/**
 * The start page. A link of a Data User leads here; its parameters go into an encrypted cookie and disappear from the
 * address bar. A malformed link counts as one without parameters, except that a number of 13 digits makes the page say
 * once what to enter.
 */
export const entryPage = portal.get('/', async (context) => {
  const { query, encryptedCookies, translate } = context;
  if (!PARAMETERS.some((name) => name in query)) {
    const { hasLongNumber, ...hint } = encryptedCookies.read<SignInHint>('entry') ?? {};
    if (hasLongNumber) encryptedCookies.write('entry', hint);
    const errors = hasLongNumber
      ? { typed: '', errors: [{ text: numberText('longNumber', translate), href: '#identifier' }] }
      : {};
    return { view: 'entry', model: { signedIn: await isSignedIn(context), ...errors } };
  }
  const hint = hintFromQuery(query);
  encryptedCookies.write('entry', hint);
  return { seeOther: identifiesCustomer(hint) ? '/sign-in' : '/' };
});

/** Returns whether the browser has a live session, as far as the register can say it now: the start page works without it. */
async function isSignedIn(context: PageContext): Promise<boolean> {
  if (context.cookies.read('session') === undefined) return false;
  return customerSession(context).then(
    () => true,
    () => false,
  );
}

/** Stores what the customer entered. The `ir` and the return URL of an earlier link stay. */
export const entryForm = portal.post('/', (context) => {
  const { form, encryptedCookies } = context;
  const input = form['identifier'] ?? '';
  const hint = hintFromInput(input);
  if (!hint) return inputErrorView(context, input);
  const { ir, returnUrl } = encryptedCookies.read<SignInHint>('entry') ?? {};
  encryptedCookies.write('entry', { ...(ir ? { ir } : {}), ...(returnUrl ? { returnUrl } : {}), ...hint });
  return { seeOther: '/sign-in' };
});

function numberText(name: NumberText, translate: Translate): string {
  return translate(`entry.meterPoint.${MPXN_PROFILE}.${name}`);
}

/** Returns the start page with the error that the input is neither a meter point number nor an e-mail address. */
function inputErrorView({ translate }: PageContext, input: string): View {
  const text = numberText(isLongNumber(input) ? 'longNumber' : 'fault', translate);
  const errors = [{ text, href: '#identifier' }];
  return { view: 'entry', model: { path: '/', typed: input, errors }, status: 400 };
}

/** Returns the start page with an error if the register rejected the form of the hint; rethrows every other error. */
export function rejectedHintView(context: PageContext, { email, mpxn }: SignInHint, error: unknown): View {
  if (!hasErrorCode(error, 'VAL001', 'VAL003')) throw error;
  return inputErrorView(context, email ?? mpxn ?? '');
}
