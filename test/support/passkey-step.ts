import { type ErrorCode, errorCatalogue } from '../../schema/error-catalogue';
import type { ReceivedResponse } from './response-violations';
import { SoftwareAuthenticator } from './authenticator';
import { FINISH, OPTIONS, lastPart } from './ceremonies';
import { type GraphError, graphOf } from './graph';
import type { SharedRegister } from './register';

/** The steps of a customer with an authenticator at the URL of a passkey ceremony; returns the response to its page. */
export type PasskeyStep = (redirect: URL) => Promise<ReceivedResponse>;

/**
 * Returns a customer whose authenticator stores the passkeys that it registers. If the ceremony requires a proof by
 * passkey first, the customer provides it.
 */
export function passkeyStep(register: SharedRegister): PasskeyStep {
  const graph = graphOf(register);
  const authenticators = new Map<string, SoftwareAuthenticator>();
  const authenticatorAt = (origin: string) => {
    const authenticator = authenticators.get(origin) ?? new SoftwareAuthenticator({ origin });
    authenticators.set(origin, authenticator);
    return authenticator;
  };
  return async ({ origin, pathname }) => {
    let secret: string | null = lastPart(pathname);
    for (;;) {
      const found = await graph(OPTIONS, { secret });
      if (found.errors.length > 0) return rejected(found.errors);
      const { kind, options } = found.data.passkeyCeremonyOptions;
      const authenticator = authenticatorAt(origin);
      const response = kind === 'REGISTRATION' ? authenticator.create(options) : authenticator.get(options);
      const finished = await graph(FINISH, { secret, response });
      if (finished.errors.length > 0) return rejected(finished.errors);
      const outcome = finished.data.finishPasskeyCeremony as { readonly nextSecret: string | null };
      secret = outcome.nextSecret;
      if (secret === null) return { status: 200, headers: new Headers(), body: outcome };
    }
  };
}

function rejected(failures: readonly GraphError[]): ReceivedResponse {
  const errors = failures.map(({ extensions, message }) => ({ 'error-code': extensions.code, message }));
  const { status } = errorCatalogue[errors[0]?.['error-code'] as ErrorCode];
  return { status, headers: new Headers(), body: { errors } };
}
