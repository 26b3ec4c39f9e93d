import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { freePort, placeOf } from '../../support/register';
import { childEnvironment } from '../../support/run/left-processes';
import { PRODUCT, productCommand } from '../../support/run/product-command';
import { until } from '../../support/until';

/** More than the log buffer holds. */
const LOGGED_REQUESTS = 100;

describe('A process whose log is written to a full disk', () => {
  it('drops the lines, serves, and stops at SIGTERM', async () => {
    const place = await placeOf();
    const port = await freePort();
    const full = openSync('/dev/full', 'w');
    const service = spawn(process.execPath, productCommand(process.env[PRODUCT], 'process/main'), {
      env: childEnvironment({ ...place.environment, SERVICES: 'rest-adapter', REST_PORT: String(port) }),
      stdio: ['ignore', full, 'inherit'],
    });
    closeSync(full);
    const ended = once(service, 'exit');
    const status = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        (response) => response.status,
        () => undefined,
      );
    try {
      await until(() => service.exitCode ?? status('/health/live'));
      for (let request = 0; request < LOGGED_REQUESTS; request++) expect(await status('/v1/unknown')).toBe(404);
      expect(await status('/health/live')).toBe(200);
      service.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    } finally {
      service.kill('SIGKILL');
      await place.remove();
    }
  });
});
