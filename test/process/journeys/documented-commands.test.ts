import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../../process/settings/environment';
import { graphqlClient } from '../../../sandbox/graphql-client';
import { USER_DOCUMENTS, codeBlocks } from '../../support/documents';
import { freshDatabase } from '../../support/postgres';
import { newServiceLogins } from '../../support/service-logins';
import { type SharedRegister, freePort, sharedRegister } from '../../support/register';
import { childEnvironment } from '../../support/run/left-processes';
import { PRODUCT, productCommand } from '../../support/run/product-command';
import { started, type StartedScript } from '../../support/started-script';
import { signInAtSupplier } from '../../support/supplier-browser';
import { until } from '../../support/until';

const run = promisify(execFile);

/** Documents whose `bash` blocks are executed below: all of them, in order. */
const EXECUTED = [
  ...['README.md', 'docs/graphql.md', 'docs/interface-a.md', 'docs/interface-b.md', 'docs/interface-c.md'],
  ...['docs/interface-d.md', 'docs/operations.md', 'docs/portal-and-console.md', 'docs/webhooks.md'],
];

describe('The documented commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'register-documents-'));
  let register: SharedRegister;
  beforeAll(async () => {
    register = await sharedRegister();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Returns arguments of bash that run commands against this register. */
  function scriptOf(commands: readonly string[], replacements: Readonly<Record<string, string>> = {}): string[] {
    const all = {
      './.data/': `${register.dataDir}/`,
      'http://localhost:4000': register.gateway,
      'http://localhost:4001': register.rest,
      ...replacements,
    };
    const script = Object.entries(all).reduce((text, [from, to]) => text.replaceAll(from, to), commands.join('\n'));
    return ['-euo', 'pipefail', '-c', script];
  }

  /** Runs a script; returns the lines that it prints. */
  async function linesOf(script: string[], environment: Environment = {}): Promise<string[]> {
    const { stdout } = await run('bash', script, { cwd: folder, env: childEnvironment(environment) });
    return stdout.trim().split('\n');
  }

  const printed = (...commands: string[]) => linesOf(scriptOf(commands));

  it('are executed for every document that contains some', () => {
    expect(USER_DOCUMENTS.filter((document) => codeBlocks(document, 'bash').length > 0)).toEqual(EXECUTED);
  });

  it.each(['README.md', 'docs/portal-and-console.md'])(
    'of %s verify the active record of the demo data',
    async (name) => {
      const [verified] = await printed(...codeBlocks(name, 'bash'));
      expect(recordIn(verified)).toMatchObject({ 'access-event': { state: 'ACTIVE' } });
    },
  );

  it('of Interface A register, verify, revoke and verify again', async () => {
    const lines = await printed(...codeBlocks('docs/interface-a.md', 'bash'));
    const [ir, ak, verified, revoked, verifiedAgain, linkByRecord, linkByMeterPoint] = lines;
    expect(ir).toMatch(/^ir_[0-9a-f]{24}$/);
    expect(ak).toMatch(/^ak_[0-9a-f]{24}$/);
    expect(recordIn(verified)).toMatchObject({
      'record-metadata': { 'record-identifier': ak, 'identity-record-ref': ir },
      'access-event': { state: 'ACTIVE' },
    });
    const { 'revoked-at': revokedAt, ...revocation } = JSON.parse(revoked ?? '') as Record<string, unknown>;
    expect(revocation).toMatchObject({ ak });
    expect(recordIn(verifiedAgain)).toMatchObject({ 'access-event': { state: 'REVOKED', 'revoked-at': revokedAt } });
    const [back] = register.sandbox.accounts.find(({ role }) => role === 'data_user')?.return_urls ?? [];
    const queries = [linkByRecord, linkByMeterPoint].map((link) =>
      Object.fromEntries(new URL(String(link)).searchParams),
    );
    expect(queries).toEqual([
      { ir, return: back },
      { mpxn: '1076543210', return: back, lang: 'cy' },
    ]);
  });

  it('of Interface B register, update and list a consent, and verify it as an access record', async () => {
    const lines = await printed(...codeBlocks('docs/interface-b.md', 'bash'));
    const [updated, shown, verified] = lines.map((line) => JSON.parse(line));
    const { key, 'consent-expiry': expiry } = updated['consent-token'];
    expect(expiry).toBe('2030-01-01T00:00:00.000Z');
    expect(shown.consents).toEqual([expect.objectContaining({ 'data-type': ['HH-CONSUMPTION'] })]);
    expect(recordIn(JSON.stringify(verified))).toMatchObject({
      'record-metadata': { 'record-identifier': key.replace('ck_', 'ak_') },
      'access-event': { state: 'ACTIVE', expiry },
    });
  });

  it('of Interface C read files, and publish an archive by command and by upload', async () => {
    const [read, publish, upload] = codeBlocks('docs/interface-c.md', 'bash') as [string, string, string];
    const [list, ...files] = await printed(read);
    const { developmentProjects: projects } = JSON.parse(String(list)) as { developmentProjects: unknown[] };
    expect(projects).toContainEqual(expect.objectContaining({ projectId: 'Thetford-33kV' }));
    expect(files.join('\n')).toMatch(/^<\?xml [^]*<\/rdf:RDF>\s*\{[^]*\}$/);
    const script = scriptOf([publish], { 'npm run --silent publish-grid --': programCommand('commands/publish-grid') });
    const [published] = await linesOf(script, { DATABASE_URL: register.databaseUrl, DATA_DIR: register.dataDir });
    expect(JSON.parse(String(published))).toMatchObject({ projectId: 'Walkthrough', version: 1, isNew: true });
    const [checked, uploaded] = await printed(upload);
    expect(JSON.parse(String(checked))).toMatchObject({ baseModel: { version: 1 }, applied: true, findingCount: 0 });
    expect(JSON.parse(String(uploaded))).toMatchObject({ projectId: 'Walkthrough' });
  });

  it('of Interface C query what does not fit the base model of the sandbox', async () => {
    const [query = ''] = codeBlocks('docs/interface-c.md', 'graphql');
    const { developmentProject } = await graphqlClient(register.gateway)<{ developmentProject: object }>(query);
    const statement = { name: 'cim:TapChanger.neutralU', value: '33.5' };
    const mRID = /objectAfter\(mRID: "([^"]*)"/.exec(query)?.[1];
    expect(developmentProject).toMatchObject({
      version: {
        baseModel: { version: 1 },
        objectAfter: { exists: true, statements: expect.arrayContaining([expect.objectContaining({ isNew: true })]) },
        unfittingObjects: { nodes: [{ mRID, findings: [{ kind: 'MISSING_STATEMENT', ...statement }] }] },
      },
    });
  });

  it('of Interface D read tariffs, and those of a consumer who has signed in and consented', async () => {
    const [read, readWhole, asSupplier, consent, signIn, publish] = codeBlocks('docs/interface-d.md', 'bash') as [
      ...[string, string, string, string, string, string],
    ];
    const printedLines = await printed(read, readWhole, asSupplier);
    const [suppliers, list, tariff, whole, users] = printedLines.map((line) => JSON.parse(line));
    const { tariff: sample } = register.sandbox;
    expect(suppliers.data).toContainEqual(expect.objectContaining({ mpid: expect.stringMatching(/^[A-Z0-9]{4}$/) }));
    expect(list).toMatchObject({ data: [{ meter_type: 'multi_rate' }], meta: { total: 1, limit: 5 } });
    expect(tariff.data).toEqual([expect.objectContaining({ tariff_id: sample.tariff_id })]);
    expect(whole.data).toContainEqual(tariff.data[0]);
    const contact = expect.objectContaining({ email: expect.stringContaining('@') });
    expect(users.data).toContainEqual(expect.objectContaining({ contact }));

    const token = await sharing(register, folder, 'allow', (script) =>
      until(() => script.output().trim() || undefined),
    );
    const shared = consent.replace('$(node share.js)', token);
    const responses = await printed('base=http://localhost:4001/v1', shared);
    const [registered, ofCustomer] = responses.map((line) => JSON.parse(line));
    const [mine] = registered.data.tariffs;
    expect(mine.mpxn).toBe(register.sandbox.customers[0]?.mpxn);
    expect(ofCustomer.data).toEqual([expect.objectContaining({ tariff_id: mine.tariff_id })]);

    const results = await printed(read, signIn, publish);
    const [published, assigned, inRest] = results.slice(-3).map((line) => JSON.parse(line));
    const { tariffId } = published.data.publishTariff.tariff;
    expect(published.data.publishTariff).toMatchObject({ tariff: { version: 1 } });
    expect(assigned.data.assignTariff.tariff).toEqual({ name: 'Night and Day' });
    expect(inRest.data).toEqual([expect.objectContaining({ tariff_id: tariffId, meter_type: 'multi_rate' })]);
  });

  it('of Interface D end with an error if the consumer does not allow to read the tariffs', async () => {
    await sharing(register, folder, 'refuse', async (script, response) => {
      expect([response.status, await response.text()]).toEqual([200, 'Not allowed: continue in the terminal.']);
      expect(await script.ended).toBe(1);
      expect(script.output()).toBe('');
      expect(script.errors()).toMatch(/\naccess_denied\n$/);
    });
  });

  it('of GraphQL query a record and check a change, and of webhooks subscribe, receive and follow the events', async () => {
    const port = await freePort();
    const [schema, graphqlSignIn, query, check, follow] = codeBlocks('docs/graphql.md', 'bash') as [
      ...[string, string, string, string, string],
    ];
    expect((await printed(schema))[0]).toBe('type Query {');
    const responses = (await printed(graphqlSignIn, query, check, query)).filter((line) => line !== '');
    const [record, checked, recordAfterCheck] = responses.map((line) => JSON.parse(line).data);
    expect(record).toMatchObject({ accessRecord: { accessEvent: { state: 'ACTIVE' } } });
    expect(checked).toEqual({ revokeAccessRecord: { revokedAt: expect.any(String) } });
    expect(recordAfterCheck).toEqual(record);

    const [signIn, subscribe, tryIt, report] = codeBlocks('docs/webhooks.md', 'bash') as [
      string,
      string,
      string,
      string,
    ];
    const [secret, wid] = await printed(signIn, subscribe.replace('5055', String(port)), 'echo $wid');
    const subscribed = `${signIn}\nwid=${wid}`;
    const [sendTest, readLog] = tryIt.trim().split('\n') as [string, string];

    const receiver = startReceiver(folder, String(secret), port);
    const stream = started('bash', scriptOf([graphqlSignIn, follow.replace('curl -sN', 'exec curl -sN')]));
    try {
      await until(() => receiver.output().includes('listens') || undefined);
      await until(async () => {
        await printed(subscribed, sendTest); // repeated until the stream has started
        return stream.output().includes('"type":"WEBHOOK_TEST"') || undefined;
      });
      const delivered = await until(async () => {
        const [log] = await printed(subscribed, readLog);
        const { deliveries } = JSON.parse(String(log)) as { deliveries: Record<string, unknown>[] };
        return deliveries.find(({ status }) => status === 'delivered');
      });
      expect(delivered).toMatchObject({ 'event-type': 'webhook.test', attempts: [{ status: 204 }] });
      expect(await dividedWithinCharacter(port, String(secret))).toBe(204);
      expect(receiver.output()).toMatch(/^genuine .*"webhook\.test"/m);
      expect(receiver.output()).not.toContain('FORGED');

      await printed(...codeBlocks('docs/interface-b.md', 'bash'));
      const [change] = await printed(signIn, report);
      expect(JSON.parse(String(change))['active-records-affected']).toBeGreaterThan(0);
      await until(() => /^genuine .*"tenancy\.change"/m.test(receiver.output()) || undefined);
    } finally {
      receiver.kill();
      stream.kill();
    }
  });

  it('of operations create the keys and the first admin of a production database, and back up, restore and revoke there', async () => {
    const [database, empty] = [await freshDatabase(), await freshDatabase()];
    const [admin, migrate] = [programCommand('commands/admin'), programCommand('commands/migrate')];
    const logins = Object.entries(newServiceLogins(database.url)).map(([variable, url]) => [
      `postgres://${variable.replace('_DATABASE_URL', '').toLowerCase()}:secret@database.example/register?sslmode=verify-full`,
      url,
    ]);
    const script = scriptOf(codeBlocks('docs/operations.md', 'bash'), {
      'npm ci': ':',
      'npm run --silent admin --': admin,
      'npm run build': ':',
      ' dist/commands/admin.js': admin.replace('node', ''),
      ' dist/commands/migrate.js': migrate.replace('node', ''),
      'postgres://owner:secret@database.example/register?sslmode=verify-full': database.url,
      ...(Object.fromEntries(logins) as Record<string, string>),
    });
    try {
      const login = (await linesOf(script)).at(-1);
      expect(JSON.parse(String(login))).toMatchObject({ account_id: expect.stringMatching(/^acc_[0-9a-f]{24}$/) });
      const { account_id: accountId } = JSON.parse(String(login)) as { account_id: string };
      const commands = codeBlocks('docs/operations.md', 'sh').flatMap(
        (block) => block.match(/.*dist\/commands\/.*/g) ?? [],
      );
      const documented = (name: string) => {
        const { url } = name === ' restore ' ? empty : database;
        writeFileSync(join(folder, 'owner.env'), `DATABASE_URL=${url}\n`);
        return linesOf(
          scriptOf(
            commands.filter((line) => line.includes(name)),
            {
              ' dist/commands/admin.js': admin.replace('node', ''),
              ' dist/commands/migrate.js': migrate.replace('node', ''),
              ' dist/commands/backup/backup.js': programCommand('commands/backup/backup').replace('node', ''),
              '<folder>': 'backups',
              'acc_…': accountId,
            },
          ),
        );
      };
      expect(statSync(join(folder, 'owner.env')).mode & 0o777).toBe(0o600);
      await documented('migrate.js');
      mkdirSync(join(folder, 'backups', 'data-keys'), { recursive: true });
      expect((await documented(' backup ')).at(-1)).toMatch(/^0 anonymised identity records are in the list of /);
      expect((await documented(' restore '))[0]).toMatch(/^\d+ rows were restored from /);
      expect((await documented(' reanonymise '))[0]).toBe('0 identity records were anonymised again');
      expect(JSON.parse(String((await documented(' revoke-secret ')).at(-1)))).toMatchObject({ account_id: accountId });
      expect(readdirSync(folder)).not.toContain('.data');
    } finally {
      await Promise.all([database.drop(), empty.drop()]);
    }
  });
});

/** Returns a shell command that runs a program of the product as these tests compile it. */
function programCommand(program: string): string {
  return ['node', ...productCommand(process.env[PRODUCT], program)].join(' ');
}

/**
 * Runs the script of Interface D's document, signs in as the customer that it prints, and decides. Returns what `outcome`
 * reads from the script and from its response to the browser.
 */
async function sharing<Outcome>(
  register: SharedRegister,
  folder: string,
  decision: 'allow' | 'refuse',
  outcome: (script: StartedScript, response: Response) => Promise<Outcome>,
): Promise<Outcome> {
  const [code] = codeBlocks('docs/interface-d.md', 'js') as [string];
  const file = join(folder, 'share.js');
  writeFileSync(file, code.replaceAll('5056', String(await freePort())).replace('./.data/', `${register.dataDir}/`));
  const script = started(process.execPath, [file], 'pipe');
  try {
    const [, url = '', login = '', password = ''] = await until(
      () => /^(http.+)\nas (\S+) with (\S+)\n/.exec(script.errors()) ?? undefined,
    );
    return await outcome(script, await fetch(await signInAtSupplier(url, { login, password }, decision)));
  } finally {
    script.kill();
  }
}

/** Starts the documented receiver of webhooks, which here also prints `listens`. */
function startReceiver(folder: string, secret: string, port: number): StartedScript {
  const [code] = codeBlocks('docs/webhooks.md', 'js') as [string];
  const file = join(folder, 'receiver.js');
  writeFileSync(file, code.replace('.listen(5055)', `.listen(${port}, () => console.log('listens'))`));
  return started(process.execPath, [file, 'whsec_new', secret]); // as after a rotation: the event has the previous secret
}

/** Sends a signed body in two chunks that divide a character; returns the status. */
async function dividedWithinCharacter(port: number, secret: string): Promise<number | undefined> {
  const body = Buffer.from('{"name":"Café"}');
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const request = httpRequest({ port, method: 'POST', headers: { 'x-dar-signature': signature } });
  const middle = body.indexOf('é') + 1;
  request.write(body.subarray(0, middle));
  request.end(body.subarray(middle));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

function recordIn(response: string | undefined): unknown {
  return (JSON.parse(response ?? '') as Record<string, unknown>)['access-record'];
}
