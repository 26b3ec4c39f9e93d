import type { Database } from '../../server/database/database';
import type { KeyedHash } from '../../server/keyed-hash';
import { RegisterError, type Violation } from '../../../schema/register-error';
import type { Session } from '../../server/database/transaction';

const REDEEMED = { name: 'redeemed_token', text: 'select from consumed_token where token_hash = $1' };

/** Redeemed re-identification tokens. */
export class RedeemedTokenRepository {
  constructor(
    private readonly database: Database,
    private readonly hashOfToken: KeyedHash,
  ) {}

  /** Returns whether a registration or a portal's list has redeemed the token. */
  async has(tokenRef: string): Promise<boolean> {
    return (await this.database.reads.rows(REDEEMED, [this.hashOfToken(tokenRef)])).length === 1;
  }
}

/** A confirmed re-identification token that a change redeems: its keyed hash, and its expiry one hour after issuance. */
export interface RedeemedToken {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** Redeems a token in a transaction. The statement fails if the token was redeemed or has expired, which rolls back the transaction. */
export async function consumeToken(session: Session, { hash, expiresAt }: RedeemedToken): Promise<void> {
  const text = 'insert into consumed_token (token_hash, expires_at) values ($1, $2)';
  await session.query({ name: 'consume_token', text, values: [hash, expiresAt] });
}

/**
 * Whether a statement failed because its token was redeemed before or has expired by the register's clock. The statement has no effect
 * then.
 */
export function isTokenRejected(error: unknown): boolean {
  const { constraint } = error as { constraint?: string };
  return constraint === 'consumed_token_once' || constraint === 'consumed_token_in_time';
}

/** Violation of a registration with a rejected token. It does not say which condition failed. */
export const REJECTED_TOKEN: Violation = {
  code: 'VAL009',
  path: ['reidentificationToken'],
  message: 'is not confirmed, has expired or was consumed',
};

/** Returns the error of a registration whose only violation is its token. */
export function rejectedToken(): RegisterError {
  return new RegisterError('VAL009', REJECTED_TOKEN.message, { violations: [REJECTED_TOKEN] });
}

/** Whether the database rejected an access record because its Identity Record is closed. */
export function isLinkToClosed(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'CD001';
}
