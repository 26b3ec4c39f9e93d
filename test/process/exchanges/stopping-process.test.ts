import { once } from 'node:events';
import { get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { type StartedServices, startedServices } from '../../../process/shutdown';
import type { RegisterError } from '../../../schema/register-error';
import type { LinkHandler } from '../../../subgraphs/server/link/link-server';
import { tlsSettings } from '../../../subgraphs/server/link/peer-check';
import type { ServiceServerOptions } from '../../../subgraphs/server/link/service-server';
import { LinkedServices } from '../../support/linked-installation';
import { until } from '../../support/until';

let services: LinkedServices;
let stop: AbortController;
let force: AbortController;
let started: StartedServices;

beforeEach(() => {
  services = new LinkedServices();
  [stop, force] = [new AbortController(), new AbortController()];
  started = startedServices(services.logger, { requested: stop.signal, forced: force.signal });
});
afterEach(async () => {
  force.abort();
  await started.close();
  await services.close();
});

/** Starts a server whose calls of `slow` have no result until `respond` is called, and sends one such call. */
async function busyService(name: 'access' | 'gateway', options: Partial<ServiceServerOptions> = {}) {
  let respond!: () => void;
  const responded = new Promise<string>((resolve) => (respond = () => resolve('done')));
  let received = 0;
  const handle: LinkHandler = (_, payload) => {
    if (payload !== 'slow') return Promise.resolve('at once');
    received += 1;
    return responded;
  };
  const server = await services.serve(name, handle, options);
  started.addServer(server);
  const link = services.link('rest-adapter', name, server.url);
  const slow = link.call('slow');
  await until(() => received > 0 || undefined);
  /** Resolves when the caller has read of the stop: it has no other replica for further calls. */
  const stopRead = () =>
    until(() =>
      link.call('fast').then(
        () => undefined,
        ({ code }: RegisterError) => code,
      ),
    );
  return { slow, respond, stopRead };
}

/** Requests the stop of the process, which goes on until the test ends the grace period. */
function requestStop(): Promise<void> {
  stop.abort();
  return started.close();
}

describe('A process that is to stop', () => {
  it('announces the stop of each server while a client of another server reads slowly, and responds to its calls', async () => {
    const access = await busyService('access');
    const gridModels = await services.serve('grid-models', () => Promise.resolve(null), {
      routes: (app) => void app.get('/files', (_, reply) => void reply.hijack().raw.write('first bytes')),
    });
    started.addServer(gridModels);
    const { key, cert } = tlsSettings(services.identity('rest-adapter'));
    const download = await new Promise<IncomingMessage>((resolve) =>
      get(`${gridModels.url}/files`, { key, cert, rejectUnauthorized: false }, resolve),
    );
    const cut = new Promise((resolve) => download.on('error', resolve));

    const stopped = requestStop();
    expect(await access.stopRead()).toBe('SYS002');
    access.respond();
    expect(await access.slow).toBe('done');
    expect(download.destroyed).toBe(false);

    force.abort();
    expect(await cut).toMatchObject({ code: 'ECONNRESET' });
    await stopped;
  });

  it('announces the stop of its gateway to callers while a WebSocket of another service has an operation under way', async () => {
    const close = () => once(force.signal, 'abort').then(() => undefined);
    const gateway = await busyService('gateway', {
      sockets: () => ({ path: '/graphql', accept: () => undefined, close }),
    });
    const stopped = requestStop();
    expect(await gateway.stopRead()).toBe('SYS002');
    gateway.respond();
    expect(await gateway.slow).toBe('done');
    force.abort();
    await stopped;
  });
});
