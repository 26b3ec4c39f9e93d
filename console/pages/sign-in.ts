import { randomUUID } from 'node:crypto';
import { errorCatalogue } from '../../schema/error-catalogue';
import { isRefusal } from '../../web/register-refusal';
import type { Page, View, Visit } from '../page';
import { CONSOLE_ROLES, type ConsoleRole, type Session } from '../request/cookies';

/** Where somebody of the back office says who they are. */
export const signInPage: Page = {
  method: 'GET',
  path: '/sign-in',
  answer: ({ session, query }) =>
    session ? { seeOther: '/' } : { view: 'sign-in', model: { hasEnded: 'ended' in query } },
};

/** Signs this browser in with the account's own token, if the account is of the back office. */
export const signInForm: Page = {
  method: 'POST',
  path: '/sign-in',
  async answer(visit) {
    const accountId = (visit.form['account-id'] ?? '').trim();
    const secretKey = (visit.form['secret-key'] ?? '').trim();
    try {
      const session = await sessionOf(visit, accountId, secretKey);
      if (session === undefined) return refused(accountId, 'PRM001', 'This account is not of the back office.');
      visit.sealed.write('session', session);
      return { seeOther: '/' };
    } catch (error) {
      if (isRefusal(error, 'AUT001', 'AUT002', 'VAL001', 'VAL003')) return refused(accountId, 'AUT001', WRONG);
      throw error;
    }
  },
};

const WRONG = 'Account id or secret key is wrong.';

/** The session of an account; undefined when its role has no use for the console. */
async function sessionOf({ ask }: Visit, accountId: string, secretKey: string): Promise<Session | undefined> {
  const { issued } = await ask<{ issued: { bearerToken: string } }>('SignInToConsole', { accountId, secretKey });
  const token = issued.bearerToken;
  const { viewer } = await ask<{ viewer: { role: string } }>('ReadConsoleViewer', {}, token);
  return isOfBackOffice(viewer.role) ? { id: randomUUID(), token, accountId, role: viewer.role } : undefined;
}

function isOfBackOffice(role: string): role is ConsoleRole {
  return CONSOLE_ROLES.includes(role as ConsoleRole);
}

/** The page again, with what was wrong; the secret key has to be entered anew. */
function refused(accountId: string, code: 'AUT001' | 'PRM001', fault: string): View {
  return { view: 'sign-in', model: { accountId, fault }, status: errorCatalogue[code].status };
}
