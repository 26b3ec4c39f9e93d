import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { until } from './until';
import { type ReceivedPost, webhookReceiver } from './webhook-receiver';

/** A body of any kind: tests look into it by name. */
type ToldBody = Record<string, ReturnType<typeof JSON.parse>>;

/** Where a user of the register receives webhooks; each user has a path of its own. */
export interface UserInbox {
  /** The callback URL of a user. */
  url(user: string): string;
  /**
   * The newest delivery of an event to a user, once it has come and beyond those that were asked for before; fails when it was not
   * signed with the secret.
   */
  told(user: string, event: string, secret: string): Promise<ToldBody>;
  close(): Promise<void>;
}

/** Starts it. */
export async function userInbox(): Promise<UserInbox> {
  const receiver = await webhookReceiver();
  const read = new Set<ReceivedPost>();
  return {
    url: (user) => new URL(user, receiver.url).href,
    async told(user, event, secret) {
      const post = await until(() =>
        receiver.received.findLast((each) => !read.has(each) && each.path === `/${user}` && eventOf(each) === event),
      );
      read.add(post);
      return verifiedBody(post, secret);
    },
    close: receiver.close,
  };
}

/** Interface A and D name it differently. */
function eventOf({ body }: ReceivedPost): unknown {
  const { 'event-type': ofRegister, type } = JSON.parse(body) as ToldBody;
  return ofRegister ?? type;
}

/** As a receiver does it: Standard Webhooks, and the header of Interface A where it is sent. */
function verifiedBody({ body, headers }: ReceivedPost, secret: string): ToldBody {
  const mac = createHmac('sha256', secret).update(body).digest('hex');
  const own = headers['x-dar-signature'];
  if (own !== undefined && own !== `sha256=${mac}`) throw new Error('X-DAR-Signature does not fit the secret');
  return new Webhook(secret).verify(body, headers as Record<string, string>) as ToldBody;
}
