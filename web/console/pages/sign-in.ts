import { randomUUID } from 'node:crypto';
import { errorCatalogue } from '../../../schema/error-catalogue';
import { hasErrorCode } from '../../shared/operation-error';
import type { View } from '../../shared/page-response';
import { endLivePages } from '../live/live-stream';
import { type PageContext, get, post } from '../page';
import { CONSOLE_ROLES, type ConsoleRole, type RequiredPage, type Session } from '../request/cookies';

/** The sign-in page of the back office. */
export const signInPage = get('/sign-in', ({ session, query }) =>
  session
    ? { seeOther: '/' }
    : { view: 'sign-in', model: { hasEnded: 'ended' in query, isAfterForm: query['ended'] === 'form' } },
);

/**
 * Signs this browser in with a bearer token of the account, if the account has a role of the back office, and ends its former
 * session. Leads back to the page that required the sign-in, unless another account had requested it.
 */
export const signInForm = post('/sign-in', async (context) => {
  const accountId = (context.form['account-id'] ?? '').trim();
  const secretKey = (context.form['secret-key'] ?? '').trim();
  try {
    const session = await sessionOf(context, accountId, secretKey);
    if (session === undefined) return rejectedView(accountId, 'PRM001', 'This account has no role in the back office.');
    endLivePages(context.endSession());
    context.encryptedCookies.write('session', session);
    const required = context.encryptedCookies.read<RequiredPage>('page');
    context.cookies.delete('page');
    const isOfAnother = required?.accountId !== undefined && required.accountId !== accountId;
    return { seeOther: (isOfAnother ? undefined : required?.path) ?? '/' };
  } catch (error) {
    if (hasErrorCode(error, 'AUT001', 'AUT002', 'VAL001', 'VAL003'))
      return rejectedView(accountId, 'AUT001', WRONG_CREDENTIALS);
    throw error;
  }
});

const WRONG_CREDENTIALS = 'The account id or the secret key is wrong.';

/** Returns the session of an account; undefined if its role may not use the console. */
async function sessionOf({ execute }: PageContext, accountId: string, secretKey: string): Promise<Session | undefined> {
  const { issued } = await execute('SignInToConsole', { accountId, secretKey });
  const token = issued.bearerToken;
  const { viewer } = await execute('ReadConsoleViewer', {}, token);
  return isOfBackOffice(viewer.role) ? { id: randomUUID(), token, accountId, role: viewer.role } : undefined;
}

function isOfBackOffice(role: string): role is ConsoleRole {
  return CONSOLE_ROLES.includes(role as ConsoleRole);
}

/** Returns the page with an error; the secret key must be entered again. */
function rejectedView(accountId: string, code: 'AUT001' | 'PRM001', error: string): View {
  return { view: 'sign-in', model: { accountId, error }, status: errorCatalogue[code].status };
}
