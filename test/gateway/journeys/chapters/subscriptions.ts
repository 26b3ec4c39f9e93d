import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as Postgres } from 'pg';
import { REPOSITORY_ROOT } from '../../../../schema/repository-root';
import { graphAs, graphOf } from '../../../support/graph';
import { type DataUser, newCustomer, newDataUser } from '../../../support/customers';
import { codeBlocks } from '../../../support/documents';
import { registered } from '../../../support/records';
import { type TestRegister, freePort } from '../../../support/register';
import { tokenOf } from '../../../support/rest-client';
import { logOfRegisterSettled } from '../../../support/settled-log';
import { silencedProxy } from '../../../support/silenced-proxy';
import { type StartedScript, started } from '../../../support/started-script';
import { type Subscriber, TRANSPORTS, codesOf, overWebSocket, socketClient } from '../../../support/subscriber';
import { until } from '../../../support/until';

const EVENTS = `subscription ($after: String, $types: [RegisterEventType!], $duid: DUID) {
  registerEvents(after: $after, types: $types, duid: $duid) { id cursor type dataUser { duid } } }`;

/** Returns the cursor of the log's current end. */
async function currentCursor(register: TestRegister): Promise<string> {
  await logOfRegisterSettled(register);
  const { data } = await (await graphAs(register, 'admin'))('{ latestRegisterEvents(first: 1) { cursor } }');
  return String(data.latestRegisterEvents[0].cursor);
}

/** Subscriptions of a register. They move its clock, and set it back. */
export function subscriptions(startedRegister: () => TestRegister): void {
  let register: TestRegister;
  let dataUser: DataUser;
  let other: DataUser;
  let admin: string;
  const open: Subscriber[] = [];

  beforeAll(async () => {
    register = startedRegister();
    dataUser = await newDataUser(register, 'https://first.example/return');
    other = await newDataUser(register, 'https://second.example/return');
    admin = await tokenOf(register, 'admin');
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.stop()));
  });

  const kept = (subscriber: Subscriber): Subscriber => {
    open.push(subscriber);
    return subscriber;
  };

  describe.each(TRANSPORTS)('over %s', (_, subscribe) => {
    const subscribed = (token: string | undefined, variables: Record<string, unknown> = {}, query = EVENTS) =>
      kept(subscribe(register.gateway, token, { query, variables }));

    it('send the events after a cursor and then new ones, each once, with the ids and cursors of the query `registerEvents`', async () => {
      const after = await currentCursor(register);
      const { ir, key } = await newCustomer(dataUser);
      const subscriber = subscribed(admin, { after });
      await subscriber.first(1);
      await dataUser.rest('DELETE', `/v1/access-records/${key}`);
      await registered(dataUser.rest, ir);
      const received = await subscriber.first(3);
      expect(received.map(({ data }) => data.registerEvents.type)).toEqual([
        'ACCESS_REGISTERED',
        'ACCESS_REVOKED',
        'ACCESS_REGISTERED',
      ]);
      const query = 'query ($after: String) { registerEvents(after: $after) { nodes { id cursor } } }';
      const { data } = await graphOf(register, admin)(query, { after });
      expect(
        received.map(
          ({
            data: {
              registerEvents: { id, cursor },
            },
          }) => ({ id, cursor }),
        ),
      ).toEqual(data.registerEvents.nodes);
    });

    it('send all events of the log for an empty cursor', async () => {
      await newCustomer(dataUser);
      const query = `query ($after: String) {
        registerEvents(first: 500, after: $after) { nodes { id } pageInfo { hasPreviousPage } } }`;
      const { data } = await until(async () => {
        const response = await graphOf(register, dataUser.token)(query, { after: '' });
        return response.data.registerEvents.nodes.length > 0 ? response : undefined;
      });
      const { nodes, pageInfo } = data.registerEvents;
      expect(pageInfo).toEqual({ hasPreviousPage: false });
      expect((await graphOf(register, dataUser.token)(query, {})).data.registerEvents.nodes[0]).toEqual(nodes[0]);
      const received = await subscribed(dataUser.token, { after: '' }).first(nodes.length);
      expect(received.map((each) => ({ id: each.data.registerEvents.id }))).toEqual(nodes);
    });

    it('return a selection that crosses subgraphs to the Data User of the record', async () => {
      const after = await currentCursor(register);
      const query = `subscription Crossing($after: String!, $isLong: Boolean!) { ...Root }
        fragment Root on Subscription { event: registerEvents(after: $after) { accessRecord { ...Record } } }
        fragment Record on AccessRecord { ak identityRecord @include(if: $isLong) { piiPrincipal { mpxn } } }`;
      const subscriber = subscribed(dataUser.token, { after, isLong: true }, query);
      const { mpxn, key } = await newCustomer(dataUser);
      const [received] = await subscriber.first(1);
      expect(received).toMatchObject({
        data: { event: { accessRecord: { ak: key, identityRecord: { piiPrincipal: { mpxn } } } } },
      });
      expect(received?.errors).toBeUndefined();
    });

    it('send a Data User only its own events, and the back office all, without access keys', async () => {
      const after = await currentCursor(register);
      const query =
        'subscription ($after: String) { registerEvents(after: $after) { dataUser { duid } accessRecord { ak } } }';
      const own = subscribed(dataUser.token, { after }, query);
      const all = subscribed(admin, { after }, query);
      const foreign = await newCustomer(other);
      const { key } = await newCustomer(dataUser);
      const [first] = await own.first(1);
      expect(first?.data).toEqual({ registerEvents: { dataUser: { duid: dataUser.duid }, accessRecord: { ak: key } } });
      const received = await all.first(2);
      expect(received.map(({ data }) => data.registerEvents.dataUser.duid)).toEqual([other.duid, dataUser.duid]);
      expect(JSON.stringify(received)).not.toContain(key);
      expect(JSON.stringify(received)).not.toContain(foreign.key);
    });

    it('send only the requested types and Data User', async () => {
      const after = await currentCursor(register);
      const subscriber = subscribed(admin, { after, types: ['ACCESS_REVOKED'], duid: other.duid });
      const { key: foreign } = await newCustomer(dataUser);
      const { key } = await newCustomer(other);
      await dataUser.rest('DELETE', `/v1/access-records/${foreign}`);
      await other.rest('DELETE', `/v1/access-records/${key}`);
      const [received] = await subscriber.first(1);
      expect(received?.data.registerEvents).toMatchObject({ type: 'ACCESS_REVOKED', dataUser: { duid: other.duid } });
    });

    it.each([
      ['another Data User', { duid: `duid_${'0'.repeat(24)}` }, 'PRM002'],
      ['an invalid cursor', { after: 'none' }, 'VAL001'],
      ['a type that does not exist', { types: ['NONE'] }, 'VAL003'],
      ['an empty list of types', { types: [] }, 'VAL003'],
    ])('are rejected for a Data User with %s', async (__, variables, code) => {
      const subscriber = subscribed(dataUser.token, variables);
      expect(await errorOf(subscriber)).toContain(code);
    });

    it('are rejected for roles that may not read events', async () => {
      expect(await errorOf(subscribed(await tokenOf(register, 'data_provider')))).toContain('PRM001');
    });

    it.each([
      ['deep', `subscription { registerEvents { ${'accessRecord { dataUser { '.repeat(7)} duid ${'} }'.repeat(7)} } }`],
      [
        'costly',
        `subscription { registerEvents { webhook { deliveries(first: 500) { nodes { event {
          webhook { deliveries(first: 500) { nodes { sequence } } } } } } } } }`,
      ],
      ['unknown', 'subscription { registerEvents { colour } }'],
      ['not GraphQL', 'subscription {'],
      ['twofold', 'subscription { one: registerEvents { id } two: registerEvents { id } }'],
    ])('are rejected if they are %s', async (__, query) => {
      expect(await errorOf(subscribed(admin, {}, query))).toMatch(/^VAL0(03|10)$/);
    });

    it.each([
      ['the suspension of the account', 'suspendAccount(accountId: $id) { accountId }'],
      ['the revocation of its secret', 'rotateAccountSecret(accountId: $id, revokePrevious: true) { secretKey }'],
    ])('end, with the reason, soon after %s', async (__, change) => {
      const victim = await newDataUser(register, 'https://third.example/return');
      const after = await currentCursor(register);
      const subscriber = subscribed(victim.token, { after });
      await newCustomer(victim);
      await subscriber.first(1);
      const graph = await graphAs(register, 'admin');
      const { data } = await graph('{ accounts(first: 500) { nodes { accountId duid } } }');
      const { accountId } = data.accounts.nodes.find(({ duid }: { duid: string }) => duid === victim.duid);
      await graph(`mutation ($id: ID!) { ${change} }`, { id: accountId });
      const ending = await subscriber.ended;
      expect(ending.kind === 'closed' ? ending.code : subscriber.messages.at(-1)?.errors?.[0]?.extensions.code).toBe(
        ending.kind === 'closed' ? 4401 : 'AUT001',
      );
    });
  });

  it('that are identical are executed once for each event', async () => {
    const after = await currentCursor(register);
    const sumOf = async (metric: string) => {
      const metrics = await (await fetch(`${register.gateway}/metrics`)).text();
      const values = metrics.matchAll(new RegExp(`^${metric}(?:{[^}]*})? (\\d+)`, 'gm'));
      return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const executed = () => sumOf('gateway_subscription_executions_total');
    const before = await executed();
    const subscribers = Array.from({ length: 20 }, () =>
      kept(overWebSocket(register.gateway, admin, { query: EVENTS, variables: { after } })),
    );
    await until(async () => (await sumOf('gateway_subscriptions')) === 20 || undefined); // all have started
    await newCustomer(dataUser);
    await newCustomer(dataUser);
    await Promise.all(subscribers.map((each) => each.first(2)));
    expect((await executed()) - before).toBe(2);
  });

  it('share a connection with queries and mutations, which have the same results as over HTTP', async () => {
    const client = socketClient(register.gateway, admin);
    const one = kept(overWebSocket(register.gateway, admin, { query: '{ viewer { role } }' }, client));
    expect(await one.ended).toEqual({ kind: 'complete' });
    expect(one.messages).toEqual([{ data: { viewer: { role: 'ADMIN' } }, extensions: expect.anything() }]);
  });

  it('over a plain request are rejected with the name of the right transport', async () => {
    const response = await graphOf(register, admin)('subscription { registerEvents { id } }');
    expect([response.status, response.errors[0]?.extensions.code]).toEqual([400, 'VAL003']);
    expect(response.errors[0]?.message).toContain('text/event-stream');
  });

  it.each([
    ['no token', undefined, 4401],
    ['a malformed token', 'nonsense', 4401],
  ])('are closed for a connection with %s', async (_, token, code) => {
    const subscriber = kept(overWebSocket(register.gateway, token, { query: EVENTS }));
    expect(await subscriber.ended).toMatchObject({ kind: 'closed', code });
  });

  it('of the documented client continue after the expiry of its token, without gap or duplicate', async () => {
    const postgres = new Postgres({ connectionString: register.databaseUrl });
    await postgres.connect();
    const after = await currentCursor(register);
    const client = documentedClient(register, after);
    const printed = () => client.output().trim().split('\n').filter(Boolean);
    const expired = async () => {
      const metrics = await (await fetch(`${register.gateway}/metrics`)).text();
      return Number(/connections_ended_total\{reason="AUT002"\} (\d+)/.exec(metrics)?.[1] ?? 0);
    };
    try {
      await newCustomer(dataUser);
      await until(() => printed().length > 0 || undefined);
      const before = await expired();
      await postgres.query('select register.set_clock_offset(7300)');
      await until(async () => (await expired()) > before || undefined);
      await newCustomer(await newDataUser(register, 'https://fourth.example/return'));
      const query = 'query ($after: String) { registerEvents(after: $after, first: 500) { nodes { type cursor } } }';
      const logged = await until(async () => {
        const { data } = await (await graphAs(register, 'admin'))(query, { after });
        const { nodes } = data.registerEvents as { nodes: { type: string; cursor: string }[] };
        return nodes.length > 1 ? nodes.map(({ type, cursor }) => `${type} ${cursor}`) : undefined;
      });
      await until(() => printed().includes(logged.at(-1) as string) || undefined);
      expect(printed()).toEqual(logged);
    } finally {
      client.kill();
      await postgres.query('select register.set_clock_offset(0)');
      await postgres.end();
    }
  });

  it('continue in the documented client after a time in which neither gateway nor REST adapter can be reached', async () => {
    const [gateway, rest] = [await silencedProxy(register.gateway), await silencedProxy(register.rest)];
    const after = await currentCursor(register);
    const urls = { gateway: gateway.url.replace(/\/$/, ''), rest: rest.url.replace(/\/$/, '') };
    const client = documentedClient({ ...register, ...urls }, after);
    const printed = () => client.output().trim().split('\n').filter(Boolean);
    try {
      await newCustomer(dataUser);
      await until(() => printed().length > 0 || undefined);
      const without = await freePort();
      for (const each of [gateway, rest]) {
        each.redirect(without);
        each.reset();
      }
      const connections = gateway.accepted();
      await until(() => gateway.accepted() > connections || undefined);
      gateway.redirect(Number(new URL(register.gateway).port));
      await newCustomer(dataUser);
      const attempts = rest.accepted();
      await until(() => rest.accepted() > attempts || undefined);
      rest.redirect(Number(new URL(register.rest).port));
      const query = 'query ($after: String) { registerEvents(after: $after, first: 500) { nodes { type cursor } } }';
      const { data } = await (await graphAs(register, 'admin'))(query, { after });
      const { nodes } = data.registerEvents as { nodes: { type: string; cursor: string }[] };
      const logged = nodes.map((each) => `${each.type} ${each.cursor}`);
      await until(() => printed().length >= logged.length || undefined);
      expect(printed()).toEqual(logged);
    } finally {
      client.kill();
      await Promise.all([gateway.close(), rest.close()]);
    }
  });

  it('end when the token expires by the clock of the register, and continue with a new token after the last cursor', async () => {
    const postgres = new Postgres({ connectionString: register.databaseUrl });
    await postgres.connect();
    try {
      const after = await currentCursor(register);
      const subscriber = kept(overWebSocket(register.gateway, dataUser.token, { query: EVENTS, variables: { after } }));
      await newCustomer(dataUser);
      const [received] = await subscriber.first(1);
      await postgres.query('select register.set_clock_offset(7300)');
      const ending = await subscriber.ended;
      expect(ending).toMatchObject({ kind: 'closed', code: 4403 });
      expect(JSON.stringify(ending)).toContain('AUT002');
      await postgres.query('select register.set_clock_offset(0)');
      await newCustomer(dataUser);
      const next = { query: EVENTS, variables: { after: received?.data.registerEvents.cursor } };
      const [missed] = await kept(overWebSocket(register.gateway, dataUser.token, next)).first(1);
      expect(missed?.data.registerEvents.id).not.toBe(received?.data.registerEvents.id);
    } finally {
      await postgres.query('select register.set_clock_offset(0)');
      await postgres.end();
    }
  });
}

/** Starts the documented client of graphql-ws, which follows the events after a cursor. */
function documentedClient({ dataDir, rest, gateway }: TestRegister, after: string): StartedScript {
  const [code = ''] = codeBlocks('docs/graphql.md', 'js');
  const file = join(dataDir, 'follow.js');
  const replacements = {
    './.data/': `${dataDir}/`,
    'http://localhost:4001': rest,
    'ws://localhost:4000': gateway.replace('http', 'ws'),
  };
  writeFileSync(
    file,
    Object.entries(replacements).reduce((text, [from, to]) => text.replace(from, to), code),
  );
  return started(process.execPath, [file, after], 'inherit', { NODE_PATH: join(REPOSITORY_ROOT, 'node_modules') });
}

/** Returns the error of a subscription: its codes, or the status of the HTTP response. */
async function errorOf(subscriber: Subscriber): Promise<string> {
  const ending = await subscriber.ended;
  if (ending.kind === 'closed') return `closed ${ending.code} ${ending.reason}`;
  return (await codesOf(subscriber)).join();
}
