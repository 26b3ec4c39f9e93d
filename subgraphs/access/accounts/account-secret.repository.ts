import type { EntityManager } from 'typeorm';
import { decryptValue } from '../../server/encryption';
import type { KeyedHash } from '../../server/keyed-hash';
import type { AccountSecretEntity } from './account.entity';
import { addSecret } from './locked-account.repository';

/** Returns the fingerprint of a secret in the audit, from its keyed hash: entries show whether two secrets are equal. */
export function shortened(hash: Buffer): string {
  return hash.toString('hex').slice(0, 16);
}

/** Kind of a secret, and how long the previous one remains valid (a PostgreSQL interval). */
export interface SecretReplacement {
  readonly kind: AccountSecretEntity['kind'];
  readonly overlap: '24 hours' | '0 s';
}

/** Replaces the secret of a locked account. Returns the new one, and both fingerprints for the audit. */
export async function replaceSecret(
  manager: EntityManager,
  accountId: string,
  { kind, overlap }: SecretReplacement,
  hashOfSecret: KeyedHash,
) {
  const from = await currentFingerprint(manager, accountId, kind);
  await manager.query(
    `update account_secret set valid_until = register_now() + interval '${overlap}'
     where account_id = $1 and kind = $2 and valid_until is null`,
    [accountId, kind],
  );
  const secretKey = await addSecret(manager, accountId, kind, hashOfSecret);
  return { from, to: { secret: shortened(hashOfSecret(secretKey)) }, secretKey };
}

/** Returns the fingerprint of the current secret of an account, null without one. */
async function currentFingerprint(
  manager: EntityManager,
  accountId: string,
  kind: AccountSecretEntity['kind'],
): Promise<{ readonly secret: string } | null> {
  const [current] = await manager.query<{ hash: Buffer }[]>(
    'select secret_hash as hash from account_secret where account_id = $1 and kind = $2 and valid_until is null',
    [accountId, kind],
  );
  return current ? { secret: shortened(current.hash) } : null;
}

/** Returns the secret of the OpenID Connect client of a supplier, null without one. */
export async function clientSecretOf(
  manager: EntityManager,
  accountId: string,
  encryptionKey: Buffer,
): Promise<string | null> {
  const [account] = await manager.query<{ sealed: Buffer | null }[]>(
    'select oauth_client_secret as sealed from account where account_id = $1',
    [accountId],
  );
  return account?.sealed ? decryptValue(encryptionKey, account.sealed, accountId).toString('utf8') : null;
}
