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
      ...(error ? { errors: [withVisibleTarget(error, suppliers)] } : {}),
      ...(error?.href === '#identifier' ? { typed: '' } : {}),
    },
    status: error?.status ?? 200,
    formTargets: 'elsewhere',
  };
}

/**
 * Returns the error of a form for which the browser stores no entry any more, or another one than when its page was loaded: a link or an
 * input in another tab replaces the entry.
 */
export function entryError(
  { form, translate }: PageContext,
  hint: SignInHint,
  href: string,
): ChallengeError | undefined {
  if (!identifiesCustomer(hint)) return { text: translate('signIn.entryExpired'), href: '#identifier', status: 400 };
  if (form['entry'] !== digestOf(hint)) return { text: translate('signIn.entryChanged'), href, status: 409 };
  return undefined;
}

function digestOf(hint: SignInHint): string {
  return createHash('sha256').update(JSON.stringify(hint)).digest('base64url');
}

/** Links an error of the supplier form to the passkey form if no supplier offers a sign-in (any more). */
function withVisibleTarget(error: ChallengeError, suppliers: readonly SupplierSignIn[]): ChallengeError {
  return error.href === '#supplier' && suppliers.length === 0 ? { ...error, href: '#passkey-title' } : error;
}

async function suppliersOf({ execute }: PageContext): Promise<readonly SupplierSignIn[]> {
  const { suppliers } = await execute('ListSupplierSignIns');
  return suppliers;
}
