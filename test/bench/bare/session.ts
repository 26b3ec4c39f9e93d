import type { FastifyRequest } from 'fastify';
import type { TokenClaims, TokenVerifier } from '../../../subgraphs/server/bearer-token';

/** Whose token a request carries. */
export type Session = (request: FastifyRequest) => Promise<TokenClaims>;

/** The product's own token check: a verified token is remembered by its hash. The status of the account is for the statements to read. */
export function sessionOf(verifier: TokenVerifier): Session {
  return ({ headers }) => verifier.verify((headers.authorization ?? '').slice('Bearer '.length));
}

/** Refuses an account that is not active, or a token that has expired by the register's clock. */
export function admit({ expiresAt }: TokenClaims, account: { status: string; now: Date } | undefined): void {
  if (account?.status !== 'active' || expiresAt <= account.now) throw new Error('not let in');
}
