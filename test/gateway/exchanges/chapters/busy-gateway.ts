import { once } from 'node:events';
import { connect } from 'node:net';
import pino from 'pino';
import type { RunningGateway } from '../../../../gateway/gateway';
import { ForeignToken } from '../../../../subgraphs/server/callers/bearer-token';
import type { SubgraphLink } from '../../../../subgraphs/server/graph/subgraph-link';
import { KEYS, startTestGateway, twoSubgraphs } from '../../../support/two-subgraphs';
import { until } from '../../../support/until';

interface Received {
  readonly status: number;
  readonly code: unknown;
  readonly retryAfter: string | null;
}

/** What a busy account and a frozen service do to others. */
export function busyGateway(): void {
  const DOCUMENTS = { Verify: 'query Verify($key: AccessKey!) { accessRecord(key: $key) { state } }' };
  const AD_HOC = `{ accessRecord(key: "${KEYS.own}") { state } }`;
  const IS_OK: Received = { status: 200, code: undefined, retryAfter: null };

  async function post(gateway: RunningGateway, body: unknown, token: string): Promise<Received> {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    });
    const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
    return {
      status: response.status,
      code: errors?.[0]?.extensions.code,
      retryAfter: response.headers.get('retry-after'),
    };
  }

  /** Returns links to the two subgraphs that hold the selected requests until they are released, and count them. */
  async function heldLinks(isHeld: (...call: Parameters<SubgraphLink['execute']>) => boolean) {
    const { links } = await twoSubgraphs(pino({ level: 'silent' }));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = { count: 0, release, links: [] as SubgraphLink[] };
    held.links = links.map((link) => ({
      name: link.name,
      async execute(...call) {
        if (isHeld(...call)) {
          held.count += 1;
          await released;
        }
        return link.execute(...call);
      },
    }));
    return held;
  }

  it('a verification does not wait for a service that is frozen while it identifies a token', async () => {
    const { links } = await twoSubgraphs(pino({ level: 'silent' }));
    const frozen: SubgraphLink = { name: 'tariffs', execute: () => new Promise(() => undefined) };
    const gateway = await startTestGateway(DOCUMENTS, {
      links: [...links, frozen],
      verifier: { verify: () => Promise.reject(new ForeignToken()) },
    });
    try {
      const token = `e30.${Buffer.from('{"iss":"https://supplier.example"}').toString('base64url')}.`;
      expect(await post(gateway, { documentId: 'Verify', variables: { key: KEYS.own } }, token)).toEqual(IS_OK);
    } finally {
      await gateway.close();
    }
  });

  it('that closes executes the requests that still arrive on open connections', async () => {
    const { links } = await twoSubgraphs(pino({ level: 'silent' }));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let isHeld = false;
    const holding = links.map(({ name, execute }): SubgraphLink => ({
      name,
      async execute(...request) {
        isHeld = true;
        await released;
        return execute(...request);
      },
    }));
    const gateway = await startTestGateway(DOCUMENTS, { links: holding });
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    try {
      const ended = once(socket, 'close');
      let received = '';
      socket.setEncoding('utf8').on('data', (text: string) => (received += text));
      const send = (query: string) => {
        const body = JSON.stringify({ query });
        const head = ['host: a', 'authorization: Bearer data_user', 'content-type: application/json'];
        socket.write(`POST /graphql HTTP/1.1\r\n${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      };
      send(AD_HOC);
      await until(() => isHeld || undefined);
      const closed = gateway.close();
      await until(() => !gateway.app.server.listening || undefined);
      const arrived = once(gateway.app.server, 'request');
      send('{ __typename }');
      await arrived;
      release();
      await Promise.all([closed, ended]);
      const bodies = [...received.matchAll(/\r\n\r\n(\{.*\})/g)].map(([, body = '']) => JSON.parse(body) as unknown);
      expect(bodies).toMatchObject([
        { data: { accessRecord: { state: 'ACTIVE' } } },
        { data: { __typename: 'Query' } },
      ]);
    } finally {
      release();
      socket.destroy();
      await gateway.close();
    }
  });

  it('executes 8 operations of an account at once: further ones are 429 after a wait, those of others are executed', async () => {
    const held = await heldLinks((_, { caller }) => caller?.role === 'data_user');
    const gateway = await startTestGateway(DOCUMENTS, { links: held.links });
    try {
      const ofDataUser = Array.from({ length: 10 }, () => post(gateway, { query: AD_HOC }, 'data_user'));
      await until(() => (held.count === 8 ? true : undefined));
      expect(await post(gateway, { query: AD_HOC }, 'admin')).toEqual(IS_OK);
      const ended: Received[] = [];
      for (const each of ofDataUser) void each.then((result) => ended.push(result));
      await until(() => (ended.length === 2 ? true : undefined));
      held.release();
      const results = await Promise.all(ofDataUser);
      expect(results.filter(({ status }) => status === 200)).toEqual(Array(8).fill(IS_OK));
      expect(results.filter(({ status }) => status !== 200)).toEqual(
        Array(2).fill({ status: 429, code: 'LIM002', retryAfter: '1' }),
      );
      expect(held.count).toBe(8);
    } finally {
      held.release();
      await gateway.close();
    }
  });

  it('sends 128 verifications of one client at once to a service, so that those of others do not wait for them', async () => {
    const held = await heldLinks(({ query }, { caller }) => caller === null && query.includes('accessRecord'));
    const gateway = await startTestGateway(DOCUMENTS, { links: held.links });
    try {
      const verify = { documentId: 'Verify', variables: { key: KEYS.own } };
      let received = 0;
      gateway.app.server.on('request', () => (received += 1));
      const ofNetwork = Array.from({ length: 200 }, () => post(gateway, verify, ''));
      await until(() => (received === 200 && held.count >= 128 ? true : undefined));
      expect(await post(gateway, verify, 'data_user')).toEqual(IS_OK);
      expect(held.count).toBe(128);
      held.release();
      const results = await Promise.all(ofNetwork);
      expect(results.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(128);
      expect(results.filter(({ code }) => code !== undefined && code !== 'SYS002')).toEqual([]); // waited for three seconds
    } finally {
      held.release();
      await gateway.close();
    }
  });

  it('reads its readiness at most twice for any number of concurrent requests', async () => {
    let reads = 0;
    let release = (): void => undefined;
    const released = new Promise<boolean>((resolve) => (release = () => resolve(true)));
    const gateway = await startTestGateway(DOCUMENTS, { ready: () => ((reads += 1), released) });
    try {
      let received = 0;
      gateway.app.server.on('request', () => (received += 1));
      const requests = Array.from({ length: 100 }, () => fetch(`${gateway.url}/health`));
      await until(() => (received === 100 ? true : undefined));
      release();
      const statuses = (await Promise.all(requests)).map(({ status }) => status);
      expect([statuses, reads]).toEqual([Array(100).fill(200), 2]);
    } finally {
      release();
      await gateway.close();
    }
  });
}
