import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { querySubgraph } from '../../../../subgraphs/server/graph/service-query';
import { logSettled } from '../../../support/settled-log';
import { until } from '../../../support/until';
import {
  type RegisteredConsent,
  type Subscription,
  type WebhookFixture,
  webhookFixture,
} from '../../../support/webhook-fixture';

export function registerEvents(): void {
  /** A GraphQL result, accessed by field names. */
  type ResultData = ReturnType<typeof JSON.parse>;

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

  let fixture: WebhookFixture;
  let dataUser: Caller;
  let other: Caller;
  let subscription: Subscription;
  let withdrawn: RegisteredConsent;
  let revoked: RegisteredConsent;
  let expiring: RegisteredConsent;
  let ofOther: RegisteredConsent;
  beforeAll(async () => {
    fixture = await webhookFixture();
    [dataUser, other] = [await fixture.dataUser(), await fixture.dataUser('Fernhollow Flexibility Ltd')];
    subscription = await fixture.subscribe(dataUser);
    withdrawn = await fixture.consent(dataUser);
    await fixture.withdraw(withdrawn);
    revoked = await fixture.consent(dataUser);
    expect((await fixture.execute(dataUser, REVOKE, { ak: revoked.ak })).codes).toEqual([]);
    expiring = await fixture.consent(dataUser, 7);
    ofOther = await fixture.consent(other, null, expiring.mpxn);
    await fixture.tenancyChange(expiring.mpxn, '2026-02-01', 'operator 1');
    expect((await fixture.execute(dataUser, TEST, { wid: subscription.wid })).codes).toEqual([]);
  });
  afterAll(() => fixture.close());

  const eventsOf = async (caller: Caller, variables: object = {}) => {
    await logSettled(fixture.owner);
    const { data, codes } = await fixture.execute(caller, ALL, { first: 500, ...variables });
    expect(codes).toEqual([]);
    return data.registerEvents.nodes as ResultData[];
  };
  const only = async (caller: Caller, type: string, recordId?: string) => {
    const events = (await eventsOf(caller)).filter(
      (event) => event['type'] === type && (recordId === undefined || event['accessRecord']?.id === recordId),
    );
    expect(events).toHaveLength(1);
    return events[0] as ResultData;
  };

  describe('An event in GraphQL', () => {
    it('of a registration has its transition, its record and its Data User', async () => {
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

    it('of a revocation has its reason', async () => {
      const { transition, occurredAt } = await only(dataUser, 'ACCESS_REVOKED');
      expect(transition).toEqual({
        at: occurredAt,
        from: 'ACTIVE',
        to: 'REVOKED',
        cause: 'REVOKED',
        reason: 'CONTRACT_ENDED',
      });
    });

    it('of a withdrawal is one event with its transition and its delivery to each subscription', async () => {
      const { id, transition } = await only(dataUser, 'CONSENT_WITHDRAWAL', withdrawn.id);
      expect(transition).toMatchObject({
        from: 'ACTIVE',
        to: 'REVOKED',
        cause: 'WITHDRAWN',
        reason: 'CUSTOMER_REQUEST',
      });
      const deliveries = await until(async () => {
        const { data } = await fixture.execute(dataUser, ONE, { id });
        return data.registerEvent.deliveries[0].status === 'DELIVERED' ? data.registerEvent.deliveries : undefined;
      });
      expect(deliveries).toEqual([{ webhookId: subscription.id, status: 'DELIVERED', attempts: 1 }]);
      const [post] = fixture.receiver.received.filter(({ body }) => body.includes(id));
      expect(post?.headers['webhook-id']).toBe(id);
    });

    it('of an approaching expiry concerns one subscription', async () => {
      const { rows } = await fixture.owner.query('select expiry from access_record where id = $1', [expiring.id]);
      expect(await only(dataUser, 'CONSENT_EXPIRING')).toMatchObject({
        accessRecord: { id: expiring.id },
        webhook: { wid: subscription.wid },
        expiry: rows[0].expiry.toISOString(),
        daysRemaining: 7,
        transition: null,
      });
    });

    it('contains no value for the back office by which the records of one person can be linked', async () => {
      const REFERENCES = `accessRecord { id recordMetadata { identityRecordRef } accessEvent { controllerReference } }
        affectedRecords { id } affectedRecordCount`;
      const eventsQuery = `query { registerEvents(first: 500) { nodes { ${REFERENCES} } } }`;
      const seenBy = async (caller: Caller) => {
        const { data, codes } = await fixture.execute(caller, eventsQuery, {});
        expect(codes).toEqual([]);
        const { nodes } = data.registerEvents as { nodes: ResultData[] };
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

    it('of a Change of Tenancy exists for each Data User, with its own records only', async () => {
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

    it('of a test names its subscription', async () => {
      expect(await only(dataUser, 'WEBHOOK_TEST')).toMatchObject({
        webhook: { wid: subscription.wid },
        accessRecord: null,
      });
    });

    it('of an expiry is dated at the instant of the expiry, and recorded by the subgraph itself', async () => {
      const record = await fixture.consent(other, 1);
      await fixture.moveClock(2 * 86_400);
      try {
        const expired = await until(async () => {
          const { data } = await fixture.execute(other, LATEST, { types: ['ACCESS_EXPIRED'], first: 1 });
          return data.latestRegisterEvents[0];
        });
        const { data } = await fixture.execute(other, ONE, { id: expired.id });
        const { rows } = await fixture.owner.query('select expiry from access_record where id = $1', [record.id]);
        expect(data.registerEvent).toMatchObject({
          accessRecord: { id: record.id },
          occurredAt: rows[0].expiry.toISOString(),
          transition: { at: rows[0].expiry.toISOString(), from: 'ACTIVE', to: 'EXPIRED', cause: 'EXPIRED' },
        });
        expect(Date.parse(data.registerEvent.recordedAt)).toBeGreaterThan(rows[0].expiry.getTime());
      } finally {
        await fixture.moveClock(0);
      }
    });
  });

  describe('Events', () => {
    it('are all readable by the back office, without the subscriptions', async () => {
      for (const caller of [ADMIN, ANALYST]) {
        const events = await eventsOf(caller);
        const duids = new Set(events.map((event) => event['dataUser'].duid));
        expect([...duids].toSorted()).toEqual([dataUser.duid, other.duid].toSorted());
        expect(events.map((event) => event['webhook'])).toEqual(events.map(() => null));
        const narrowed = await eventsOf(caller, { duid: other.duid, types: ['ACCESS_REGISTERED', 'TENANCY_CHANGE'] });
        expect(new Set(narrowed.map((event) => `${event['dataUser'].duid} ${event['type']}`)).size).toBe(2);
      }
    });

    it('are readable by their own Data User only', async () => {
      const events = await eventsOf(dataUser);
      expect(new Set(events.map((event) => event['dataUser'].duid))).toEqual(new Set([dataUser.duid]));
      const { id } = await only(other, 'TENANCY_CHANGE');
      for (const [query, variables] of [
        [ONE, { id }],
        [ALL, { duid: other.duid }],
        [LATEST, { duid: other.duid }],
      ] as const) {
        expect((await fixture.execute(dataUser, query, variables)).codes).toEqual(['PRM002']);
      }
    });

    it('are counted for the back office only', async () => {
      const sum = (counts: { count: number }[]) => counts.reduce((total, { count }) => total + count, 0);
      const { data } = await fixture.execute(ADMIN, COUNTS, { minutes: 1_440 });
      const { rows } = await fixture.owner.query(
        "select count(*)::int from event where recorded_at <= register_now() + interval '1 minute'",
      );
      expect(sum(data.registerEventCounts)).toBe(rows[0].count);
      expect((await fixture.execute(ANALYST, COUNTS, { minutes: 1_440 })).data).toEqual(data);
      expect((await fixture.execute(dataUser, COUNTS)).codes).toEqual(['PRM001']);
    });

    it.each(['data_provider', 'communications_operator', 'portal', 'supplier', 'customer'] as const)(
      'are not readable by other callers: %s',
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
          expect((await fixture.execute(caller, query, variables)).codes).toEqual(['PRM001']);
        }
      },
    );

    it('are null for an unknown id', async () => {
      const { data, codes } = await fixture.execute(dataUser, ONE, { id: `evt_${'0'.repeat(24)}` });
      expect([data.registerEvent, codes]).toEqual([null, []]);
    });
  });

  describe('The event log in GraphQL', () => {
    it('is read page by page, oldest first, each edge with its cursor', async () => {
      const all = await eventsOf(dataUser);
      const seen: string[] = [];
      for (let after: string | null = null, more = true; more;) {
        const page: ResultData = (await fixture.execute(dataUser, ALL, { first: 3, after })).data.registerEvents;
        expect(page.edges.map((edge: ResultData) => edge.node.id)).toEqual(
          page.nodes.map((node: ResultData) => node.id),
        );
        expect(page.edges.map((edge: ResultData) => edge.cursor)).toEqual(
          page.nodes.map((node: ResultData) => node.cursor),
        );
        seen.push(...page.nodes.map((node: ResultData) => node.id));
        after = page.nextCursor;
        more = page.pageInfo.hasNextPage;
      }
      expect(seen).toEqual(all.map((event) => event['id']));
      const { data } = await fixture.execute(dataUser, LATEST, { first: 500 });
      expect(data.latestRegisterEvents.map((event: ResultData) => event.id)).toEqual(seen.toReversed());
    });

    it('contains each event once if a type is repeated', async () => {
      const once = (await eventsOf(ADMIN, { types: ['TENANCY_CHANGE'] })).map(({ id }) => id);
      const types = ['TENANCY_CHANGE', 'TENANCY_CHANGE'];
      expect((await eventsOf(ADMIN, { types })).map(({ id }) => id)).toEqual(once);
      const { data } = await fixture.execute(ADMIN, LATEST, { types, first: 500 });
      expect(data.latestRegisterEvents.map(({ id }: ResultData) => id)).toEqual(once.toReversed());
    });

    it.each([
      ['pages', { first: 0 }, 'VAL003 first', ALL],
      ['pages', { first: 501 }, 'VAL003 first', ALL],
      ['pages', { after: 'x' }, 'VAL001 after', ALL],
      ['the latest', { first: 501 }, 'VAL003 first', LATEST],
      ['pages', { types: [] }, 'VAL003 types', ALL],
      ['the latest', { types: [] }, 'VAL003 types', LATEST],
      ['counts', { minutes: 0 }, 'VAL003 minutes', COUNTS],
      ['counts', { minutes: 1441 }, 'VAL003 minutes', COUNTS],
    ])('rejects values out of bounds: %s, %p', async (_, variables, violation, query) => {
      expect((await fixture.execute(ADMIN, query, variables)).violations).toEqual([violation]);
    });

    it('reports a page size out of bounds together with an empty list of types', async () => {
      const { violations } = await fixture.execute(ADMIN, LATEST, { first: 0, types: [] });
      expect(violations).toEqual(['VAL003 first', 'VAL003 types']);
    });

    it('is declared as a subscription, which the gateway follows', async () => {
      const { codes } = await fixture.execute(ADMIN, 'subscription { registerEvents { id } }');
      expect(codes).toEqual(['VAL003']);
    });
  });

  describe('The internal queries of the gateway', () => {
    const STANDINGS =
      'query ($ids: [String!]!) { accountStandings(accountIds: $ids) { accountId active role duid now } }';
    const FOLLOW = `query ($after: String) { eventLog(after: $after, first: 500) { cursor entries { id cursor type duid } } }`;
    const executeAtGateway = (query: string, variables: Record<string, unknown>) =>
      querySubgraph<ResultData, Record<string, unknown>>(fixture.link, 'gateway', { text: query }, variables, {
        transactionId: 'tid_test',
        clientAddress: '127.0.0.1',
      });

    it('return the events of all Data Users after a cursor; at first only the cursor', async () => {
      const { eventLog: head } = await executeAtGateway(FOLLOW, {});
      expect(head.entries).toEqual([]);
      const records = [await fixture.consent(dataUser), await fixture.consent(other)];
      const { cursor, entries } = await until(async () => {
        const { eventLog: page } = await executeAtGateway(FOLLOW, { after: head.cursor });
        return page.entries.length === 2 ? page : undefined;
      });
      const received = await Promise.all(
        entries.map(async ({ id }: { id: string }) => (await fixture.execute(ADMIN, ONE, { id })).data.registerEvent),
      );
      expect(received.map(({ accessRecord }) => accessRecord)).toEqual(records.map(({ id }) => ({ id })));
      expect(entries.map(({ type, duid }: ResultData) => [type, duid])).toEqual([
        ['ACCESS_REGISTERED', dataUser.duid],
        ['ACCESS_REGISTERED', other.duid],
      ]);
      expect(entries.map((entry: ResultData) => entry.cursor)).toEqual(received.map((event) => event.cursor));
      expect(cursor).toBe(entries[1].cursor);
    });

    it.each(['{ eventLog(first: 1) { cursor } }', '{ accountStandings(accountIds: []) { active } }'])(
      'are for services only: %s',
      async (query) => {
        expect((await fixture.execute(ADMIN, query)).codes).toEqual(['PRM001']);
      },
    );

    it('return whether accounts are admitted now', async () => {
      const ids = [dataUser.accountId, other.accountId, `acc_${'0'.repeat(24)}`, dataUser.accountId];
      await fixture.accounts.changeStatus('test', other.accountId, 'suspend');
      const { accountStandings } = await executeAtGateway(STANDINGS, { ids });
      await fixture.accounts.changeStatus('test', other.accountId, 'reactivate');
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
