import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { type SharedRegister, freePort, sharedRegister } from '../../support/register';
import { signInAtSupplier } from '../../support/supplier-browser';
import { until } from '../../support/until';

const run = promisify(execFile);
const WALK = 'A walk through Interface A';

describe('The README', () => {
  const folder = mkdtempSync(join(tmpdir(), 'register-readme-'));
  let register: SharedRegister;
  beforeAll(async () => {
    register = await sharedRegister();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Commands, with the addresses of this register. */
  function scriptOf(commands: readonly string[]): string[] {
    const places = {
      './.data/': `${register.dataDir}/`,
      'http://localhost:4000': register.gateway,
      'http://localhost:4001': register.rest,
    };
    const script = Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), commands.join('\n'));
    return ['-euo', 'pipefail', '-c', script];
  }

  /** Runs commands in one shell; answers the lines that they print. */
  async function printed(...commands: string[]): Promise<string[]> {
    return (await run('bash', scriptOf(commands))).stdout.trim().split('\n');
  }

  it('registers, verifies, revokes and verifies again, as it is printed', async () => {
    const [ir, ak, verified, revoked, verifiedAgain] = await printed(...blocks(WALK, 'bash'));
    expect(ir).toMatch(/^ir_[0-9a-f]{24}$/);
    expect(ak).toMatch(/^ak_[0-9a-f]{24}$/);
    expect(recordIn(verified)).toMatchObject({
      'record-metadata': { 'record-identifier': ak, 'identity-record-ref': ir },
      'access-event': { state: 'ACTIVE' },
    });
    const { 'revoked-at': revokedAt, ...revocation } = JSON.parse(revoked ?? '') as Record<string, unknown>;
    expect(revocation).toMatchObject({ ak });
    expect(recordIn(verifiedAgain)).toMatchObject({ 'access-event': { state: 'REVOKED', 'revoked-at': revokedAt } });
  });

  it('registers, updates and lists a consent as clients of the earlier interface do, and verifies it', async () => {
    const [signIn] = blocks(WALK, 'bash') as [string];
    const lines = await printed(signIn, ...blocks('Clients of the earlier interface', 'bash'));
    const [updated, shown, verified] = lines.map((line) => JSON.parse(line));
    const { key, 'consent-expiry': expiry } = updated['consent-token'];
    expect(expiry).toBe('2030-01-01T00:00:00.000Z');
    expect(shown.consents).toEqual([expect.objectContaining({ 'data-type': ['HH-CONSUMPTION'] })]);
    expect(recordIn(JSON.stringify(verified))).toMatchObject({
      'record-metadata': { 'record-identifier': key.replace('ck_', 'ak_') },
      'access-event': { state: 'ACTIVE', expiry },
    });
  });

  it('subscribes, tries the subscription with a receiver of its own, and follows the events', async () => {
    const port = await freePort();
    const [signIn] = blocks(WALK, 'bash') as [string];
    const [subscribe, tryIt, follow] = blocks('Webhooks', 'bash') as [string, string, string];
    const [secret, wid] = await printed(signIn, subscribe.replace('5055', String(port)), 'echo $wid');
    const subscribed = `${signIn}\nwid=${wid}`;
    const [fire, askForLog] = tryIt.trim().split('\n') as [string, string];

    const receiver = startReceiver(folder, String(secret), port);
    const stream = started('bash', scriptOf([subscribed, follow.replace('curl -sN', 'exec curl -sN')]));
    try {
      await until(() => receiver.output().includes('listens') || undefined);
      await until(async () => {
        await printed(subscribed, fire); // again, until the stream has begun
        return stream.output().includes('"type":"WEBHOOK_TEST"') || undefined;
      });
      const delivered = await until(async () => {
        const [log] = await printed(subscribed, askForLog);
        const { deliveries } = JSON.parse(String(log)) as { deliveries: Record<string, unknown>[] };
        return deliveries.find(({ status }) => status === 'delivered');
      });
      expect(delivered).toMatchObject({ 'event-type': 'webhook.test', attempts: [{ status: 204 }] });
      expect(receiver.output()).toMatch(/^genuine .*"webhook\.test"/m);
      expect(receiver.output()).not.toContain('FORGED');
    } finally {
      receiver.kill();
      stream.kill();
    }
  });

  it('reads tariffs, and those of a consumer who has signed in and allowed it', async () => {
    const [signIn] = blocks(WALK, 'bash') as [string];
    const [look, asSupplier, consent] = blocks('Tariffs', 'bash') as [string, string, string];
    const [suppliers, list, tariff, users] = (await printed(signIn, look, asSupplier)).map((line) => JSON.parse(line));
    const { tariff: sample } = register.sandbox;
    expect(suppliers.data).toContainEqual(expect.objectContaining({ mpid: expect.stringMatching(/^[A-Z0-9]{4}$/) }));
    expect(list).toMatchObject({ data: [{ meter_type: 'multi_rate' }], meta: { total: 1, limit: 5 } });
    expect(tariff.data).toEqual([expect.objectContaining({ tariff_id: sample.tariff_id })]);
    const contact = expect.objectContaining({ email: expect.stringContaining('@') });
    expect(users.data).toContainEqual(expect.objectContaining({ contact }));

    const token = await sharedToken(register, folder, await freePort());
    const shared = consent.replace('$(node share.js)', token);
    const [given, ofCustomer] = (await printed(signIn, shared)).map((line) => JSON.parse(line));
    const [mine] = given.data.tariffs;
    expect(mine.mpxn).toBe(register.sandbox.customers[0]?.mpxn);
    expect(ofCustomer.data).toEqual([expect.objectContaining({ tariff_id: mine.tariff_id })]);
  });
});

/** What the README's script prints when the customer that it names signs in and allows. */
async function sharedToken(register: SharedRegister, folder: string, port: number): Promise<string> {
  const [code] = blocks('Tariffs', 'js') as [string];
  const file = join(folder, 'share.js');
  writeFileSync(file, code.replaceAll('5056', String(port)).replace('./.data/', `${register.dataDir}/`));
  const script = started(process.execPath, [file], 'pipe');
  try {
    const [, url = '', login = '', password = ''] = await until(
      () => /^(http.+)\nas (\S+) with (\S+)\n/.exec(script.said()) ?? undefined,
    );
    await fetch(await signInAtSupplier(url, { login, password }));
    return await until(() => script.output().trim() || undefined);
  } finally {
    script.kill();
  }
}

interface Started {
  output(): string;
  /** What it said beside its output. */
  said(): string;
  kill(): void;
}

function started(command: string, words: readonly string[], errors: 'inherit' | 'pipe' = 'inherit'): Started {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', errors] });
  let [output, said] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { output: () => output, said: () => said, kill: () => child.kill() };
}

/** The blocks of a language in a chapter. */
function blocks(chapter: string, language: 'bash' | 'js'): string[] {
  const readme = readFileSync(join(REPOSITORY_ROOT, 'README.md'), 'utf8');
  const text = readme.split(`## ${chapter}`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) => block ?? '');
}

/** The receiver of the README, with a word when it listens. */
function startReceiver(folder: string, secret: string, port: number): Started {
  const [code] = blocks('Webhooks', 'js') as [string];
  const file = join(folder, 'receiver.js');
  writeFileSync(file, code.replace('.listen(5055)', `.listen(${port}, () => console.log('listens'))`));
  return started(process.execPath, [file, secret]);
}

function recordIn(answer: string | undefined): unknown {
  return (JSON.parse(answer ?? '') as Record<string, unknown>)['access-record'];
}
