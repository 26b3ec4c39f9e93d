import { randomBytes } from 'node:crypto';
import { keyedHash } from '../../server/keyed-hash';

/** Bytes of the random half of a token, and of its proof. */
const HALF_BYTES = 16;

/** The account of an admin, with the series of its bearer tokens; null before their first revocation. */
export interface UploadingAccount {
  readonly accountId: string;
  readonly tokenSeries: string | null;
}

/**
 * Tokens of upload addresses. Half of a token is random, the other half a keyed hash of that half, the account and the series of its bearer
 * tokens: whatever revokes the bearer tokens of the account revokes its upload addresses.
 */
export interface UploadTokens {
  issue(account: UploadingAccount): string;
  /** Returns true if a token was issued for the account while its bearer tokens had this series. */
  isOf(account: UploadingAccount, token: string): boolean;
}

/** Creates and checks tokens under a key. */
export function uploadTokens(key: Buffer): UploadTokens {
  const hash = keyedHash(key, 'upload-account');
  const tokenOf = ({ accountId, tokenSeries }: UploadingAccount, random: Buffer): string => {
    const proof = hash([random.toString('hex'), accountId, tokenSeries].join(' ')).subarray(0, HALF_BYTES);
    return Buffer.concat([random, proof]).toString('base64url');
  };
  return {
    issue: (account) => tokenOf(account, randomBytes(HALF_BYTES)),
    isOf: (account, token) => tokenOf(account, Buffer.from(token, 'base64url').subarray(0, HALF_BYTES)) === token,
  };
}
