import { randomInt } from 'node:crypto';
import { Client as Postgres } from 'pg';
import { type Graph, graphAs, graphOf, persistentGraph } from '../../support/graph';
import { onboarded, signIn } from '../../support/administration';
import { newMpid } from '../../support/customers';
import { type SharedRegister, sharedRegister, usualWirings } from '../../support/register';
import { MAX_REPEATS, tokenOf } from '../../support/rest-client';
import { type Subscriber, TRANSPORTS, codesOf } from '../../support/subscriber';
import { ASSIGN, PUBLISH, supplierInput, tariffInput } from '../../support/tariff-graph';
import { until } from '../../support/until';

const EVENTS = `subscription ($after: String, $filter: TariffEventFilter) {
  tariffEvents(after: $after, filter: $filter) { id cursor type mpid mpxn tariff { tariffId name } } }`;
const PAGE =
  'query ($filter: TariffEventFilter) { tariffEvents(first: 500, filter: $filter) { nodes { id cursor mpxn } } }';

/** Creates a supplier with an account and a tariff. */
interface TestSupplier {
  readonly mpid: string;
  readonly token: string;
  readonly graph: Graph;
  readonly tariffId: string;
}

describe.each(usualWirings())('Subscriptions to tariff events of a register in %s', (wiring) => {
  let register: SharedRegister;
  let owner: Postgres;
  let [one, other]: TestSupplier[] = [];
  let number = randomInt(1_000_000, 2_000_000);
  const open: Subscriber[] = [];

  beforeAll(async () => {
    register = await sharedRegister(wiring);
    owner = new Postgres({ connectionString: register.databaseUrl, options: '-c search_path=tariffs,register' });
    await owner.connect();
    [one, other] = [await newSupplier(), await newSupplier()];
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.stop()));
  });
  afterAll(async () => {
    await owner?.end();
  });

  async function dataOf(graph: Graph, query: string, variables: Record<string, unknown>) {
    const { data, errors } = await persistentGraph(graph, MAX_REPEATS)(query, variables);
    if (errors.length > 0) throw new Error(JSON.stringify(errors));
    return data;
  }

  async function newSupplier(): Promise<TestSupplier> {
    const mpid = newMpid();
    const admin = await graphAs(register, 'admin');
    const account = await onboarded(admin, { role: 'SUPPLIER', displayName: `${mpid} Energy Limited`, mpid });
    const { token } = await signIn(register, account.accountId, account.secretKey);
    const graph = graphOf(register, token);
    await dataOf(admin, 'mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }', {
      input: supplierInput(mpid),
    });
    const input = tariffInput((number += 1));
    await dataOf(graph, PUBLISH, { input });
    return { mpid, token, graph, tariffId: String(input['tariffId']) };
  }

  /** Assigns a tariff to a new MPxN, which causes an event; returns the MPxN. */
  async function apply({ graph, tariffId }: TestSupplier): Promise<string> {
    const mpxn = String(1_100_000_000 + (number += 1));
    await dataOf(graph, ASSIGN, { mpxn, tariffId, from: new Date(Date.now() - 60_000).toISOString() });
    return mpxn;
  }

  /** Waits for an event of an MPxN; returns the log of the supplier. */
  const logged = async (supplier: TestSupplier, mpxn: string): Promise<{ id: string; cursor: string }[]> =>
    until(async () => {
      const { nodes } = (await dataOf(supplier.graph, PAGE, { filter: {} })).tariffEvents;
      return nodes.some((each: { mpxn: string }) => each.mpxn === mpxn) ? nodes : undefined;
    });

  const events = (received: Awaited<ReturnType<Subscriber['first']>>) => received.map(({ data }) => data.tariffEvents);

  describe.each(TRANSPORTS)('over %s', (_, subscribe) => {
    const subscribed = (token: string | undefined, variables: Record<string, unknown> = {}): Subscriber => {
      const subscriber = subscribe(register.gateway, token, { query: EVENTS, variables });
      open.push(subscriber);
      return subscriber;
    };

    it('send a supplier its own events only: first those after a cursor, then new ones, each once', async () => {
      const [supplier, stranger] = [one as TestSupplier, other as TestSupplier];
      const first = await apply(supplier);
      const known = await logged(supplier, first);
      const after = known.length > 1 ? known.at(-2)?.cursor : '';
      const subscriber = subscribed(supplier.token, { after });
      await subscriber.first(1);
      await apply(stranger);
      const second = await apply(supplier);
      const all = await logged(supplier, second);
      const received = events(await subscriber.first(2));
      const common = { type: 'TARIFF_CHANGE', mpid: supplier.mpid, tariff: { tariffId: supplier.tariffId } };
      expect(received).toMatchObject([
        { ...common, mpxn: first },
        { ...common, mpxn: second },
      ]);
      expect(received.map(({ id, cursor }) => ({ id, cursor }))).toEqual(
        all.slice(-2).map(({ id, cursor }) => ({ id, cursor })),
      );
      expect(subscriber.messages).toHaveLength(2);
    });

    it('send the back office all events, by supplier and by type, without MPxNs', async () => {
      const [supplier, stranger] = [one as TestSupplier, other as TestSupplier];
      const filter = { mpid: stranger.mpid, types: ['TARIFF_CHANGE'] };
      const [admin, analyst, nothing] = [
        subscribed(await tokenOf(register, 'admin'), { after: '', filter }),
        subscribed(await tokenOf(register, 'analyst'), { after: '', filter }),
        subscribed(await tokenOf(register, 'admin'), {
          after: '',
          filter: { ...filter, types: ['SUPPLIER_CESSATION'] },
        }),
      ];
      await apply(supplier);
      const mpxn = await apply(stranger);
      const count = (await logged(stranger, mpxn)).length;
      const [adminEvents, analystEvents] = [await admin.first(count), await analyst.first(count)].map(events);
      expect(adminEvents?.every(({ mpid }) => mpid === stranger.mpid)).toBe(true);
      for (const received of [adminEvents, analystEvents])
        expect(received?.map(({ mpxn: seen }) => seen)).toEqual(Array(count).fill(null));
      expect(nothing.messages).toEqual([]);
    });

    it('with identical text of two suppliers send each its own events: no result is shared between suppliers', async () => {
      const both = [one as TestSupplier, other as TestSupplier];
      const subscribers = both.map(({ token }) => subscribed(token, { after: '' }));
      const mpxns = [await apply(one as TestSupplier), await apply(other as TestSupplier)];
      for (const [index, supplier] of both.entries()) {
        const count = (await logged(supplier, mpxns[index] as string)).length;
        const received = events((await subscribers[index]?.first(count)) ?? []);
        expect(received.map(({ mpid }) => mpid)).toEqual(received.map(() => supplier.mpid));
        expect(received.every(({ mpxn }) => /^\d{10}$/.test(mpxn))).toBe(true);
      }
    });

    it.each([
      [
        'the events of another supplier',
        'PRM002',
        () => (one as TestSupplier).token,
        () => ({ filter: { mpid: other?.mpid } }),
      ],
      ['a role that may not read them', 'PRM001', () => tokenOf(register, 'data_user'), () => ({})],
      ['an invalid cursor', 'VAL001', () => (one as TestSupplier).token, () => ({ after: 'none' })],
      ['an empty list of types', 'VAL003', () => (one as TestSupplier).token, () => ({ filter: { types: [] } })],
    ])('are rejected for %s with %s', async (__, code, token, variables) => {
      expect(await codesOf(subscribed(await token(), variables()))).toEqual([code]);
    });
  });

  it('of a supplier end when it is no longer active, are rejected meanwhile, and continue without a gap', async () => {
    const supplier = await newSupplier();
    const admin = await graphAs(register, 'admin');
    const [[, overWebSocket], [, asEvents]] = TRANSPORTS;
    const started = (subscribe: typeof overWebSocket, after: string) => {
      const subscriber = subscribe(register.gateway, supplier.token, { query: EVENTS, variables: { after } });
      open.push(subscriber);
      return subscriber;
    };
    const running = [overWebSocket, asEvents].map((subscribe) => started(subscribe, ''));
    const first = await apply(supplier);
    const [{ cursor = '' } = {}] = events((await running[0]?.first(1)) ?? []);
    await running[1]?.first(1);
    const status = (to: string) =>
      dataOf(admin, `mutation { setSupplierStatus(mpid: "${supplier.mpid}", status: ${to}) { status } }`, {});
    await status('SUSPENDED');
    const mpxn = String(1_100_000_000 + (number += 1));
    const from = new Date(Date.now() - 60_000).toISOString();
    await dataOf(admin, ASSIGN, { mpxn, tariffId: supplier.tariffId, from });
    for (const each of running) expect(await codesOf(each)).toEqual(['PRM001']);
    const ofSupplier = { filter: { mpid: supplier.mpid } };
    await until(async () =>
      (await dataOf(admin, PAGE, ofSupplier)).tariffEvents.nodes.length === 2 ? true : undefined,
    );
    for (const subscribe of [overWebSocket, asEvents])
      expect(await codesOf(started(subscribe, cursor))).toEqual(['PRM001']);
    for (const { messages: received } of running)
      expect(received.flatMap(({ data }) => data?.tariffEvents?.mpxn ?? [])).toEqual([first]);
    await status('ACTIVE');
    const [missed] = events(await started(overWebSocket, cursor).first(1));
    expect(missed).toMatchObject({ mpxn });
  });

  it('end with the account', async () => {
    const supplier = await newSupplier();
    const [, overWebSocket] = TRANSPORTS[0];
    const subscriber = overWebSocket(register.gateway, supplier.token, { query: EVENTS, variables: { after: '' } });
    open.push(subscriber);
    await apply(supplier);
    await subscriber.first(1);
    const admin = await graphAs(register, 'admin');
    const { rows } = await owner.query('select account_id from access.account where mpid = $1', [supplier.mpid]);
    await dataOf(admin, 'mutation ($id: ID!) { suspendAccount(accountId: $id) { status } }', {
      id: rows[0].account_id,
    });
    expect(await subscriber.ended).toMatchObject({ kind: expect.stringMatching(/errors|closed/) });
  });
});
