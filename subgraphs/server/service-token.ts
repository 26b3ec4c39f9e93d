import { SignJWT, jwtVerify } from 'jose';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller, ServiceName } from './caller';

/** Header in which one service of the register proves itself to another. */
export const SERVICE_TOKEN_HEADER = 'x-register-service';

const LIFETIME = '30s';
/** Seconds by which the clocks of two services may differ. */
const CLOCK_TOLERANCE = 60;

/** What a service says of the request that it passes on, or makes on its own account (`service` set in the context). */
export interface ServiceFacts {
  readonly caller?: Caller | null;
  readonly transactionId: string;
  readonly clientAddress: string;
  /** The service asks on its own account, not for a caller. */
  readonly onOwnAccount?: boolean;
  /** The service vouches for a caller who sent no bearer token. */
  readonly vouched?: boolean;
}

/** Short-lived tokens between services that run as processes of their own. */
export interface ServiceTokens {
  issue(audience: ServiceName, facts: ServiceFacts): Promise<string>;
  /** The context that the token carries; AUT001 when it is not a token for this audience. */
  verify(token: string, audience: ServiceName): Promise<CallContext & { readonly from: ServiceName }>;
}

/** Service tokens of `issuer`, signed with the key that all services of one installation share. */
export function serviceTokens(issuer: ServiceName, key: Buffer): ServiceTokens {
  return {
    issue: (audience, facts) =>
      new SignJWT({ facts: { ...facts } })
        .setProtectedHeader({ alg: 'HS256', typ: 'register-service' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(LIFETIME)
        .sign(key),
    async verify(token, audience) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          typ: 'register-service',
          audience,
          requiredClaims: ['iss', 'exp'],
          clockTolerance: CLOCK_TOLERANCE,
        });
        const from = payload.iss as ServiceName;
        const { caller, transactionId, clientAddress, onOwnAccount, vouched } = payload['facts'] as ServiceFacts;
        return {
          from,
          caller: caller ?? null,
          service: onOwnAccount === true ? from : null,
          transactionId,
          clientAddress,
          ...(vouched === true ? { vouched } : {}),
        };
      } catch {
        throw new RegisterError('AUT001');
      }
    },
  };
}
