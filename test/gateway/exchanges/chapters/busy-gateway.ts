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
    const { links } = await twoSubgraphs(pino({ level: 'silent' }));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let held = 0;
    const holding = links.map((link): SubgraphLink => {
      const execute: SubgraphLink['execute'] = async (request, context) => {
        if (context.caller?.role === 'data_user') {
          held += 1;
          await released;
        }
        return link.execute(request, context);
      };
      return { name: link.name, execute };
    });
    const gateway = await startTestGateway(DOCUMENTS, { links: holding });
    try {
      const ofDataUser = Array.from({ length: 10 }, () => post(gateway, { query: AD_HOC }, 'data_user'));
      await until(() => (held === 8 ? true : undefined));
      expect(await post(gateway, { query: AD_HOC }, 'admin')).toEqual(IS_OK);
      const ended: Received[] = [];
      for (const each of ofDataUser) void each.then((result) => ended.push(result));
      await until(() => (ended.length === 2 ? true : undefined));
      release();
      const results = await Promise.all(ofDataUser);
      expect(results.filter(({ status }) => status === 200)).toEqual(Array(8).fill(IS_OK));
      expect(results.filter(({ status }) => status !== 200)).toEqual(
        Array(2).fill({ status: 429, code: 'LIM002', retryAfter: '1' }),
      );
      expect(held).toBe(8);
    } finally {
      release();
      await gateway.close();
    }
  });

  it('sends 128 verifications of one client at once to a service, so that those of others do not wait for them', async () => {
    const { links } = await twoSubgraphs(pino({ level: 'silent' }));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let held = 0;
    const holding = links.map((link): SubgraphLink => {
      const execute: SubgraphLink['execute'] = async (request, context) => {
        if (context.caller === null && request.query.includes('accessRecord')) {
          held += 1;
          await released;
        }
        return link.execute(request, context);
      };
      return { name: link.name, execute };
    });
    const gateway = await startTestGateway(DOCUMENTS, { links: holding });
    try {
      const verify = { documentId: 'Verify', variables: { key: KEYS.own } };
      let received = 0;
      gateway.app.server.on('request', () => (received += 1));
      const ofNetwork = Array.from({ length: 200 }, () => post(gateway, verify, ''));
      await until(() => (received === 200 && held >= 128 ? true : undefined));
      expect(await post(gateway, verify, 'data_user')).toEqual(IS_OK);
      expect(held).toBe(128);
      release();
      const results = await Promise.all(ofNetwork);
      expect(results.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(128);
      expect(results.filter(({ code }) => code !== undefined && code !== 'SYS002')).toEqual([]); // waited for three seconds
    } finally {
      release();
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
