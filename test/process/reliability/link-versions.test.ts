import { join } from 'node:path';
import { type Place, type RegisterProcess, placeOf, sandboxOf, startTogether } from '../../support/register';
import { anonymousClient } from '../../support/rest-client';
import { freePorts } from '../../support/run/templates';
import { until } from '../../support/until';

const EARLIER = { NODE_OPTIONS: `--require ${join(__dirname, '..', '..', 'support', 'earlier-link.js')}` };
const PARTS = { access: 'access', others: 'identity,grid-models,tariffs,gateway,rest-adapter' };

/** Two processes, one of them of a release whose messages between services have an earlier version. */
describe.each([
  ['access', 'others'],
  ['others', 'access'],
] as const)('An upgrade that replaces the process of `%s` first, then that of `%s`', (first, last) => {
  let place: Place;
  let environment: Record<string, string>;
  const running = new Map<string, RegisterProcess>();

  /** Starts the processes of parts together. */
  async function start(parts: Partial<Record<keyof typeof PARTS, object>>): Promise<void> {
    const names = Object.keys(parts) as (keyof typeof PARTS)[];
    const started = await startTogether(
      names.map((name) => ({ ...environment, SERVICES: PARTS[name], ...parts[name] })),
    );
    names.forEach((name, index) => running.set(name, started[index] as RegisterProcess));
  }

  beforeAll(async () => {
    place = await placeOf();
    environment = { ...place.environment, ...(await freePorts()), LOG_LEVEL: 'warn' } as Record<string, string>;
    await start({ [first]: {}, [last]: EARLIER });
  });
  afterAll(async () => {
    await Promise.all([...running.values()].map((each) => each.stop()));
    await place.remove();
  });

  const rest = (path: string) => anonymousClient(`http://localhost:${environment['REST_PORT']}`)('GET', path);
  const verify = () => rest(`/v1/access-records/${sandboxOf(place.dataDir).samples.access_keys.active}`);

  it('responds with 503 to what needs both, serves the rest, and logs who was rejected with which version', async () => {
    const { status, headers, body } = await verify();
    expect([status, headers.get('retry-after'), body['errors'][0]['error-code']]).toEqual([503, '1', 'SYS002']);
    expect((await rest('/v1/suppliers')).status).toBe(200);
    const version = first === 'access' ? 'register.0' : 'register.1';
    const logged = (part: keyof typeof PARTS, line: RegExp) =>
      until(() => line.test(running.get(part)?.output() ?? '') || undefined);
    await logged('access', new RegExp(`"from":"gateway","version":"${version}".*"link rejected"`));
    await logged('others', /"service":"access".*"service unreachable"/);
  });

  it('is complete without another restart once the last process is replaced', async () => {
    await running.get(last)?.stop();
    await start({ [last]: {} });
    expect(await until(async () => ((await verify()).status === 200 ? true : undefined))).toBe(true);
  });
});
