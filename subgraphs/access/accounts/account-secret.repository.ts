import type { Session } from '../../server/database/transaction';
import { decryptValue } from '../../server/encryption';
import type { KeyedHash } from '../../server/keyed-hash';
import type { SecretKind } from './account';
import { addSecret } from './locked-account.repository';

/** Returns the fingerprint of a secret in the audit, from its keyed hash: entries show whether two secrets are equal. */
export function shortened(hash: Buffer): string {
  return hash.toString('hex').slice(0, 16);
}

/** Kind of a secret, and how long the previous one remains valid (a PostgreSQL interval). */
interface SecretReplacement {
  readonly kind: SecretKind;
  readonly overlap: '24 hours' | '0 s';
}

/** Replaces the secret of a locked account. Returns the new one, and both fingerprints for the audit. */
export async function replaceSecret(
  session: Session,
  accountId: string,
  { kind, overlap }: SecretReplacement,
  hashOfSecret: KeyedHash,
) {
  const from = await currentFingerprint(session, accountId, kind);
  await session.query(
    `update account_secret set valid_until = register_now() + interval '${overlap}'
     where account_id = $1 and kind = $2 and valid_until is null`,
    [accountId, kind],
  );
  const secretKey = await addSecret(session, accountId, kind, hashOfSecret);
  return { from, to: { secret: shortened(hashOfSecret(secretKey)) }, secretKey };
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
): Promise<string | null> {
  const text = 'select oauth_client_secret as sealed from account where account_id = $1';
  const [account] = (await session.query<{ sealed: Buffer | null }>(text, [accountId])).rows;
  return account?.sealed ? decryptValue(encryptionKey, account.sealed, accountId).toString('utf8') : null;
}
