import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Caller } from '../../../subgraphs/server/callers/caller';
import type { ReceivedPost } from '../../support/webhook-receiver';
import { MAX_ROTATIONS } from '../../../subgraphs/delivery/requests/signing-secret';
import { type WebhookFixture, webhookFixture } from '../../support/webhook-fixture';
import { until } from '../../support/until';

const ROTATIONS = process.env['TEST_LONG'] === '1' ? 1_000 : 25;
const EVENTS = 6;
const OVERLAP = 15 * 60;
const ROTATE = `mutation ($wid: WebhookId!) { updateWebhook(wid: $wid, input: { rotateSecret: true }) { signingSecret } }`;
const TEST = 'mutation ($wid: WebhookId!) { testWebhook(wid: $wid) { eventId } }';

/** A secret and when it was replaced, by the register's clock in seconds; null while it is current. */
interface Known {
  readonly secret: string;
  replacedAt: number | null;
}

describe('A secret that is rotated repeatedly while events are delivered', () => {
  let fixture: WebhookFixture;
  let by: Caller;
  let wid: string;
  let clock = 0;
  let read = 0;
  const known: Known[] = [];
  beforeAll(async () => {
    fixture = await webhookFixture();
    by = await fixture.dataUser();
    const subscription = await fixture.subscribe(by);
    wid = subscription.wid;
    known.push({ secret: subscription.signingSecret, replacedAt: null });
  });
  afterAll(() => fixture.close());

  /** Returns the secrets that are valid, or were `slack` seconds ago, because a slow machine reads the clock late. */
  const valid = (slack: number) =>
    known
      .filter(({ replacedAt }) => replacedAt === null || clock - replacedAt < OVERLAP + slack)
      .map(({ secret }) => secret);
  const recentRotations = () =>
    known.filter(({ replacedAt }) => replacedAt !== null && clock - replacedAt < OVERLAP + 5).length;
  const advance = async (seconds: number) => fixture.moveClock((clock += seconds));

  async function rotate(): Promise<void> {
    const { data, codes } = await fixture.execute(by, ROTATE, { wid });
    expect(codes).toEqual([]);
    for (const each of known) each.replacedAt ??= clock;
    known.push({ secret: data.updateWebhook.signingSecret, replacedAt: null });
  }

  /** Causes events, with a concurrent rotation if requested; returns their deliveries. */
  async function delivered(rotating: boolean): Promise<readonly ReceivedPost[]> {
    const events = Array.from({ length: EVENTS }, () => fixture.execute(by, TEST, { wid }));
    await Promise.all([...events, rotating ? rotate() : undefined]);
    const posts = await until(() =>
      fixture.receiver.received.length >= read + EVENTS ? fixture.receiver.received : undefined,
    );
    const own = posts.slice(read);
    read = posts.length;
    return own;
  }

  const verifies = ({ body, headers }: ReceivedPost, secret: string): boolean => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  const isMac = ({ body, headers }: ReceivedPost, secret: string) =>
    headers['x-dar-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const signatures = ({ headers }: ReceivedPost) => String(headers['webhook-signature']).split(' ');
  const current = () => (known.at(-1) as Known).secret;

  it(`verifies with both schemes at every delivery of ${ROTATIONS} rotations`, async () => {
    for (let made = 0; made < ROTATIONS;) {
      const before = current();
      const isDue = recentRotations() < MAX_ROTATIONS;
      const posts = await delivered(isDue);
      if (isDue) made += 1;
      for (const post of posts) {
        expect([before, current()].filter((secret) => verifies(post, secret))).not.toEqual([]);
        expect([...new Set([before, current()])].filter((secret) => isMac(post, secret))).toHaveLength(1);
        expect(signatures(post).length).toBeLessThanOrEqual(valid(5).length);
        expect(valid(5).filter((secret) => verifies(post, secret))).toHaveLength(signatures(post).length);
      }
      await advance(Math.floor(Math.random() * 8 * 60));
    }
  }, 3_600_000);

  it('signs together with the new one until 15 minutes have passed; then only the new one signs', async () => {
    await advance(OVERLAP + 10);
    const old = current();
    await rotate();
    await advance(OVERLAP - 10);
    for (const post of await delivered(false)) {
      expect(signatures(post)).toHaveLength(2);
      expect([old, current()].map((secret) => verifies(post, secret))).toEqual([true, true]);
      expect(isMac(post, current())).toBe(true);
    }
    await advance(10);
    for (const post of await delivered(false)) {
      expect(signatures(post)).toHaveLength(1);
      expect([old, current()].map((secret) => verifies(post, secret))).toEqual([false, true]);
      expect(isMac(post, current())).toBe(true);
    }
  });

  it('signs the events recorded while it was current, as long as it is valid', async () => {
    await advance(OVERLAP + 10);
    fixture.receiver.respondWith(() => 500);
    const [first] = await delivered(false);
    const old = current();
    await rotate();
    fixture.receiver.respondWith(() => 204);
    await advance(60);
    const again = await until(() => {
      const posts = fixture.receiver.received
        .slice(read)
        .filter(({ headers }) => headers['webhook-id'] === first?.headers['webhook-id']);
      return posts[0];
    });
    expect([isMac(again, old), isMac(again, current())]).toEqual([true, false]);
    expect([verifies(again, old), verifies(again, current())]).toEqual([true, true]);
  });
});
