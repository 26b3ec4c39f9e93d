import { type Quirks, SoftwareAuthenticator } from '../../../support/authenticator';
import { READ, REMOVE, lastPart, registered, valueOf } from '../../../support/ceremonies';
import { isSignInNotice, mailsNow } from '../../../support/sign-in-mails';
import {
  FINISH_SUPPLIER,
  SESSION,
  SIGN_IN_WITH_PASSKEY,
  START_PASSKEY,
  START_SUPPLIER,
  asCustomer,
  scopeOf,
} from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, fixtureOfThisFile } from '../../../support/sign-in-fixture';
import { signInAtSupplier } from '../../../support/supplier-browser';

export function passkeySignIn(): void {
  const RETURN = 'https://larkhill.example/back';

  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
  });
  afterEach(() => fixture.moveClock(0));

  /** A customer whose passkey was registered with their Identity Record. */
  async function passkeyHolder(change: object = {}, principal: object = {}) {
    const mpxn = newMpxn();
    const dataUser = await fixture.dataUser(RETURN);
    const enrolment = { initiatePasskeyRegistration: true, passkeyReturnUrl: RETURN, email: null };
    const { ir, redirect } = await fixture.newEnrolment(dataUser, { ...enrolment, ...change }, { mpxn, ...principal });
    const authenticator = new SoftwareAuthenticator({ origin: new URL(fixture.urls.portalUrl).origin });
    valueOf(await registered(fixture, lastPart(redirect), authenticator));
    return { mpxn, ir, dataUser, authenticator };
  }

  const begin = async () => (await fixture.execute(START_PASSKEY)).data.startPasskeySignIn;
  const finish = (secret: string, response: object, entry: object | null = null) =>
    fixture.execute(SIGN_IN_WITH_PASSKEY, { secret, response, entry });

  /** Signs in with the only passkey of an authenticator. */
  async function signIn(authenticator: SoftwareAuthenticator, quirks: Quirks = {}, entry: object | null = null) {
    const { secret, options } = await begin();
    return finish(secret, authenticator.get(options, quirks), entry);
  }

  describe('A passkey', () => {
    it('signs in to its Identity Record without other hints', async () => {
      const { mpxn, authenticator } = await passkeyHolder();
      const { data } = await signIn(authenticator);
      const session = (await fixture.execute(SESSION, {}, asCustomer(data.signInWithPasskey.token))).data
        .customerSession;
      expect(session).toMatchObject({ mpxn, signedInBy: 'PASSKEY', moveInDate: '2021-04-01', returnUrl: null });
    });

    it('is reported to the e-mail address in its own Identity Record', async () => {
      const email = 'beside-a-passkey@customer.example';
      const { authenticator } = await passkeyHolder({ email });
      valueOf(await signIn(authenticator));
      await fixture.jobsDone();
      expect((await mailsNow(fixture, email)).filter(isSignInNotice)).toHaveLength(1);
    });

    it('is requested without a list of credentials: any passkey of the register is accepted', async () => {
      const { options } = await begin();
      expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
      expect(options.allowCredentials ?? []).toEqual([]);
    });

    it('redirects to a registered return URL', async () => {
      const { ir, authenticator } = await passkeyHolder();
      const { data } = await signIn(authenticator, {}, { ir, returnUrl: RETURN });
      const token = data.signInWithPasskey.token;
      expect((await fixture.execute(SESSION, {}, asCustomer(token))).data.customerSession.returnUrl).toBe(RETURN);
    });

    it('of a former occupant gives access only to what is linked to their record', async () => {
      const { mpxn, authenticator } = await passkeyHolder();
      await fixture.tenancyChanged(mpxn, '2023-01-01');
      const { data } = await signIn(authenticator);
      expect(await scopeOf(fixture, data.signInWithPasskey.token)).toMatchObject({
        isCurrent: false,
        since: '2021-04-01',
      });
    });

    it('used to sign in is reported to the other verified addresses', async () => {
      const { mpxn, authenticator } = await passkeyHolder();
      const email = 'housemate-of-passkey@customer.example';
      await fixture.newRecord(await fixture.dataUser(), { email }, { mpxn });
      expect((await signIn(authenticator)).codes).toEqual([]);
      await fixture.jobsDone();
      expect((await mailsNow(fixture, email)).filter(isSignInNotice)).toHaveLength(1);
    });
  });

  describe('A passkey sign-in is rejected', () => {
    it.each<[string, Quirks]>([
      ['on a page of another origin', { origin: 'https://evil.example' }],
      ['for another relying party', { rpId: 'evil.example' }],
      ['for another challenge', { challenge: 'AAAA' }],
      ['without user verification', { userVerified: false }],
      ['by another key', { otherKey: true }],
      ['as another ceremony', { type: 'webauthn.create' }],
      ['with the user handle of another record', { userHandle: 'AAAA' }],
    ])('%s', async (_, quirks) => {
      const { authenticator } = await passkeyHolder();
      expect((await signIn(authenticator, quirks)).codes).toEqual(['AUT001']);
      expect((await signIn(authenticator)).codes).toEqual([]);
    });

    it('with a counter that has not increased', async () => {
      const { authenticator } = await passkeyHolder();
      expect((await signIn(authenticator, { counter: 7 })).codes).toEqual([]);
      expect((await signIn(authenticator, { counter: 7 })).codes).toEqual(['AUT001']);
    });

    it('when it is replayed, or the attempt was used before', async () => {
      const { authenticator } = await passkeyHolder();
      const { secret, options } = await begin();
      const response = authenticator.get(options);
      expect((await finish(secret, response)).codes).toEqual([]);
      expect((await finish(secret, response)).codes).toEqual(['AUT001']);
      expect((await finish((await begin()).secret, response)).codes).toEqual(['AUT001']);
      const spoilt = await begin();
      expect((await finish(spoilt.secret, authenticator.get(spoilt.options, { otherKey: true }))).codes).toEqual([
        'AUT001',
      ]);
      expect((await finish(spoilt.secret, authenticator.get(spoilt.options))).codes).toEqual(['AUT001']);
    });

    it('for the attempt of another tab, and leaves the newer attempt', async () => {
      const { authenticator } = await passkeyHolder();
      const [older, { secret, options }] = [await begin(), await begin()];
      for (const response of [authenticator.get(older.options), {}])
        expect((await finish(secret, response)).codes).toEqual(['AUT001']);
      expect((await finish(secret, authenticator.get(options))).codes).toEqual([]);
    });

    it('after five minutes', async () => {
      const { authenticator } = await passkeyHolder();
      const { secret, options } = await begin();
      await fixture.moveClock(5 * 60 + 1);
      expect((await finish(secret, authenticator.get(options))).codes).toEqual(['AUT001']);
    });

    it('in another browser than the one that started it', async () => {
      const { authenticator } = await passkeyHolder();
      const { options } = await begin();
      const { secret: ofAnother } = await begin();
      expect((await finish(ofAnother, authenticator.get(options))).codes).toEqual(['AUT001']);
    });

    it.each([
      ['whose principal was never verified', null],
      ['whose verification failed', { method: 'x', verifiedAt: '2026-01-12T10:00:00Z', outcome: 'FAILED' }],
    ])('for a record %s', async (_, principalVerification) => {
      const { authenticator } = await passkeyHolder({ principalVerification });
      expect((await signIn(authenticator)).codes).toEqual(['AUT001']);
    });

    it('for a record that is closed', async () => {
      const { ir, authenticator } = await passkeyHolder();
      await fixture.owner.query(
        'update identity.identity_record set closing_at = now(), closed_at = now() where ref = $1',
        [ir],
      );
      expect((await signIn(authenticator)).codes).toEqual(['AUT001']);
    });

    it('when it was removed', async () => {
      const { ir, dataUser, authenticator } = await passkeyHolder();
      const [{ credentialId: id }] = valueOf(
        await fixture.execute(READ, { ref: ir }, { caller: dataUser }),
      ).credentials;
      valueOf(await fixture.execute(REMOVE, { ref: ir, id }, { caller: dataUser }));
      expect((await signIn(authenticator)).codes).toEqual(['AUT001']);
    });

    it('of an authenticator whose passkey is not registered', async () => {
      const { authenticator } = await passkeyHolder();
      const stranger = new SoftwareAuthenticator({ origin: new URL(fixture.urls.portalUrl).origin });
      stranger.create({ challenge: 'AAAA', rp: { id: 'localhost' }, user: { id: 'AAAA', name: 'x' } });
      expect((await signIn(stranger)).codes).toEqual(['AUT001']);
      expect((await signIn(authenticator)).codes).toEqual([]);
    });
  });

  describe('A supplier sign-in', () => {
    it('is rejected if a verified record of the current occupancy has a passkey', async () => {
      const { mpxn } = await passkeyHolder();
      const { mpid } = await fixture.newSupplier();
      const login = { login: 'customer', password: 'a password', mpxns: [mpxn] };
      fixture.supplier.addLogins([login]);
      const started = await fixture.execute(START_SUPPLIER, { mpid, entry: { mpxn } });
      const { secret, url } = started.data.startSupplierSignIn;
      const callbackUrl = await signInAtSupplier(url, login);
      expect((await fixture.execute(FINISH_SUPPLIER, { secret, callbackUrl })).codes).toEqual(['AUT001']);
    });
  });
}
