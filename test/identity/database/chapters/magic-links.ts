import type { Caller } from '../../../../subgraphs/server/callers/caller';
import {
  AS_ACCESS,
  CEREMONY,
  CONFIRM_LINK,
  EXISTS,
  OWN_STATUS,
  PROOF,
  REIDENTIFY,
  REIDENTIFY_OWN,
  RETURN_URL,
  STATUS,
  mailedSecret,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { ContestFixture, METER_POINT } from '../../../support/contest-fixture';
import { isLinkMail, mailsNow, secretIn } from '../../../support/sign-in-mails';
import { SIGN_IN_WITH_LINK, requestLink } from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, fixtureOfThisFile } from '../../../support/sign-in-fixture';

export function magicLinks(): void {
  let fixture: SignInFixture;
  let owner: Caller;
  let other: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    [owner, other] = [await fixture.dataUser(RETURN_URL), await fixture.dataUser(RETURN_URL)];
  });
  afterEach(() => fixture.moveClock(0));

  const codesOf = async (result: Promise<{ codes: readonly string[] }>) => (await result).codes.join();
  const cross = (mpxn: string, change: object = {}) => ({ input: { mpxn, method: 'MAGIC_LINK', ...change } });
  const unknownRef = `ir_${'0'.repeat(24)}`;
  const unknownToken = `mlr_${'0'.repeat(24)}`;
  let serial = 0;
  const customer = async (change: object = {}) => {
    const [mpxn, email] = [newMpxn(), `rowan-${(serial += 1)}@customer.example`];
    const ref = await fixture.newRecord(owner, { email, ...change }, { mpxn });
    return { mpxn, email, ref };
  };

  describe('A magic link', () => {
    it('is confirmed by the button of its page, and redirects the customer to the Data User with the token', async () => {
      const { mpxn, email } = await customer();
      const result = valueOf(
        await fixture.execute(REIDENTIFY, cross(mpxn, { redirectUrl: RETURN_URL }), { caller: other }),
      );
      const { tokenRef, expiresAt } = result.magicLink;
      expect(result).toEqual({
        method: 'MAGIC_LINK',
        magicLink: { dispatchedTo: 'r***@c***.example', expiresAt, tokenRef, redirectUrl: RETURN_URL },
        passkey: null,
        replayed: false,
      });
      expect(tokenRef).toMatch(/^mlr_[0-9a-f]{24}$/);
      expect(Math.abs(Date.parse(expiresAt) - Date.now() - 600_000)).toBeLessThan(10_000);
      const secret = await mailedSecret(fixture, email);
      for (const _ of [1, 2]) {
        expect(valueOf(await fixture.execute(CEREMONY, { secret }))).toEqual({
          kind: 'CONFIRM_LINK',
          organisation: 'Larkhill Insight Ltd',
          expiresAt,
          proofs: [],
        });
      }
      expect(valueOf(await fixture.execute(STATUS, { token: tokenRef }, { caller: other }))).toEqual({
        method: 'MAGIC_LINK',
        status: 'PENDING',
        confirmedAt: null,
      });
      expect(valueOf(await fixture.execute(CONFIRM_LINK, { secret }))).toEqual({
        organisation: 'Larkhill Insight Ltd',
        returnUrl: `${RETURN_URL}&dar-reid-token=${tokenRef}`,
        nextSecret: null,
      });
      const { status, confirmedAt } = valueOf(await fixture.execute(STATUS, { token: tokenRef }, { caller: other }));
      expect(status).toBe('CONFIRMED');
      expect(Math.abs(Date.parse(confirmedAt) - Date.now())).toBeLessThan(10_000);
    });

    it('ends on the page of the register without a redirect URL', async () => {
      const { mpxn, email } = await customer();
      await started(fixture, other, cross(mpxn).input);
      const outcome = valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }));
      expect(outcome).toMatchObject({ returnUrl: null, nextSecret: null });
    });

    it('ignores the return URL of the passkey method', async () => {
      const { mpxn, email } = await customer();
      const input = cross(mpxn, { passkeyReturnUrl: RETURN_URL });
      const { magicLink } = valueOf(await fixture.execute(REIDENTIFY, input, { caller: other }));
      expect(magicLink.redirectUrl).toBeNull();
      const outcome = valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }));
      expect(outcome.returnUrl).toBeNull();
    });

    it('works once, also for concurrent clicks', async () => {
      const { mpxn, email } = await customer();
      await started(fixture, other, cross(mpxn).input);
      const secret = await mailedSecret(fixture, email);
      const pressed = await Promise.all(Array.from({ length: 8 }, () => fixture.execute(CONFIRM_LINK, { secret })));
      expect(pressed.filter(({ codes }) => codes.length === 0)).toHaveLength(1);
      expect(pressed.flatMap(({ codes }) => codes)).toEqual(Array.from({ length: 7 }, () => 'NTF001'));
      expect((await fixture.execute(CEREMONY, { secret })).data).toEqual({ ceremony: null });
    });

    it('is confirmed while the same customer signs in', async () => {
      const { mpxn, email, ref } = await customer();
      await started(fixture, other, { mpxn, method: 'MAGIC_LINK' });
      const confirmation = await mailedSecret(fixture, email);
      valueOf(await requestLink(fixture, { email }));
      await fixture.jobsDone();
      const signIn = secretIn((await mailsNow(fixture, email)).filter(isLinkMail));
      const lock = await new ContestFixture(fixture).holding(METER_POINT, [ref]);
      const signedIn = fixture.execute(SIGN_IN_WITH_LINK, { secret: signIn });
      await lock.isWaitedFor();
      const confirmed = fixture.execute(CONFIRM_LINK, { secret: confirmation });
      await lock.isWaitedFor(2);
      await lock.release();
      expect([(await signedIn).codes, (await confirmed).codes]).toEqual([[], []]);
    });

    it('works for ten minutes, and its token for an hour from issuance', async () => {
      const [late, intime] = [await customer(), await customer()];
      const tokens = [
        (await started(fixture, other, cross(late.mpxn).input)).tokenRef,
        (await started(fixture, other, cross(intime.mpxn).input)).tokenRef,
      ];
      const [lateSecret, secret] = [await mailedSecret(fixture, late.email), await mailedSecret(fixture, intime.email)];
      const states = () =>
        Promise.all(
          tokens.map(
            async (token) => valueOf(await fixture.execute(STATUS, { token }, { caller: other })).status as string,
          ),
        );
      await fixture.moveClock(570);
      valueOf(await fixture.execute(CONFIRM_LINK, { secret }));
      expect(await states()).toEqual(['PENDING', 'CONFIRMED']);
      await fixture.moveClock(610);
      expect((await fixture.execute(CEREMONY, { secret: lateSecret })).data.ceremony).toBeNull();
      expect(await codesOf(fixture.execute(CONFIRM_LINK, { secret: lateSecret }))).toBe('NTF001');
      expect(await states()).toEqual(['EXPIRED', 'CONFIRMED']);
      await fixture.moveClock(3_570);
      expect(await states()).toEqual(['EXPIRED', 'CONFIRMED']);
      await fixture.moveClock(3_610);
      expect(await states()).toEqual(['EXPIRED', 'EXPIRED']);
    });

    it('is confirmed only by its secret', async () => {
      const { mpxn } = await customer();
      const { tokenRef } = await started(fixture, other, cross(mpxn).input);
      for (const secret of [tokenRef, tokenRef.slice(4), '', 'x'.repeat(43), '\0']) {
        expect(await codesOf(fixture.execute(CONFIRM_LINK, { secret }))).toBe('NTF001');
        expect((await fixture.execute(CEREMONY, { secret })).data).toEqual({ ceremony: null });
      }
    });
  });

  describe('The status of a re-identification', () => {
    it('is readable by its initiator only', async () => {
      const { mpxn } = await customer();
      const { tokenRef: token } = await started(fixture, other, cross(mpxn).input);
      expect(await codesOf(fixture.execute(STATUS, { token }, { caller: owner }))).toBe('PRM002');
      expect(await codesOf(fixture.execute(STATUS, { token }))).toBe('AUT001');
      expect((await fixture.execute(STATUS, { token: unknownToken }, { caller: other })).data).toEqual({
        reidentification: null,
      });
    });

    it('is not readable through an own record, so that the record cannot be guessed', async () => {
      const { mpxn, ref } = await customer();
      const { tokenRef: token } = await started(fixture, owner, cross(mpxn).input);
      const own = await fixture.execute(OWN_STATUS, { ref, token }, { caller: owner });
      expect(own.data).toEqual({ ownReidentification: null });
    });

    it('of an own record is readable by its owner and key', async () => {
      const [one, another] = [await customer(), await customer()];
      const { tokenRef: token } = await started(fixture, owner, { method: 'MAGIC_LINK' }, one.ref);
      const statusOf = (ref: string, caller: Caller) => fixture.execute(OWN_STATUS, { ref, token }, { caller });
      expect(valueOf(await statusOf(one.ref, owner))).toEqual({
        method: 'MAGIC_LINK',
        status: 'PENDING',
        confirmedAt: null,
      });
      expect((await statusOf(another.ref, owner)).data).toEqual({ ownReidentification: null });
      expect((await statusOf(unknownRef, owner)).data).toEqual({ ownReidentification: null });
      expect(await codesOf(statusOf(one.ref, other))).toBe('PRM002');
      expect((await fixture.execute(STATUS, { token }, { caller: owner })).data).toEqual({ reidentification: null });
    });

    it('is readable by services, with the record that confirms', async () => {
      const { mpxn, email, ref } = await customer();
      const { tokenRef: token } = await started(fixture, other, cross(mpxn).input);
      const { rows } = await fixture.owner.query(
        'select id, meter_point_id from identity.identity_record where ref = $1',
        [ref],
      );
      const proof = {
        initiator: other.duid,
        identityRecordId: rows[0].id,
        meterPointId: rows[0].meter_point_id,
        expiresAt: expect.any(String),
        anonymised: false,
        closing: false,
        ownRecordIds: [rows[0].id],
        since: '2021-04-01',
        beganAt: null,
      };
      expect(valueOf(await fixture.execute(PROOF, { token }, AS_ACCESS))).toEqual({ ...proof, status: 'PENDING' });
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }));
      expect(valueOf(await fixture.execute(PROOF, { token }, AS_ACCESS))).toEqual({ ...proof, status: 'CONFIRMED' });
      expect((await fixture.execute(PROOF, { token: unknownToken }, AS_ACCESS)).data).toEqual({
        reidentificationProof: null,
      });
      expect(await codesOf(fixture.execute(PROOF, { token }, { caller: other }))).toBe('PRM001');
    });
  });

  describe('The start of a re-identification is rejected', () => {
    it('when the meter point has no record', async () => {
      expect(await codesOf(fixture.execute(REIDENTIFY, cross(newMpxn()), { caller: other }))).toBe('NTF001');
    });

    it('when the method is unavailable, without the reason', async () => {
      const { mpxn } = await customer({ email: null });
      for (const change of [
        {},
        { method: 'PASSKEY_ASSERT', passkeyReturnUrl: RETURN_URL },
        { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL },
      ]) {
        expect(await codesOf(fixture.execute(REIDENTIFY, cross(mpxn, change), { caller: other }))).toBe('REI001');
      }
    });

    it('when the return URL is not registered for the caller', async () => {
      const { mpxn, ref } = await customer();
      const unregistered = 'https://larkhill.example/elsewhere';
      for (const change of [
        { redirectUrl: unregistered },
        { method: 'PASSKEY_REGISTER', passkeyReturnUrl: unregistered },
        { passkeyReturnUrl: unregistered }, // of the other method: ignored, but checked
        { method: 'PASSKEY_REGISTER', redirectUrl: unregistered },
      ]) {
        expect(await codesOf(fixture.execute(REIDENTIFY, cross(mpxn, change), { caller: other }))).toBe('VAL008');
        const input = { method: 'MAGIC_LINK', ...change };
        expect(await codesOf(fixture.execute(REIDENTIFY_OWN, { ref, input }, { caller: owner }))).toBe('VAL008');
      }
    });

    it('for an own record that is unknown, another’s, closing or anonymised, in this order', async () => {
      const input = { method: 'MAGIC_LINK' };
      const { ref } = await customer();
      const own = (of: string, caller: Caller) =>
        codesOf(fixture.execute(REIDENTIFY_OWN, { ref: of, input }, { caller }));
      expect(await own(unknownRef, owner)).toBe('NTF001');
      expect(await own(ref, other)).toBe('PRM002');
      await fixture.owner.query('update identity.identity_record set closing_at = now() where ref = $1', [ref]);
      expect(await own(ref, owner)).toBe('CNF003');
      expect(await own(ref, other)).toBe('PRM002');
    });

    it('for roles that have no customers', async () => {
      const { mpxn, ref } = await customer();
      for (const role of ['data_provider', 'supplier', 'admin', 'analyst', 'customer'] as const) {
        expect(await codesOf(fixture.execute(REIDENTIFY, cross(mpxn), { caller: { ...other, role } }))).toBe('PRM001');
      }
      const portal = { caller: { ...owner, role: 'portal' as const } };
      expect(await codesOf(fixture.execute(REIDENTIFY_OWN, { ref, input: { method: 'MAGIC_LINK' } }, portal))).toBe(
        'PRM001',
      );
      expect(await codesOf(fixture.execute(REIDENTIFY, cross(mpxn)))).toBe('AUT001');
    });
  });

  describe('A portal', () => {
    it('is confirmed by verified records only', async () => {
      const portal = { caller: { ...other, role: 'portal' as const } };
      const unverified = await customer({ principalVerification: null });
      expect(await codesOf(fixture.execute(REIDENTIFY, cross(unverified.mpxn), portal))).toBe('REI001');
      const email = 'verified@customer.example';
      await fixture.newRecord(other, { email }, { mpxn: unverified.mpxn });
      await fixture.newRecord(owner, { principalVerification: null }, { mpxn: unverified.mpxn });
      const { magicLink } = valueOf(await fixture.execute(REIDENTIFY, cross(unverified.mpxn), portal));
      expect(magicLink.dispatchedTo).toBe('v***@c***.example');
    });
  });

  describe('A repeated request with an idempotency key', () => {
    it('returns the same response and mails once, also for concurrent requests', async () => {
      const { mpxn, email } = await customer();
      const variables = { ...cross(mpxn), key: 'once' };
      const results = await Promise.all(
        Array.from({ length: 5 }, async () => valueOf(await fixture.execute(REIDENTIFY, variables, { caller: other }))),
      );
      const again = valueOf(await fixture.execute(REIDENTIFY, variables, { caller: other }));
      expect(again.replayed).toBe(true);
      expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set([...results, again].map(({ magicLink }) => JSON.stringify(magicLink))).size).toBe(1);
      await fixture.jobsDone();
      expect(await mailsNow(fixture, email)).toHaveLength(1);
      const changed = { ...cross(mpxn, { redirectUrl: RETURN_URL }), key: 'once' };
      expect(await codesOf(fixture.execute(REIDENTIFY, changed, { caller: other }))).toBe('CNF004');
    });

    it('is processed again after a rejection', async () => {
      const mpxn = newMpxn();
      const variables = { ...cross(mpxn), key: 'refused-first' };
      expect(await codesOf(fixture.execute(REIDENTIFY, variables, { caller: other }))).toBe('NTF001');
      await fixture.newRecord(owner, {}, { mpxn });
      expect(valueOf(await fixture.execute(REIDENTIFY, variables, { caller: other })).replayed).toBe(false);
    });
  });

  describe('The existence check', () => {
    it('returns the methods of all live records together', async () => {
      const mpxn = newMpxn();
      const methods = async () => valueOf(await fixture.execute(EXISTS, { mpxn }, { caller: other }));
      expect(await methods()).toEqual({ exists: false, availableMethods: [] });
      await fixture.newRecord(owner, { email: null }, { mpxn });
      expect(await methods()).toEqual({ exists: true, availableMethods: ['PASSKEY_REGISTER'] });
      const ref = await fixture.newRecord(owner, {}, { mpxn });
      expect((await methods()).availableMethods).toEqual(['MAGIC_LINK', 'PASSKEY_REGISTER']);
      await fixture.owner.query('update identity.identity_record set closing_at = now() where ref = $1', [ref]);
      expect((await methods()).availableMethods).toEqual(['PASSKEY_REGISTER']);
    });
  });
}
