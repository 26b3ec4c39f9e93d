import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  CEREMONY,
  EXISTS,
  OPTIONS,
  OWN_STATUS,
  REIDENTIFY,
  REMOVE,
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
import { ADD, ASSERT, type PasskeyFixture, passkeyFixture } from '../../../support/passkey-fixture';
import { newMpxn, verified } from '../../../support/sign-in-fixture';

export function passkeys(): void {
  let { fixture, owner, other, origin, statusOf, credentialsOf, customer } = {} as PasskeyFixture;
  beforeAll(async () => {
    ({ fixture, owner, other, origin, statusOf, credentialsOf, customer } = await passkeyFixture());
  });
  afterEach(() => fixture.moveClock(0));

  describe('A passkey', () => {
    it('is requested as discoverable, with user verification, without attestation', async () => {
      const mpxn = newMpxn();
      const ref = await fixture.newRecord(owner, { email: null }, { mpxn });
      const { secret } = await started(fixture, owner, ADD, ref);
      const options = await optionsOf(fixture, secret);
      expect(options).toMatchObject({
        rp: { id: 'localhost', name: 'Central Data Access Register' },
        user: { name: `Meter point …${mpxn.slice(-4)}` },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        excludeCredentials: [],
      });
      const text = JSON.stringify(options);
      for (const personal of [mpxn, ref, 'Lantern']) expect(text).not.toContain(personal);
      expect((await optionsOf(fixture, secret)).user.id).toBe(options.user.id);
      expect((await optionsOf(fixture, secret)).challenge).not.toBe(options.challenge);
    });

    it('is registered when its Data User vouches, and re-identifies the customer to another', async () => {
      const { authenticator, mpxn, ref } = await customer();
      expect(await credentialsOf(ref)).toEqual([
        {
          credentialId: expect.stringMatching(/^cred_[0-9a-f]{24}$/),
          registeredAt: expect.any(String),
          transports: ['hybrid', 'internal'],
        },
      ]);
      const existence = valueOf(await fixture.execute(EXISTS, { mpxn }, { caller: other }));
      expect(existence.availableMethods).toEqual(['PASSKEY_ASSERT', 'PASSKEY_REGISTER']);
      const { tokenRef, secret } = await started(fixture, other, { mpxn, ...ASSERT });
      expect(valueOf(await fixture.execute(CEREMONY, { secret }))).toMatchObject({
        kind: 'ASSERT_PASSKEY',
        proofs: [],
      });
      const options = await optionsOf(fixture, secret);
      expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
      expect(valueOf(await asserted(fixture, secret, authenticator))).toEqual({
        organisation: 'Larkhill Insight Ltd',
        returnUrl: `${RETURN_URL}&dar-passkey-token=${tokenRef}`,
        nextSecret: null,
      });
      expect(await statusOf(tokenRef)).toBe('CONFIRMED');
      expect((await asserted(fixture, secret, authenticator).catch((error: Error) => error.message)) as string).toBe(
        'NTF001',
      );
    });

    it('is registered with a new record on request, and its Data User can read the confirmation', async () => {
      const authenticator = new SoftwareAuthenticator({ origin });
      const input = {
        piiPrincipal: { mpxn: newMpxn(), moveInDate: '2021-04-01' },
        expressedBy: 'DATA_SUBJECT',
        principalVerification: verified,
        email: 'rowan@customer.example',
        initiatePasskeyRegistration: true,
        passkeyReturnUrl: RETURN_URL,
      };
      const register = `mutation ($input: IdentityRecordInput!, $key: String) {
      registerIdentityRecord(input: $input, idempotencyKey: $key) { ir passkeyRegistrationRedirect replayed } }`;
      const enrolOnce = () => fixture.execute(register, { input, key: 'enrol-once' }, { caller: owner });
      const { ir, passkeyRegistrationRedirect } = valueOf(await enrolOnce());
      expect(passkeyRegistrationRedirect).toMatch(/\/identify\/passkey\/[\w-]{43}$/);
      expect(valueOf(await enrolOnce())).toEqual({ ir, passkeyRegistrationRedirect, replayed: true });
      const secret = lastPart(passkeyRegistrationRedirect);
      expect(valueOf(await fixture.execute(CEREMONY, { secret }))).toMatchObject({
        kind: 'REGISTER_PASSKEY',
        proofs: [],
      });
      const { returnUrl } = valueOf(await registered(fixture, secret, authenticator));
      expect(returnUrl).toMatch(/&dar-passkey-token=mlr_[0-9a-f]{24}$/);
      const token = returnUrl.slice(-28);
      expect(valueOf(await fixture.execute(OWN_STATUS, { ref: ir, token }, { caller: owner })).status).toBe(
        'CONFIRMED',
      );
      expect(await credentialsOf(ir)).toHaveLength(1);
      const unregistered = { ...input, passkeyReturnUrl: 'https://larkhill.example/elsewhere' };
      expect((await fixture.execute(register, { input: unregistered }, { caller: owner })).codes).toEqual(['VAL008']);
    });

    it('needs no proof when registered with a new record, even with an e-mail address, but needs one later', async () => {
      const enrolment = { initiatePasskeyRegistration: true, passkeyReturnUrl: RETURN_URL };
      const { ir, redirect } = await fixture.newEnrolment(owner, { ...enrolment, email: 'rowan@customer.example' });
      const secret = lastPart(redirect);
      expect(valueOf(await fixture.execute(CEREMONY, { secret })).proofs).toEqual([]);
      const later = await started(fixture, owner, ADD, ir);
      expect(valueOf(await fixture.execute(CEREMONY, { secret: later.secret })).proofs).toEqual(['MAIL']);
      valueOf(await registered(fixture, secret, new SoftwareAuthenticator({ origin })));
      expect(await credentialsOf(ir)).toHaveLength(1);
    });

    it('is named in options for its own Data User only; by meter point its id is not disclosed', async () => {
      const { authenticator, mpxn, ref } = await customer();
      const [id] = authenticator.passkeys.map((passkey) => passkey.id);
      const own = await optionsOf(fixture, (await started(fixture, owner, ASSERT, ref)).secret);
      expect(own.allowCredentials).toMatchObject([{ id }]);
      for (const [method, kind] of [
        [ASSERT, 'ASSERT_PASSKEY'],
        [ADD, 'REGISTER_PASSKEY'],
      ] as const) {
        for (const caller of [other, owner]) {
          const { secret } = await started(fixture, caller, { mpxn, ...method });
          expect(valueOf(await fixture.execute(CEREMONY, { secret })).kind).toBe(kind);
          const options = await optionsOf(fixture, secret);
          expect(options.allowCredentials).toEqual([]);
          expect(JSON.stringify(options)).not.toContain(id);
        }
      }
    });

    it('is registered in addition to another of the same record, each with its own name', async () => {
      const { authenticator, ref } = await customer();
      const { secret } = await started(fixture, owner, ADD, ref);
      expect(valueOf(await fixture.execute(CEREMONY, { secret })).proofs).toEqual(['PASSKEY']);
      const { nextSecret } = valueOf(await asserted(fixture, secret, authenticator));
      const options = await optionsOf(fixture, nextSecret);
      expect(options.excludeCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.passkeys[0]?.id]);
      const second = new SoftwareAuthenticator({ origin });
      valueOf(await finish(fixture, nextSecret, second.create(options)));
      expect(await credentialsOf(ref)).toHaveLength(2);
      for (const each of [authenticator, second]) {
        const { secret: next } = await started(fixture, owner, ASSERT, ref);
        valueOf(await asserted(fixture, next, each));
      }
    });

    it.each([
      ['without any return URL', {}],
      ['with the return URL of magic links only', { redirectUrl: RETURN_URL }],
    ])('is used and added on the page of the register by a request %s', async (_, urls) => {
      const { authenticator, mpxn, ref } = await customer();
      const withoutReturn = async (method: string) => {
        const input = { mpxn, method, ...urls };
        const { passkey } = valueOf(await fixture.execute(REIDENTIFY, { input }, { caller: other }));
        expect(passkey.returnUrl).toBeNull();
        return lastPart(passkey.redirectUrl);
      };
      const confirmed = valueOf(await asserted(fixture, await withoutReturn('PASSKEY_ASSERT'), authenticator));
      expect(confirmed).toMatchObject({ returnUrl: null, nextSecret: null });
      const proved = valueOf(await asserted(fixture, await withoutReturn('PASSKEY_REGISTER'), authenticator));
      const second = new SoftwareAuthenticator({ origin });
      const added = valueOf(await registered(fixture, proved.nextSecret, second));
      expect(added).toMatchObject({ returnUrl: null, nextSecret: null });
      expect(await credentialsOf(ref)).toHaveLength(2);
    });

    it('that was removed can no longer be asserted', async () => {
      const { authenticator, mpxn, ref } = await customer();
      const { secret } = await started(fixture, other, { mpxn, ...ASSERT });
      const options = await optionsOf(fixture, secret);
      const [{ credentialId: id }] = await credentialsOf(ref);
      expect((await fixture.execute(REMOVE, { ref, id }, { caller: other })).codes).toEqual(['PRM002']);
      const elsewhere = (await customer()).ref;
      expect((await fixture.execute(REMOVE, { ref: elsewhere, id }, { caller: owner })).codes).toEqual(['NTF001']);
      const unknown = { ref: `ir_${'0'.repeat(24)}`, id };
      expect((await fixture.execute(REMOVE, unknown, { caller: owner })).codes).toEqual(['NTF001']);
      expect(valueOf(await fixture.execute(REMOVE, { ref, id }, { caller: owner }))).toEqual({ credentialId: id });
      expect((await fixture.execute(REMOVE, { ref, id }, { caller: owner })).codes).toEqual(['NTF001']);
      expect((await finish(fixture, secret, authenticator.get(options))).codes).toEqual(['REI001']);
      expect((await fixture.execute(OPTIONS, { secret })).codes).toEqual(['REI001']);
      expect(await credentialsOf(ref)).toEqual([]);
      expect(valueOf(await fixture.execute(EXISTS, { mpxn }, { caller: other })).availableMethods).toEqual([
        'PASSKEY_REGISTER',
      ]);
      const { rows } = await fixture.owner.query('select * from identity.passkey where id = $1', [id]);
      expect(rows[0]).toMatchObject({ credential_hash: null, sealed: null, removed_at: expect.any(Date) });
      await enrol(fixture, owner, new SoftwareAuthenticator({ origin }), ref);
    });
  });
}
