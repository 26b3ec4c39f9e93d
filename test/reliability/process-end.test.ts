import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoData } from '../../sandbox/demo-data';
import { livingProcesses } from '../support/launcher-room';
import { freePort, spawnRegisterProcess } from '../support/register';
import { until } from '../support/until';

type Spawned = ReturnType<typeof spawnRegisterProcess>;

describe('A whole register on its own PostgreSQL', () => {
  let dataDir: string;
  let environment: Record<string, string>;
  let register: Spawned;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'register-end-'));
    await chmod(dataDir, 0o755);
    const [rest, gateway] = [await freePort(), await freePort()];
    await emptied();
    environment = { DATA_DIR: data(), REST_PORT: String(rest), GATEWAY_PORT: String(gateway) };
  });
  afterEach(async () => {
    sockets.splice(0).forEach((socket) => socket.destroy());
    await register.kill();
    await until(() => processes().length === 0 || undefined);
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  const data = () => join(dataDir, 'data');

  /** A folder of data that everybody may enter, so that the tables lie in it. */
  async function emptied(): Promise<void> {
    await rm(data(), { recursive: true, force: true });
    await mkdir(data());
    await chmod(data(), 0o755);
  }

  /** Starts it over the data that an earlier test has left. */
  function start(): void {
    register = spawnRegisterProcess(environment, true);
  }

  const processes = () => livingProcesses().filter(({ command }) => command.includes(dataDir));

  /** The exit code after signals, when the milliseconds are not exceeded and no process of it is left. */
  async function endOf(signal: () => void, longest: number): Promise<number | null> {
    const begin = performance.now();
    signal();
    const code = await register.ended;
    expect(performance.now() - begin).toBeLessThan(longest);
    await until(() => processes().length === 0 || undefined, 2_000);
    return code;
  }

  const interrupt = () => process.kill(Number(register.child.pid), 'SIGINT');
  const interruptTheGroup = () => process.kill(-Number(register.child.pid), 'SIGINT');

  /** A request on each port that is never finished. */
  async function sendHalves(): Promise<void> {
    for (const port of [environment['REST_PORT'], environment['GATEWAY_PORT']]) {
      const socket = connect(Number(port), 'localhost');
      sockets.push(socket);
      socket.on('error', () => undefined);
      await new Promise((resolve) =>
        socket.write(
          'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
          resolve,
        ),
      );
    }
    for (const port of [environment['REST_PORT'], environment['GATEWAY_PORT']]) {
      await fetch(`http://localhost:${port}/health/live`); // what came before is being read
    }
  }

  it.each([
    ['its group', interruptTheGroup],
    ...(process.env['TEST_LONG'] === undefined ? [] : [['the process', interrupt] as const]),
  ] as const)('ends when Ctrl-C reaches %s during the first start, and starts again', async (_, signal) => {
    await emptied();
    start();
    await until(() => existsSync(join(data(), 'postgres.new')) || undefined);
    expect(await endOf(signal, 9_000)).toBe(0);
    start();
    await register.ready;
  });

  it('says `ready` last, and ends within ten seconds though half a request is open on both ports', async () => {
    start();
    await register.ready;
    await new Promise((resolve) => setTimeout(resolve, 300)); // three times the pause in which a log is written
    expect(register.output()).toContain('gateway listens');
    expect(register.output().trimEnd().split('\n').at(-1)).toMatch(
      /^ready gateway http:\S+ rest http:\S+ portal http:\S+ console http:\S+$/,
    );
    await sendHalves();
    expect(await endOf(interrupt, 9_000)).toBe(0);
  });

  it('ends at once at a second signal', async () => {
    start();
    await register.ready;
    await sendHalves();
    const twice = () => {
      interrupt();
      setTimeout(interrupt, 1_000);
    };
    expect(await endOf(twice, 4_000)).toBe(0);
  });

  it('ends in good order when Ctrl-C reaches its group and comes again from npm', async () => {
    start();
    await register.ready;
    const twice = () => {
      interruptTheGroup();
      interruptTheGroup();
    };
    expect(await endOf(twice, 5_000)).toBe(0);
    expect(register.output()).not.toMatch(/did not close|"level":50/);
  });

  it('brings its PostgreSQL back when that is killed, and serves again', async () => {
    start();
    await register.ready;
    const { samples } = JSON.parse(readFileSync(join(data(), 'sandbox.json'), 'utf8')) as DemoData;
    const url = `http://localhost:${environment['REST_PORT']}/v1/access-records/${samples.access_keys.active}`;
    const status = async () => (await fetch(url)).status;
    expect(await status()).toBe(200);
    process.kill(Number(readFileSync(join(data(), 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
    await until(async () => (await status()) === 503 || undefined);
    await until(async () => (await status()) === 200 || undefined);
    expect(await endOf(interrupt, 9_000)).toBe(0);
  });
});
