import type { FastifyRequest } from 'fastify';
import type { TokenClaims, TokenVerifier } from '../../../subgraphs/server/callers/bearer-token';

/** Verifies the token of a request. */
export type Session = (request: FastifyRequest) => Promise<TokenClaims>;

/**
 * The product's token verification: a verified token is cached by its hash. The statements read the account's status.
 */
export function sessionOf(verifier: TokenVerifier): Session {
  return ({ headers }) => verifier.verify((headers.authorization ?? '').slice('Bearer '.length));
}

/** Throws if the account is not active, or if the token has expired by the register's clock. */
export function admit({ expiresAt }: TokenClaims, account: { status: string; now: Date } | undefined): void {
  if (account?.status !== 'active' || expiresAt <= account.now) throw new Error('not let in');
}
