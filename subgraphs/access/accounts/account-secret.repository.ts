import type { Pool } from 'pg';
import { clocksAgree, isAhead } from '../../server/database/register-clock';
import type { Purge } from '../../server/retention';
import { type Session, onlyRow } from '../../server/database/transaction';
import { decrypted } from '../../server/damaged-values';
import { decryptValue } from '../../server/encryption';
import type { KeyedHash } from '../../server/keyed-hash';
import type { SecretKind } from './account';
import { addSecret } from './locked-account.repository';

/** Returns the fingerprint of a secret in the audit, from its keyed hash: entries show whether two secrets are equal. */
export function shortened(hash: Buffer): string {
  return hash.toString('hex').slice(0, 16);
}

/** Kind of a secret, and whether the earlier ones end at once. */
interface SecretReplacement {
  readonly kind: SecretKind;
  readonly revokePrevious: boolean;
}

const OVERLAP_TIME = `interval '24 hours'`;

/** Rotation: the previous secret remains valid for 24 hours, and earlier ones no longer than before. */
const OVERLAP = `update account_secret set valid_until = register_now() + ${OVERLAP_TIME}
  where account_id = $1 and kind = $2 and valid_until is null`;

const SHORTEN = `update account_secret set valid_until = least(valid_until, register_now() + ${OVERLAP_TIME})
  where ${isAhead('valid_until', OVERLAP_TIME)} and ${clocksAgree('$1')}`;

/** Returns a function that ends the overlap of secrets that were replaced while the clock was ahead 24 hours after it is set back. */
export function shortenedOverlaps(pool: Pick<Pool, 'query'>): Purge {
  return async () => (await pool.query(SHORTEN, [new Date()])).rowCount ?? 0;
}

/** Revocation: by no clock is an earlier secret valid, also not by that of a standby, which may be behind. */
const REVOKE = `update account_secret set valid_until = '-infinity' where account_id = $1 and kind = $2`;

/** Replaces the secret of a locked account. Returns the new one, and both fingerprints for the audit. */
export async function replaceSecret(
  session: Session,
  accountId: string,
  { kind, revokePrevious }: SecretReplacement,
  hashOfSecret: KeyedHash,
) {
  const from = await currentFingerprint(session, accountId, kind);
  await session.query(revokePrevious ? REVOKE : OVERLAP, [accountId, kind]);
  const secretKey = await addSecret(session, accountId, kind, hashOfSecret);
  return { from, to: { secret: shortened(hashOfSecret(secretKey)) }, secretKey };
}

const NEW_SERIES = `with former as (select account_id, token_series from account where account_id = $1)
  update account set token_series = gen_random_uuid() from former where account.account_id = former.account_id
  returning former.token_series as "from", account.token_series as "to"`;

/** Rejects all bearer tokens that a locked account has been issued. Returns the former and the new series for the audit. */
export async function revokeTokens(session: Session, accountId: string) {
  return onlyRow(await session.query<{ from: string | null; to: string }>(NEW_SERIES, [accountId]));
}

/** Returns the fingerprint of the current secret of an account, null without one. */
async function currentFingerprint(
  session: Session,
  accountId: string,
  kind: SecretKind,
): Promise<{ readonly secret: string } | null> {
  const text =
    'select secret_hash as hash from account_secret where account_id = $1 and kind = $2 and valid_until is null';
  const [current] = (await session.query<{ hash: Buffer }>(text, [accountId, kind])).rows;
  return current ? { secret: shortened(current.hash) } : null;
}

/** Returns the secret of the OpenID Connect client of a supplier, null without one. */
export async function clientSecretOf(
  session: Session,
  accountId: string,
  encryptionKey: Buffer,
): Promise<string | null | undefined> {
  const text = 'select oauth_client_secret as sealed from account where account_id = $1';
  const [account] = (await session.query<{ sealed: Buffer | null }>(text, [accountId])).rows;
  const sealed = account?.sealed;
  return sealed ? decrypted(() => decryptValue(encryptionKey, sealed, accountId).toString('utf8')) : null;
}
