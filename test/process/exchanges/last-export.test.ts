import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';

/** Exports a span; once it reads a line, is forced to stop, and prints a line when the export has ended. */
const PROCESS = `
  require('reflect-metadata');
  const { exportTraces, traced } = require('./subgraphs/server/observability/tracing.ts');
  const stopExport = exportTraces('access');
  const forced = new AbortController();
  process.stdin.once('data', () => forced.abort());
  void traced('step', 'transaction', () => Promise.resolve())
    .then(() => stopExport(forced.signal))
    .then(() => process.stdout.write('stopped', () => process.exit(0)));
`;

/** Requests to a collector that never responds. */
const pending: ServerResponse[] = [];
let collector: Server;

beforeAll(async () => {
  collector = createServer((_, response) => void pending.push(response)).listen(0, '127.0.0.1');
  await once(collector, 'listening');
});
afterAll(() => {
  collector.closeAllConnections();
  collector.close();
});

it('A process that is forced to stop does not wait for a collector of traces that does not respond', async () => {
  const child = spawn(process.execPath, ['-r', './test/support/swc-register.js', '-e', PROCESS], {
    cwd: REPOSITORY_ROOT,
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await once(collector, 'request');
  child.stdin.write('\n');
  const [printed] = (await Promise.race([once(child.stdout, 'data'), exited])) as unknown[];
  expect([String(printed), pending[0]?.destroyed]).toEqual(['stopped', false]); // the exporter has not given up
  expect(await exited).toEqual([0, null]);
});
