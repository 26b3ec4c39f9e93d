import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort, placeOf } from '../../support/register';
import { childEnvironment } from '../../support/run/left-processes';
import { PRODUCT, productCommand } from '../../support/run/product-command';
import { until } from '../../support/until';

/** More than the log buffer holds. */
const LOGGED_REQUESTS = 100;
/** More than log buffer and pipe hold. */
const UNREAD_REQUESTS = 600;
/** Longer than a process takes to stop. */
const PATIENCE_MS = 20_000;

/** More than 8 MiB. */
const MANY_LINES = 200_000;
const LOG_MUCH = `
  const { logger, print } = require('./process/service-log.ts').serviceLog('info');
  for (let n = 0; n < ${MANY_LINES}; n += 1) logger.info('line');
  print('flushed').then(() => print('done')).then(() => process.exit(0));`;

/** Starts a REST adapter with a standard output, calls it more often than its log buffer holds, and stops it; returns its exit. */
async function exitOfService(output: number, requests: number): Promise<unknown[]> {
  const place = await placeOf();
  const port = await freePort();
  const service = spawn(process.execPath, productCommand(process.env[PRODUCT], 'process/main'), {
    env: childEnvironment({ ...place.environment, SERVICES: 'rest-adapter', REST_PORT: String(port) }),
    stdio: ['ignore', output, 'inherit'],
  });
  const status = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      (response) => response.status,
      () => undefined,
    );
  try {
    await until(() => service.exitCode ?? status('/health/live'));
    for (let request = 0; request < requests; request++) expect(await status('/v1/unknown')).toBe(404);
    expect(await status('/health/live')).toBe(200);
    const ended = once(service, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) });
    service.kill('SIGTERM');
    return await ended;
  } finally {
    service.kill('SIGKILL');
    await place.remove();
  }
}

describe('A process whose log is written to a full disk', () => {
  it('drops the lines, serves, and stops at SIGTERM', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      expect(await exitOfService(full, LOGGED_REQUESTS)).toEqual([0, null]);
    } finally {
      closeSync(full);
    }
  });
});

describe('A process whose log is not read', () => {
  let folder: string;
  let pipe: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'unread-log-'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    pipe = openSync(join(folder, 'pipe'), 'r+'); // has a reader that reads nothing
  });
  afterEach(() => {
    closeSync(pipe);
    rmSync(folder, { recursive: true });
  });

  it('serves, and stops at SIGTERM', async () => {
    expect(await exitOfService(pipe, UNREAD_REQUESTS)).toEqual([0, null]);
  });

  it('stores at most 8 MiB of it, and logs later how many lines it dropped', async () => {
    const script = spawn(process.execPath, ['-r', './test/support/swc-register.js', '-e', LOG_MUCH], {
      stdio: ['ignore', pipe, 'inherit'],
    });
    const ended = once(script, 'exit');
    const lines: { readonly lines?: number; readonly msg?: string }[] = [];
    for await (const line of createInterface(createReadStream(join(folder, 'pipe')))) {
      if (line === 'done') break;
      lines.push(line === 'flushed' ? {} : (JSON.parse(line) as (typeof lines)[number]));
    }
    expect(await ended).toEqual([0, null]);
    const written = lines.filter(({ msg }) => msg !== 'log lines dropped').length;
    const dropped = lines.reduce((sum, line) => sum + (line.lines ?? 0), 0);
    expect(written).toBeLessThan(MANY_LINES);
    expect(written + dropped).toBe(MANY_LINES + 1); // with the first line of `print`
  });
});
