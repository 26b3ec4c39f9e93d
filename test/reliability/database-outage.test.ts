import { type ControlledPostgres, controlledPostgres } from '../support/postgres';
import { type TestRegister, startTestRegister } from '../support/register';
import { consentRecord } from '../support/records';
import { type RestAnswer, type RestClient, anonymousClient, signedInClient } from '../support/rest-client';

const LONGEST_ANSWER = 10_000;

describe('A register whose PostgreSQL goes away and comes back', () => {
  let postgres: ControlledPostgres;
  let register: TestRegister;
  let dataUser: RestClient;

  beforeAll(async () => {
    postgres = await controlledPostgres();
    register = await startTestRegister('one process', { databaseUrl: postgres.url });
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
    'answers 503 in the envelope while it %s, never hangs, and serves again without a restart',
    async (_, takeAway) => {
      const load = startLoad(register, dataUser);
      await until(() => load.answers.length > 40);
      await takeAway();
      await until(() => load.answers.some(({ status }) => status === 503));
      const whileAway = load.answers.length;
      await until(() => load.answers.length > whileAway + 20);
      await postgres.start();
      await until(() => load.answers.slice(whileAway + 20).filter(({ status }) => status < 300).length > 40);
      const { answers, longest } = await load.stop();
      expect([...new Set(answers.map(({ status }) => status))].toSorted()).toEqual([200, 201, 503]);
      for (const { status, body } of answers) {
        if (status === 503)
          expect(body).toMatchObject({
            response: { 'transaction-id': expect.stringMatching(/^tid_/) },
            errors: [{ 'error-code': 'SYS002' }],
          });
      }
      expect(longest).toBeLessThan(LONGEST_ANSWER);
      for (const ak of load.acknowledged)
        expect((await anonymousClient(register.rest)('GET', `/v1/access-records/${ak}`)).status).toBe(200);
    },
  );
});

/** Verifies and registers without pause, four at once, until stopped. */
function startLoad(register: TestRegister, dataUser: RestClient) {
  const answers: RestAnswer[] = [];
  const acknowledged: string[] = [];
  let longest = 0;
  let going = true;
  const verify = anonymousClient(register.rest);
  const loop = async (register_: boolean) => {
    while (going) {
      const begin = performance.now();
      const answer = register_
        ? await dataUser('POST', '/v1/access-records', consentRecord(register.sandbox.samples.identity_record))
        : await verify('GET', `/v1/access-records/${register.sandbox.samples.access_keys.active}`);
      longest = Math.max(longest, performance.now() - begin);
      answers.push(answer);
      if (answer.status === 201) acknowledged.push(String(answer.body['access-token'].key));
    }
  };
  const loops = [loop(true), loop(true), loop(false), loop(false)];
  return {
    answers,
    acknowledged,
    stop: async () => {
      going = false;
      await Promise.all(loops);
      return { answers, longest };
    },
  };
}

/** Waits for a condition, 20 seconds at most. */
async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('the condition did not come true');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
