import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { until } from './until';
import { type ReceivedPost, webhookReceiver } from './webhook-receiver';

/** A body of any kind: tests read its fields by name. */
type WebhookBody = Record<string, ReturnType<typeof JSON.parse>>;

/** Receives the webhooks of the register's users; each user has a separate path. */
export interface UserInbox {
  /** The callback URL of a user. */
  url(user: string): string;
  /**
   * Waits for the next delivery of an event to a user and returns its body; fails if it is not signed with the secret.
   */
  event(user: string, event: string, secret: string): Promise<WebhookBody>;
  close(): Promise<void>;
}

/** Starts an inbox. */
export async function userInbox(): Promise<UserInbox> {
  const receiver = await webhookReceiver();
  const read = new Set<ReceivedPost>();
  return {
    url: (user) => new URL(user, receiver.url).href,
    async event(user, event, secret) {
      const post = await until(() =>
        receiver.received.findLast((each) => !read.has(each) && each.path === `/${user}` && eventOf(each) === event),
      );
      read.add(post);
      return verifiedBody(post, secret);
    },
    close: receiver.close,
  };
}

/** Returns the event type, whose name differs in Interfaces A and D. */
function eventOf({ body }: ReceivedPost): unknown {
  const { 'event-type': ofRegister, type } = JSON.parse(body) as WebhookBody;
  return ofRegister ?? type;
}

/** Verifies the signature as a receiver would: Standard Webhooks, and the header of Interface A if present. */
function verifiedBody({ body, headers }: ReceivedPost, secret: string): WebhookBody {
  const mac = createHmac('sha256', secret).update(body).digest('hex');
  const own = headers['x-dar-signature'];
  if (own !== undefined && own !== `sha256=${mac}`) throw new Error('X-DAR-Signature does not fit the secret');
  return new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookBody;
}
