import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  CEREMONY,
  OPTIONS,
  OWN_STATUS,
  REIDENTIFY,
  REIDENTIFY_OWN,
  RETURN_URL,
  asserted,
  enrol,
  finish,
  lastPart,
  optionsOf,
  registered,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { isLinkMail, mailsNow, mailsOf, secretIn } from '../../../support/sign-in-mails';
import {
  SIGN_IN_WITH_LINK,
  SIGN_IN_WITH_PASSKEY,
  START_PASSKEY,
  requestLink,
  scopeOf,
  signedInByLink,
} from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, fixtureOfThisFile } from '../../../support/sign-in-fixture';

export function occupancies(): void {
  const A_DAY = 24 * 3_600;
  const ADD = { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL };
  const METHODS = [{ method: 'MAGIC_LINK' }, { method: 'PASSKEY_ASSERT' }, ADD];

  let fixture: SignInFixture;
  let owner: Caller;
  let other: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    [owner, other] = [await fixture.dataUser(RETURN_URL), await fixture.dataUser(RETURN_URL)];
  });
  /** Moves the clock to noon, so that no test runs over midnight. */
  const toNoon = () => A_DAY / 2 - (Math.floor(Date.now() / 1_000) % A_DAY);
  beforeEach(() => fixture.moveClock(toNoon()));
  afterEach(() => fixture.moveClock(0));

  let people = 0;
  const newEmail = () => `mover-${(people += 1)}@customer.example`;
  const authenticator = () => new SoftwareAuthenticator({ origin: new URL(fixture.urls.portalUrl).origin });

  /** The day `days` from today, in Great Britain. */
  async function dayIn(days: number): Promise<string> {
    const { rows } = await fixture.owner.query<{ day: string }>(
      `select to_char((register.register_now() at time zone 'Europe/London')::date + $1::int, 'YYYY-MM-DD') as day`,
      [days],
    );
    return (rows[0] as { day: string }).day;
  }

  /** Registers a verified customer who moves in `days` from today. */
  async function mover(days: number, change: object = {}) {
    const [mpxn, email] = [newMpxn(), newEmail()];
    const ref = await fixture.newRecord(owner, { email, ...change }, { mpxn, moveInDate: await dayIn(days) });
    return { mpxn, email, ref };
  }

  /** Registers a record with a passkey registration; returns the secret of the redirect. */
  async function enrolling(mpxn: string, moveInDate: string) {
    const change = { initiatePasskeyRegistration: true, passkeyReturnUrl: RETURN_URL };
    const { ir, redirect } = await fixture.newEnrolment(owner, change, { mpxn, moveInDate });
    return { ref: ir, secret: lastPart(redirect) };
  }

  async function rejections({ mpxn, ref }: { mpxn: string; ref: string }, methods: readonly object[] = METHODS) {
    const codes: string[] = [];
    for (const method of methods) {
      codes.push(...(await fixture.execute(REIDENTIFY, { input: { mpxn, ...method } }, { caller: other })).codes);
      codes.push(...(await fixture.execute(REIDENTIFY_OWN, { ref, input: method }, { caller: owner })).codes);
    }
    return codes;
  }

  async function signInWith(passkey: SoftwareAuthenticator) {
    const { secret, options } = valueOf(await fixture.execute(START_PASSKEY));
    return fixture.execute(SIGN_IN_WITH_PASSKEY, { secret, response: passkey.get(options), entry: null });
  }

  async function linksSent(entry: object, email: string): Promise<number> {
    const before = (await mailsNow(fixture, email)).filter(isLinkMail).length;
    await requestLink(fixture, entry);
    await fixture.jobsDone();
    return (await mailsNow(fixture, email)).filter(isLinkMail).length - before;
  }

  describe('A customer who has not moved in yet', () => {
    it('cannot be re-identified before the move-in date', async () => {
      const coming = await mover(1);
      expect(await rejections(coming)).toEqual(Array<string>(6).fill('REI001'));
      await fixture.moveClock(toNoon() + A_DAY);
      expect((await started(fixture, other, { mpxn: coming.mpxn, method: 'MAGIC_LINK' })).tokenRef).toMatch(/^mlr_/);
      expect(await rejections(await mover(0), [{ method: 'MAGIC_LINK' }])).toEqual([]); // moves in on this very day
    });

    it('does not receive the mails of the present occupant', async () => {
      const [present, coming] = [await mover(-10), newEmail()];
      await fixture.newRecord(other, { email: coming }, { mpxn: present.mpxn, moveInDate: await dayIn(1) });
      const input = { mpxn: present.mpxn, method: 'MAGIC_LINK' };
      valueOf(await fixture.execute(REIDENTIFY, { input }, { caller: other }));
      expect(await mailsOf(fixture, present.email, 1)).toHaveLength(1);
      await fixture.jobsDone();
      expect(await mailsNow(fixture, coming)).toEqual([]);
    });

    it('does not prevent re-identification of the present occupant, verified or not', async () => {
      const present = await mover(-10, { principalVerification: null });
      await fixture.newRecord(other, {}, { mpxn: present.mpxn, moveInDate: await dayIn(1) });
      await started(fixture, other, { mpxn: present.mpxn, method: 'MAGIC_LINK' });
      expect(await mailsOf(fixture, present.email, 1)).toHaveLength(1);
    });

    it('receives no sign-in link, and cannot use one', async () => {
      const { mpxn, email, ref } = await mover(1);
      for (const entry of [{ mpxn }, { email }, { ir: ref }]) expect(await linksSent(entry, email)).toBe(0);
      await fixture.moveClock(toNoon() + A_DAY);
      expect(await linksSent({ mpxn }, email)).toBe(1);
      const secret = secretIn(await mailsNow(fixture, email));
      await fixture.moveClock(toNoon());
      expect((await fixture.execute(SIGN_IN_WITH_LINK, { secret })).codes).toEqual(['AUT001']);
    });

    it('receives no notice of a sign-in', async () => {
      const present = await mover(-10);
      const coming = newEmail();
      await fixture.newRecord(owner, { email: coming }, { mpxn: present.mpxn, moveInDate: await dayIn(1) });
      await signedInByLink(fixture, { email: present.email }, present.email);
      await fixture.jobsDone();
      expect(await mailsNow(fixture, coming)).toEqual([]);
    });

    it('can register a passkey if the own Data User vouches, but cannot use it before the move-in date', async () => {
      const [later, passkeys] = [await mover(1, { email: null }), [authenticator(), authenticator()] as const];
      const { secret: first, tokenRef: token } = await started(fixture, owner, ADD, later.ref);
      valueOf(await registered(fixture, first, passkeys[0]));
      const status = valueOf(await fixture.execute(OWN_STATUS, { ref: later.ref, token }, { caller: owner })).status;
      expect(status).toBe('CONFIRMED');
      const { secret } = await enrolling(newMpxn(), await dayIn(1));
      valueOf(await registered(fixture, secret, passkeys[1]));
      for (const passkey of passkeys) expect((await signInWith(passkey)).codes).toEqual(['AUT001']);
      expect(await rejections(later)).toEqual(Array<string>(6).fill('REI001'));
      await fixture.moveClock(toNoon() + A_DAY);
      for (const passkey of passkeys) expect((await signInWith(passkey)).codes).toEqual([]);
    });
  });

  describe('A customer who has moved out', () => {
    it('cannot register a passkey, even if the own Data User vouches', async () => {
      const left = await mover(-10, { email: null });
      const before = await started(fixture, owner, ADD, left.ref);
      const options = await optionsOf(fixture, before.secret);
      await fixture.tenancyChanged(left.mpxn, await dayIn(-5));
      expect(await rejections(left)).toEqual(Array<string>(6).fill('REI001'));
      const { secret } = await enrolling(left.mpxn, await dayIn(-6));
      for (const each of [before.secret, secret]) {
        expect((await fixture.execute(CEREMONY, { secret: each })).data).toEqual({ ceremony: null });
        expect((await fixture.execute(OPTIONS, { secret: each })).codes).toEqual(['NTF001']);
      }
      expect((await finish(fixture, before.secret, authenticator().create(options))).codes).toEqual(['NTF001']);
      expect((await enrolling(left.mpxn, await dayIn(-5))).secret).toMatch(/^[\w-]{43}$/);
    });

    it('can no longer assert a passkey to any Data User, including the own one', async () => {
      const [mpxn, own] = [newMpxn(), authenticator()];
      const ref = await fixture.newRecord(owner, { email: null }, { mpxn, moveInDate: await dayIn(-10) });
      await enrol(fixture, owner, own, ref);
      const { secret } = await started(fixture, owner, { method: 'PASSKEY_ASSERT' }, ref);
      await fixture.tenancyChanged(mpxn, await dayIn(0));
      await expect(asserted(fixture, secret, own)).rejects.toThrow('NTF001');
    });

    it('receives a sign-in link by address or key, but not by the meter point, where another person lives', async () => {
      const { mpxn, email, ref } = await mover(-10);
      await fixture.tenancyChanged(mpxn, await dayIn(-5));
      expect(await linksSent({ mpxn }, email)).toBe(0);
      expect(await linksSent({ email }, email)).toBe(1);
      expect(await linksSent({ ir: ref }, email)).toBe(1);
      const { data } = await fixture.execute(SIGN_IN_WITH_LINK, { secret: secretIn(await mailsNow(fixture, email)) });
      expect(await scopeOf(fixture, data.signInWithLink.token)).toMatchObject({ isCurrent: false });
    });

    it('several times receives the link for the present home first', async () => {
      const email = newEmail();
      await fixture.newRecord(owner, { email }, { moveInDate: await dayIn(-100) });
      for (let home = 0; home < 6; home++) {
        const mpxn = newMpxn();
        await fixture.newRecord(owner, { email }, { mpxn, moveInDate: await dayIn(-10) });
        await fixture.tenancyChanged(mpxn, await dayIn(-5));
      }
      expect(await linksSent({ email }, email)).toBe(5);
      const scopes: boolean[] = [];
      for (const mail of await mailsNow(fixture, email)) {
        const { data } = await fixture.execute(SIGN_IN_WITH_LINK, { secret: secretIn([mail]) });
        scopes.push((await scopeOf(fixture, data.signInWithLink.token)).isCurrent);
      }
      expect(scopes.filter(Boolean)).toHaveLength(1);
    });
  });
}
