import type { CallContext } from '../../../../subgraphs/server/callers/caller';
import { ADVISORY_LOCKS } from '../../../../subgraphs/server/database/advisory-locks';
import { RENEW_EVENT_ERA } from '../../../../subgraphs/server/event-log/event-era';
import type { Database } from '../../../../subgraphs/server/database/database';
import { TariffEventQueries } from '../../../../subgraphs/tariffs/events/tariff-event.queries';
import { RtiWebhookQueries } from '../../../../subgraphs/tariffs/webhooks/rti-webhook.queries';
import { mpxnCipher } from '../../../../subgraphs/tariffs/occupancies/mpxn-cipher.repository';
import { type TariffEventFixture, isSigned, tariffEventFixture, bodiesOf } from '../../../support/tariff-event-fixture';
import { ADMIN, ANALYST, ASSIGN, supplierOf, trf } from '../../../support/tariff-graph';
import { until } from '../../../support/until';

export function eventsOfTariffs(): void {
  const HOUR = 3_600;
  const END = `mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { mpxn } }`;
  const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';

  const CUSTOMER = '{ customerTariffs { tariffId } }';

  let fixture: TariffEventFixture;
  let next = 0;
  /** Returns a unique MPxN, and a path of the receiver. */
  const fresh = () => ({ mpxn: String(1_000_000_000 + ++next * 7), path: `/hook-${next}` });
  beforeAll(async () => {
    fixture = await tariffEventFixture();
    await fixture.suppliers('FELL');
    await fixture.publish(20, {}, 'FELL');
  });
  afterEach(async () => {
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

  // This test is the first one, because it reads all events.
  describe('The event log of tariffs', () => {
    const PAGE = `query ($first: Int!, $after: String, $filter: TariffEventFilter) { tariffEvents(first: $first, after: $after, filter: $filter) {
  nodes { id cursor type at recordedAt mpid mpxn registrationId tariff { tariffId } supplier { mpid } deliveries { webhookId userId state attempts } }
  nextCursor } }`;
    const ONE = 'query ($id: EventId!) { tariffEvent(id: $id) { id mpxn } }';
    const FOLLOW = `query ($after: String, $first: Int!) { tariffEventLog(after: $after, first: $first) { cursor entries { id cursor type mpid } } }`;

    let logged = 0;
    const freshMpxn = () => String(1_850_000_000 + ++logged);
    const SERVICE: CallContext = {
      caller: null,
      service: 'gateway',
      transactionId: 'tid_test',
      clientAddress: '127.0.0.1',
    };

    async function follow(after: string | null, first = 500) {
      const { data, errors } = await fixture.running.link.execute(
        { query: FOLLOW, variables: { after, first } },
        SERVICE,
      );
      if (errors) throw new Error(JSON.stringify(errors));
      return (data as ReturnType<typeof JSON.parse>).tariffEventLog;
    }

    /** Waits until readers receive all events: transactions of other databases of the server delay them, too. */
    const shown = () =>
      until(async () => {
        const { rowCount } = await fixture.owner.query(
          'select from event where (era, tx) >= (event_era(), pg_snapshot_xmin(pg_current_snapshot())) limit 1',
        );
        return rowCount === 0 ? true : undefined;
      });

    it('contains what happened, the webhooks that receive it, and the state of each delivery', async () => {
      const mpxn = freshMpxn();
      const { caller, userId } = await fixture.participant({ mpxns: [mpxn] });
      const { registrationId } = await fixture.consent(caller);
      const { webhookId } = await fixture.webhook(caller, '/log');
      await fixture.assign(mpxn, 1);
      await fixture.posts(1, '/log');
      await fixture.execute(
        'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }',
        { id: registrationId },
        caller,
      );
      await fixture.posts(2, '/log');
      await fixture.settled();
      await shown();
      const { tariffEvents } = await fixture.execute(PAGE, { first: 10 }, supplierOf('LAPW'));
      const deliveries = [{ webhookId, userId, state: 'DELIVERED', attempts: 1 }];
      const common = { mpid: 'LAPW', mpxn, supplier: { mpid: 'LAPW' }, deliveries };
      expect(tariffEvents.nodes).toMatchObject([
        { ...common, type: 'TARIFF_CHANGE', tariff: { tariffId: trf(1) }, registrationId: null },
        { ...common, type: 'CONSENT_REVOKED', tariff: null, registrationId },
      ]);
      for (const by of [ADMIN, ANALYST]) {
        const { tariffEvents: seen } = await fixture.execute(PAGE, { first: 10 }, by);
        expect(seen.nodes.map((node: { mpxn: string | null }) => node.mpxn)).toEqual([null, null]);
      }
    });

    it('is listed in pages, by type and by supplier; a supplier reads its own only', async () => {
      const mpxns = [freshMpxn(), freshMpxn(), freshMpxn()];
      for (const mpxn of mpxns) await fixture.assign(mpxn, 2);
      const ofItsCustomer = freshMpxn();
      await fixture.assign(ofItsCustomer, 20, 0, 'FELL');
      await fixture.settled();
      await shown();
      const all = (await fixture.execute(PAGE, { first: 500 }, ADMIN)).tariffEvents.nodes;
      const paged: unknown[] = [];
      for (let after: string | null = ''; after !== null;) {
        const { nodes, nextCursor } = (await fixture.execute(PAGE, { first: 2, after }, ADMIN)).tariffEvents as {
          nodes: unknown[];
          nextCursor: string | null;
        };
        paged.push(...nodes);
        after = nextCursor;
      }
      expect(paged).toEqual(all);
      const read = async (filter: object, by = ADMIN) =>
        (await fixture.execute(PAGE, { first: 500, filter }, by)).tariffEvents.nodes;
      const ofFell = all.filter(({ mpid }: { mpid: string }) => mpid === 'FELL');
      expect(ofFell).toHaveLength(1);
      expect(await read({ mpid: 'FELL' })).toEqual(ofFell);
      expect(await read({}, supplierOf('FELL'))).toEqual([{ ...ofFell[0], mpxn: ofItsCustomer }]);
      expect(await read({ types: ['CONSENT_REVOKED'] })).toEqual(
        all.filter(({ type }: { type: string }) => type === 'CONSENT_REVOKED'),
      );
      expect(await read({ types: ['CONSENT_REVOKED', 'TARIFF_CHANGE', 'TARIFF_CHANGE'], mpid: 'LAPW' })).toEqual(
        all.filter(({ mpid }: { mpid: string }) => mpid === 'LAPW'),
      );
      expect(await fixture.errorOf(PAGE, { first: 5, filter: { mpid: 'LAPW' } }, supplierOf('FELL'))).toBe('PRM002');
      const [own] = ofFell;
      expect((await fixture.execute(ONE, { id: own.id }, supplierOf('FELL'))).tariffEvent.mpxn).toMatch(/^\d{10}$/);
      expect((await fixture.execute(ONE, { id: own.id }, ANALYST)).tariffEvent.mpxn).toBeNull();
      expect(await fixture.errorOf(ONE, { id: own.id }, supplierOf('LAPW'))).toBe('PRM002');
      for (const first of [0, 501]) expect(await fixture.errorOf(PAGE, { first }, ADMIN)).toBe('VAL003 first');
      expect(await fixture.errorOf(PAGE, { first: 5, filter: { types: [] } }, ADMIN)).toBe('VAL003 filter.types');
      expect(await fixture.errorOf(PAGE, { first: 5, after: 'none' }, ADMIN)).toBe('VAL001 after');
      expect(await fixture.errorOf(FOLLOW, { first: 5 }, ADMIN)).toBe('PRM001');
    });

    it('is followed with a filter, and lists deliveries, without the connections that admit consumers', async () => {
      const { mpxn, path } = await following();
      await fixture.assign(mpxn, 1);
      await fixture.posts(1, path);
      const rejected = () => Promise.reject(new Error('a short read'));
      const reads = { rows: rejected, byKey: () => rejected } as unknown as Database['reads'];
      const database = { pool: fixture.owner, reads };
      const events = new TariffEventQueries(database, mpxnCipher(fixture.keys));
      const followed = await until(async () => {
        const { entries } = await events.follow({ mpid: 'LAPW', types: ['tariff.change'] }, '', 500);
        return entries.length === 0 ? undefined : entries;
      });
      const deliveries = await Promise.all(followed.map(({ id }) => events.deliveriesOf(id)));
      expect(deliveries.flat().map(({ attempts }) => attempts)).toContain(1);
      const webhooks = new RtiWebhookQueries(database, {} as never);
      expect(await webhooks.pending(String(deliveries.flat()[0]?.webhookId))).toBe(0);
    });

    it('contains no event after a running transaction, so that no cursor skips a late commit', async () => {
      await fixture.settled();
      await shown();
      const { cursor } = await follow(null);
      const insert = `insert into event (type, occurred_at, mpid, mpxn_hash, tariff_id) values ('tariff.change', register_now(), 'LAPW', $1, $2)
      returning id`;
      const [lateMpxn, earlyMpxn] = [freshMpxn(), freshMpxn()];
      for (const mpxn of [lateMpxn, earlyMpxn]) await fixture.assign(mpxn, 3, 86_400);
      const hash = (mpxn: string) => mpxnCipher(fixture.keys).hash(mpxn);
      const late = await fixture.owner.connect();
      await late.query('begin');
      const { rows: first } = await late.query<{ id: string }>(insert, [hash(lateMpxn), trf(3)]);
      const { rows: second } = await fixture.owner.query<{ id: string }>(insert, [hash(earlyMpxn), trf(3)]);
      expect((await follow(cursor)).entries).toEqual([]);
      expect((await fixture.execute(PAGE, { first: 5, after: cursor }, ADMIN)).tariffEvents.nodes).toEqual([]);
      await late.query('commit');
      late.release();
      await shown();
      const { entries } = await follow(cursor);
      expect(entries.map(({ id }: { id: string }) => id)).toEqual([first[0]?.id, second[0]?.id]);
      expect((await follow(entries[0].cursor)).entries).toEqual(entries.slice(1));
    });

    it('starts a new epoch on another database timeline, so that no former cursor skips events', async () => {
      await shown();
      const { cursor } = await follow(null);
      await fixture.owner.query(
        'set search_path = tariffs, register; update event_timeline set timeline = timeline + 1',
      );
      await fixture.owner.query(RENEW_EVENT_ERA('tariffs'));
      await fixture.assign(freshMpxn(), 4);
      await fixture.settled();
      await shown();
      expect((await follow(cursor)).entries).toHaveLength(1);
    });
  });

  describe('A tariff that takes effect', () => {
    it('is sent to RTI Users with a consent for the MPxN: a TariffEvent signed with Standard Webhooks', async () => {
      const { mpxn, path, webhook } = await following();
      const before = await fixture.now();
      await fixture.assign(mpxn, 1);
      const [post] = await fixture.posts(1, path);
      const [event] = bodiesOf(post ? [post] : []);
      expect(Object.keys(event)).toEqual([
        ...['webhook_id', 'webhook_timestamp', 'type', 'event_timestamp', 'mpxn', 'tariff_id', 'supplier_mpid'],
      ]);
      expect(event).toMatchObject({
        webhook_id: webhook.webhookId,
        type: 'tariff.change',
        mpxn,
        tariff_id: trf(1),
        supplier_mpid: 'LAPW',
      });
      for (const name of ['webhook_timestamp', 'event_timestamp'])
        expect(event[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(event.event_timestamp)).toBeGreaterThanOrEqual(before.getTime());
      expect(post && isSigned(post, webhook.signingSecret)).toBe(true);
      expect(post?.headers['webhook-id']).toMatch(/^evt_[0-9a-f]{24}$/);
    });

    it('is a change if unrelated, an update if it replaces the former one, and no event if it is the same', async () => {
      const { mpxn, path } = await following();
      await fixture.publish(30);
      await fixture.assign(mpxn, 1, -30);
      await fixture.settled();
      await fixture.assign(mpxn, 30, -20);
      await fixture.settled();
      await fixture.assign(mpxn, 30, -10);
      await fixture.settled();
      await fixture.publish(31, { replaces: trf(30) });
      await fixture.assign(mpxn, 31, -5);
      expect(await heard(3, path)).toEqual([
        ['tariff.change', trf(1)],
        ['tariff.change', trf(30)],
        ['tariff.update', trf(31)],
      ]);
    });

    it('of another supplier is a change of supplier for RTI Users of the losing one, which names only that, and a change of tariff for those of the gaining one', async () => {
      const losing = await following();
      const gaining = await following({ mpid: 'FELL' }, { mpxn: losing.mpxn, path: `${losing.path}-fell` });
      await fixture.assign(losing.mpxn, 1, -10);
      await fixture.settled();
      await fixture.assign(losing.mpxn, 20, 0, 'FELL');
      const [, event] = bodiesOf(await fixture.posts(2, losing.path));
      expect(event).toEqual({
        webhook_id: losing.webhook.webhookId,
        webhook_timestamp: expect.any(String),
        type: 'supplier.change',
        event_timestamp: expect.any(String),
        mpxn: losing.mpxn,
        supplier_mpid: 'LAPW',
      });
      expect(bodiesOf(await fixture.posts(1, gaining.path))).toMatchObject([
        { type: 'tariff.change', tariff_id: trf(20), mpxn: losing.mpxn, supplier_mpid: 'FELL' },
      ]);
      await fixture.settled();
      expect(await heard(1, gaining.path)).toHaveLength(1);
    });

    it('after an end is a change, sent to RTI Users with a new consent', async () => {
      const { mpxn, path, registrationId, ...participant } = await following();
      await fixture.assign(mpxn, 1, -30);
      await fixture.settled();
      await end(mpxn);
      await fixture.settled();
      expect(await fixture.consent(fixture.with(participant, { mpxns: [mpxn] }))).toMatchObject({
        registrationId,
        isNew: false,
      });
      await fixture.assign(mpxn, 1);
      expect(await heard(3, path)).toEqual([
        ['tariff.change', trf(1)],
        ['tariff.change', undefined],
        ['tariff.change', trf(1)],
      ]);
    });

    it('after an end belongs to the next occupant: a consent from before shares nothing until it is granted again with a token from after the end', async () => {
      const [before, place] = [await following(), fresh()];
      const { mpxn } = before;
      await fixture.assign(mpxn, 1, -30);
      expect(await heard(1, before.path)).toEqual([['tariff.change', trf(1)]]);
      expect((await fixture.execute(CUSTOMER, {}, before.caller)).customerTariffs).toEqual([{ tariffId: trf(1) }]);
      await end(mpxn);
      expect(await heard(2, before.path)).toContainEqual(['tariff.change', undefined]);
      const after = await following({ subject: 'the next occupant' }, { mpxn, path: place.path });
      await fixture.assign(mpxn, 2);
      expect(await heard(1, after.path)).toEqual([['tariff.change', trf(2)]]);
      await fixture.settled();
      expect(await heard(2, before.path)).toHaveLength(2);
      expect((await fixture.execute(CUSTOMER, {}, before.caller)).customerTariffs).toEqual([]);
      expect((await fixture.execute(CUSTOMER, {}, after.caller)).customerTariffs).toEqual([{ tariffId: trf(2) }]);
      expect((await fixture.consent(before.caller)).tariffs).toEqual([]);
      expect((await fixture.execute(CUSTOMER, {}, before.caller)).customerTariffs).toEqual([]);
      await fixture.assign(mpxn, 3);
      expect(await heard(2, after.path)).toContainEqual(['tariff.change', trf(3)]);
      await fixture.settled();
      expect(await heard(2, before.path)).toHaveLength(2);
      const renewed = fixture.with(before, { mpxns: [mpxn] });
      expect((await fixture.consent(renewed)).tariffs).toEqual([{ mpxn, tariffId: trf(3) }]);
      expect((await fixture.execute(CUSTOMER, {}, renewed)).customerTariffs).toEqual([{ tariffId: trf(3) }]);
      await fixture.assign(mpxn, 4);
      expect(await heard(3, before.path)).toContainEqual(['tariff.change', trf(4)]);
    });

    it('and ends while its delivery waits is not sent any more; the end is', async () => {
      const { mpxn, path } = await following();
      fixture.receiver.respondWith(() => 500);
      await fixture.assign(mpxn, 1);
      await fixture.posts(1, path);
      await end(mpxn);
      fixture.receiver.respondWith(() => 204);
      await fixture.moveOn(HOUR);
      await fixture.settled();
      expect(await heard(2, path)).toEqual([
        ['tariff.change', trf(1)],
        ['tariff.change', undefined],
      ]);
    });

    it('in the future causes an event when it is due, not before, dated at that instant', async () => {
      const { mpxn, path } = await following();
      const from = new Date((await fixture.now()).getTime() + 2 * HOUR * 1_000).toISOString();
      await fixture.execute(ASSIGN, { mpxn, tariffId: trf(2), from }, supplierOf('LAPW'));
      await fixture.moveOn(HOUR);
      await fixture.settled();
      expect(fixture.receiver.received.filter((post) => post.path === path)).toEqual([]);
      await fixture.moveOn(2 * HOUR + 60);
      const [event] = bodiesOf(await fixture.posts(1, path));
      expect(event.type).toBe('tariff.change');
      expect(event.event_timestamp).toBe(from);
    });

    it('in the future and superseded at the same instant causes no event; the superseding one does', async () => {
      const { mpxn, path } = await following();
      const from = new Date((await fixture.now()).getTime() + HOUR * 1_000).toISOString();
      for (const number of [2, 3])
        await fixture.execute(ASSIGN, { mpxn, tariffId: trf(number), from }, supplierOf('LAPW'));
      await fixture.moveOn(HOUR + 60);
      expect(await heard(1, path)).toEqual([['tariff.change', trf(3)]]);
      await fixture.settled();
      expect(await heard(1, path)).toHaveLength(1);
      const { rows } = await fixture.owner.query(
        `select cancelled_at is not null as cancelled from tariff_effect join tariff_step on step_id = tariff_step.id
       where tariff_step.valid_from = $1 order by tariff_effect.id`,
        [from],
      );
      expect(rows).toEqual([{ cancelled: true }, { cancelled: false }]);
    });

    it('that starts before the last published one causes no event, because the applied tariff does not change', async () => {
      const { mpxn, path } = await following();
      await fixture.assign(mpxn, 1, -30);
      await fixture.settled();
      await fixture.assign(mpxn, 2, -60);
      await fixture.settled();
      expect(await heard(1, path)).toEqual([['tariff.change', trf(1)]]);
    });
  });

  describe('Tariffs that are assigned late, one after another', () => {
    const DAY = 24 * HOUR;
    interface Step {
      readonly number: number;
      readonly inSeconds: number;
      readonly mpid: string;
    }
    const lapw = (number: number, days: number): Step => ({ number, inSeconds: -days * DAY, mpid: 'LAPW' });
    const fell = (days: number): Step => ({ number: 20, inSeconds: -days * DAY, mpid: 'FELL' });
    const assigned = (mpxn: string, { number, inSeconds, mpid }: Step) => fixture.assign(mpxn, number, inSeconds, mpid);

    /** Methods of recording assignments: each applies the due changes at another time. */
    const RECORDED: Readonly<Record<string, (mpxn: string, steps: readonly Step[]) => Promise<void>>> = {
      async 'checked after each'(mpxn, steps) {
        for (const step of steps) {
          await assigned(mpxn, step);
          await fixture.settled();
        }
      },
      async 'checked after all are recorded'(mpxn, steps) {
        const blocker = await fixture.owner.connect();
        await blocker.query('begin');
        await blocker.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.effects]);
        for (const step of steps) await assigned(mpxn, step);
        await blocker.query('commit');
        blocker.release();
      },
      async 'recorded at one instant'(mpxn, steps) {
        await fixture.owner.query(
          `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
         select $1, date_trunc('milliseconds', register_now()) + seconds * interval '1 s', tariff_id, mpid, 'acc'
         from unnest($2::integer[], $3::text[], $4::text[]) step (seconds, tariff_id, mpid)`,
          [
            mpxnCipher(fixture.keys).hash(mpxn),
            steps.map(({ inSeconds }) => inSeconds),
            steps.map(({ number }) => trf(number)),
            steps.map(({ mpid }) => mpid),
          ],
        );
      },
    };

    const CASES: readonly [string, readonly Step[], readonly (readonly [string, string?])[]][] = [
      [
        'for two suppliers, a change of tariff, then one of supplier',
        [lapw(1, 50), fell(40)],
        [['tariff.change', trf(1)], ['supplier.change']],
      ],
      [
        'for a change there and back, each of them',
        [lapw(1, 50), lapw(2, 40), lapw(1, 30)],
        [
          ['tariff.change', trf(1)],
          ['tariff.change', trf(2)],
          ['tariff.change', trf(1)],
        ],
      ],
      ['for the later one first, that one alone', [lapw(1, 40), lapw(2, 50)], [['tariff.change', trf(1)]]],
    ];
    it.each(Object.keys(RECORDED).flatMap((recorded) => CASES.map((each) => [recorded, ...each] as const)))(
      'if they are %s, cause one event each: %s',
      async (recorded, _, steps, events) => {
        const { mpxn, path } = await following();
        await RECORDED[recorded]?.(mpxn, steps);
        await fixture.settled();
        expect(await heard(events.length, path)).toEqual(events.map(([type, tariff]) => [type, tariff]));
      },
    );
  });

  describe('A tariff that replaces another', () => {
    it('causes an event for each MPxN on the replaced tariff when it takes effect, even along a chain, and for no other', async () => {
      const [on, elsewhere] = [await following(), await following()];
      await fixture.publish(40);
      await fixture.assign(on.mpxn, 40);
      await fixture.assign(elsewhere.mpxn, 1);
      await fixture.posts(1, on.path);
      const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
      await fixture.publish(41, { replaces: trf(40), validFrom: at(2) });
      await fixture.publish(42, { replaces: trf(41), validFrom: at(4) });
      await fixture.moveOn(3 * 86_400);
      await fixture.posts(2, on.path);
      await fixture.moveOn(5 * 86_400);
      expect(await heard(3, on.path)).toEqual([
        ['tariff.change', trf(40)],
        ['tariff.update', trf(41)],
        ['tariff.update', trf(42)],
      ]);
      await fixture.settled();
      expect(await heard(1, elsewhere.path)).toEqual([['tariff.change', trf(1)]]);
    });

    it('that takes effect before the replaced tariff is assigned causes an event with that assignment', async () => {
      const { mpxn, path } = await following();
      await fixture.publish(50);
      await fixture.publish(51, { replaces: trf(50) });
      await fixture.settled();
      await fixture.assign(mpxn, 50);
      expect(await heard(1, path)).toEqual([['tariff.change', trf(51)]]);
    });

    it('with another description only causes no event', async () => {
      const { mpxn, path } = await following();
      await fixture.publish(60);
      await fixture.assign(mpxn, 60);
      await fixture.posts(1, path);
      await fixture.publish(60, { name: 'Renamed' });
      await fixture.settled();
      expect(await heard(1, path)).toHaveLength(1);
    });
  });

  describe('An end', () => {
    it('of a consent is sent to its RTI User only, for each MPxN, whatever its status', async () => {
      const [one, other] = [fresh(), fresh()];
      const participant = await fixture.participant({ mpxns: [one.mpxn, other.mpxn] });
      const { registrationId } = await fixture.consent(participant.caller);
      await fixture.webhook(participant.caller, one.path);
      const bystander = await following({}, other);
      await fixture.setStatus(participant, 'SUSPENDED');
      await fixture.execute(REVOKE, { id: registrationId }, ADMIN);
      const events = bodiesOf(await fixture.posts(2, one.path));
      expect(
        events.map(({ type, mpxn, supplier_mpid: mpid, tariff_id: tariff }) => [type, mpxn, mpid, tariff]),
      ).toEqual(expect.arrayContaining([one, other].map(({ mpxn }) => ['consent.revoked', mpxn, 'LAPW', undefined])));
      await fixture.settled();
      expect(fixture.receiver.received.filter(({ path }) => path === bystander.path)).toEqual([]);
    });

    it('of an RTI User revokes its consents at every supplier and sends it these revocations, and nothing else', async () => {
      const here = await following();
      const there = fixture.with(here, { mpid: 'FELL', mpxns: [here.mpxn] });
      await fixture.consent(there);
      await fixture.webhook(there, `${here.path}-fell`);
      fixture.receiver.respondWith(() => 500);
      await fixture.assign(here.mpxn, 1);
      await fixture.posts(1, here.path);
      fixture.receiver.respondWith(() => 204);
      await fixture.setStatus(here, 'REMOVED');
      expect(await heard(2, here.path)).toContainEqual(['consent.revoked', undefined]);
      expect(await heard(1, `${here.path}-fell`)).toEqual([['consent.revoked', undefined]]);
      await fixture.moveOn(HOUR);
      await fixture.settled();
      expect(await heard(2, here.path)).toHaveLength(2);
    });

    it('of a supplier is sent to all its webhooks, without an MPxN, and revokes all its consents', async () => {
      await fixture.suppliers('MOOR');
      const [one, other] = [await following({ mpid: 'MOOR' }), await following({ mpid: 'MOOR' })];
      const unconsented = await fixture.participant({ mpid: 'MOOR' });
      await fixture.webhook(unconsented.caller, '/hook-moor');
      await fixture.setStatus({ mpid: 'MOOR' }, 'REMOVED');
      const [cessation] = bodiesOf(await fixture.posts(1, '/hook-moor'));
      expect(cessation).toEqual({
        webhook_id: expect.any(String),
        webhook_timestamp: expect.any(String),
        type: 'supplier.cessation',
        event_timestamp: expect.any(String),
        supplier_mpid: 'MOOR',
      });
      for (const { path } of [one, other])
        expect((await heard(2, path)).map(([type]) => type).toSorted()).toEqual([
          'consent.revoked',
          'supplier.cessation',
        ]);
      const { tariffConsents } = await fixture.execute(
        '{ tariffConsents(filter: { mpid: "MOOR" }) { nodes { revokedBy } } }',
        {},
        ANALYST,
      );
      expect(tariffConsents.nodes).toEqual([{ revokedBy: 'SUPPLIER_REMOVED' }, { revokedBy: 'SUPPLIER_REMOVED' }]);
    });

    it('of a supplier goes ahead of any backlog; a suspended RTI User receives the revocation then, and the end after its reactivation', async () => {
      await fixture.suppliers('DALE');
      const suspended = await following({ mpid: 'DALE' });
      await fixture.setStatus(suspended, 'SUSPENDED');
      await fixture.setStatus({ mpid: 'DALE' }, 'REMOVED');
      expect((await heard(1, suspended.path)).map(([type]) => type)).toEqual(['consent.revoked']);
      const WAITING = `select urgent from delivery where endpoint_id = $1 and state = 'pending' and next_attempt_at > register_now()`;
      const waiting = await until(async () => {
        const { rows } = await fixture.owner.query<{ urgent: boolean }>(WAITING, [suspended.webhook.webhookId]);
        return rows.length > 0 ? rows : undefined;
      });
      expect(waiting).toEqual([{ urgent: true }]);
      await fixture.setStatus(suspended, 'ACTIVE');
      await fixture.moveOn(60);
      expect((await heard(2, suspended.path)).map(([type]) => type)).toEqual(['consent.revoked', 'supplier.cessation']);
    });
  });
}
