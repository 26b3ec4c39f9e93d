import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import {
  type Participant,
  type TariffEventFixture,
  tariffEventFixture,
  bodiesOf,
} from '../../../support/tariff-event-fixture';
import { ADMIN, ANALYST, ASSIGN, supplierOf, trf } from '../../../support/tariff-graph';
import { until } from '../../../support/until';
import { yearOfRates } from '../../../support/year-of-rates';

export function consentsToShare(): void {
  const CUSTOMER = '{ customerTariffs { tariffId name } }';
  const GIVE = 'mutation { giveTariffConsent { registrationId } }';
  const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';
  const LIST = `query ($filter: TariffConsentFilter) { tariffConsents(filter: $filter) {
  nodes { registrationId mpid userId supplier { mpid } rtiUser { userId } givenAt revokedAt revokedBy mpxns } } }`;

  const APPLIED = 'query ($mpxn: String!) { appliedTariff(mpxn: $mpxn) { tariffId } }';
  const END = 'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { from } }';

  let fixture: TariffEventFixture;
  const endAt = (mpxn: string, at: string) => fixture.execute(END, { mpxn, at }, supplierOf('LAPW'));
  let next = 0;
  const freshMpxn = () => String(1_500_000_000 + ++next);
  beforeAll(async () => {
    fixture = await tariffEventFixture();
    await fixture.suppliers('FELL');
  });
  afterEach(async () => {
    fixture.receiver.respondWith(() => 204);
    await fixture.moveOn(0);
  });
  afterAll(() => fixture?.close());

  describe('Deliveries of a supplier that is not active', () => {
    const PENDING = `select count(*)::int as count from delivery join webhook on webhook.id = endpoint_id
    join delivery_endpoint endpoint on endpoint.id = endpoint_id
  where user_id = $1 and state = 'pending' and delivery.created_at <= put_off_at`;

    let suppliers = 0;
    /** Creates an RTI User with a consent and a webhook at a new supplier, which has a tariff. */
    async function followingOwn(mpid: string) {
      const number = 100 + ++suppliers;
      const [mpxn, path] = [String(1_800_000_000 + suppliers), `/hook-own-${suppliers}`];
      await fixture.suppliers(mpid);
      await fixture.publish(number, {}, mpid);
      const participant = await fixture.participant({ mpid, mpxns: [mpxn] });
      const { registrationId } = await fixture.consent(participant.caller);
      const webhook = await fixture.webhook(participant.caller, path);
      return { ...participant, mpid, number, mpxn, path, registrationId, webhook };
    }

    const heard = (path: string) =>
      bodiesOf(fixture.receiver.received.filter((post) => post.path === path)).map(({ type }) => String(type));
    const held = async (userId: string) => {
      await fixture.settled();
      expect((await fixture.owner.query(PENDING, [userId])).rows[0].count).toBeGreaterThan(0);
    };
    const metric = async (line: string): Promise<number> =>
      Number(new RegExp(`^${line} ([0-9.e+-]+)$`, 'm').exec(await fixture.metrics.metrics())?.[1]);
    const WAITING = 'register_tariff_delivery_unattempted_seconds';
    const COUNTED = (isHeld: boolean) => String.raw`register_tariff_event_delay_seconds_count\{held="${isHeld}"\}`;

    describe.each(['SUSPENDED', 'DISABLED'])('A supplier that is %s', (status) => {
      it('shares nothing: due events are sent soon after its reactivation, and measured as held', async () => {
        const { userId, caller, mpid, mpxn, number, path } = await followingOwn(`A${status.slice(0, 3)}`);
        await fixture.setStatus({ mpid }, status);
        await fixture.assign(mpxn, number, 0, mpid);
        await held(userId);
        expect(await fixture.errorOf(CUSTOMER, {}, caller)).toBe('AUT001');
        await fixture.moveClock(300);
        expect([heard(path), await metric(WAITING)]).toEqual([[], 0]);
        const [before, others] = [await metric(COUNTED(true)), await metric(COUNTED(false))];
        await fixture.setStatus({ mpid }, 'ACTIVE');
        const [event] = bodiesOf(await fixture.posts(1, path));
        expect(event).toMatchObject({ type: 'tariff.change', mpxn, tariff_id: trf(number) });
        // An attempt is measured when its response has arrived: after the receiver has read it.
        expect(await until(async () => (await metric(COUNTED(true))) - before || undefined)).toBe(1);
        expect(await metric(COUNTED(false))).toBe(others);
      });

      it('does not delay a revocation', async () => {
        const { mpid, path, registrationId } = await followingOwn(`B${status.slice(0, 3)}`);
        await fixture.setStatus({ mpid }, status);
        await fixture.execute(REVOKE, { id: registrationId }, ADMIN);
        await fixture.posts(1, path);
        expect(heard(path)).toEqual(['consent.revoked']);
      });

      it('and is then removed causes events of its cessation and of the revoked consents, and no others', async () => {
        const { userId, mpid, mpxn, number, path } = await followingOwn(`C${status.slice(0, 3)}`);
        await fixture.setStatus({ mpid }, status);
        await fixture.assign(mpxn, number, 0, mpid);
        await held(userId);
        await fixture.setStatus({ mpid }, 'REMOVED');
        await fixture.posts(2, path);
        await fixture.moveOn(700);
        await fixture.settled();
        expect(heard(path).toSorted()).toEqual(['consent.revoked', 'supplier.cessation']);
      });
    });

    describe('A delivery that waits for its first attempt although no party is suspended', () => {
      it('determines the value of the metric until it is attempted', async () => {
        const { userId, mpid, mpxn, number, path } = await followingOwn('WAIT');
        await fixture.setStatus({ mpid }, 'SUSPENDED');
        await fixture.assign(mpxn, number, 0, mpid);
        await held(userId);
        await fixture.owner.query('alter table supplier disable trigger resumed');
        await fixture.setStatus({ mpid }, 'ACTIVE');
        await fixture.owner.query('alter table supplier enable trigger resumed');
        await fixture.moveClock(300);
        expect(await metric(WAITING)).toBeGreaterThanOrEqual(300);
        expect(heard(path)).toEqual([]);
        await fixture.moveOn(900);
        await fixture.posts(1, path);
        await fixture.settled();
        expect(await metric(WAITING)).toBe(0);
      });
    });
  });

  const tariffsOf = async (caller: Caller): Promise<string[]> =>
    (await fixture.execute(CUSTOMER, {}, caller)).customerTariffs.map(({ tariffId }: { tariffId: string }) => tariffId);

  /** Returns whether the supplier shares tariffs with a caller; throws any error other than the missing consent. */
  const isShared = (caller: Caller): Promise<boolean> =>
    tariffsOf(caller).then(
      () => true,
      (error: Error) => {
        if (error.message.includes('"code":"RTI002"')) return false;
        throw error;
      },
    );

  /** Creates an RTI User with a token for an MPxN on a tariff, without a consent. */
  async function onTariff(number = 1, mpxn = freshMpxn()): Promise<Participant & { mpxn: string }> {
    await fixture.assign(mpxn, number, -60);
    return { ...(await fixture.participant({ mpxns: [mpxn] })), mpxn };
  }

  describe('Granting a consent', () => {
    it('returns the registration and the tariffs of the MPxNs; a repetition returns the same consent and adds MPxNs', async () => {
      const [first, second, without] = [freshMpxn(), freshMpxn(), freshMpxn()];
      await fixture.assign(first, 1, -60);
      await fixture.assign(second, 2, -60);
      const participant = await fixture.participant({ mpxns: [first, without] });
      const given = await fixture.consent(participant.caller);
      expect(given).toEqual({
        registrationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        tariffs: [{ mpxn: first, tariffId: trf(1) }],
        isNew: true,
      });
      expect(await fixture.consent(participant.caller)).toEqual({ ...given, isNew: false });
      const wider = await fixture.consent(fixture.with(participant, { mpxns: [second] }));
      expect(wider).toEqual({ ...given, tariffs: [{ mpxn: second, tariffId: trf(2) }], isNew: false });
      const { tariffConsents } = await fixture.execute(
        LIST,
        { filter: { userId: participant.userId } },
        supplierOf('LAPW'),
      );
      expect(tariffConsents.nodes).toHaveLength(1);
      expect(tariffConsents.nodes[0].mpxns.toSorted()).toEqual([first, second, without].toSorted());
    });

    it('concerns one consumer: the same subject of another issuer is another consumer', async () => {
      const participant = await onTariff();
      const elsewhere = fixture.with(participant, { mpxns: [participant.mpxn], issuer: 'https://login.lapw.example' });
      const { registrationId } = await fixture.consent(participant.caller);
      expect(await fixture.errorOf(CUSTOMER, {}, elsewhere)).toBe('RTI002');
      expect(await fixture.errorOf(REVOKE, { id: registrationId }, elsewhere)).toBe('NTF005');
      expect(await tariffsOf(participant.caller)).toEqual([trf(1)]);
    });

    it('by many concurrent requests creates one consent', async () => {
      const { caller } = await onTariff();
      const given = await Promise.all(Array.from({ length: 8 }, () => fixture.consent(caller)));
      expect(new Set(given.map(({ registrationId }) => registrationId)).size).toBe(1);
      expect(given.filter(({ isNew }) => isNew)).toHaveLength(1);
    });

    it('after a revocation creates another consent', async () => {
      const { caller } = await onTariff();
      const { registrationId } = await fixture.consent(caller);
      await fixture.execute(REVOKE, { id: registrationId }, caller);
      const again = await fixture.consent(caller);
      expect(again.isNew).toBe(true);
      expect(again.registrationId).not.toBe(registrationId);
    });

    it('for another consumer, RTI User or supplier creates another consent', async () => {
      const mpxns = [freshMpxn()];
      const [one, other] = [await fixture.participant({ mpxns }), await fixture.participant({ mpxns })];
      const callers = [one.caller, fixture.with(one, { mpxns, subject: 'consumer-2' }), other.caller];
      const given = await Promise.all([...callers, fixture.with(one, { mpxns, mpid: 'FELL' })].map(fixture.consent));
      expect(new Set(given.map(({ registrationId }) => registrationId)).size).toBe(4);
    });
  });

  describe('The tariffs that a consent shares', () => {
    const COPY = `with copied as (
        insert into tariff select (jsonb_populate_record(tariff, $2)).* from tariff where tariff_id = $1 returning tariff_id),
      rates as (insert into tariff_rates select tariff_id, (select rates from tariff_rates where tariff_id = $1) from copied)
      insert into tariff_version select (jsonb_populate_record(row, $2)).* from tariff_version row where tariff_id = $1`;
    let published: Promise<string> | undefined;
    /** Copies the rows of a tariff with a year of half-hourly prices: a publication for each number takes seconds. */
    async function copyOfYear(number: number): Promise<void> {
      published ??= fixture.publish(40, { rates: yearOfRates() });
      await fixture.owner.query(COPY, [await published, { tariff_id: trf(number) }]);
    }

    it('are those that apply now to MPxNs that the token names and the consent covers', async () => {
      const [one, other, uncovered] = [freshMpxn(), freshMpxn(), freshMpxn()];
      for (const [index, mpxn] of [one, other, uncovered].entries()) await fixture.assign(mpxn, index + 1, -60);
      const participant = await fixture.participant({ mpxns: [one, other] });
      await fixture.consent(participant.caller);
      expect(await tariffsOf(participant.caller)).toEqual([trf(1), trf(2)]);
      expect(await tariffsOf(fixture.with(participant, { mpxns: [other, uncovered] }))).toEqual([trf(2)]);
      expect(await tariffsOf(fixture.with(participant, { mpxns: [uncovered] }))).toEqual([]);
    });

    it('are all tariffs of the consumer, also if several have a year of half-hourly prices', async () => {
      const mpxns = [freshMpxn(), freshMpxn(), freshMpxn()];
      for (const [index, mpxn] of mpxns.entries()) {
        await copyOfYear(41 + index);
        await fixture.assign(mpxn, 41 + index, -60);
      }
      const { caller } = await fixture.participant({ mpxns });
      await fixture.consent(caller);
      const { customerTariffs } = await fixture.execute('{ customerTariffs { tariffId rates { dates } } }', {}, caller);
      expect(customerTariffs.map(({ rates }: { rates: unknown[] }) => rates.length)).toEqual([366, 366, 366]);
    });

    it('are rejected if they have more rates than eleven tariffs with a year of half-hourly prices', async () => {
      const mpxns = Array.from({ length: 11 }, freshMpxn);
      for (const [index, mpxn] of mpxns.entries()) {
        await copyOfYear(50 + index);
        await fixture.assign(mpxn, 50 + index, -60);
      }
      const participant = await fixture.participant({ mpxns });
      await fixture.consent(participant.caller);
      const rates = '{ customerTariffs { rates { dates } } }';
      expect(await fixture.errorOf(rates, {}, participant.caller)).toBe('VAL003');
      const fewer = fixture.with(participant, { mpxns: mpxns.slice(1, 6) });
      expect((await fixture.execute(rates, {}, fewer)).customerTariffs).toHaveLength(5);
    });

    it('follow the MPxN through replacements, ends and changes of supplier, as the rule of the applied tariff states', async () => {
      const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
      await fixture.publish(30, { validTo: at(30) });
      await fixture.publish(31, { replaces: trf(30), validFrom: at(2), validTo: at(6) });
      await fixture.publish(32, { replaces: trf(31), validFrom: at(4), validTo: at(5) });
      await fixture.publish(33, {}, 'FELL');
      const mpxn = freshMpxn();
      await fixture.assign(mpxn, 30, -60);
      await fixture.assign(mpxn, 30, 7 * 86_400);
      await endAt(mpxn, at(10));
      await fixture.assign(mpxn, 33, 8 * 86_400, 'FELL');
      await fixture.assign(mpxn, 2, 11 * 86_400);
      await endAt(mpxn, at(12));
      await fixture.assign(mpxn, 3, 12.5 * 86_400);
      const participant = await fixture.participant({ mpxns: [mpxn] });
      const atFell = fixture.with(participant, { mpxns: [mpxn], mpid: 'FELL' });
      let atLapw = participant.caller;
      for (const caller of [atLapw, atFell]) await fixture.consent(caller);
      const seen: string[][] = [];
      for (const days of [0, 3, 4.5, 5.5, 7.5, 9, 10.5, 11.5]) {
        await fixture.moveClock(Math.round(days * 86_400));
        // The supplier's end at day 10 ended the consent there, although the tariff of FELL applied then.
        if (days === 10.5) await fixture.consent((atLapw = fixture.with(participant, { mpxns: [mpxn] })));
        const shared = [];
        for (const [mpid, caller] of [
          ['LAPW', atLapw],
          ['FELL', atFell],
        ] as const) {
          const tariffIds = await tariffsOf(caller);
          const { appliedTariff } = await fixture.execute(APPLIED, { mpxn }, supplierOf(mpid));
          expect(tariffIds).toEqual(appliedTariff === null ? [] : [appliedTariff.tariffId]);
          shared.push(...tariffIds);
        }
        seen.push(shared);
      }
      expect(seen).toEqual([[trf(30)], [trf(31)], [trf(32)], [], [], [trf(33)], [trf(33)], [trf(2)]]);
      // From the end of its own assignment on, the consent covers neither a gap nor the next assignment of the supplier.
      for (const [days, tariff] of [
        [12.2, null],
        [13, trf(3)],
      ] as const) {
        await fixture.moveClock(Math.round(days * 86_400));
        expect(await tariffsOf(atLapw)).toEqual([]);
        const { appliedTariff } = await fixture.execute(APPLIED, { mpxn }, supplierOf('LAPW'));
        expect(appliedTariff?.tariffId ?? null).toBe(tariff);
      }
    });

    it("do not change at the planned end of the losing supplier's assignment", async () => {
      const now = (await fixture.now()).getTime();
      const mpxn = freshMpxn();
      await fixture.publish(34, {}, 'FELL');
      await fixture.assign(mpxn, 1, -60);
      await endAt(mpxn, new Date(now + 2 * 3_600_000).toISOString());
      await fixture.assign(mpxn, 34, 3_600, 'FELL');
      const { caller } = await fixture.participant({ mpid: 'FELL', mpxns: [mpxn] });
      await fixture.consent(caller);
      await fixture.moveOn(3 * 3_600);
      await fixture.settled();
      expect(await tariffsOf(caller)).toEqual([trf(34)]);
      // An event is in the log once every older transaction of the server has ended, also those of other test files.
      const events = await until(async () => {
        const logged = (await fixture.logged('FELL')).filter((event) => event.mpxn === mpxn);
        return logged.length > 0 ? logged : undefined;
      });
      expect(events.map(({ type, tariff }) => [type, tariff?.tariffId])).toEqual([['TARIFF_CHANGE', trf(34)]]);
    });

    it('are none for the former occupant once an assignment ends at which the next one of the supplier starts', async () => {
      const { mpxn, ...participant } = await onTariff();
      const { caller } = participant;
      await fixture.consent(caller);
      const from = new Date((await fixture.now()).getTime() + 3_600_000).toISOString();
      await endAt(mpxn, from);
      await fixture.execute(ASSIGN, { mpxn, tariffId: trf(2), from }, supplierOf('LAPW'));
      expect(await tariffsOf(caller)).toEqual([trf(1)]);
      await fixture.moveOn(2 * 3_600);
      await fixture.settled();
      expect(await tariffsOf(caller)).toEqual([]);
      const { appliedTariff } = await fixture.execute(APPLIED, { mpxn }, supplierOf('LAPW'));
      expect(appliedTariff.tariffId).toBe(trf(2));
      const renewed = fixture.with(participant, { mpxns: [mpxn] });
      await fixture.consent(renewed);
      expect(await tariffsOf(renewed)).toEqual([trf(2)]);
    });

    it('are none for the former occupant with a token whose issuer has a clock that is up to a minute ahead', async () => {
      const { mpxn, ...participant } = await onTariff();
      await fixture.consent(participant.caller);
      const end = (await fixture.now()).getTime() + 3_600_000;
      const from = new Date(end).toISOString();
      await endAt(mpxn, from);
      await fixture.execute(ASSIGN, { mpxn, tariffId: trf(2), from }, supplierOf('LAPW'));
      await fixture.moveOn(2 * 3_600);
      await fixture.settled();
      for (const [seconds, shared] of [
        [20, []],
        [59, []],
        [60, [trf(2)]],
        [20, []],
      ] as const) {
        const caller = fixture.with(participant, { mpxns: [mpxn], issuedAt: new Date(end + seconds * 1_000) });
        const { tariffs } = await fixture.consent(caller);
        expect(tariffs).toEqual(shared.map((tariffId) => ({ mpxn, tariffId })));
        expect(await tariffsOf(caller)).toEqual(shared);
      }
    });

    it('remain those of the next occupant at the instant from which the planned end was moved to an earlier one', async () => {
      const { mpxn } = await onTariff();
      const start = (await fixture.now()).getTime();
      for (const hours of [4, 1]) await endAt(mpxn, new Date(start + hours * 3_600_000).toISOString());
      await fixture.assign(mpxn, 2, 2 * 3_600);
      await fixture.moveOn(3 * 3_600);
      const { caller } = await fixture.participant({ mpxns: [mpxn] });
      await fixture.consent(caller);
      await fixture.moveOn(5 * 3_600);
      await fixture.settled();
      expect(await tariffsOf(caller)).toEqual([trf(2)]);
    });

    it.each([
      ['before the end', 1_800, 'first'],
      ['at the end', 3_600, 'first'],
      ['at the end, which is recorded later', 3_600, 'second'],
      ['at the end, which is recorded after it', 3_600, 'late'],
    ])(
      'are none for the former occupant once the next one has a tariff of the same supplier, if another supplier took over %s',
      async (_, takenOver, recorded) => {
        const mpxn = freshMpxn();
        await fixture.publish(34, {}, 'FELL');
        await fixture.assign(mpxn, 1, -60);
        const path = `/hook-former-${takenOver}-${recorded}`;
        const former = await fixture.participant({ mpxns: [mpxn] });
        await fixture.consent(former.caller);
        await fixture.webhook(former.caller, path);
        const gained = await fixture.participant({ mpid: 'FELL', mpxns: [mpxn] });
        await fixture.consent(gained.caller);
        const start = (await fixture.now()).getTime();
        const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
        const atFell = { mpxn, tariffId: trf(34), from: at(takenOver) };
        if (recorded === 'first') await endAt(mpxn, at(3_600));
        await fixture.execute(ASSIGN, atFell, supplierOf('FELL'));
        if (recorded === 'second') await endAt(mpxn, at(3_600));
        await fixture.moveOn(2 * 3_600);
        if (recorded === 'late') await endAt(mpxn, at(3_600));
        await fixture.settled();
        expect([await tariffsOf(former.caller), await tariffsOf(gained.caller)]).toEqual([[], [trf(34)]]);
        const types = () =>
          bodiesOf(fixture.receiver.received.filter((post) => post.path === path)).map(({ type }) => type);
        const received = types();
        expect(received).toContain('supplier.change');
        await fixture.assign(mpxn, 2, 60);
        await fixture.moveOn(3 * 3_600);
        await fixture.settled();
        expect((await fixture.execute(APPLIED, { mpxn }, supplierOf('LAPW'))).appliedTariff.tariffId).toBe(trf(2));
        expect([await tariffsOf(former.caller), types()]).toEqual([[], received]);
        const renewed = fixture.with(former, { mpxns: [mpxn] });
        await fixture.consent(renewed);
        expect(await tariffsOf(renewed)).toEqual([trf(2)]);
      },
    );

    it('remain when a supplier ends its former assignment in the past, which is rejected', async () => {
      const mpxn = freshMpxn();
      await fixture.assign(mpxn, 1, -7_200);
      await fixture.assign(mpxn, 2, -60);
      const { caller } = await fixture.participant({ mpxns: [mpxn] });
      await fixture.consent(caller);
      const at = new Date((await fixture.now()).getTime() - 3_600_000).toISOString();
      expect(await fixture.errorOf(END, { mpxn, at }, supplierOf('LAPW'))).toBe('CNF001 at');
      expect(await tariffsOf(caller)).toEqual([trf(2)]);
    });

    it('remain when the losing supplier ends its assignment in the past, which is rejected', async () => {
      const mpxn = freshMpxn();
      await fixture.publish(35, {}, 'FELL');
      await fixture.assign(mpxn, 1, -7_200);
      await fixture.assign(mpxn, 35, -60, 'FELL');
      const { caller } = await fixture.participant({ mpid: 'FELL', mpxns: [mpxn] });
      await fixture.consent(caller);
      const at = new Date((await fixture.now()).getTime() - 3_600_000).toISOString();
      expect(await fixture.errorOf(END, { mpxn, at }, supplierOf('LAPW'))).toBe('CNF001 at');
      expect(await tariffsOf(caller)).toEqual([trf(35)]);
    });

    it('are none without a live consent, an active RTI User, an active supplier and the scope', async () => {
      const participant = await onTariff();
      const { caller, mpxn } = participant;
      expect(await fixture.errorOf(CUSTOMER, {}, caller)).toBe('RTI002');
      const { registrationId } = await fixture.consent(caller);
      const unscoped = fixture.with(participant, { mpxns: [mpxn], scopes: ['consent:write', 'webhook:write'] });
      expect(await fixture.errorOf(CUSTOMER, {}, unscoped)).toBe('PRM001');
      const reading = fixture.with(participant, { mpxns: [mpxn], scopes: ['tariff:read'] });
      expect(await fixture.errorOf(GIVE, {}, reading)).toBe('PRM001');
      expect(await fixture.errorOf(REVOKE, { id: registrationId }, reading)).toBe('PRM001');
      for (const status of ['SUSPENDED', 'DISABLED']) {
        await fixture.setStatus(participant, status);
        expect(await fixture.errorOf(CUSTOMER, {}, caller)).toBe('RTI001');
        expect(await fixture.errorOf(GIVE, {}, caller)).toBe('RTI001');
        await fixture.setStatus(participant, 'ACTIVE');
      }
      expect(await tariffsOf(caller)).toEqual([trf(1)]);
      await fixture.setStatus({ mpid: 'LAPW' }, 'SUSPENDED');
      expect(await fixture.errorOf(CUSTOMER, {}, caller)).toBe('AUT001');
      await fixture.setStatus({ mpid: 'LAPW' }, 'ACTIVE');
      for (const other of [ADMIN, supplierOf('LAPW')])
        expect(await fixture.errorOf(CUSTOMER, {}, other)).toBe('PRM001');
    });
  });

  describe('Revoking a consent', () => {
    it('ends the sharing at once: no later query returns a tariff', async () => {
      const { caller } = await onTariff();
      for (let round = 0; round < 10; round += 1) {
        const { registrationId } = await fixture.consent(caller);
        let isRevoked = false;
        let before = 0;
        let after = 0;
        const inputs = Promise.all(
          Array.from({ length: 4 }, async () => {
            for (let rejected = 0; rejected < 3;) {
              const wasRevoked = isRevoked;
              const shared = await isShared(caller);
              if (shared && wasRevoked) after += 1;
              if (shared && !wasRevoked) before += 1;
              if (!shared) rejected += 1;
            }
          }),
        );
        await Promise.race([inputs, until(() => before > 0 || undefined)]);
        expect(before).toBeGreaterThan(0);
        await fixture.execute(REVOKE, { id: registrationId }, caller);
        isRevoked = true;
        await inputs;
        expect(after).toBe(0);
      }
    });

    it('is possible for the consumer through the same RTI User and for an admin; other parties receive NTF005', async () => {
      const participant = await onTariff();
      const { registrationId: id } = await fixture.consent(participant.caller);
      const stranger = await fixture.participant();
      const { mpxn: one } = participant;
      const others = [
        stranger.caller,
        fixture.with(participant, { mpxns: [one], subject: 'consumer-2' }),
        fixture.with(participant, { mpxns: [one], mpid: 'FELL' }),
      ];
      for (const caller of others) expect(await fixture.errorOf(REVOKE, { id }, caller)).toBe('NTF005');
      expect(await fixture.errorOf(REVOKE, { id: randomUUID() }, participant.caller)).toBe('NTF005');
      expect(await fixture.errorOf(REVOKE, { id: 'none' }, participant.caller)).toBe('VAL001 registrationId');
      expect(await fixture.errorOf(REVOKE, { id }, ANALYST)).toBe('PRM001');
      expect(await fixture.execute(REVOKE, { id }, ADMIN)).toEqual({ revokeTariffConsent: { registrationId: id } });
      expect(await fixture.errorOf(REVOKE, { id }, participant.caller)).toBe('NTF005');
      expect(await fixture.errorOf(CUSTOMER, {}, participant.caller)).toBe('RTI002');
    });

    it('follows from the removal of the RTI User, even for a consent that is granted concurrently', async () => {
      const { caller, userId } = await onTariff();
      await fixture.consent(caller);
      const giving = Array.from({ length: 5 }, () => fixture.consent(caller).catch(() => undefined));
      await Promise.all([...giving, fixture.setStatus({ userId }, 'REMOVED')]);
      const live = 'select from tariff_consent where user_id = $1 and revoked_at is null';
      await fixture.settled();
      await until(async () => ((await fixture.owner.query(live, [userId])).rowCount === 0 ? true : undefined));
      await fixture.settled();
      expect((await fixture.owner.query(live, [userId])).rowCount).toBe(0);
      expect(
        (await fixture.owner.query('select from tariff_consent where user_id = $1', [userId])).rowCount,
      ).toBeGreaterThan(0);
    });
  });

  describe('Stored consents', () => {
    it('contain no unencrypted MPxN and no consumer, in any table', async () => {
      const mpxn = freshMpxn();
      const subject = 'a-consumer-of-lapwing-9f27';
      await fixture.assign(mpxn, 1, -60);
      const participant = await fixture.participant({ mpxns: [mpxn], subject });
      await fixture.webhook(participant.caller, '/kept-4b71');
      await fixture.consent(participant.caller);
      await fixture.assign(mpxn, 2);
      await fixture.settled();
      const { rows: tables } = await fixture.owner.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname like 'tariffs%'`,
      );
      expect(tables.length).toBeGreaterThan(20);
      for (const { name } of tables) {
        const { rowCount } = await fixture.owner.query(`select from ${name} kept where kept::text ~ any($1)`, [
          [
            mpxn,
            subject,
            'kept-4b71',
            ...[mpxn, subject, 'kept-4b71'].map((text) => Buffer.from(text).toString('hex')),
          ],
        ]);
        expect([name, rowCount]).toEqual([name, 0]);
      }
    });

    it('change by revocation only, and are never deleted', async () => {
      const { caller } = await onTariff();
      const { registrationId } = await fixture.consent(caller);
      await fixture.execute(REVOKE, { id: registrationId }, caller);
      for (const change of ['set revoked_at = null, revoked_by = null', 'set given_at = now()'])
        await expect(
          fixture.owner.query(`update tariff_consent ${change} where id = $1`, [registrationId]),
        ).rejects.toThrow('once');
      await expect(fixture.owner.query('delete from tariff_consent where id = $1', [registrationId])).rejects.toThrow(
        'append-only',
      );
      await expect(fixture.owner.query('delete from event')).rejects.toThrow('append-only');
    });

    it('are listed for the back office and for their supplier; the MPxNs for that supplier only', async () => {
      const { caller, userId, mpxn } = await onTariff();
      const { registrationId } = await fixture.consent(caller);
      const list = async (by: Caller, filter: object) =>
        (await fixture.execute(LIST, { filter }, by)).tariffConsents.nodes;
      const [seen] = await list(supplierOf('LAPW'), { userId });
      expect(seen).toEqual({
        registrationId,
        ...{ mpid: 'LAPW', userId, supplier: { mpid: 'LAPW' }, rtiUser: { userId } },
        ...{ givenAt: expect.any(String), revokedAt: null, revokedBy: null, mpxns: [mpxn] },
      });
      for (const by of [ADMIN, ANALYST]) expect(await list(by, { userId })).toEqual([{ ...seen, mpxns: null }]);
      expect(await list(supplierOf('FELL'), { userId })).toEqual([]);
      expect(await fixture.errorOf(LIST, { filter: { mpid: 'LAPW' } }, supplierOf('FELL'))).toBe('PRM002');
      expect(await fixture.errorOf(LIST, {}, caller)).toBe('PRM001');
      await fixture.execute(REVOKE, { id: registrationId }, caller);
      expect(await list(ADMIN, { userId, live: true })).toEqual([]);
      expect(await list(ADMIN, { userId, live: false })).toMatchObject([{ registrationId, revokedBy: 'CONSUMER' }]);
    });
  });
}
