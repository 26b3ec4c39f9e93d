import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { codeOf, confirmedTokens, inTurns, recordWithToken } from '../support/confirmed-tokens';
import { type DataUser, newCustomer, newDataUser } from '../support/customers';
import { type TestRegister, startTestRegister } from '../support/register';
import { until } from '../support/until';

const IS_LONG = process.env['TEST_LONG'] !== undefined;
const [TOKENS, REDEMPTIONS] = IS_LONG ? [1_000, 50] : [50, 20];
/** Tokens that are redeemed at the same time, each by all its callers. */
const TOKENS_AT_ONCE = 4;
const JUST_OVER_AN_HOUR = 3_601;

/** Confirmed tokens, redeemed by everybody at once. */
describe('Re-identification tokens', () => {
  let register: TestRegister;
  let enroller: DataUser;
  let initiator: DataUser;
  beforeAll(async () => {
    register = await startTestRegister('one process');
    enroller = await newDataUser(register, 'https://first.example/return');
    initiator = await newDataUser(register, 'https://second.example/return');
  });
  afterAll(() => register.close());

  const confirmed = async (count: number) => confirmedTokens(register, initiator, await newCustomer(enroller), count);
  /** As a client does it: whom the register had no time for asks again, with the same idempotency key. */
  const redeem = async (token: string, by = initiator) => {
    const key = { 'idempotency-key': randomUUID() };
    return until(async () => {
      const code = codeOf(await by.rest('POST', '/v1/access-records', recordWithToken(token), key));
      return code === '503 SYS002' ? undefined : code;
    }, 60_000);
  };
  const moveClock = async (seconds: number) => {
    const owner = new Client({ connectionString: register.databaseUrl });
    await owner.connect();
    await owner.query('select register.set_clock_offset($1)', [seconds]);
    await owner.end();
  };

  it(`are redeemed once each: ${TOKENS} tokens, ${REDEMPTIONS} callers each at once`, async () => {
    const tokens = await confirmed(TOKENS);
    const redeemByAll = (turn: number) =>
      Promise.all(Array.from({ length: REDEMPTIONS }, () => redeem(tokens[turn] as string)));
    const outcomes = await inTurns(TOKENS, redeemByAll, TOKENS_AT_ONCE);
    expect(new Set(outcomes.flat())).toEqual(new Set(['201', '400 VAL009']));
    const successes = outcomes.map((answers) => answers.filter((answer) => answer === '201').length);
    expect(successes).toEqual(tokens.map(() => 1));
  }, 1_800_000);

  it('are of no use to another Data User, not even to the one that enrolled the customer', async () => {
    const [token] = (await confirmed(1)) as [string];
    expect(await redeem(token, enroller)).toBe('403 PRM002');
    expect(await redeem(token)).toBe('201');
  });

  it('are of no use when an hour has passed since they were issued', async () => {
    const [token] = (await confirmed(1)) as [string];
    await moveClock(JUST_OVER_AN_HOUR);
    expect(await redeem(token)).toBe('400 VAL009');
    await moveClock(0);
    expect(await redeem(token)).toBe('201');
  });
});
