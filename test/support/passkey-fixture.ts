import type { Caller } from '../../subgraphs/server/callers/caller';
import { type AuthenticatorOptions, SoftwareAuthenticator } from './authenticator';
import { READ, RETURN_URL, STATUS, enrolled, valueOf } from './ceremonies';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from './sign-in-fixture';

/** Input of a re-identification by a passkey that the customer has. */
export const ASSERT = { method: 'PASSKEY_ASSERT', passkeyReturnUrl: RETURN_URL };
/** Input of a re-identification in which the customer registers a passkey. */
export const ADD = { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL };

/** Two Data Users and customers with passkeys, in the fixture that the chapters of a file share. */
export interface PasskeyFixture {
  readonly fixture: SignInFixture;
  /** The Data User that registers the customers. */
  readonly owner: Caller;
  /** A Data User that re-identifies them. */
  readonly other: Caller;
  /** The origin of the pages on which customers use passkeys. */
  readonly origin: string;
  /** Returns the status of a re-identification that `other` started. */
  statusOf(token: string): Promise<string>;
  /** Returns the passkeys of a record of `owner`. */
  credentialsOf(ref: string): Promise<ReturnType<typeof JSON.parse>>;
  /** Creates a customer of `owner` who has a passkey and no e-mail address. */
  customer(
    options?: Omit<AuthenticatorOptions, 'origin'>,
  ): Promise<{ readonly authenticator: SoftwareAuthenticator; readonly mpxn: string; readonly ref: string }>;
}

/** Creates the Data Users of a chapter. */
export async function passkeyFixture(): Promise<PasskeyFixture> {
  const fixture = await fixtureOfThisFile();
  const [owner, other] = [await fixture.dataUser(RETURN_URL), await fixture.dataUser(RETURN_URL)];
  const { origin } = new URL(fixture.urls.identityRedirectUrl);
  return {
    fixture,
    owner,
    other,
    origin,
    statusOf: async (token) => valueOf(await fixture.execute(STATUS, { token }, { caller: other })).status,
    credentialsOf: async (ref) => valueOf(await fixture.execute(READ, { ref }, { caller: owner })).credentials,
    async customer(options = {}) {
      const authenticator = new SoftwareAuthenticator({ origin, ...options });
      const mpxn = newMpxn();
      return { authenticator, mpxn, ref: await enrolled(fixture, owner, authenticator, mpxn) };
    },
  };
}
