import { RegisterError } from '../../../schema/register-error';
import type { Session } from '../../server/transaction';

/** A confirmed re-identification token that a change redeems: its keyed hash, and the end of the hour from its issuance. */
export interface RedeemedToken {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** Redeems a token in a transaction: what else is done in it is done if and only if the token was still good. */
export async function consumeToken(session: Session, { hash, expiresAt }: RedeemedToken): Promise<void> {
  const text = 'insert into consumed_token (token_hash, expires_at) values ($1, $2)';
  await session.query({ name: 'consume_token', text, values: [hash, expiresAt] });
}

/**
 * Whether a statement failed because the token was redeemed before, by whomever, or because its hour has passed by the register's
 * clock; then nothing of the statement was done.
 */
export function isSpentToken(error: unknown): boolean {
  const { constraint } = error as { constraint?: string };
  return constraint === 'consumed_token_once' || constraint === 'consumed_token_in_time';
}

/** A registration's token is not good (any more): VAL009 at `reidentificationToken`, without saying what it lacks. */
export function unusableToken(): RegisterError {
  const message = 'is not confirmed, has expired or was consumed';
  return new RegisterError('VAL009', message, {
    violations: [{ code: 'VAL009', path: ['reidentificationToken'], message }],
  });
}
