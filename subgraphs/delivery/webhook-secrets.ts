import { LRUCache } from 'lru-cache';
import { seal, unseal } from '../server/sealed';
import type { SigningSecret } from './signing-secret';

/** A column of a subscription that is kept sealed, each value for its row. */
export interface WebhookSeal {
  seal(webhookId: string, plain: string): Buffer;
  open(webhookId: string, sealed: Buffer): string;
}

/** Seals a column of subscriptions under the encryption key of their subgraph. */
export function webhookSeal(key: Buffer, column: string): WebhookSeal {
  const bound = (id: string) => `${column} of webhook ${id}`;
  return {
    seal: (id, plain) => seal(key, plain, bound(id)),
    open: (id, sealed) => unseal(key, sealed, bound(id)).toString('utf8'),
  };
}

/** The signing secrets of the subscriptions in a table `webhook`, each with the time for which it was the current one. */
export const CREATE_WEBHOOK_SECRETS = `
  create table webhook_secret (
    id uuid primary key default gen_random_uuid(),
    webhook_id uuid not null references webhook,
    sealed bytea not null,
    created_at timestamptz not null default register_now(),
    replaced_at timestamptz
  );
  create index webhook_secret_of_webhook on webhook_secret (webhook_id, created_at)`;

const milliseconds = (instant: string): string => `floor(extract(epoch from ${instant}) * 1000)::bigint`;

/**
 * The secrets of `webhook.id` as one text, which {@link WebhookOpening.secrets} reads: each sealed secret with the instants of its
 * beginning and its replacement. To parse arrays would cost more than all else.
 */
export const SECRETS_OF_WEBHOOK = `
  (select string_agg(concat_ws(' ', encode(sealed, 'hex'), ${milliseconds('created_at')}, ${milliseconds('replaced_at')}), ',')
    from webhook_secret where webhook_id = webhook.id)`;

/** Opens what of subscriptions is sealed. */
export interface WebhookOpening {
  url(webhookId: string, sealed: Buffer): string;
  secrets(webhookId: string, text: string | null): SigningSecret[];
}

/** Values that were opened a moment ago: of few subscriptions, for many deliveries. */
const REMEMBERED = 10_000;

/** Opens addresses and secrets of subscriptions for their deliveries; what was opened last is remembered. */
export function webhookOpening(seals: {
  readonly openCallback: WebhookSeal['open'];
  readonly openSecret: WebhookSeal['open'];
}): WebhookOpening {
  const opened = new LRUCache<string, string>({ max: REMEMBERED });
  const remembered = (key: string, open: () => string): string => {
    let plain = opened.get(key);
    if (plain === undefined) {
      plain = open();
      opened.set(key, plain);
    }
    return plain;
  };
  const secretOf = (id: string, text: string): SigningSecret => {
    const [sealed = '', created, replaced] = text.split(' ');
    return {
      secret: remembered(sealed, () => seals.openSecret(id, Buffer.from(sealed, 'hex'))),
      createdAt: new Date(Number(created)),
      replacedAt: replaced === undefined ? null : new Date(Number(replaced)),
    };
  };
  return {
    url: (id, sealed) => remembered(sealed.toString('latin1'), () => seals.openCallback(id, sealed)),
    secrets: (id, text) => (text?.split(',') ?? []).map((each) => secretOf(id, each)),
  };
}
