import { Pool } from 'pg';
import { blindIndexes } from '../../../../subgraphs/identity/records/blind-index';
import { heldBy } from '../../../support/held-lock';
import { isLinkMail, isSignInNotice, mailsNow, mailsOf, secretIn } from '../../../support/sign-in-mails';
import {
  END_SESSION,
  SIGN_IN_LINK,
  SIGN_IN_WITH_LINK,
  asCustomer,
  requestLink,
  scopeOf,
  signedInByLink,
} from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, startSignInFixture } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';

export function signInLinks(): void {
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await startSignInFixture({ limits: { signIns: 1e6, mails: 3 } });
  });
  afterAll(() => fixture?.close());
  afterEach(() => fixture.moveClock(0));

  let people = 0;
  const newEmail = () => `person-${(people += 1)}@customer.example`;

  /** Registers a verified customer with an address. */
  async function newCustomer(change: object = {}, principal: object = {}) {
    const [mpxn, email] = [newMpxn(), newEmail()];
    const ir = await fixture.newRecord(await fixture.dataUser(), { email, ...change }, { mpxn, ...principal });
    return { mpxn, email, ir };
  }

  /** Requests links; returns how many link mails the address has received. */
  async function linksSent(entry: object, email: string): Promise<number> {
    expect(await requestLink(fixture, entry)).toMatchObject({ data: { requestSignInLink: true }, codes: [] });
    await fixture.jobsDone();
    return (await mailsNow(fixture, email)).filter(isLinkMail).length;
  }

  const press = (secret: string, browser?: string) =>
    fixture.execute(SIGN_IN_WITH_LINK, { secret, ...(browser === undefined ? {} : { browser }) });

  /** Returns the secret of a link that a new customer requested. */
  async function newLink() {
    const { mpxn, email } = await newCustomer();
    await requestLink(fixture, { mpxn });
    return { mpxn, secret: secretIn(await mailsOf(fixture, email, 1)) };
  }

  /** Counts the sessions that were started at a meter point. */
  async function sessionsAt(mpxn: string): Promise<number> {
    const index = blindIndexes(fixture.keys.indexKey).mpxn(mpxn);
    return (
      (await fixture.owner.query('select from identity.customer_session where mpxn_index = $1', [index])).rowCount ?? 0
    );
  }

  describe('A mailed sign-in link', () => {
    it('is sent to the person of the given meter point, key or address', async () => {
      const { mpxn, email, ir } = await newCustomer();
      expect(await linksSent({ mpxn }, email)).toBe(1);
      expect(await linksSent({ ir }, email)).toBe(2);
      expect(await linksSent({ email: ` ${email.toUpperCase()} ` }, email)).toBe(3);
    });

    it('is sent to each person of the meter point, and signs in to their own record', async () => {
      const { mpxn, email } = await newCustomer();
      const housemate = newEmail();
      await fixture.newRecord(await fixture.dataUser(), { email: housemate }, { mpxn, moveInDate: '2022-02-02' });
      const first = await signedInByLink(fixture, { mpxn }, email);
      const second = secretIn((await mailsOf(fixture, housemate, 2)).filter(isLinkMail));
      const { data } = await press(second);
      expect(await scopeOf(fixture, first.token)).toMatchObject({ since: '2021-04-01' });
      expect(await scopeOf(fixture, data.signInWithLink.token)).toMatchObject({ since: '2022-02-02' });
    });

    it('signs in, and the session lasts, whatever another Data User registers with the address and anonymises', async () => {
      const { mpxn, email } = await newCustomer();
      const rival = await fixture.dataUser();
      const planted = await fixture.newRecord(rival, { email }, { mpxn });
      const { token } = await signedInByLink(fixture, { mpxn }, email);
      expect(await linksSent({ mpxn }, email)).toBe(2);
      const secret = secretIn((await mailsNow(fixture, email)).filter(isLinkMail));
      const anonymise = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { ir } }';
      expect(await fixture.execute(anonymise, { ref: planted }, { caller: rival })).toMatchObject({ codes: [] });
      expect(await scopeOf(fixture, token)).toMatchObject({ since: '2021-04-01' });
      expect(await press(secret)).toMatchObject({ codes: [] });
    });

    it.each([
      ['is not verified', { principalVerification: null }],
      ['failed verification', { principalVerification: evidence('FAILED') }],
      ['was verified in part', { principalVerification: evidence('PARTIAL') }],
    ])('is never sent for a record that %s', async (_, change) => {
      const { mpxn, email, ir } = await newCustomer(change);
      for (const entry of [{ mpxn }, { email }, { ir }]) expect(await linksSent(entry, email)).toBe(0);
    });

    it('is sent three times in 15 minutes, and further requests are ignored', async () => {
      const { mpxn, email } = await newCustomer();
      for (const sent of [1, 2, 3, 3, 3]) expect(await linksSent({ mpxn }, email)).toBe(sent);
    });

    it('is sent for each home of an address, except one whose record cannot be decrypted', async () => {
      const { ir, email } = await newCustomer();
      await fixture.newRecord(await fixture.dataUser(), { email }, { mpxn: newMpxn() });
      expect(await linksSent({ email }, email)).toBe(2);
      await fixture.damageDataKey(ir);
      expect(await linksSent({ email }, email)).toBe(3);
    });

    it('starts with the requested language', async () => {
      const { mpxn, email } = await newCustomer();
      await requestLink(fixture, { mpxn }, 'CY');
      const [inWelsh] = await mailsOf(fixture, email, 1);
      await requestLink(fixture, { mpxn }, 'EN');
      const [inEnglish] = await mailsOf(fixture, email, 2);
      expect([inWelsh, inEnglish].map((mail) => mail?.subject)).toEqual([
        expect.stringMatching(/^Eich dolen/),
        expect.stringMatching(/^Your link/),
      ]);
    });

    it('states for which home it is if one request mails several links to the address, and otherwise not', async () => {
      const { mpxn, email } = await newCustomer();
      const [former, next] = [newMpxn(), newMpxn()];
      const dataUser = await fixture.dataUser();
      await fixture.newRecord(dataUser, { email }, { mpxn: former, moveInDate: '2011-01-01' });
      await fixture.newRecord(dataUser, { email }, { mpxn: next });
      await fixture.tenancyChanged(former, '2015-05-05');
      expect(await linksSent({ email }, email)).toBe(3);
      const mails = await mailsNow(fixture, email);
      expect(mails.map(({ subject }) => /\((\d of \d)\)/.exec(subject)?.[1]).toSorted()).toEqual([
        ...['1 of 3', '2 of 3', '3 of 3'],
      ]);
      const home =
        /This is link (\d) of 3\. It is for a (home where you live now|former home): (\S.*\S) registered the address for it on \d+ /;
      const homes = mails.map(({ text }) => home.exec(text)?.slice(1, 3).join(' '));
      expect(homes.toSorted()).toEqual(['1 home where you live now', '2 home where you live now', '3 former home']);
      for (const { subject, text } of mails)
        for (const personal of [mpxn, former, next, email]) expect(subject + text).not.toContain(personal);
      expect(await linksSent({ mpxn }, email)).toBe(4);
      expect((await mailsNow(fixture, email))[0]?.text).not.toContain('more than one link');
    });

    it('is sent once for each home although the job is interrupted as often as mails are allowed', async () => {
      const [email, dataUser] = [newEmail(), await fixture.dataUser()];
      const ir = await fixture.newRecord(dataUser, { email });
      await fixture.newRecord(dataUser, { email });
      const pool = new Pool({ connectionString: fixture.databaseUrl, max: 1 });
      const home = 'select from identity.identity_record where ref = $1 for update';
      const lock = await heldBy(pool, home, [ir]);
      await requestLink(fixture, { email });
      for (const attempt of [1, 2, 3]) {
        await lock.isWaitedFor();
        await fixture.owner.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and strpos(query, 'insert into sign_in_link') > 0`,
        );
        const failed = `select from identity_jobs._private_jobs where attempts = $1 and locked_by is null`;
        await until(async () => (await fixture.owner.query(failed, [attempt])).rowCount === 1 || undefined);
        await fixture.owner.query('update identity_jobs._private_jobs set run_at = now() where locked_by is null');
      }
      await lock.release();
      await pool.end();
      await fixture.jobsDone();
      const links = (await mailsNow(fixture, email)).filter(isLinkMail);
      expect(links.map(({ subject }) => /\((\d of \d)\)/.exec(subject)?.[1]).toSorted()).toEqual(['1 of 2', '2 of 2']);
    });

    it('works for ten minutes', async () => {
      const { mpxn, email } = await newCustomer();
      await requestLink(fixture, { mpxn });
      const secret = secretIn(await mailsOf(fixture, email, 1));
      await fixture.moveClock(9 * 60 + 50);
      expect((await fixture.execute(SIGN_IN_LINK, { secret })).data.signInLink).toMatchObject({
        expiresAt: expect.any(String),
      });
      await fixture.moveClock(10 * 60 + 1);
      expect((await fixture.execute(SIGN_IN_LINK, { secret })).data).toEqual({ signInLink: null });
      expect((await press(secret)).codes).toEqual(['AUT001']);
    });

    it('works once, also for concurrent clicks in several browsers', async () => {
      const { mpxn, email } = await newCustomer();
      await requestLink(fixture, { mpxn });
      const secret = secretIn(await mailsOf(fixture, email, 1));
      const pressed = await Promise.all(Array.from({ length: 8 }, () => press(secret)));
      expect(pressed.filter(({ codes }) => codes.length === 0)).toHaveLength(1);
      expect(pressed.flatMap(({ codes }) => codes)).toEqual(Array.from({ length: 7 }, () => 'AUT001'));
      expect((await fixture.execute(SIGN_IN_LINK, { secret })).data).toEqual({ signInLink: null });
    });

    it('works in one of several browsers that name themselves', async () => {
      const { mpxn, secret } = await newLink();
      const pressed = await Promise.all(Array.from({ length: 8 }, (_, index) => press(secret, `browser ${index}`)));
      expect(pressed.filter(({ codes }) => codes.length === 0)).toHaveLength(1);
      expect(await sessionsAt(mpxn)).toBe(1);
    });

    it('that one browser presses again, also at the same time, starts one session, which is reported once', async () => {
      const { mpxn, secret } = await newLink();
      const housemate = newEmail();
      await fixture.newRecord(await fixture.dataUser(), { email: housemate }, { mpxn });
      const pressed = await Promise.all([1, 2, 3, 4].map(() => press(secret, 'this browser')));
      pressed.push(await press(secret, 'this browser'));
      expect(pressed.flatMap(({ codes }) => codes)).toEqual([]);
      const [first, ...others] = pressed.map(({ data }) => data.signInWithLink);
      for (const other of others) expect(other).toEqual(first);
      expect(await scopeOf(fixture, first.token)).toMatchObject({ since: '2021-04-01' });
      expect(await sessionsAt(mpxn)).toBe(1);
      await fixture.jobsDone();
      expect((await mailsNow(fixture, housemate)).filter(isSignInNotice)).toHaveLength(1);
    });

    it('that one browser has used works in no other, and in none that names itself later', async () => {
      const { secret } = await newLink();
      expect((await press(secret, 'this browser')).codes).toEqual([]);
      for (const other of ['another browser', '', undefined])
        expect((await press(secret, other)).codes).toEqual(['AUT001']);
      const { secret: unnamed } = await newLink();
      expect((await press(unnamed)).codes).toEqual([]);
      for (const other of ['this browser', '']) expect((await press(unnamed, other)).codes).toEqual(['AUT001']);
    });

    it('starts no further session in its browser after the sign-out, and returns none after its ten minutes', async () => {
      const { mpxn, secret } = await newLink();
      const { token } = (await press(secret, 'this browser')).data.signInWithLink;
      await fixture.moveClock(9 * 60 + 50);
      expect((await press(secret, 'this browser')).data.signInWithLink.token).toBe(token);
      await fixture.moveClock(10 * 60 + 1);
      expect((await press(secret, 'this browser')).codes).toEqual(['AUT001']);
      expect(await scopeOf(fixture, token)).not.toBeNull();
      await fixture.moveClock(0);
      expect((await fixture.execute(END_SESSION, {}, asCustomer(token))).codes).toEqual([]);
      expect((await press(secret, 'this browser')).codes).toEqual(['AUT001']);
      expect(await scopeOf(fixture, token)).toBeNull();
      expect(await sessionsAt(mpxn)).toBe(1);
    });

    it('is not consumed by reading it', async () => {
      const { mpxn, email } = await newCustomer();
      await requestLink(fixture, { mpxn });
      const secret = secretIn(await mailsOf(fixture, email, 1));
      for (let opened = 0; opened < 3; opened++)
        expect((await fixture.execute(SIGN_IN_LINK, { secret })).data.signInLink).not.toBeNull();
      expect((await press(secret)).codes).toEqual([]);
    });

    it('does not work once its record is closed', async () => {
      const { mpxn, email, ir } = await newCustomer();
      await requestLink(fixture, { mpxn });
      const secret = secretIn(await mailsOf(fixture, email, 1));
      await fixture.owner.query(
        'update identity.identity_record set closing_at = now(), closed_at = now() where ref = $1',
        [ir],
      );
      expect((await press(secret)).codes).toEqual(['AUT001']);
      expect(await linksSent({ mpxn }, email)).toBe(1);
    });

    it('cannot be guessed', async () => {
      for (const secret of ['', 'x', 'A'.repeat(43), '\0']) {
        expect((await press(secret)).codes).toEqual(['AUT001']);
        expect((await fixture.execute(SIGN_IN_LINK, { secret })).data).toEqual({ signInLink: null });
      }
    });
  });

  describe('A request for a link', () => {
    it('has the same response for known and unknown customers, without a lookup', async () => {
      const { mpxn, email, ir } = await newCustomer();
      const known = [{ mpxn }, { email }, { ir }];
      const unknown = [{ mpxn: newMpxn() }, { email: 'no-one@customer.example' }, { ir: `ir_${'0'.repeat(24)}` }];
      await fixture.owner.query('begin');
      await fixture.owner.query('lock table identity.identity_record, identity_keys.data_key in access exclusive mode');
      try {
        const results = await Promise.all([...known, ...unknown].map((entry) => requestLink(fixture, entry)));
        for (const result of results) expect(result).toEqual({ data: { requestSignInLink: true }, codes: [] });
      } finally {
        await fixture.owner.query('rollback');
      }
      await fixture.jobsDone();
      expect((await mailsNow(fixture, email)).length).toBe(3);
    });

    it('stores an encrypted row of the same length for both', async () => {
      const { mpxn, email } = await newCustomer();
      const jobs: string[][] = [];
      for (const entry of [{ mpxn }, { mpxn: newMpxn() }]) {
        const rows: string[] = [];
        await fixture.owner.query('begin');
        await fixture.owner.query('lock table identity.identity_record in access exclusive mode');
        await requestLink(fixture, entry);
        const { rows: found } = await fixture.owner.query<{ payload: object }>(
          'select payload from identity_jobs._private_jobs',
        );
        rows.push(...found.map(({ payload }) => JSON.stringify(payload)));
        await fixture.owner.query('rollback');
        await fixture.jobsDone();
        jobs.push(rows);
      }
      const [ofKnown = [], ofUnknown = []] = jobs;
      expect(ofKnown).toHaveLength(1);
      expect(ofUnknown.map(({ length }) => length)).toEqual(ofKnown.map(({ length }) => length));
      for (const row of [...ofKnown, ...ofUnknown]) {
        expect(row).not.toContain(mpxn);
        expect(row).not.toContain(email);
      }
    });

    it('is rejected only for malformed input', async () => {
      expect((await requestLink(fixture, {})).codes).toEqual(['VAL002']);
      expect((await requestLink(fixture, { email: 'nobody' })).codes).toEqual(['VAL001']);
      expect((await requestLink(fixture, { mpxn: 'not one' })).codes).toEqual(['VAL001']);
    });

    it('leaves no secret, address or meter point in the log', async () => {
      const { mpxn, email, ir } = await newCustomer();
      await requestLink(fixture, { ir });
      const secret = secretIn(await mailsOf(fixture, email, 1));
      await press(secret);
      await fixture.jobsDone();
      for (const value of [mpxn, email, ir, secret]) expect(fixture.log()).not.toContain(value);
    });
  });

  describe('A sign-in', () => {
    it('is reported to the other verified addresses of the occupancy, not to the own one', async () => {
      const { mpxn, email } = await newCustomer();
      const [housemate, unverified, former] = [newEmail(), newEmail(), newEmail()];
      const dataUser = await fixture.dataUser();
      await fixture.newRecord(dataUser, { email: housemate }, { mpxn });
      await fixture.newRecord(dataUser, { email: unverified, principalVerification: null }, { mpxn });
      await fixture.newRecord(dataUser, { email: former }, { mpxn, moveInDate: '2011-01-01' });
      await fixture.tenancyChanged(mpxn, '2015-05-05');
      await signedInByLink(fixture, { email }, email);
      await fixture.jobsDone();
      const notices = async (address: string) => (await mailsNow(fixture, address)).filter(isSignInNotice).length;
      expect(await Promise.all([email, housemate, unverified, former].map(notices))).toEqual([0, 1, 0, 0]);
    });

    it('that fails is not reported', async () => {
      const { mpxn, email } = await newCustomer();
      const housemate = newEmail();
      await fixture.newRecord(await fixture.dataUser(), { email: housemate }, { mpxn });
      await requestLink(fixture, { email });
      await fixture.jobsDone();
      const secret = secretIn((await mailsNow(fixture, email)).filter(isLinkMail));
      await Promise.all([press(secret), press(secret), press(secret)]);
      await fixture.jobsDone();
      expect((await mailsNow(fixture, housemate)).filter(isSignInNotice)).toHaveLength(1);
    });
  });

  function evidence(outcome: string) {
    return { method: 'Bill and bank card', verifiedAt: '2026-01-12T10:00:00Z', outcome };
  }
}
