import { type AddressInfo, createServer } from 'node:net';
import { Pool } from 'pg';
import { decryptValue, encryptValue } from '../../../../subgraphs/server/encryption';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { valueOf } from '../../../support/ceremonies';
import { heldBy } from '../../../support/held-lock';
import { signInAtSupplier } from '../../../support/supplier-browser';
import { startForger } from '../../../support/supplier-forger';
import {
  FINISH_SUPPLIER,
  SESSION,
  START_SUPPLIER,
  asCustomer,
  scopeOf,
  signedInByLink,
} from '../../../support/sign-in-operations';
import { mailsNow } from '../../../support/sign-in-mails';
import { type SignInFixture, newMpxn, fixtureOfThisFile, startSignInFixture } from '../../../support/sign-in-fixture';
import { OPERATOR } from '../../../support/operator-caller';

const RECORD_CHANGE = 'mutation ($input: ChangeOfTenancyInput!) { recordChangeOfTenancy(input: $input) { isNew } }';
const BACK = 'https://larkhill.example/back';

export function supplierSignIn(): void {
  let fixture: SignInFixture;
  let mpid: string;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    ({ mpid } = await fixture.newSupplier());
  });
  afterEach(() => fixture.moveClock(0));

  let customers = 0;

  /** A customer of the supplier with these meter points. */
  function supplied(...mpxns: string[]) {
    const login = { login: `customer-${(customers += 1)}`, password: 'a password', mpxns };
    fixture.supplier.addLogins([login]);
    return login;
  }

  const begin = async (entry: object, at = mpid) => {
    const { data, codes } = await fixture.execute(START_SUPPLIER, { mpid: at, entry });
    if (codes.length > 0) throw new Error(codes.join());
    return data.startSupplierSignIn as { secret: string; url: string };
  };
  const finish = (secret: string, callbackUrl: string) => fixture.execute(FINISH_SUPPLIER, { secret, callbackUrl });

  /** Signs in at the supplier, started with this meter point or key. */
  async function signIn(entry: object, login: ReturnType<typeof supplied>) {
    const { secret, url } = await begin(entry);
    return finish(secret, await signInAtSupplier(url, login));
  }
  const tokenOf = async (result: ReturnType<typeof finish>) => {
    const { data, codes } = await result;
    if (codes.length > 0) throw new Error(codes.join());
    return data.finishSupplierSignIn.token as string;
  };
  const returnUrlOf = async (token: string) =>
    (await fixture.execute(SESSION, {}, asCustomer(token))).data.customerSession.returnUrl;
  const today = async () =>
    (
      await fixture.owner.query(
        `select to_char((register.register_now() at time zone 'Europe/London')::date, 'YYYY-MM-DD') as day`,
      )
    ).rows[0].day as string;

  /** Returns the seconds from now to the next midnight in Great Britain, and the day that starts then. */
  const midnight = async () => {
    const next = `((register.register_now() at time zone 'Europe/London')::date + 1)`;
    const { rows } = await fixture.owner.query<{ seconds: number; day: string }>(
      `select ceil(extract(epoch from ${next}::timestamp at time zone 'Europe/London' - register.register_now()))::int as seconds,
         to_char(${next}, 'YYYY-MM-DD') as day`,
    );
    return rows[0] as (typeof rows)[number];
  };

  /** Rewrites a stored attempt as the previous release stores it, without Changes of Tenancy. */
  async function storedByFormerRelease(secret: string) {
    const { encryptionKey, hashKey } = fixture.keys;
    const hash = keyedHash(hashKey, 'sign-in-attempt')(secret);
    const boundTo = `sign_in_attempt ${hash.toString('base64url')}`;
    const { rows } = await fixture.owner.query('select sealed from identity.sign_in_attempt where secret_hash = $1', [
      hash,
    ]);
    const { changedOn, ...content } = JSON.parse(decryptValue(encryptionKey, rows[0].sealed, boundTo).toString('utf8'));
    expect(changedOn).toEqual([]);
    const sealed = encryptValue(encryptionKey, JSON.stringify(content), boundTo);
    await fixture.owner.query('update identity.sign_in_attempt set sealed = $2 where secret_hash = $1', [hash, sealed]);
  }

  /** Records a Change of Tenancy of a former day at a home, and holds the lock of the home. */
  async function heldHome(mpxn: string) {
    await fixture.tenancyChanged(mpxn, '2018-08-08');
    const home = `select pg_advisory_xact_lock(hashtextextended('people at ' || encode(mpxn_index, 'hex'), 0))
      from identity.change_of_tenancy where effective_date = '2018-08-08' order by recorded_at desc limit 1`;
    const pool = new Pool({ connectionString: fixture.databaseUrl, max: 1 });
    const lock = await heldBy(pool, home, []);
    return { ...lock, release: () => lock.release().then(() => pool.end()) };
  }

  describe('A sign-in at the supplier', () => {
    it('signs in a customer without an Identity Record, with history from the present day', async () => {
      const mpxn = newMpxn();
      const token = await tokenOf(signIn({ mpxn }, supplied(mpxn)));
      const { data } = await fixture.execute(SESSION, {}, asCustomer(token));
      expect(data.customerSession).toMatchObject({
        mpxn,
        address: null,
        moveInDate: null,
        isCurrent: true,
        signedInBy: 'SUPPLIER',
      });
      expect(await scopeOf(fixture, token)).toMatchObject({
        identityRecordId: null,
        isCurrent: true,
        since: await today(),
      });
    });

    it('shows the history since the latest Change of Tenancy, and nothing after the next', async () => {
      const mpxn = newMpxn();
      await fixture.tenancyChanged(mpxn, '2019-03-03');
      await fixture.tenancyChanged(mpxn, '2022-06-01');
      const token = await tokenOf(signIn({ mpxn }, supplied(mpxn)));
      expect(await scopeOf(fixture, token)).toMatchObject({ isCurrent: true, since: '2022-06-01' });
      await fixture.tenancyChanged(mpxn, '2022-06-02');
      expect(await scopeOf(fixture, token)).toMatchObject({ isCurrent: false, identityRecordId: null });
    });

    it.each([0, 1])(
      'ends when a Change of Tenancy for a day %d days ago is recorded during the session',
      async (days) => {
        const [mpxn, email] = [newMpxn(), `next-${days}@customer.example`];
        const token = await tokenOf(signIn({ mpxn }, supplied(mpxn)));
        const { rows } = await fixture.owner.query(`select ($1::date - $2::int)::text as day`, [await today(), days]);
        const { day } = rows[0];
        await fixture.tenancyChanged(mpxn, day);
        await fixture.newRecord(await fixture.dataUser(), { email }, { mpxn, moveInDate: day });
        expect(await scopeOf(fixture, token)).toMatchObject({ isCurrent: false, ownRecordIds: [] });
        expect(valueOf(await fixture.execute('{ customerContacts { kind } }', {}, asCustomer(token)))).toEqual([]);
      },
    );

    it.each([0, 1])(
      'by the Identity Record of the next occupant ends when a Change of Tenancy for a day %d days ago is recorded during the session',
      async (days) => {
        const mpxn = newMpxn();
        const { rows } = await fixture.owner.query(`select ($1::date - $2::int)::text as day`, [await today(), days]);
        const { day } = rows[0];
        await fixture.newRecord(await fixture.dataUser(), { email: null }, { mpxn, moveInDate: day });
        const token = await tokenOf(signIn({ mpxn }, supplied(mpxn)));
        expect(await scopeOf(fixture, token)).toMatchObject({ isCurrent: true, ownRecordIds: [expect.any(String)] });
        await fixture.tenancyChanged(mpxn, day);
        expect(await scopeOf(fixture, token)).toMatchObject({ isCurrent: false, ownRecordIds: [] });
        expect(valueOf(await fixture.execute('{ customerSession { mayJudge } }', {}, asCustomer(token)))).toEqual({
          mayJudge: false,
        });
      },
    );

    it('lasts when a Change of Tenancy from before the start of the tenancy is recorded during the session', async () => {
      const mpxn = newMpxn();
      await fixture.tenancyChanged(mpxn, '2022-06-01');
      const token = await tokenOf(signIn({ mpxn }, supplied(mpxn)));
      await fixture.tenancyChanged(mpxn, '2019-03-03');
      expect(await scopeOf(fixture, token)).toMatchObject({ isCurrent: true, since: '2022-06-01', endedAt: null });
    });

    it('is rejected if a Change of Tenancy is recorded while the session starts', async () => {
      const mpxn = newMpxn();
      const lock = await heldHome(mpxn);
      const result = signIn({ mpxn }, supplied(mpxn));
      await lock.isWaitedFor();
      await fixture.tenancyChanged(mpxn, await today());
      await lock.release();
      expect((await result).codes).toEqual(['AUT001']);
    });

    it('is rejected if a Change of Tenancy is recorded while the customer is at the supplier; the next one is of the new tenancy', async () => {
      const [mpxn, day] = [newMpxn(), await today()];
      await fixture.tenancyChanged(mpxn, '2019-03-03');
      const { secret, url } = await begin({ mpxn });
      const callback = await signInAtSupplier(url, supplied(mpxn));
      await fixture.tenancyChanged(mpxn, day);
      expect((await finish(secret, callback)).codes).toEqual(['AUT001']);
      const next = await tokenOf(signIn({ mpxn }, supplied(mpxn)));
      expect(await scopeOf(fixture, next)).toMatchObject({ isCurrent: true, since: day });
    });

    it('is rejected if a tenancy starts at midnight while the customer is at the supplier', async () => {
      const [mpxn, { seconds, day }] = [newMpxn(), await midnight()];
      await fixture.moveClock(seconds - 120);
      const { secret, url } = await begin({ mpxn });
      const callback = await signInAtSupplier(url, supplied(mpxn));
      await fixture.tenancyChanged(mpxn, day);
      await fixture.moveClock(seconds + 120);
      expect((await finish(secret, callback)).codes).toEqual(['AUT001']);
    });

    it('is not rejected for a Change of Tenancy of a later day', async () => {
      const [mpxn, { day }] = [newMpxn(), await midnight()];
      const { secret, url } = await begin({ mpxn });
      const callback = await signInAtSupplier(url, supplied(mpxn));
      await fixture.tenancyChanged(mpxn, day);
      expect((await finish(secret, callback)).codes).toEqual([]);
    });

    it('that a process of the former release has started is completed', async () => {
      const mpxn = newMpxn();
      const { secret, url } = await begin({ mpxn });
      await storedByFormerRelease(secret);
      expect((await finish(secret, await signInAtSupplier(url, supplied(mpxn)))).codes).toEqual([]);
    });

    it('is before or after a Change of Tenancy: recording one waits for a session that starts at the home, and delays none elsewhere', async () => {
      const mpxn = newMpxn();
      const lock = await heldHome(mpxn);
      const input = { mpxn, effectiveDate: await today(), sourceReference: 'a move' };
      const change = fixture.execute(RECORD_CHANGE, { input }, { caller: OPERATOR });
      await lock.isWaitedFor();
      const elsewhere = newMpxn();
      expect(await tokenOf(signIn({ mpxn: elsewhere }, supplied(elsewhere)))).toMatch(/^cst_/);
      await lock.release();
      expect((await change).data.recordChangeOfTenancy).toEqual({ isNew: true });
    });

    it('is possible for each of several meter points in the claim', async () => {
      const [first, second] = [newMpxn(), newMpxn()];
      const login = supplied(first, second);
      for (const mpxn of [first, second]) expect((await signIn({ mpxn }, login)).codes).toEqual([]);
    });

    it('uses the verified Identity Record of the current occupancy, if there is one', async () => {
      const mpxn = newMpxn();
      const dataUser = await fixture.dataUser('https://larkhill.example/back');
      await fixture.newRecord(dataUser, { email: null, principalVerification: null }, { mpxn });
      const ir = await fixture.newRecord(dataUser, { email: null }, { mpxn, moveInDate: '2020-10-10' });
      const token = await tokenOf(signIn({ ir, returnUrl: 'https://larkhill.example/back' }, supplied(mpxn)));
      expect(await scopeOf(fixture, token)).toMatchObject({
        identityRecordId: expect.any(String),
        since: '2020-10-10',
      });
      const { data } = await fixture.execute(SESSION, {}, asCustomer(token));
      expect(data.customerSession).toMatchObject({
        moveInDate: '2020-10-10',
        returnUrl: 'https://larkhill.example/back',
      });
    });

    it.each([
      ['keeps the return URL of the session', [BACK], BACK],
      ['drops the return URL of the session once it is no longer registered', [], null],
    ])('of a customer who is signed in by a contested contact %s', async (_, registered, kept) => {
      const [mpxn, email] = [newMpxn(), `returns-${(customers += 1)}@customer.example`];
      const dataUser = await fixture.dataUser(BACK);
      const ir = await fixture.newRecord(dataUser, { email }, { mpxn });
      await fixture.newRecord(await fixture.dataUser(), { email: `rival-of-${email}` }, { mpxn });
      const { token: first } = await signedInByLink(fixture, { ir, returnUrl: BACK }, email);
      const login = supplied(mpxn);
      const { data } = await fixture.execute(START_SUPPLIER, { mpid, entry: { mpxn } }, asCustomer(first));
      await fixture.owner.query('update access.account set return_urls = $1 where duid = $2', [
        registered,
        dataUser.duid,
      ]);
      const { secret, url } = data.startSupplierSignIn;
      const token = await tokenOf(finish(secret, await signInAtSupplier(url, login)));
      expect(await returnUrlOf(token)).toBe(kept);
    });

    it('at another meter point drops the return URL of the session', async () => {
      const [mpxn, email] = [newMpxn(), `moves-${(customers += 1)}@customer.example`];
      const ir = await fixture.newRecord(await fixture.dataUser(BACK), { email });
      const { token: first } = await signedInByLink(fixture, { ir, returnUrl: BACK }, email);
      expect(await returnUrlOf(first)).toBe(BACK);
      const { data } = await fixture.execute(START_SUPPLIER, { mpid, entry: { mpxn } }, asCustomer(first));
      const { secret, url } = data.startSupplierSignIn;
      const token = await tokenOf(finish(secret, await signInAtSupplier(url, supplied(mpxn))));
      expect(await returnUrlOf(token)).toBeNull();
    });

    it('is rejected, without a notice, if a verified record of the occupancy has an e-mail address', async () => {
      const [mpxn, email] = [newMpxn(), 'fallback@customer.example'];
      const dataUser = await fixture.dataUser();
      await fixture.newRecord(dataUser, { email: null }, { mpxn });
      await fixture.newRecord(dataUser, { email }, { mpxn });
      expect((await signIn({ mpxn }, supplied(mpxn))).codes).toEqual(['AUT001']);
      await fixture.jobsDone();
      expect(await mailsNow(fixture, email)).toEqual([]);
    });

    it('is not rejected for contacts of an unverified record or of another occupancy', async () => {
      const mpxn = newMpxn();
      const dataUser = await fixture.dataUser();
      await fixture.newRecord(dataUser, { email: 'anybody@customer.example', principalVerification: null }, { mpxn });
      await fixture.newRecord(dataUser, { email: 'former@customer.example' }, { mpxn });
      await fixture.newRecord(dataUser, { email: 'next@customer.example' }, { mpxn, moveInDate: '2999-01-01' });
      await fixture.tenancyChanged(mpxn, '2022-06-01');
      const token = await tokenOf(signIn({ mpxn }, supplied(mpxn)));
      expect(await scopeOf(fixture, token)).toMatchObject({ identityRecordId: null });
    });

    it('is rejected for a meter point that is not in the claim', async () => {
      const [mine, theirs] = [newMpxn(), newMpxn()];
      expect((await signIn({ mpxn: theirs }, supplied(mine))).codes).toEqual(['AUT001']);
      const ir = await fixture.newRecord(await fixture.dataUser(), { email: null }, { mpxn: theirs });
      expect((await signIn({ ir }, supplied(mine))).codes).toEqual(['AUT001']);
      expect((await signIn({ ir: `ir_${'0'.repeat(24)}` }, supplied(mine))).codes).toEqual(['AUT001']);
    });

    it('starts in the same way for known and unknown customers', async () => {
      const ir = await fixture.newRecord(await fixture.dataUser(), { email: null });
      for (const entry of [{ mpxn: newMpxn() }, { ir }, { ir: `ir_${'0'.repeat(24)}` }]) {
        const { secret, url } = await begin(entry);
        expect(secret).toMatch(/^[\w-]{43}$/);
        const parameters = new URL(url).searchParams;
        expect(Object.fromEntries(parameters)).toEqual({
          redirect_uri: `${fixture.urls.portalUrl}/sign-in/supplier/callback`,
          scope: 'openid mpxn',
          state: expect.any(String),
          nonce: expect.any(String),
          code_challenge: expect.any(String),
          code_challenge_method: 'S256',
          client_id: expect.any(String),
          response_type: 'code',
        });
      }
    });
  });

  describe("The supplier's response", () => {
    const started = async () => {
      const mpxn = newMpxn();
      const { secret, url } = await begin({ mpxn });
      return { mpxn, secret, callback: await signInAtSupplier(url, supplied(mpxn)) };
    };

    it('works once', async () => {
      const { mpxn, secret, callback } = await started();
      expect((await finish(secret, callback)).codes).toEqual([]);
      expect((await finish(secret, callback)).codes).toEqual(['AUT001']);
      const { secret: another } = await begin({ mpxn });
      expect((await finish(another, callback)).codes).toEqual(['AUT001']);
    });

    it('works only in the browser that started the sign-in', async () => {
      const { callback } = await started();
      const { secret: ofAnother } = await started();
      expect((await finish(ofAnother, callback)).codes).toEqual(['AUT001']);
      expect((await finish('A'.repeat(43), callback)).codes).toEqual(['AUT001']);
    });

    it('to a sign-in of another tab, which this browser has started again since, leaves the newer sign-in', async () => {
      const older = await started();
      const { secret, callback } = await started();
      expect((await finish(secret, older.callback)).codes).toEqual(['AUT001']);
      const both = await Promise.all([finish(secret, callback), finish(secret, callback)]);
      expect(both.map(({ codes }) => codes).toSorted()).toEqual([[], ['AUT001']]);
    });

    it.each([
      ['with another state', (url: URL) => url.searchParams.set('state', 'x')],
      ['without state', (url: URL) => url.searchParams.delete('state')],
      ['that is empty', (url: URL) => (url.search = '')],
    ])('%s is rejected', async (_, spoil) => {
      const { secret, callback } = await started();
      const spoilt = new URL(callback);
      spoil(spoilt);
      expect((await finish(secret, spoilt.href)).codes).toEqual(['AUT001']);
    });

    it.each([
      ['with another code', (url: URL) => url.searchParams.set('code', 'x')],
      ['of another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
      ['without the issuer that the supplier announces', (url: URL) => url.searchParams.delete('iss')],
      ['that is an error', (url: URL) => (url.search = `?error=access_denied&state=${url.searchParams.get('state')}`)],
    ])('%s is rejected, and ends the attempt', async (_, spoil) => {
      const { secret, callback } = await started();
      const spoilt = new URL(callback);
      spoil(spoilt);
      expect((await finish(secret, spoilt.href)).codes).toEqual(['AUT001']);
      expect((await finish(secret, callback)).codes).toEqual(['AUT001']);
    });

    it('to a sign-in that another supplier directed to this one is rejected (mix-up, RFC 9700 section 4.4)', async () => {
      const forger = await startForger();
      try {
        const mpxn = newMpxn();
        const [other, own] = [await fixture.newSupplier({ issuer: forger.issuer }), await begin({ mpxn })];
        const { secret, url } = await begin({ mpxn }, other.mpid);
        const directed = new URL(own.url);
        directed.search = new URL(url).search;
        const callback = await signInAtSupplier(directed.href, supplied(mpxn));
        expect(new URL(callback).searchParams.get('iss')).toBe(fixture.supplier.issuer);
        expect((await finish(secret, callback)).codes).toEqual(['AUT001']);
        expect(forger.codes).toEqual([]);
      } finally {
        await forger.close();
      }
    });

    it('that is no URL is rejected', async () => {
      const { secret } = await started();
      expect((await finish(secret, 'no address')).codes).toEqual(['AUT001']);
    });

    it('must arrive within ten minutes', async () => {
      const { secret, callback } = await started();
      await fixture.moveClock(10 * 60 + 1);
      expect((await finish(secret, callback)).codes).toEqual(['AUT001']);
    });

    it('and the attempt write no secret and no meter point to the log, nor unencrypted to a table', async () => {
      const mpxn = newMpxn();
      const { secret, url } = await begin({ mpxn });
      const { rows } = await fixture.owner.query('select a::text from identity.sign_in_attempt a');
      const { state, nonce } = Object.fromEntries(new URL(url).searchParams);
      for (const value of [mpxn, secret, state, nonce]) expect(JSON.stringify(rows)).not.toContain(value);
      await finish(secret, await signInAtSupplier(url, supplied(mpxn)));
      for (const value of [mpxn, secret, state, nonce]) expect(fixture.log()).not.toContain(value);
    });
  });

  describe('A supplier', () => {
    const offered = async () => {
      const { data } = await fixture.executeInAccess('{ supplierSignIns { mpid displayName } }');
      return (data.supplierSignIns as { mpid: string }[]).map(({ mpid: each }) => each);
    };
    const errorAt = async (at: string) =>
      (await fixture.execute(START_SUPPLIER, { mpid: at, entry: { mpxn: newMpxn() } })).codes;

    it('is offered to unauthenticated clients once its OpenID Connect client is complete', async () => {
      const { account } = await fixture.accounts.onboard('test', {
        role: 'supplier',
        displayName: 'Unset Ltd',
        mpid: 'UN5T',
      });
      expect(await offered()).toContain(mpid);
      expect(await offered()).not.toContain(account.mpid);
      expect(await errorAt('UN5T')).toEqual(['NTF001']);
      expect(await errorAt('NONE')).toEqual(['NTF001']);
    });

    it('is neither offered nor called while it is suspended, also for a started sign-in', async () => {
      const { mpid: suspended, accountId } = await fixture.newSupplier();
      const mpxn = newMpxn();
      const { secret, url } = await begin({ mpxn }, suspended);
      const callback = await signInAtSupplier(url, supplied(mpxn));
      await fixture.accounts.changeStatus('test', accountId, 'suspend');
      expect(await offered()).not.toContain(suspended);
      expect(await errorAt(suspended)).toEqual(['NTF001']);
      expect((await finish(secret, callback)).codes).toEqual(['AUT001']);
    });

    it('that is unreachable or rejects the client is reported as an unavailable dependency (SYS002)', async () => {
      const { mpid: away } = await fixture.newSupplier({ issuer: 'http://localhost:1' });
      expect(await errorAt(away)).toEqual(['SYS002']);
      const { mpid: atOdds } = await fixture.newSupplier({ secret: 'not what they agreed upon' });
      const mpxn = newMpxn();
      const { secret, url } = await begin({ mpxn }, atOdds);
      expect((await finish(secret, await signInAtSupplier(url, supplied(mpxn)))).codes).toEqual(['SYS002']);
    });

    it('discloses its client secret to services only', async () => {
      const query = 'query ($mpid: String!) { supplierClient(mpid: $mpid) { clientSecret } }';
      expect((await fixture.executeInAccess(query, { mpid })).codes).toEqual(['AUT001']);
      expect((await fixture.executeInAccess(query, { mpid }, { caller: await fixture.dataUser() })).codes).toEqual([
        'PRM001',
      ]);
    });

    it('is called in production only over TLS and at public addresses', async () => {
      const strict = await startSignInFixture({ production: true });
      let connections = 0;
      const receiver = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => void receiver.listen(0, 'localhost', resolve));
      const { port } = receiver.address() as AddressInfo;
      try {
        const errorOf = async (issuer?: string) => {
          const { mpid: at } = await strict.newSupplier(issuer === undefined ? {} : { issuer });
          return (await strict.execute(START_SUPPLIER, { mpid: at, entry: { mpxn: newMpxn() } })).codes;
        };
        expect(await errorOf()).toEqual(['SYS002']);
        for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '169.254.169.254'])
          expect(await errorOf(`https://${host}:${port}`)).toEqual(['SYS002']);
        expect(connections).toBe(0);
        expect(strict.log().match(/"error":"(blocked-address|BLOCKED)"/g)).toHaveLength(4);
      } finally {
        receiver.close();
        await strict.close();
      }
    });
  });

  describe('Organisations', () => {
    it('are readable by services with name, status and return URLs, in the order of the argument', async () => {
      const { duid } = await fixture.dataUser('https://larkhill.example/back');
      const query = 'query ($duids: [DUID!]!) { organisations(duids: $duids) { duid displayName status returnUrls } }';
      const duids = [`duid_${'0'.repeat(24)}`, duid];
      expect((await fixture.executeInAccess(query, { duids }, { service: 'identity' })).data.organisations).toEqual([
        null,
        { duid, displayName: 'Larkhill Insight Ltd', status: 'active', returnUrls: ['https://larkhill.example/back'] },
      ]);
      expect((await fixture.executeInAccess(query, { duids })).codes).toEqual(['AUT001']);
    });
  });
}
