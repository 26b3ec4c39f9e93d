import { LRUCache } from 'lru-cache';
import { decrypted } from '../../server/damaged-values';
import { encryptValue, decryptValue } from '../../server/encryption';
import type { SigningSecret } from './signing-secret';

/** Encrypts and decrypts a column of subscriptions. A value can be decrypted only for the row that it was encrypted for. */
export interface ColumnCipher {
  encrypt(webhookId: string, plain: string): Buffer;
  decrypt(webhookId: string, encrypted: Buffer): string;
}

/** Returns the cipher of a column under the encryption key of the subgraph. */
export function columnCipher(key: Buffer, column: string): ColumnCipher {
  const bound = (id: string) => `${column} of webhook ${id}`;
  return {
    encrypt: (id, plain) => encryptValue(key, plain, bound(id)),
    decrypt: (id, encrypted) => decryptValue(key, encrypted, bound(id)).toString('utf8'),
  };
}

const milliseconds = (instant: string): string => `floor(extract(epoch from ${instant}) * 1000)::bigint`;

/**
 * Selects the secrets of `webhook.id` as one text for {@link WebhookDecryption.secrets}: each encrypted secret with the times
 * of its creation and replacement. Parsing arrays would cost more than the rest of an attempt.
 */
export const SECRETS_OF_WEBHOOK = `
  (select string_agg(concat_ws(' ', encode(sealed, 'hex'), ${milliseconds('created_at')}, ${milliseconds('replaced_at')}), ',')
    from webhook_secret where webhook_id = webhook.id)`;

/** Decrypts the URLs and secrets of subscriptions. */
export interface WebhookDecryption {
  url(webhookId: string, encrypted: Buffer): string;
  /** Throws if the current secret is damaged; leaves damaged former secrets out, so that a rotation replaces a damaged one at once. */
  secrets(webhookId: string, text: string | null): readonly SigningSecret[];
}

/** Number of decrypted values that are cached: many deliveries belong to few subscriptions. */
const CACHE_SIZE = 10_000;

/** Returns functions that decrypt URLs and secrets of subscriptions, with a cache. */
export function webhookDecryption(ciphers: {
  readonly decryptCallback: ColumnCipher['decrypt'];
  readonly decryptSecret: ColumnCipher['decrypt'];
}): WebhookDecryption {
  const urls = cache<string>();
  const secrets = cache<readonly SigningSecret[]>();
  const secretsOf = (id: string, text: string): SigningSecret[] => {
    const [encrypted = '', created, replaced] = text.split(' ');
    const decrypt = () => ciphers.decryptSecret(id, Buffer.from(encrypted, 'hex'));
    const secret = replaced === undefined ? decrypt() : decrypted(decrypt);
    const replacedAt = replaced === undefined ? null : new Date(Number(replaced));
    return secret === undefined ? [] : [{ secret, createdAt: new Date(Number(created)), replacedAt }];
  };
  return {
    url: (id, encrypted) => urls(encrypted.toString('latin1'), () => ciphers.decryptCallback(id, encrypted)),
    secrets: (id, text) =>
      text === null ? [] : secrets(text, () => text.split(',').flatMap((each) => secretsOf(id, each))),
  };
}

/** Returns a function that returns the cached value of a key, or computes it. */
function cache<Value extends NonNullable<unknown>>(): (key: string, compute: () => Value) => Value {
  const values = new LRUCache<string, Value>({ max: CACHE_SIZE });
  return (key, compute) => {
    let value = values.get(key);
    if (value === undefined) {
      value = compute();
      values.set(key, value);
    }
    return value;
  };
}
