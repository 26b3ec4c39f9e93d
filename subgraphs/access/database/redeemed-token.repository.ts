import type { Database } from '../../server/database';
import type { KeyedHash } from '../../server/keyed-hash';

const REDEEMED = { name: 'redeemed_token', text: 'select from consumed_token where token_hash = $1' };

/** Re-identification tokens that were redeemed, within their hour: later they have expired anyway. */
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
