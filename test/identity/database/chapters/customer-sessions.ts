import { customerScopes } from '../../../../subgraphs/access/customers/customer-scope.client';
import { SESSION, END_SESSION, asCustomer, scopeOf, signedInByLink } from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, fixtureOfThisFile, startSignInFixture } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';
import type { CallContext } from '../../../../subgraphs/server/callers/caller';

export function customerSessions(): void {
  const HOUR = 3_600;
  const RETURN = 'https://larkhill.example/return?customer=7';

  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
  });
  afterEach(() => fixture.moveClock(0));

  let people = 0;

  /** A signed-in customer, at a new meter point unless one is given. */
  async function customer({ mpxn = newMpxn(), principal = {}, returnUrls = [RETURN], entry = {} } = {}) {
    const email = `person-${(people += 1)}@customer.example`;
    const dataUser = await fixture.dataUser(...returnUrls);
    const ir = await fixture.newRecord(dataUser, { email }, { mpxn, ...principal });
    const { token } = await signedInByLink(fixture, { email, ...entry }, email);
    return { mpxn, email, ir, token, dataUser };
  }

  const sessionOf = async (token: string, replica = 0) => {
    const { data, codes } = await fixture.execute(SESSION, {}, asCustomer(token), replica);
    return codes.length > 0 ? codes : data.customerSession;
  };
  const rowsOf = async (text: string, values: unknown[] = []) => (await fixture.owner.query(text, values)).rows;

  describe("A customer's session", () => {
    it('gives access to one meter point, from the move-in date', async () => {
      const { ir, mpxn, token } = await customer();
      const [record] = await rowsOf('select id, meter_point_id from identity.identity_record where ref = $1', [ir]);
      expect(await scopeOf(fixture, token)).toEqual({
        sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        identityRecordId: record.id,
        meterPointId: record.meter_point_id,
        isCurrent: true,
        isContested: false,
        ownRecordIds: [record.id],
        since: '2021-04-01',
        beganAt: null,
        endedAt: null,
      });
      expect(await sessionOf(token)).toMatchObject({ mpxn, isCurrent: true });
    });

    it('ends after eight hours', async () => {
      const { token } = await customer();
      await fixture.moveClock(8 * HOUR - 10);
      expect(await scopeOf(fixture, token)).not.toBeNull();
      await fixture.moveClock(8 * HOUR + 1);
      expect(await scopeOf(fixture, token)).toBeNull();
      expect(await sessionOf(token)).toEqual(['AUT001']);
      expect((await fixture.execute(END_SESSION, {}, asCustomer(token))).codes).toEqual(['AUT001']);
    });

    it('ends on sign-out, immediately in every replica, without ending other sessions of the customer', async () => {
      const { token, email } = await customer();
      const { token: other } = await signedInByLink(fixture, { email }, email);
      expect((await fixture.execute(END_SESSION, {}, asCustomer(token))).data).toEqual({ endCustomerSession: true });
      for (const replica of [0, 1]) {
        expect(await scopeOf(fixture, token, replica)).toBeNull();
        expect(await sessionOf(token, replica)).toEqual(['AUT001']);
        expect(await scopeOf(fixture, other, replica)).not.toBeNull();
      }
    });

    it.each([
      ['is closed', 'closing_at = now(), closed_at = now()'],
      [
        'was anonymised',
        'closing_at = now(), anonymised_at = now(), mpxn_index = null, email_index = null, meter_point_id = null',
      ],
    ])('ends as soon as its Identity Record %s', async (_, change) => {
      const { token, ir } = await customer();
      await fixture.owner.query(`update identity.identity_record set ${change} where ref = $1`, [ir]);
      expect(await scopeOf(fixture, token)).toBeNull();
      expect(await sessionOf(token)).toEqual(['AUT001']);
    });

    it('is found only by its token, which is stored as a keyed hash', async () => {
      const { token, mpxn } = await customer();
      const { sessionId } = await scopeOf(fixture, token);
      for (const wrong of ['', 'cst_', sessionId, token.slice(4), `cst_${'A'.repeat(43)}`, `${token}A`])
        expect(await scopeOf(fixture, wrong)).toBeNull();
      const stored = JSON.stringify(await rowsOf('select customer_session::text from identity.customer_session'));
      for (const value of [token, token.slice(4), mpxn, '2021-04-01']) expect(stored).not.toContain(value);
      expect(fixture.log()).not.toContain(token.slice(4));
    });

    it('is read by access once per request, and again when a withdrawal holds its lock', async () => {
      const { token, ir } = await customer();
      let reads = 0;
      const scopes = customerScopes({
        name: 'identity',
        execute: (...call) => ((reads += 1), fixture.identity.execute(...call)),
      });
      const request = () => ({ ...asCustomer(token), transactionId: 'one request' }) as CallContext;
      const context = request();
      const [first, second] = await Promise.all([scopes.of(context), scopes.of(context)]);
      expect([await scopes.of(context), second, reads]).toEqual([first, first, 1]);
      await fixture.owner.query(
        'update identity.identity_record set closing_at = now(), closed_at = now() where ref = $1',
        [ir],
      );
      await expect(scopes.now(context)).rejects.toMatchObject({ code: 'AUT001' });
      await expect(scopes.of(request())).rejects.toMatchObject({ code: 'AUT001' });
      expect(reads).toBe(3);
    });

    it('is readable by services only', async () => {
      const { token } = await customer();
      const query = 'query ($token: String!) { customerScope(token: $token) { sessionId } }';
      expect((await fixture.execute(query, { token })).codes).toEqual(['AUT001']);
      expect((await fixture.execute(query, { token }, asCustomer(token))).codes).toEqual(['PRM001']);
    });

    it('is not readable by other roles', async () => {
      const { dataUser, token } = await customer();
      expect((await fixture.execute(SESSION, {}, { caller: dataUser, bearer: token })).codes).toEqual(['PRM001']);
      expect((await fixture.execute(SESSION)).codes).toEqual(['AUT001']);
    });

    it('cannot be extended, not even by the owner of the tables', async () => {
      const { token } = await customer();
      await expect(
        fixture.owner.query("update identity.customer_session set expires_at = expires_at + interval '1 s'"),
      ).rejects.toThrow(/check constraint/);
      expect(await scopeOf(fixture, token)).not.toBeNull();
    });
  });

  describe('After a Change of Tenancy', () => {
    it('the session of the former occupant reads only records linked to the own record from that day on', async () => {
      const { token, mpxn } = await customer();
      await fixture.tenancyChanged(mpxn, '2021-04-01');
      expect(await scopeOf(fixture, token)).toMatchObject({ isCurrent: true, endedAt: null });
      await fixture.tenancyChanged(mpxn, '2021-04-02');
      await fixture.tenancyChanged(mpxn, '2022-09-01');
      expect(await scopeOf(fixture, token)).toMatchObject({
        isCurrent: false,
        since: '2021-04-01',
        endedAt: expect.any(String),
        identityRecordId: expect.any(String),
      });
      expect(await sessionOf(token)).toMatchObject({ isCurrent: false });
    });

    it('a change announced for a later day has no effect before that day', async () => {
      const { token, mpxn } = await customer();
      const { rows } = await fixture.owner.query(
        `select to_char((register.register_now() at time zone 'Europe/London')::date + 1, 'YYYY-MM-DD') as tomorrow`,
      );
      await fixture.tenancyChanged(mpxn, rows[0].tomorrow);
      expect(await scopeOf(fixture, token)).toMatchObject({ isCurrent: true });
    });
  });

  describe('An occupancy', () => {
    /**
     * Start and end of the occupancy in the scope of a customer who moved in on `moveInDate`, after these changes of
     * tenancy.
     */
    async function boundsAfter(moveInDate: string, ...changes: (readonly [day: string, recordedAt: string])[]) {
      const { token, ir } = await customer({ principal: { moveInDate } });
      for (const change of changes)
        await fixture.owner.query(
          `insert into identity.change_of_tenancy (mpxn_index, effective_date, recorded_at)
           select mpxn_index, $2, $3 from identity.identity_record where ref = $1`,
          [ir, ...change],
        );
      const { beganAt, endedAt } = await scopeOf(fixture, token);
      return { beganAt, endedAt };
    }

    it('starts when the change was recorded, on its day or later', async () => {
      const change = ['2024-07-01', '2024-07-01T13:45:10.123456Z'] as const;
      expect(await boundsAfter('2024-07-01', change)).toEqual({ beganAt: '2024-07-01T13:45:10.124Z', endedAt: null });
      const late = ['2024-07-01', '2024-07-09T10:00:00Z'] as const;
      expect(await boundsAfter('2024-07-02', late)).toEqual({ beganAt: '2024-07-09T10:00:00.000Z', endedAt: null });
    });

    it('starts with its day in Great Britain if the change was recorded before, in summer and in winter', async () => {
      const summer = ['2024-07-01', '2024-06-30T22:59:59Z'] as const;
      expect((await boundsAfter('2024-07-01', summer)).beganAt).toBe('2024-06-30T23:00:00.000Z');
      const winter = ['2024-01-10', '2023-12-01T00:00:00Z'] as const;
      expect((await boundsAfter('2024-01-10', winter)).beganAt).toBe('2024-01-10T00:00:00.000Z');
    });

    it('does not start later if the change is recorded again', async () => {
      const twice = [
        ['2024-01-10', '2024-01-10T09:00:00Z'],
        ['2024-01-10', '2024-01-12T09:00:00Z'],
      ] as const;
      expect(await boundsAfter('2024-01-10', ...twice)).toEqual({ beganAt: '2024-01-10T09:00:00.000Z', endedAt: null });
    });

    it('ends when the next one starts', async () => {
      const next = ['2024-07-01', '2024-07-01T13:45:10Z'] as const;
      const further = ['2025-07-01', '2025-07-01T13:45:10Z'] as const;
      expect(await boundsAfter('2024-06-30', next, further)).toEqual({
        beganAt: null,
        endedAt: '2024-07-01T13:45:10.000Z',
      });
    });

    it('does not end later if a change of an earlier day is recorded after the next one has started', async () => {
      const next = ['2024-07-01', '2024-07-01T13:45:10Z'] as const;
      const late = ['2023-01-01', '2024-12-01T09:00:00Z'] as const;
      expect((await boundsAfter('2021-04-01', next, late)).endedAt).toBe('2024-07-01T13:45:10.000Z');
    });
  });

  describe('The return URL of a session', () => {
    const signedInTo = async (entry: object, returnUrls?: string[]) =>
      (await sessionOf((await customer({ entry, ...(returnUrls && { returnUrls }) })).token)).returnUrl;

    it('is a URL registered for the Data User of the record', async () => {
      expect(await signedInTo({ returnUrl: RETURN })).toBe(RETURN);
    });

    it.each([
      ['another site', 'https://evil.example/'],
      ['more than the registered URL', `${RETURN}&more=1`],
      ['less than the registered URL', 'https://larkhill.example/return'],
      ['the registered URL in capitals', RETURN.toUpperCase()],
      ['a script', 'javascript:alert(1)'],
      ['nothing', ''],
      ['a very long text', 'x'.repeat(5_000)],
    ])('is dropped silently when it is %s', async (_, returnUrl) => {
      expect(await signedInTo({ returnUrl })).toBeNull();
    });

    it('is null when none was requested or none is registered', async () => {
      expect(await signedInTo({})).toBeNull();
      expect(await signedInTo({ returnUrl: RETURN }, [])).toBeNull();
    });

    it.each(['suspend', 'terminate'] as const)('is null after the admin action %s on the Data User', async (change) => {
      const { email, dataUser } = await customer();
      await fixture.accounts.changeStatus('test', dataUser.accountId, change);
      const { token } = await signedInByLink(fixture, { email, returnUrl: RETURN }, email);
      expect((await sessionOf(token)).returnUrl).toBeNull();
    });

    it('is null in a session as long as it is not registered, or its Data User is not active', async () => {
      const { token, dataUser } = await customer({ entry: { returnUrl: RETURN } });
      const registered = (urls: readonly string[]) =>
        rowsOf('update access.account set return_urls = $1 where account_id = $2', [urls, dataUser.accountId]);
      await registered(['https://larkhill.example/other']);
      expect((await sessionOf(token)).returnUrl).toBeNull();
      await registered([RETURN]);
      expect((await sessionOf(token)).returnUrl).toBe(RETURN);
      await fixture.accounts.changeStatus('test', dataUser.accountId, 'suspend');
      expect((await sessionOf(token)).returnUrl).toBeNull();
    });

    it('may belong to the Data User whose link the customer followed, at the same meter point only', async () => {
      const mpxn = newMpxn();
      const site = 'https://other.example/back';
      const other = await fixture.dataUser(site);
      const here = await fixture.newRecord(other, { email: null }, { mpxn });
      const elsewhere = await fixture.newRecord(other, { email: null });
      const returnUrl = site;
      const { token } = await customer({ mpxn, entry: { ir: here, returnUrl } });
      expect((await sessionOf(token)).returnUrl).toBe(site);
      const { token: astray } = await customer({ mpxn, entry: { ir: elsewhere, returnUrl } });
      expect((await sessionOf(astray)).returnUrl).toBeNull();
      const { token: stray } = await customer({ mpxn, entry: { ir: `ir_${'0'.repeat(24)}`, returnUrl } });
      expect((await sessionOf(stray)).returnUrl).toBeNull();
    });
  });

  describe('Expired data', () => {
    it('is deleted: sessions, links and attempts', async () => {
      const late = await startSignInFixture();
      try {
        const email = 'late@customer.example';
        await late.newRecord(await late.dataUser(), { email });
        await signedInByLink(late, { email }, email);
        await late.execute('mutation { startPasskeySignIn { secret } }');
        const counts = async () =>
          (
            await late.owner.query(`select (select count(*)::int from identity.customer_session) as sessions,
            (select count(*)::int from identity.sign_in_link) as links, (select count(*)::int from identity.sign_in_attempt) as attempts`)
          ).rows[0];
        expect(await counts()).toEqual({ sessions: 1, links: 1, attempts: 1 });
        await late.moveClock(9 * HOUR);
        await late.addReplica(); // every replica deletes expired data when it starts
        await until(async () => (Object.values(await counts()).every((count) => count === 0) ? true : undefined));
      } finally {
        await late.close();
      }
    });
  });
}
