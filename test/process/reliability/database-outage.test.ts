import { backOffice } from '../../support/console-visitor';
import { signedInVisitor } from '../../support/portal-sign-in';
import { type ControlledPostgres, controlledPostgres, runIn } from '../../support/postgres';
import { type TestRegister, startTestRegister } from '../../support/register';
import { graphOf } from '../../support/graph';
import { livingProcesses } from '../../support/launcher-fixture';
import { consentRecord } from '../../support/records';
import {
  type RestResponse,
  type RestClient,
  accountOf,
  anonymousClient,
  signedInClient,
} from '../../support/rest-client';
import { until } from '../../support/until';

const MAX_RESPONSE_MS = 10_000;
/** The eight seconds of an operation, and a margin for HTTP and a busy machine. */
const MAX_OPERATION_MS = 9_000;
/** Limits that the database counts and the tests never reach. */
const LIMITS = {
  RATE_LIMITS: 'on',
  LIMIT_REQUESTS: '1000000',
  LIMIT_FAILED_SIGN_INS: '1000000',
  LIMIT_VERIFY_MISSES: '1000000',
};

describe('A register whose PostgreSQL becomes unavailable and available again', () => {
  let postgres: ControlledPostgres;
  let register: TestRegister;
  let dataUser: RestClient;
  /** Returns the warnings and errors of the log. */
  const problems = () =>
    register
      .log()
      .split('\n')
      .filter((line) => /^\{"level":[456]0/.test(line));

  beforeAll(async () => {
    postgres = await controlledPostgres();
    register = await startTestRegister('one process', { databaseUrl: postgres.url, environment: LIMITS });
    dataUser = await signedInClient(register, 'data_user');
  });
  afterAll(async () => {
    await register.close();
    await postgres.remove();
  });

  it.each([
    ['is shut down', () => postgres.stop()],
    ['is killed', () => postgres.kill()],
  ])(
    'responds with 503 in the envelope while it %s, never hangs, and serves again without a restart',
    async (_, takeAway) => {
      const load = startLoad(register, dataUser);
      await until(() => load.responses.length > 40 || undefined);
      const problemsBefore = problems().length;
      await takeAway();
      await until(() => load.responses.some(({ status }) => status === 503) || undefined);
      const whileAway = load.responses.length;
      await until(() => load.responses.length > whileAway + 20 || undefined);
      await postgres.start();
      await until(
        () => load.responses.slice(whileAway + 20).filter(({ status }) => status < 300).length > 40 || undefined,
      );
      const { responses, longest } = await load.stop();
      expect([...new Set(responses.map(({ status }) => status))].toSorted()).toEqual([200, 201, 503]);
      for (const { status, body } of responses) {
        if (status === 503)
          expect(body).toMatchObject({
            response: { 'transaction-id': expect.stringMatching(/^tid_/) },
            errors: [{ 'error-code': 'SYS002' }],
          });
      }
      expect(longest).toBeLessThan(MAX_RESPONSE_MS);
      const logged = await until(() => {
        const lines = problems().slice(problemsBefore); // soon after another outage, only the count is logged at first
        return lines.length > 0 ? lines : undefined;
      });
      expect(logged.length <= MAX_LOG_LINES ? [] : logged).toEqual([]); // shows the lines if there are too many
      for (const ak of load.acknowledged)
        expect((await anonymousClient(register.rest)('GET', `/v1/access-records/${ak}`)).status).toBe(200);
    },
  );

  it('is reported on the live page of the console until figures arrive again', async () => {
    const stream = await (await backOffice(register)).watch();
    const reported = () =>
      stream.messages.filter(({ event }) => event === 'connection').map(({ data }) => data.isConnected);
    await stream.next('figures');
    expect(reported()).toEqual([true]);
    await postgres.stop();
    await until(() => reported().at(-1) === false || undefined);
    await postgres.start();
    await until(() => reported().at(-1) === true || undefined);
    stream.close();
  });

  it('lets customers sign out of the browser, and says that the register could not confirm the end of the session', async () => {
    const [{ ir, email }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
    const customer = await signedInVisitor(register, `ir=${ir}`, email);
    const page = await customer.get('/access');
    await postgres.stop();
    const response = await customer.press(page, '/sign-out');
    expect(response).toMatchObject({ status: 303, location: '/signed-out?unconfirmed' });
    expect(customer.cookies.has('register-session')).toBe(false);
    expect((await customer.get('/signed-out?unconfirmed')).text).toContain(
      'could not confirm that your session has ended',
    );
    await postgres.start();
    await until(async () => (await fetch(`${register.gateway}/health`)).status === 200 || undefined);
  });

  it('responds with 503 to writes, and at /health, while the database is read-only', async () => {
    const anonymous = anonymousClient(register.rest);
    const { active } = register.sandbox.samples.access_keys;
    const responses = async () => [
      (await anonymous('GET', `/v1/access-records/${active}`)).status,
      (await dataUser('POST', '/v1/access-records', consentRecord(register.sandbox.samples.identity_record))).status,
      (await fetch(`${register.gateway}/health`)).status,
    ];
    expect(await responses()).toEqual([200, 201, 200]);
    const setReadOnly = async (value: 'on' | 'off') => {
      await runIn(postgres.url, `alter system set default_transaction_read_only = ${value}`);
      await runIn(postgres.url, 'select pg_reload_conf()');
    };
    await setReadOnly('on');
    try {
      await until(async () => ((await responses())[2] === 503 ? true : undefined));
      expect(await responses()).toEqual([200, 503, 503]);
    } finally {
      await setReadOnly('off');
    }
    await until(async () => ((await responses()).every((status) => status < 300) ? true : undefined));
  });

  it('responds with 503 within ten seconds while the database is frozen, and serves again afterwards', async () => {
    const anonymous = anonymousClient(register.rest);
    const { account_id, secret_key } = accountOf(register.sandbox, 'portal');
    const basic = `Basic ${Buffer.from(`${account_id}:${secret_key}`).toString('base64')}`;
    const signIn = anonymousClient(register.rest, basic);
    const graph = graphOf(register);
    const { active } = register.sandbox.samples.access_keys;
    const requests: [name: string, send: () => Promise<{ readonly status: number }>][] = [
      ['verify', () => anonymous('GET', `/v1/access-records/${active}`)],
      ['miss', () => anonymous('GET', `/v1/access-records/ak_${'0'.repeat(24)}`)],
      [
        'register',
        () => dataUser('POST', '/v1/access-records', consentRecord(register.sandbox.samples.identity_record)),
      ],
      ['list', () => dataUser('GET', '/v1/records')],
      ['find', () => dataUser('GET', '/v1/identity-records?mpxn=1012345678')],
      ['sign in', () => signIn('GET', '/v1/auth/token')],
      ['graph', () => graph(`{ accessRecord(key: "${active}") { accessEvent { state } } }`)],
    ];
    const served = async () =>
      Promise.all(
        requests.map(async ([name, send]) => {
          const begin = performance.now();
          const { status } = await send();
          return [name, status, performance.now() - begin < MAX_OPERATION_MS] as const;
        }),
      );
    const health = async (path: string) => (await fetch(`${register.gateway}${path}`)).status;
    const before = (await served()).map(([name, status]) => [name, status, true]);
    const go = freeze(postgres.pid());
    try {
      const away = requests.map(([name]) => [name, 503, true]);
      expect(await served()).toEqual(away);
      expect(await served()).toEqual(away); // by now the connections are closed, and new ones fail
      expect([await health('/health'), await health('/health/live')]).toEqual([503, 200]);
    } finally {
      go();
    }
    await until(async () => (await health('/health')) === 200 || undefined);
    await until(async () => (await served()).every(([, status]) => status < 500) || undefined);
    expect(await served()).toEqual(before);
  });
});

/** Maximum lines of the log in an outage, for any number of requests. */
const MAX_LOG_LINES = 20;

/** Stops a process (SIGSTOP). Returns false if it has just ended. */
function stopped(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGSTOP');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ESRCH') return false;
    throw error;
  }
}

/** Stops a postmaster and its sessions (SIGSTOP); returns a function that continues them. */
function freeze(postmaster: number): () => void {
  process.kill(postmaster, 'SIGSTOP'); // first: it starts no session any more
  const sessions = livingProcesses().filter(({ pid, parent }) => parent === postmaster && stopped(pid));
  const pids = [postmaster, ...sessions.map(({ pid }) => pid)];
  return () => pids.forEach((pid) => process.kill(pid, 'SIGCONT'));
}

/** Verifies and registers in four parallel loops until stopped. */
function startLoad(register: TestRegister, dataUser: RestClient) {
  const responses: RestResponse[] = [];
  const acknowledged: string[] = [];
  let longest = 0;
  let going = true;
  const verify = anonymousClient(register.rest);
  const loop = async (register_: boolean) => {
    while (going) {
      const begin = performance.now();
      const response = register_
        ? await dataUser('POST', '/v1/access-records', consentRecord(register.sandbox.samples.identity_record))
        : await verify('GET', `/v1/access-records/${register.sandbox.samples.access_keys.active}`);
      longest = Math.max(longest, performance.now() - begin);
      responses.push(response);
      if (response.status === 201) acknowledged.push(String(response.body['access-token'].key));
    }
  };
  const loops = [loop(true), loop(true), loop(false), loop(false)];
  return {
    responses,
    acknowledged,
    stop: async () => {
      going = false;
      await Promise.all(loops);
      return { responses, longest };
    },
  };
}
