import { type HeldHandshakes, heldHandshakes } from '../../../support/held-handshakes';
import { heldBy } from '../../../support/held-lock';
import { type Planning, rowsRead } from '../../../support/rows-read';
import {
  type TariffEventFixture,
  beforeChangesAreApplied,
  bodiesOf,
  tariffEventFixture,
} from '../../../support/tariff-event-fixture';
import { ADMIN, ASSIGN, supplierOf, trf } from '../../../support/tariff-graph';
import { until } from '../../../support/until';
import { OF_THIS_DATABASE } from '../../../support/lock-waiters';

export function receiversOfEvents(): void {
  const HOUR = 3_600;
  const END = `mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { mpxn } }`;
  const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';

  let fixture: TariffEventFixture;
  let handshakes: HeldHandshakes | undefined;
  let next = 0;
  /** Returns a unique MPxN, and a path of the receiver. */
  const fresh = () => ({ mpxn: String(1_700_000_000 + ++next * 7), path: `/hook-${next}` });
  beforeAll(async () => {
    fixture = await tariffEventFixture();
    await fixture.suppliers('FELL');
    await fixture.publish(20, {}, 'FELL');
  });
  afterEach(async () => {
    await handshakes?.close();
    handshakes = undefined;
    fixture.receiver.respondWith(() => 204);
    await fixture.moveOn(0);
  });
  afterAll(() => fixture?.close());

  /** Creates an RTI User with a consent for an MPxN, and a webhook. */
  async function following(change: { mpid?: string; subject?: string } = {}, place = fresh()) {
    const participant = await fixture.participant({ mpxns: [place.mpxn], ...change });
    const { registrationId } = await fixture.consent(participant.caller);
    const webhook = await fixture.webhook(participant.caller, place.path);
    return { ...participant, ...place, registrationId, webhook };
  }

  /** Ends the assignment of an MPxN now, as its supplier. */
  const end = async (mpxn: string) =>
    fixture.execute(END, { mpxn, at: (await fixture.now()).toISOString() }, supplierOf('LAPW'));

  /** Returns type and tariff of the events that a path received. */
  const heard = async (count: number, path: string) =>
    bodiesOf(await fixture.posts(count, path)).map(({ type, tariff_id: tariff }) => [type, tariff]);

  describe('The receivers of an event', () => {
    it('do not include RTI Users without a consent for the MPxN or at the supplier, or disabled ones', async () => {
      const place = fresh();
      const without = await fixture.participant({ mpxns: [String(Number(place.mpxn) + 1)] });
      await fixture.consent(without.caller);
      await fixture.webhook(without.caller, place.path);
      await following({ mpid: 'FELL' }, place);
      const disabled = await following({}, place);
      await fixture.setStatus(disabled, 'DISABLED');
      await fixture.assign(place.mpxn, 1);
      await fixture.settled();
      await fixture.setStatus(disabled, 'ACTIVE');
      await fixture.settled();
      expect(fixture.receiver.received.filter(({ path }) => path === place.path)).toEqual([]);
    });

    it('include an RTI User whose consent began before it and is committed after it', async () => {
      const { mpxn, path } = fresh();
      const { caller } = await fixture.participant({ mpxns: [mpxn] });
      await fixture.webhook(caller, path);
      await fixture.assign(mpxn, 1);
      await fixture.assign(mpxn, 2, 60);
      await fixture.settled();
      const [{ newest }] = (await fixture.owner.query('select max(position) as newest from event')).rows;
      const keys = await heldBy(fixture.owner, 'lock table tariffs_keys.occupancy_key', []);
      const consenting = fixture.consent(caller);
      await keys.isWaitedFor();
      await fixture.moveClock(60);
      const posts = heard(1, path);
      const isPlannedOrWaits = `select not exists (select from fanout)
        or exists (select from pg_locks where locktype = 'advisory' and not granted
          and ${OF_THIS_DATABASE}) as done
        from event where position > $1`;
      await until(async () => (await fixture.owner.query(isPlannedOrWaits, [newest])).rows[0]?.done || undefined);
      await keys.release();
      await consenting;
      expect(await posts).toEqual([['tariff.change', trf(2)]]);
    });

    it('include an RTI User whose consent was granted again after each of two ends that are published later', async () => {
      const former = await following();
      await fixture.assign(former.mpxn, 1);
      await fixture.settled();
      await beforeChangesAreApplied(fixture, async () => {
        for (const tariff of [2, 3]) {
          await end(former.mpxn);
          await fixture.consent(fixture.with(former, { mpxns: [former.mpxn] }));
          await fixture.assign(former.mpxn, tariff);
        }
      });
      const ended = ['tariff.change', undefined];
      expect(await heard(4, former.path)).toEqual([['tariff.change', trf(1)], ended, ended, ['tariff.change', trf(3)]]);
    });

    it('that are suspended when it occurs receive it after their reactivation', async () => {
      const { mpxn, path, userId } = await following();
      await fixture.setStatus({ userId }, 'SUSPENDED');
      await fixture.assign(mpxn, 1);
      await fixture.settled();
      expect(fixture.receiver.received.filter((post) => post.path === path)).toEqual([]);
      await fixture.setStatus({ userId }, 'ACTIVE');
      expect(await heard(1, path)).toHaveLength(1);
    });

    it('that are suspended while a delivery waits receive it after their reactivation', async () => {
      const { mpxn, path, userId } = await following();
      fixture.receiver.respondWith(() => 500);
      await fixture.assign(mpxn, 1);
      await fixture.posts(1, path);
      await fixture.setStatus({ userId }, 'SUSPENDED');
      fixture.receiver.respondWith(() => 204);
      await fixture.moveOn(2 * HOUR);
      await fixture.settled();
      expect(await heard(1, path)).toHaveLength(1);
      await fixture.setStatus({ userId }, 'ACTIVE');
      expect(await heard(2, path)).toHaveLength(2);
    });

    it('whose consent is revoked while a delivery waits receive the revocation instead', async () => {
      const { mpxn, path, caller, registrationId } = await following();
      fixture.receiver.respondWith(() => 500);
      await fixture.assign(mpxn, 1);
      await fixture.posts(1, path);
      fixture.receiver.respondWith(() => 204);
      await fixture.execute(REVOKE, { id: registrationId }, caller);
      await fixture.posts(2, path);
      await fixture.moveOn(HOUR);
      await fixture.settled();
      expect(await heard(2, path)).toEqual([
        ['tariff.change', trf(1)],
        ['consent.revoked', undefined],
      ]);
    });

    it('whose consent is revoked during the TLS handshake of a delivery receive only the revocation', async () => {
      handshakes = await heldHandshakes(fixture.receiver.port);
      const { mpxn, path } = fresh();
      const { caller, registrationId } = await following({}, { mpxn, path: `${handshakes.url}${path}` });
      await fixture.assign(mpxn, 1);
      const events = heard(1, path);
      await handshakes.isReached();
      await fixture.execute(REVOKE, { id: registrationId }, caller);
      handshakes.release();
      expect(await events).toEqual([['consent.revoked', undefined]]);
      await fixture.settled();
      expect(await heard(1, path)).toHaveLength(1);
    });
  });

  describe('A change that is applied late', () => {
    it('is not sent on the consent of the next occupant, who receives the changes since', async () => {
      const { mpxn } = await following();
      await fixture.assign(mpxn, 1);
      await fixture.settled();
      const path = `/next-of-${mpxn}`;
      await beforeChangesAreApplied(fixture, async () => {
        await fixture.assign(mpxn, 2);
        await end(mpxn);
        await following({ subject: 'the next occupant' }, { mpxn, path });
        await fixture.assign(mpxn, 3);
      });
      await fixture.settled();
      expect(await heard(1, path)).toEqual([['tariff.change', trf(3)]]);
    });

    it('is sent on a consent that the same occupant granted before it was applied', async () => {
      const place = fresh();
      await beforeChangesAreApplied(fixture, async () => {
        await fixture.assign(place.mpxn, 1);
        await following({}, place);
      });
      expect(await heard(1, place.path)).toEqual([['tariff.change', trf(1)]]);
    });

    it('of supplier at the end of an occupancy is not sent on the consent of the next occupant, whose supplier is the former one', async () => {
      const { mpxn } = await following();
      await fixture.assign(mpxn, 1);
      await fixture.settled();
      const path = `/next-of-${mpxn}`;
      const at = new Date((await fixture.now()).getTime() + 60_000);
      await fixture.execute(END, { mpxn, at: at.toISOString() }, supplierOf('LAPW'));
      await fixture.execute(ASSIGN, { mpxn, tariffId: trf(20), from: at.toISOString() }, supplierOf('FELL'));
      await fixture.assign(mpxn, 2, 120);
      await beforeChangesAreApplied(fixture, async () => {
        await fixture.moveClock(180);
        await following({ subject: 'the next occupant' }, { mpxn, path });
      });
      await fixture.settled();
      expect(await heard(1, path)).toEqual([['tariff.change', trf(2)]]);
    });
  });

  describe('A change that waits for its retry', () => {
    /** Creates an RTI User whose receiver has rejected the first tariff of its consumer once. */
    async function waiting() {
      const follower = await following();
      fixture.receiver.respondWith(() => 500);
      await fixture.assign(follower.mpxn, 1);
      await fixture.posts(1, follower.path);
      fixture.receiver.respondWith(() => 204);
      return follower;
    }
    const first = ['tariff.change', trf(1)];
    const revoked = ['consent.revoked', undefined];
    const second = ['tariff.change', trf(2)];

    it('is not sent on a consent that the consumer granted since: the RTI User has read the tariff that applies', async () => {
      const { mpxn, path, caller, registrationId } = await waiting();
      await fixture.execute(REVOKE, { id: registrationId }, caller);
      await fixture.posts(2, path);
      await fixture.assign(mpxn, 2);
      await fixture.settled();
      await fixture.consent(caller);
      await fixture.moveOn(HOUR);
      await fixture.assign(mpxn, 3);
      expect(await heard(3, path)).toEqual([first, revoked, ['tariff.change', trf(3)]]);
    });

    it('is not sent on the consent of the next occupant', async () => {
      const follower = await waiting();
      const { mpxn, path } = follower;
      await beforeChangesAreApplied(fixture, async () => {
        await end(mpxn);
        await fixture.consent(fixture.with(follower, { mpxns: [mpxn], subject: 'the next occupant' }));
      });
      await fixture.moveOn(HOUR);
      await fixture.assign(mpxn, 2);
      expect(await heard(3, path)).toEqual([first, ['tariff.change', undefined], second]);
    });

    it('is sent while the consent of another consumer has covered the meter point since', async () => {
      const follower = await following();
      const { mpxn, path, caller, registrationId } = follower;
      await fixture.consent(fixture.with(follower, { mpxns: [mpxn], subject: 'another consumer' }));
      fixture.receiver.respondWith(() => 500);
      await fixture.assign(mpxn, 1);
      await fixture.posts(1, path);
      fixture.receiver.respondWith(() => 204);
      await fixture.execute(REVOKE, { id: registrationId }, caller);
      await fixture.posts(2, path);
      await fixture.moveOn(HOUR);
      expect(await heard(3, path)).toEqual([first, revoked, first]);
    });

    it('is not sent once the RTI User was disabled: it has missed later changes', async () => {
      const { userId, mpxn, path } = await waiting();
      for (const status of ['SUSPENDED', 'DISABLED']) await fixture.setStatus({ userId }, status);
      await fixture.assign(mpxn, 2);
      await fixture.settled();
      await fixture.setStatus({ userId }, 'ACTIVE');
      await fixture.moveOn(HOUR);
      await fixture.assign(mpxn, 3);
      expect(await heard(2, path)).toEqual([first, ['tariff.change', trf(3)]]);
    });
  });

  describe('The deliveries of an event', () => {
    /** Disables the outbox, which would plan deliveries. */
    const EVENT = `alter table event disable trigger outbox;
      insert into event (type, occurred_at, mpid) values ('supplier.cessation', register_now(), 'FELL') returning id;
      alter table event enable trigger outbox`;
    /** Inserts webhooks that were removed so many minutes ago; in the future if negative. */
    const WEBHOOKS = `insert into webhook (mpid, user_id, callback_sealed, deleted_at)
      select 'FELL', $1, '', register_now() - $2 * interval '1 minute' from generate_series(1, $3) returning id`;
    const DELIVERY = `insert into delivery (endpoint_id, event_id, subject, sequence, state, ended_at)
      values ($1, $2, 'cessation', 1, 'delivered', register_now())`;
    const idOf = (result: unknown) => (result as { rows: { id: string }[] }).rows[0]?.id ?? '';

    it.each<Planning>(['force_custom_plan', 'force_generic_plan'])(
      'are read without the webhooks that were removed before it, with plan_cache_mode = %s',
      async (planning) => {
        const { owner } = fixture;
        const { userId } = await fixture.participant();
        const [, inserted] = (await owner.query(EVENT)) as unknown as [unknown, unknown];
        await owner.query(WEBHOOKS, [userId, 60, 5_000]);
        const webhookId = idOf(await owner.query(WEBHOOKS, [userId, -60, 1]));
        await owner.query(DELIVERY, [webhookId, idOf(inserted)]);
        await owner.query('analyze webhook');
        const query = `{ tariffEvent(id: "${idOf(inserted)}") { deliveries { webhookId state attempts } } }`;
        const execute = (text: string) => fixture.execute(text, {}, ADMIN);
        const { deliveries } = (await execute(query)).tariffEvent;
        expect(deliveries).toEqual([{ webhookId, state: 'DELIVERED', attempts: 0 }]);
        const pattern = /join delivery on delivery.endpoint_id = webhook.id/;
        const { rows } = await rowsRead({ owner, execute, pattern }, query, planning);
        expect(rows['webhook']).toBeLessThanOrEqual(2);
      },
    );
  });
}
