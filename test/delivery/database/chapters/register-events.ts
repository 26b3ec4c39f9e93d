import type { Caller } from '../../../../subgraphs/server/caller';
import { askSubgraph } from '../../../../subgraphs/server/service-question';
import { isLogSettled } from '../../../support/settled-log';
import { until } from '../../../support/until';
import {
  type RegisteredConsent,
  type Subscription,
  type WebhookRoom,
  webhookRoom,
} from '../../../support/webhook-room';

export function registerEvents(): void {
  /** What the graph answers, looked into by name. */
  type Answered = ReturnType<typeof JSON.parse>;

  const ADMIN: Caller = { accountId: `acc_${'a'.repeat(24)}`, role: 'admin', duid: null, mpid: null };
  const ANALYST: Caller = { ...ADMIN, role: 'analyst' };

  const EVENT = `id cursor type occurredAt recordedAt expiry daysRemaining effectiveDate
  transition { at from to cause reason } dataUser { duid } accessRecord { id } affectedRecords { id } webhook { wid }
  deliveries { webhookId status attempts }`;
  const ONE = `query ($id: EventId!) { registerEvent(id: $id) { ${EVENT} } }`;
  const ALL = `query ($duid: DUID, $types: [RegisterEventType!], $first: Int, $after: String) {
  registerEvents(duid: $duid, types: $types, first: $first, after: $after) {
    nodes { ${EVENT} } edges { cursor node { id } } nextCursor pageInfo { hasNextPage } } }`;
  const LATEST = `query ($duid: DUID, $types: [RegisterEventType!], $first: Int) {
  latestRegisterEvents(duid: $duid, types: $types, first: $first) { id type } }`;
  const COUNTS = 'query ($minutes: Int) { registerEventCounts(minutes: $minutes) { minute type count } }';
  const REVOKE = 'mutation ($ak: AccessKey!) { revokeAccessRecord(key: $ak, reason: CONTRACT_ENDED) { ak } }';
  const TEST = 'mutation ($wid: WebhookId!) { testWebhook(wid: $wid) { eventId } }';

  let room: WebhookRoom;
  let dataUser: Caller;
  let other: Caller;
  let subscription: Subscription;
  let withdrawn: RegisteredConsent;
  let revoked: RegisteredConsent;
  let expiring: RegisteredConsent;
  let ofOther: RegisteredConsent;
  beforeAll(async () => {
    room = await webhookRoom();
    [dataUser, other] = [await room.dataUser(), await room.dataUser('Fernhollow Flexibility Ltd')];
    subscription = await room.subscribe(dataUser);
    withdrawn = await room.consent(dataUser);
    await room.withdraw(withdrawn);
    revoked = await room.consent(dataUser);
    expect((await room.ask(dataUser, REVOKE, { ak: revoked.ak })).codes).toEqual([]);
    expiring = await room.consent(dataUser, 7);
    ofOther = await room.consent(other, null, expiring.mpxn);
    await room.tenancyChange(expiring.mpxn, '2026-02-01', 'operator 1');
    expect((await room.ask(dataUser, TEST, { wid: subscription.wid })).codes).toEqual([]);
  });
  afterAll(() => room.close());

  const eventsOf = async (caller: Caller, variables: object = {}) => {
    const events = await until(async () => {
      const { data, codes } = await room.ask(caller, ALL, { first: 500, ...variables });
      expect(codes).toEqual([]);
      return (await isLogSettled(room.owner)) ? data.registerEvents : undefined;
    });
    return events.nodes as Answered[];
  };
  const only = async (caller: Caller, type: string, recordId?: string) => {
    const events = (await eventsOf(caller)).filter(
      (event) => event['type'] === type && (recordId === undefined || event['accessRecord']?.id === recordId),
    );
    expect(events).toHaveLength(1);
    return events[0] as Answered;
  };

  describe('What the graph tells of an event', () => {
    it('is a registration with its transition, its record and its Data User', async () => {
      expect(await only(dataUser, 'ACCESS_REGISTERED', revoked.id)).toEqual({
        id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
        cursor: expect.any(String),
        type: 'ACCESS_REGISTERED',
        occurredAt: expect.stringMatching(/Z$/),
        recordedAt: expect.stringMatching(/Z$/),
        expiry: null,
        daysRemaining: null,
        effectiveDate: null,
        transition: { at: expect.any(String), from: null, to: 'ACTIVE', cause: 'REGISTERED', reason: null },
        dataUser: { duid: dataUser.duid },
        accessRecord: { id: revoked.id },
        affectedRecords: null,
        webhook: null,
        deliveries: [],
      });
    });

    it('is a revocation with its reason', async () => {
      const { transition, occurredAt } = await only(dataUser, 'ACCESS_REVOKED');
      expect(transition).toEqual({
        at: occurredAt,
        from: 'ACTIVE',
        to: 'REVOKED',
        cause: 'REVOKED',
        reason: 'CONTRACT_ENDED',
      });
    });

    it('is a withdrawal, one event with its transition and how far it came at each subscription', async () => {
      const { id, transition } = await only(dataUser, 'CONSENT_WITHDRAWAL', withdrawn.id);
      expect(transition).toMatchObject({
        from: 'ACTIVE',
        to: 'REVOKED',
        cause: 'WITHDRAWN',
        reason: 'CUSTOMER_REQUEST',
      });
      const deliveries = await until(async () => {
        const { data } = await room.ask(dataUser, ONE, { id });
        return data.registerEvent.deliveries[0].status === 'DELIVERED' ? data.registerEvent.deliveries : undefined;
      });
      expect(deliveries).toEqual([{ webhookId: subscription.id, status: 'DELIVERED', attempts: 1 }]);
      const [post] = room.receiver.received.filter(({ body }) => body.includes(id));
      expect(post?.headers['webhook-id']).toBe(id);
    });

    it('is an expiry that comes near, for one subscription', async () => {
      const { rows } = await room.owner.query('select expiry from access_record where id = $1', [expiring.id]);
      expect(await only(dataUser, 'CONSENT_EXPIRING')).toMatchObject({
        accessRecord: { id: expiring.id },
        webhook: { wid: subscription.wid },
        expiry: rows[0].expiry.toISOString(),
        daysRemaining: 7,
        transition: null,
      });
    });

    it('shows the back office nothing by which the records of one person can be joined', async () => {
      const REFERENCES = `accessRecord { id recordMetadata { identityRecordRef } accessEvent { controllerReference } }
        affectedRecords { id } affectedRecordCount`;
      const asked = `query { registerEvents(first: 500) { nodes { ${REFERENCES} } } }`;
      const seenBy = async (caller: Caller) => {
        const { data, codes } = await room.ask(caller, asked, {});
        expect(codes).toEqual([]);
        const { nodes } = data.registerEvents as { nodes: Answered[] };
        const records = nodes.flatMap(({ accessRecord }) => (accessRecord ? [accessRecord] : []));
        return {
          references: new Set(records.map(({ recordMetadata }) => recordMetadata.identityRecordRef)),
          own: new Set(records.map(({ accessEvent }) => accessEvent.controllerReference)),
          affected: nodes.filter(({ affectedRecords }) => affectedRecords !== null).length,
          counted: nodes.filter(({ affectedRecordCount }) => affectedRecordCount === 1).length,
        };
      };
      for (const caller of [ADMIN, ANALYST]) {
        const hidden = { references: new Set([null]), own: new Set([null]), affected: 0 };
        expect(await seenBy(caller)).toEqual({ ...hidden, counted: expect.any(Number) });
        expect((await seenBy(caller)).counted).toBeGreaterThan(1);
      }
      const own = await seenBy(dataUser);
      expect(own).toMatchObject({ affected: 1, counted: 1 });
      expect(own.references.size).toBeGreaterThan(1);
    });

    it('is a Change of Tenancy for each Data User, with its own records alone', async () => {
      const own = await only(dataUser, 'TENANCY_CHANGE');
      expect(own).toMatchObject({
        effectiveDate: '2026-02-01',
        affectedRecords: [{ id: expiring.id }],
        accessRecord: null,
      });
      expect(await only(other, 'TENANCY_CHANGE')).toMatchObject({
        affectedRecords: [{ id: ofOther.id }],
        deliveries: [],
      });
    });

    it('is a test of a subscription', async () => {
      expect(await only(dataUser, 'WEBHOOK_TEST')).toMatchObject({
        webhook: { wid: subscription.wid },
        accessRecord: null,
      });
    });

    it('is an expiry at the instant of the expiry, swept by the subgraph itself', async () => {
      const record = await room.consent(other, 1);
      await room.moveClock(2 * 86_400);
      try {
        const expired = await until(async () => {
          const { data } = await room.ask(other, LATEST, { types: ['ACCESS_EXPIRED'], first: 1 });
          return data.latestRegisterEvents[0];
        });
        const { data } = await room.ask(other, ONE, { id: expired.id });
        const { rows } = await room.owner.query('select expiry from access_record where id = $1', [record.id]);
        expect(data.registerEvent).toMatchObject({
          accessRecord: { id: record.id },
          occurredAt: rows[0].expiry.toISOString(),
          transition: { at: rows[0].expiry.toISOString(), from: 'ACTIVE', to: 'EXPIRED', cause: 'EXPIRED' },
        });
        expect(Date.parse(data.registerEvent.recordedAt)).toBeGreaterThan(rows[0].expiry.getTime());
      } finally {
        await room.moveClock(0);
      }
    });
  });

  describe('Who reads events', () => {
    it('is the back office, all of them, but no subscription', async () => {
      for (const caller of [ADMIN, ANALYST]) {
        const events = await eventsOf(caller);
        const duids = new Set(events.map((event) => event['dataUser'].duid));
        expect([...duids].toSorted()).toEqual([dataUser.duid, other.duid].toSorted());
        expect(events.map((event) => event['webhook'])).toEqual(events.map(() => null));
        const narrowed = await eventsOf(caller, { duid: other.duid, types: ['ACCESS_REGISTERED', 'TENANCY_CHANGE'] });
        expect(new Set(narrowed.map((event) => `${event['dataUser'].duid} ${event['type']}`)).size).toBe(2);
      }
    });

    it('is a Data User, its own only', async () => {
      const events = await eventsOf(dataUser);
      expect(new Set(events.map((event) => event['dataUser'].duid))).toEqual(new Set([dataUser.duid]));
      const { id } = await only(other, 'TENANCY_CHANGE');
      for (const [query, variables] of [
        [ONE, { id }],
        [ALL, { duid: other.duid }],
        [LATEST, { duid: other.duid }],
      ] as const) {
        expect((await room.ask(dataUser, query, variables)).codes).toEqual(['PRM002']);
      }
    });

    it('counts them in the back office only', async () => {
      const sum = (counts: { count: number }[]) => counts.reduce((total, { count }) => total + count, 0);
      const { data } = await room.ask(ADMIN, COUNTS, { minutes: 1_440 });
      const { rows } = await room.owner.query(
        "select count(*)::int from event where recorded_at <= register_now() + interval '1 minute'",
      );
      expect(sum(data.registerEventCounts)).toBe(rows[0].count);
      expect((await room.ask(ANALYST, COUNTS, { minutes: 1_440 })).data).toEqual(data);
      expect((await room.ask(dataUser, COUNTS)).codes).toEqual(['PRM001']);
    });

    it.each(['data_provider', 'communications_operator', 'portal', 'supplier', 'customer'] as const)(
      'is nobody else: %s',
      async (role) => {
        const caller = { ...dataUser, role };
        const { id } = await only(dataUser, 'TENANCY_CHANGE');
        for (const [query, variables] of [
          [ONE, { id }],
          [ALL, {}],
          [LATEST, {}],
          [COUNTS, {}],
          ['{ _entities(representations: [{ __typename: "RegisterEvent", id: "' + id + '" }]) { __typename } }', {}],
        ] as const) {
          expect((await room.ask(caller, query, variables)).codes).toEqual(['PRM001']);
        }
      },
    );

    it('finds nothing under an id that is unknown', async () => {
      const { data, codes } = await room.ask(dataUser, ONE, { id: `evt_${'0'.repeat(24)}` });
      expect([data.registerEvent, codes]).toEqual([null, []]);
    });
  });

  describe('The log in the graph', () => {
    it('is read page by page, oldest first, each edge with its cursor', async () => {
      const all = await eventsOf(dataUser);
      const seen: string[] = [];
      for (let after: string | null = null, more = true; more;) {
        const page: Answered = (await room.ask(dataUser, ALL, { first: 3, after })).data.registerEvents;
        expect(page.edges.map((edge: Answered) => edge.node.id)).toEqual(page.nodes.map((node: Answered) => node.id));
        expect(page.edges.map((edge: Answered) => edge.cursor)).toEqual(
          page.nodes.map((node: Answered) => node.cursor),
        );
        seen.push(...page.nodes.map((node: Answered) => node.id));
        after = page.nextCursor;
        more = page.pageInfo.hasNextPage;
      }
      expect(seen).toEqual(all.map((event) => event['id']));
      const { data } = await room.ask(dataUser, LATEST, { first: 500 });
      expect(data.latestRegisterEvents.map((event: Answered) => event.id)).toEqual(seen.toReversed());
    });

    it.each([
      ['pages', { first: 0 }, 'VAL003 first', ALL],
      ['pages', { first: 501 }, 'VAL003 first', ALL],
      ['pages', { after: 'x' }, 'VAL001 after', ALL],
      ['the latest', { first: 501 }, 'VAL003 first', LATEST],
      ['counts', { minutes: 0 }, 'VAL003 minutes', COUNTS],
      ['counts', { minutes: 1441 }, 'VAL003 minutes', COUNTS],
    ])('is not read outside of its bounds: %s, %p', async (_, variables, violation, query) => {
      expect((await room.ask(ADMIN, query, variables)).violations).toEqual([violation]);
    });

    it('is declared as a subscription, which the gateway follows', async () => {
      const { codes } = await room.ask(ADMIN, 'subscription { registerEvents { id } }');
      expect(codes).toEqual(['VAL003']);
    });
  });

  describe('What the gateway asks', () => {
    const STANDINGS =
      'query ($ids: [String!]!) { accountStandings(accountIds: $ids) { accountId active role duid now } }';
    const FOLLOW = `query ($after: String) { eventLog(after: $after, first: 500) { cursor entries { id cursor type duid } } }`;
    const askGateway = (query: string, variables: Record<string, unknown>) =>
      askSubgraph<Answered>(room.link, 'gateway', query, variables, {
        transactionId: 'tid_test',
        clientAddress: '127.0.0.1',
      });

    it('is what followed a cursor, whoever it is for; at first only the cursor', async () => {
      const { eventLog: head } = await askGateway(FOLLOW, {});
      expect(head.entries).toEqual([]);
      const records = [await room.consent(dataUser), await room.consent(other)];
      const { cursor, entries } = await until(async () => {
        const { eventLog: page } = await askGateway(FOLLOW, { after: head.cursor });
        return page.entries.length === 2 ? page : undefined;
      });
      const told = await Promise.all(
        entries.map(async ({ id }: { id: string }) => (await room.ask(ADMIN, ONE, { id })).data.registerEvent),
      );
      expect(told.map(({ accessRecord }) => accessRecord)).toEqual(records.map(({ id }) => ({ id })));
      expect(entries.map(({ type, duid }: Answered) => [type, duid])).toEqual([
        ['ACCESS_REGISTERED', dataUser.duid],
        ['ACCESS_REGISTERED', other.duid],
      ]);
      expect(entries.map((entry: Answered) => entry.cursor)).toEqual(told.map((event) => event.cursor));
      expect(cursor).toBe(entries[1].cursor);
    });

    it.each(['{ eventLog(first: 1) { cursor } }', '{ accountStandings(accountIds: []) { active } }'])(
      'is for services only: %s',
      async (query) => {
        expect((await room.ask(ADMIN, query)).codes).toEqual(['PRM001']);
      },
    );

    it('is whether accounts are let in at this instant', async () => {
      const ids = [dataUser.accountId, other.accountId, `acc_${'0'.repeat(24)}`, dataUser.accountId];
      await room.accounts.changeStatus('test', other.accountId, 'suspend');
      const { accountStandings } = await askGateway(STANDINGS, { ids });
      await room.accounts.changeStatus('test', other.accountId, 'reactivate');
      expect(accountStandings).toEqual([
        {
          accountId: dataUser.accountId,
          active: true,
          role: 'DATA_USER',
          duid: dataUser.duid,
          now: expect.any(String),
        },
        { accountId: other.accountId, active: false, role: 'DATA_USER', duid: other.duid, now: expect.any(String) },
      ]);
    });
  });
}
