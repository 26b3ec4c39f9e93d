import { createHash } from 'node:crypto';
import { type SignInHint, identifiesMeterPoint, identifiesCustomer } from '../request/sign-in-hint';
import type { View } from '../../shared/page-response';
import type { PageContext } from '../page';
import type { SupplierSignIn } from '../presentation/operation-results';

/** An error of a sign-in attempt: its text, a link to the field, and the HTTP status. */
interface ChallengeError {
  readonly text: string;
  readonly href: string;
  readonly status: number;
}

/** The sign-in page. It is the same for known and unknown customers (decisions A/B, 9). */
export async function challenge(context: PageContext, error?: ChallengeError): Promise<View> {
  const hint = context.encryptedCookies.read<SignInHint>('entry') ?? {};
  const isNamed = identifiesCustomer(hint);
  const suppliers = isNamed ? await suppliersOf(context) : [];
  return {
    view: 'sign-in',
    model: {
      path: '/sign-in',
      isNamed,
      entryDigest: digestOf(hint),
      entered: hint.email ?? hint.mpxn,
      byEmail: hint.email !== undefined,
      canUseSupplier: identifiesMeterPoint(hint),
      suppliers,
      ...(error ? { errors: [withVisibleTarget(error, hiddenSupplier(suppliers), '#passkey-title')] } : {}),
      ...(error?.href === '#identifier' ? { typed: '' } : {}),
    },
    status: error?.status ?? 200,
    formTargets: 'elsewhere',
  };
}

/**
 * Returns the error of a form if the browser's entry has expired, or is another one than when the page was loaded: a link or an input in another
 * tab replaces the entry. Pages of the previous release state no entry.
 */
export function entryError(
  { encryptedCookies, form, translate }: PageContext,
  href: string,
): ChallengeError | undefined {
  const hint = encryptedCookies.read<SignInHint>('entry');
  if (hint === undefined) return { text: translate('signIn.entryExpired'), href: '#identifier', status: 400 };
  const isNamed = identifiesCustomer(hint);
  if (isNamed && (form['entry'] ?? digestOf(hint)) === digestOf(hint)) return undefined;
  return { text: translate('signIn.entryChanged'), href: isNamed ? href : '#identifier', status: 409 };
}

/** Returns a digest that is equal for equal entries, whatever the order of their keys. */
function digestOf({ email, mpxn, ir, returnUrl }: SignInHint): string {
  const entry = JSON.stringify([email, mpxn, ir, returnUrl]);
  return createHash('sha256').update(entry).digest('base64url');
}

/** Links an error of a form to the fallback if the page does not contain the form (any more): `hidden` are the targets that it lacks. */
export function withVisibleTarget<FormError extends Pick<ChallengeError, 'href'>>(
  error: FormError,
  hidden: readonly string[],
  fallback: string,
): FormError {
  return hidden.includes(error.href) ? { ...error, href: fallback } : error;
}

/** Returns the target that a page without suppliers lacks. */
export function hiddenSupplier(suppliers: readonly SupplierSignIn[]): readonly string[] {
  return suppliers.length === 0 ? ['#supplier'] : [];
}

async function suppliersOf({ execute }: PageContext): Promise<readonly SupplierSignIn[]> {
  const { suppliers } = await execute('ListSupplierSignIns');
  return suppliers;
}
