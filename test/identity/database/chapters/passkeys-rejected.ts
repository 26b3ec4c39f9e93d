import { randomBytes } from 'node:crypto';
import { type Quirks, SoftwareAuthenticator } from '../../../support/authenticator';
import { CEREMONY, asserted, finish, optionsOf, registered, started, valueOf } from '../../../support/ceremonies';
import { ADD, ASSERT, type PasskeyFixture, passkeyFixture } from '../../../support/passkey-fixture';

export function passkeysRejected(): void {
  let { fixture, owner, other, origin, statusOf, credentialsOf, customer } = {} as PasskeyFixture;
  beforeAll(async () => {
    ({ fixture, owner, other, origin, statusOf, credentialsOf, customer } = await passkeyFixture());
  });
  afterEach(() => fixture.moveClock(0));

  describe('An assertion is rejected', () => {
    it.each<[string, Quirks]>([
      ['from another origin', { origin: 'https://localhost.evil.example' }],
      ['from another port', { origin: 'http://localhost:9' }],
      ['for another relying party', { rpId: 'evil.example' }],
      ['of another challenge', { challenge: Buffer.from('another challenge').toString('base64url') }],
      ['without user verification', { userVerified: false }],
      ['without user presence', { userPresent: false }],
      ['that is of another type', { type: 'webauthn.create' }],
      ['that another key signed', { otherKey: true }],
      ['for another user', { userHandle: Buffer.from('another user').toString('base64url') }],
      ['with the backup eligibility changed', { backupEligible: true, backedUp: true }],
      ['that is backed up without being eligible', { backupEligible: false, backedUp: true }],
      ['with a decreased counter', { counter: 0 }],
      ['with an unchanged counter', { counter: 1 }],
    ])('%s', async (_, quirks) => {
      const { authenticator, mpxn } = await customer();
      const { tokenRef, secret } = await started(fixture, other, { mpxn, ...ASSERT });
      expect((await asserted(fixture, secret, authenticator, quirks)).codes).toEqual(['AUT001']);
      expect(await statusOf(tokenRef)).toBe('PENDING');
      valueOf(await asserted(fixture, secret, authenticator)); // the ceremony continues
    });

    it.each([{}, { id: 5 }, { id: '' }, { id: 'x', response: null }, { id: 'x', rawId: 'x', type: 'public-key' }])(
      'that is malformed: %j',
      async (response) => {
        const { mpxn } = await customer();
        const { secret } = await started(fixture, other, { mpxn, ...ASSERT });
        await optionsOf(fixture, secret);
        expect((await finish(fixture, secret, response)).codes).toEqual(['AUT001']);
      },
    );

    it('when one of its parts is malformed', async () => {
      const { authenticator, mpxn } = await customer();
      const { secret } = await started(fixture, other, { mpxn, ...ASSERT });
      for (const part of ['clientDataJSON', 'authenticatorData', 'signature']) {
        for (const value of [undefined, null, 7, '', '!', 'AAAA']) {
          const response = authenticator.get(await optionsOf(fixture, secret));
          const damaged = { ...response, response: { ...(response['response'] as object), [part]: value } };
          expect({ part, value, codes: (await finish(fixture, secret, damaged)).codes }).toEqual({
            part,
            value,
            codes: ['AUT001'],
          });
        }
      }
    });

    it('for the challenge of another tab, and leaves the newer challenge', async () => {
      const { authenticator, mpxn } = await customer();
      const { secret } = await started(fixture, other, { mpxn, ...ASSERT });
      const [older, newer] = [await optionsOf(fixture, secret), await optionsOf(fixture, secret)];
      for (const response of [authenticator.get(older), { id: 'none' }])
        expect((await finish(fixture, secret, response)).codes).toEqual(['AUT001']);
      expect((await finish(fixture, secret, authenticator.get(newer))).codes).toEqual([]);
    });

    it('when it is sent again, also after a rejected one', async () => {
      const { authenticator, mpxn } = await customer();
      const { secret } = await started(fixture, other, { mpxn, ...ASSERT });
      const options = await optionsOf(fixture, secret);
      for (const quirks of [{ otherKey: true }, {}])
        expect((await finish(fixture, secret, authenticator.get(options, quirks))).codes).toEqual(['AUT001']);
      const good = authenticator.get(await optionsOf(fixture, secret));
      const attempts = await Promise.all(Array.from({ length: 6 }, () => finish(fixture, secret, good)));
      expect(attempts.filter(({ codes }) => codes.length === 0)).toHaveLength(1);
      const again = await started(fixture, other, { mpxn, ...ASSERT });
      await optionsOf(fixture, again.secret);
      expect((await finish(fixture, again.secret, good)).codes).toEqual(['AUT001']);
      expect(await statusOf(again.tokenRef)).toBe('PENDING');
    });

    it('by the passkey of another record', async () => {
      const [one, another] = [await customer(), await customer()];
      const { tokenRef, secret } = await started(fixture, other, { mpxn: one.mpxn, ...ASSERT });
      const { challenge } = await optionsOf(fixture, secret);
      expect((await finish(fixture, secret, another.authenticator.get({ challenge }))).codes).toEqual(['AUT001']);
      expect(await statusOf(tokenRef)).toBe('PENDING');
    });

    it('at a sign-in without a user handle', async () => {
      const { authenticator } = await customer();
      const signIn = async (quirks: Quirks) => {
        const { secret, options } = valueOf(
          await fixture.execute('mutation { startPasskeySignIn { secret options } }'),
        );
        expect(options.allowCredentials ?? []).toEqual([]);
        const response = authenticator.get(options, quirks);
        const query =
          'mutation ($s: String!, $r: JSONObject!) { signInWithPasskey(secret: $s, response: $r) { expiresAt } }';
        return (await fixture.execute(query, { s: secret, r: response })).codes;
      };
      expect(await signIn({ userHandle: null })).toEqual(['AUT001']);
      expect(await signIn({})).toEqual([]);
    });

    it('by meter point without a user handle', async () => {
      const { authenticator, mpxn, ref } = await customer();
      for (const method of [ASSERT, ADD]) {
        const { secret } = await started(fixture, other, { mpxn, ...method });
        expect((await asserted(fixture, secret, authenticator, { userHandle: null })).codes).toEqual(['AUT001']);
        valueOf(await asserted(fixture, secret, authenticator));
      }
      const own = await started(fixture, owner, ASSERT, ref);
      valueOf(await asserted(fixture, own.secret, authenticator, { userHandle: null }));
    });

    it('after five minutes', async () => {
      const { authenticator, mpxn } = await customer();
      const { tokenRef, secret } = await started(fixture, other, { mpxn, ...ASSERT });
      const options = await optionsOf(fixture, secret);
      await fixture.moveClock(301);
      expect((await fixture.execute(CEREMONY, { secret })).data.ceremony).toBeNull();
      expect((await finish(fixture, secret, authenticator.get(options))).codes).toEqual(['NTF001']);
      expect(await statusOf(tokenRef)).toBe('EXPIRED');
    });
  });

  describe('The signature counter', () => {
    const regressionsOf = async (ref: string) => {
      const { rows } = await fixture.owner.query(
        `select g.sign_count::int, g.presented::int from identity.passkey_regression g join identity.passkey p on p.id = g.passkey_id
         join identity.identity_record r on r.id = p.record_id where r.ref = $1 order by g.refused_at`,
        [ref],
      );
      return rows;
    };

    it('that decreases is rejected and recorded', async () => {
      const { authenticator, mpxn, ref } = await customer();
      const { secret } = await started(fixture, other, { mpxn, ...ASSERT });
      valueOf(await asserted(fixture, secret, authenticator, { counter: 7 }));
      const next = await started(fixture, other, { mpxn, ...ASSERT });
      for (const counter of [7, 6, 0]) {
        expect((await asserted(fixture, next.secret, authenticator, { counter })).codes).toEqual(['AUT001']);
      }
      expect(await regressionsOf(ref)).toEqual([7, 6, 0].map((presented) => ({ sign_count: 7, presented })));
      valueOf(await asserted(fixture, next.secret, authenticator, { counter: 8 }));
    });

    it('may remain zero, as for synchronised passkeys', async () => {
      const { authenticator, mpxn, ref } = await customer({ counts: false, backupEligible: true });
      for (const backedUp of [true, false]) {
        const { secret } = await started(fixture, other, { mpxn, ...ASSERT });
        valueOf(await asserted(fixture, secret, authenticator, { backedUp }));
      }
      expect(await regressionsOf(ref)).toEqual([]);
    });
  });

  describe('A registration is rejected', () => {
    it.each<[string, Quirks]>([
      ['from another origin', { origin: 'https://evil.example' }],
      ['for another relying party', { rpId: 'evil.example' }],
      ['of another challenge', { challenge: 'b3RoZXI' }],
      ['without user verification', { userVerified: false }],
      ['without user presence', { userPresent: false }],
      ['that is of another type', { type: 'webauthn.get' }],
    ])('%s', async (_, quirks) => {
      const ref = await fixture.newRecord(owner, { email: null });
      const { secret } = await started(fixture, owner, ADD, ref);
      const authenticator = new SoftwareAuthenticator({ origin });
      expect((await registered(fixture, secret, authenticator, quirks)).codes).toEqual(['AUT001']);
      expect(await credentialsOf(ref)).toEqual([]);
    });

    it('of a credential id of more than 1023 bytes (WebAuthn, section 7.1)', async () => {
      const ref = await fixture.newRecord(owner, { email: null });
      const { secret } = await started(fixture, owner, ADD, ref);
      const authenticator = new SoftwareAuthenticator({ origin });
      const withId = async (bytes: number) =>
        finish(
          fixture,
          secret,
          authenticator.create(await optionsOf(fixture, secret), {}, randomBytes(bytes).toString('base64url')),
        );
      expect((await withId(1024)).codes).toEqual(['AUT001']);
      expect(await credentialsOf(ref)).toEqual([]);
      expect((await withId(1023)).codes).toEqual([]);
    });

    it('when it is sent again: of two concurrent ones one succeeds', async () => {
      const ref = await fixture.newRecord(owner, { email: null });
      const { secret } = await started(fixture, owner, ADD, ref);
      const response = new SoftwareAuthenticator({ origin }).create(await optionsOf(fixture, secret));
      const attempts = await Promise.all(Array.from({ length: 4 }, () => finish(fixture, secret, response)));
      expect(attempts.filter(({ codes }) => codes.length === 0)).toHaveLength(1);
      expect(await credentialsOf(ref)).toHaveLength(1);
    });

    it('of a passkey that is registered already', async () => {
      const authenticator = new SoftwareAuthenticator({ origin });
      const refs = [await fixture.newRecord(owner, { email: null }), await fixture.newRecord(owner, { email: null })];
      const secrets = await Promise.all(refs.map(async (ref) => (await started(fixture, owner, ADD, ref)).secret));
      const [first, second] = secrets as [string, string];
      valueOf(await registered(fixture, first, authenticator));
      const [passkey] = authenticator.passkeys;
      const again = new SoftwareAuthenticator({ origin }).create(await optionsOf(fixture, second), {}, passkey?.id);
      expect((await finish(fixture, second, again)).codes).toEqual(['AUT001']);
      expect(await credentialsOf(refs[1] as string)).toEqual([]);
    });
  });
}
