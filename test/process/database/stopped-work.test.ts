import fastify from 'fastify';
import type { ServerResponse } from 'node:http';
import pino from 'pino';
import { startedServices } from '../../../process/shutdown';
import { until } from '../../support/until';
import { type WebhookFixture, webhookFixture } from '../../support/webhook-fixture';

/** A server of the process: a request to it has no response until `respond` is called. */
async function busyServer() {
  const app = fastify({ keepAliveTimeout: 1 }); // it closes once it has responded
  let respond!: () => void;
  const released = new Promise<void>((resolve) => (respond = resolve));
  const received = new Promise<void>((resolve) => {
    app.get('/', async () => {
      resolve();
      await released;
      return 'response';
    });
  });
  const response = fetch(await app.listen({ port: 0, host: '127.0.0.1' }));
  await received;
  return { app, respond, response };
}

describe('A process that is to stop while a response of its server is open', () => {
  let fixture: WebhookFixture;
  beforeAll(async () => {
    fixture = await webhookFixture();
  });
  afterAll(() => fixture?.close());

  const rows = async (statement: string) => (await fixture.owner.query(statement)).rows as unknown[];

  it('ends the delivery under way, and starts no other delivery and no job', async () => {
    const { receiver } = fixture;
    const dataUser = await fixture.dataUser();
    await fixture.subscribe(dataUser);
    let unanswered: ServerResponse | undefined;
    receiver.respondWith(() => (_, response) => void (unanswered = response));
    const [first, second] = [await fixture.consent(dataUser), await fixture.consent(dataUser)];
    await fixture.withdraw(first);
    await fixture.posts(1);

    const { app, respond, response } = await busyServer();
    const [requested, forced] = [new AbortController(), new AbortController()];
    const shutdown = { requested: requested.signal, forced: forced.signal };
    const started = startedServices(pino({ level: 'silent' }), shutdown);
    for (const { endWork } of fixture.subgraphs)
      started.addSubgraph({ ...(endWork ? { endWork } : {}), close: async () => undefined }); // the fixture closes them
    started.addServer({ app, close: () => app.close() });
    requested.abort();
    const closed = started.close();
    receiver.respondWith(() => 204);
    unanswered?.writeHead(204).end();
    await fixture.withdraw(second);
    await fixture.anonymise(dataUser, second.ir);
    await until(async () => (await rows(`select from delivery where state = 'delivered'`)).length > 0 || undefined);
    respond();
    expect(await (await response).text()).toBe('response');
    await closed;

    expect(receiver.received).toHaveLength(1);
    expect(await rows('select from identity_jobs._private_jobs')).not.toEqual([]);
  });
});
