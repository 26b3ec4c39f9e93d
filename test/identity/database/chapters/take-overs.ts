import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  AS_ACCESS,
  CEREMONY,
  CONFIRM_LINK,
  MAIL_PROOF,
  OPTIONS,
  PROOF,
  READ,
  REIDENTIFY,
  REIDENTIFY_OWN,
  RETURN_URL,
  STATUS,
  asserted,
  enrolled,
  finish,
  mailedSecret,
  optionsOf,
  registered,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { mailsNow } from '../../../support/sign-in-mails';
import { type SignInFixture, newMpxn, fixtureOfThisFile } from '../../../support/sign-in-fixture';

export function takeOvers(): void {
  let fixture: SignInFixture;
  let owner: Caller;
  let stranger: Caller;
  let origin: string;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    [owner, stranger] = [await fixture.dataUser(RETURN_URL), await fixture.dataUser(RETURN_URL)];
    ({ origin } = new URL(fixture.urls.identityRedirectUrl));
  });
  afterEach(() => fixture.moveClock(0));

  const ASSERT = { method: 'PASSKEY_ASSERT', passkeyReturnUrl: RETURN_URL };
  const ADD = { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL };
  const authenticator = () => new SoftwareAuthenticator({ origin });
  const statusOf = async (token: string) =>
    valueOf(await fixture.execute(STATUS, { token }, { caller: stranger })).status;
  const passkeysOf = async (ref: string) =>
    valueOf(await fixture.execute(READ, { ref }, { caller: owner })).credentials.length;
  let serial = 0;
  const customerWithAddress = async () => {
    const [mpxn, email] = [newMpxn(), `isla-${(serial += 1)}@customer.example`];
    return { mpxn, email, ref: await fixture.newRecord(owner, { email }, { mpxn }) };
  };
  /** Records a Change of Tenancy at the meter point of a record, which ends its occupancy. */
  const changeTenancy = async (ref: string, date = 'current_date') =>
    fixture.owner.query(
      `insert into identity.change_of_tenancy (mpxn_index, effective_date)
       select mpxn_index, ${date} from identity.identity_record where ref = $1`,
      [ref],
    );

  describe('A Data User that impersonates a customer cannot add a passkey', () => {
    it('to a record with an e-mail address, until the customer confirms by mail', async () => {
      const { mpxn, email, ref } = await customerWithAddress();
      const { tokenRef, secret } = await started(fixture, stranger, { mpxn, ...ADD });
      expect(valueOf(await fixture.execute(CEREMONY, { secret }))).toMatchObject({
        kind: 'REGISTER_PASSKEY',
        proofs: ['MAIL'],
      });
      expect((await fixture.execute(OPTIONS, { secret })).codes).toEqual(['REI001']);
      const forged = authenticator().create({ challenge: 'AAAA', rp: {}, user: { id: 'AAAA', name: '' } });
      expect((await finish(fixture, secret, forged)).codes).toEqual(['AUT001']);
      valueOf(await fixture.execute(MAIL_PROOF, { secret, language: 'CY' }));
      const proof = await mailedSecret(fixture, email);
      for (const wrong of [tokenRef, secret]) {
        expect((await fixture.execute(CONFIRM_LINK, { secret: wrong })).codes).toEqual(['NTF001']);
      }
      expect((await fixture.execute(OPTIONS, { secret: proof })).codes).toEqual(['REI001']);
      expect(await passkeysOf(ref)).toBe(0);
      expect(await statusOf(tokenRef)).toBe('PENDING');
    });

    it("with the redirect, once the customer has confirmed by mail: only the customer's browser can continue", async () => {
      const { mpxn, email, ref } = await customerWithAddress();
      const { tokenRef, secret } = await started(fixture, stranger, { mpxn, ...ADD });
      valueOf(await fixture.execute(MAIL_PROOF, { secret, language: 'EN' }));
      const proof = await mailedSecret(fixture, email);
      expect(valueOf(await fixture.execute(CEREMONY, { secret: proof }))).toMatchObject({
        kind: 'CONFIRM_PROOF',
        proofs: [],
      });
      const pressed = await Promise.all(
        Array.from({ length: 5 }, () => fixture.execute(CONFIRM_LINK, { secret: proof })),
      );
      const [{ nextSecret, returnUrl }, ...more] = pressed.flatMap(({ data, codes }) =>
        codes.length === 0 ? [data.confirmCeremonyLink] : [],
      );
      expect(more).toEqual([]);
      expect(returnUrl).toBeNull();
      for (const used of [secret, proof]) {
        expect((await fixture.execute(CEREMONY, { secret: used })).data).toEqual({ ceremony: null });
        expect((await fixture.execute(OPTIONS, { secret: used })).codes).toEqual(['NTF001']);
        expect((await fixture.execute(CONFIRM_LINK, { secret: used })).codes).toEqual(['NTF001']);
        expect((await fixture.execute(MAIL_PROOF, { secret: used, language: 'EN' })).codes).toEqual(['NTF001']);
      }
      expect(valueOf(await fixture.execute(CEREMONY, { secret: nextSecret }))).toMatchObject({
        kind: 'REGISTER_PASSKEY',
        proofs: [],
      });
      const outcome = valueOf(await registered(fixture, nextSecret, authenticator()));
      expect(outcome.returnUrl).toBe(`${RETURN_URL}&dar-passkey-token=${tokenRef}`);
      expect(await statusOf(tokenRef)).toBe('CONFIRMED');
      expect(await passkeysOf(ref)).toBe(1);
    });

    it('with the redirect, once the customer has asserted a passkey', async () => {
      const [mpxn, own] = [newMpxn(), authenticator()];
      const ref = await enrolled(fixture, owner, own, mpxn);
      const { secret } = await started(fixture, stranger, { mpxn, ...ADD });
      const { nextSecret } = valueOf(await asserted(fixture, secret, own));
      expect((await fixture.execute(OPTIONS, { secret })).codes).toEqual(['NTF001']);
      expect((await fixture.execute(MAIL_PROOF, { secret: nextSecret, language: 'EN' })).codes).toEqual(['REI001']);
      valueOf(await registered(fixture, nextSecret, authenticator()));
      expect((await fixture.execute(OPTIONS, { secret: nextSecret })).codes).toEqual(['NTF001']);
      expect(await passkeysOf(ref)).toBe(2);
    });

    it('by asserting another passkey as the proof', async () => {
      const [mpxn, own, theirs] = [newMpxn(), authenticator(), authenticator()];
      await enrolled(fixture, owner, own, mpxn);
      await enrolled(fixture, stranger, theirs, newMpxn());
      const { secret } = await started(fixture, stranger, { mpxn, ...ADD });
      const { challenge } = await optionsOf(fixture, secret);
      expect((await finish(fixture, secret, theirs.get({ challenge }))).codes).toEqual(['AUT001']);
      const registration = authenticator().create({
        ...(await optionsOf(fixture, secret)),
        rp: {},
        user: { id: 'AA', name: '' },
      });
      expect((await finish(fixture, secret, registration)).codes).toEqual(['AUT001']);
    });

    it('to a record with neither passkey nor address: only its own Data User can vouch', async () => {
      const [mpxn, first] = [newMpxn(), authenticator()];
      const ref = await fixture.newRecord(owner, { email: null }, { mpxn });
      expect((await fixture.execute(REIDENTIFY, { input: { mpxn, ...ADD } }, { caller: stranger })).codes).toEqual([
        'REI001',
      ]);
      expect((await fixture.execute(REIDENTIFY_OWN, { ref, input: ADD }, { caller: stranger })).codes).toEqual([
        'PRM002',
      ]);
      const [one, two] = [await started(fixture, owner, ADD, ref), await started(fixture, owner, ADD, ref)];
      const options = await optionsOf(fixture, two.secret);
      valueOf(await registered(fixture, one.secret, first));
      // the Data User vouched for a customer without a passkey, which no longer holds for the second redirect
      expect((await finish(fixture, two.secret, authenticator().create(options))).codes).toEqual(['NTF001']);
      expect(await passkeysOf(ref)).toBe(1);
    });
  });

  describe('A proof by mail', () => {
    it('belongs to its redirect: it cannot continue another ceremony', async () => {
      const { mpxn, email } = await customerWithAddress();
      const [one, two] = [
        await started(fixture, stranger, { mpxn, ...ADD }),
        await started(fixture, stranger, { mpxn, ...ADD }),
      ];
      valueOf(await fixture.execute(MAIL_PROOF, { secret: one.secret, language: 'EN' }));
      const { nextSecret } = valueOf(
        await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }),
      );
      valueOf(await registered(fixture, nextSecret, authenticator()));
      expect(await statusOf(one.tokenRef)).toBe('CONFIRMED');
      expect(await statusOf(two.tokenRef)).toBe('PENDING');
      expect(valueOf(await fixture.execute(CEREMONY, { secret: two.secret })).proofs).toEqual(['MAIL']);
    });

    it('is accepted once for several mailed links', async () => {
      const { mpxn, email } = await customerWithAddress();
      const { secret } = await started(fixture, stranger, { mpxn, ...ADD });
      const proofs: string[] = [];
      for (const count of [1, 2]) {
        valueOf(await fixture.execute(MAIL_PROOF, { secret, language: 'EN' }));
        proofs.push(await mailedSecret(fixture, email, count));
      }
      const [first, second] = proofs as [string, string];
      expect(first).not.toBe(second);
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: first }));
      expect((await fixture.execute(CEREMONY, { secret: second })).data).toEqual({ ceremony: null });
      expect((await fixture.execute(CONFIRM_LINK, { secret: second })).codes).toEqual(['NTF001']);
    });

    it('that one browser presses again, also at the same time, leads to the same next step, in no other browser', async () => {
      const { mpxn, email, ref } = await customerWithAddress();
      const { tokenRef, secret } = await started(fixture, stranger, { mpxn, ...ADD });
      valueOf(await fixture.execute(MAIL_PROOF, { secret, language: 'EN' }));
      const proof = await mailedSecret(fixture, email);
      const press = (browser: string | null) => fixture.execute(CONFIRM_LINK, { secret: proof, browser });
      const pressed = await Promise.all([1, 2, 3].map(() => press('this browser')));
      pressed.push(await press('this browser'));
      const [first, ...others] = pressed.map(valueOf);
      for (const other of others) expect(other).toEqual(first);
      for (const other of ['another browser', '', null]) expect((await press(other)).codes).toEqual(['NTF001']);
      expect(valueOf(await registered(fixture, first.nextSecret, authenticator())).returnUrl).toContain(tokenRef);
      expect((await press('this browser')).codes).toEqual(['NTF001']);
      expect(await passkeysOf(ref)).toBe(1);
    });

    it('that is pressed at its end leads to the same next step no longer than it is valid', async () => {
      const { mpxn, email } = await customerWithAddress();
      const { secret } = await started(fixture, stranger, { mpxn, ...ADD });
      valueOf(await fixture.execute(MAIL_PROOF, { secret, language: 'EN' }));
      const proof = await mailedSecret(fixture, email);
      const press = () => fixture.execute(CONFIRM_LINK, { secret: proof, browser: 'this browser' });
      await fixture.moveClock(9 * 60 + 30);
      const { nextSecret } = valueOf(await press());
      expect(valueOf(await press()).nextSecret).toBe(nextSecret);
      await fixture.moveClock(10 * 60 + 10);
      expect((await press()).codes).toEqual(['NTF001']);
      expect(valueOf(await fixture.execute(CEREMONY, { secret: nextSecret })).kind).toBe('REGISTER_PASSKEY');
    });

    it('can be used after the redirect has expired, but not after the token has', async () => {
      const { mpxn, email } = await customerWithAddress();
      const { tokenRef, secret } = await started(fixture, stranger, { mpxn, ...ADD });
      await fixture.moveClock(270);
      valueOf(await fixture.execute(MAIL_PROOF, { secret, language: 'EN' }));
      await fixture.jobsDone();
      const proof = await mailedSecret(fixture, email);
      await fixture.moveClock(860);
      expect(await statusOf(tokenRef)).toBe('PENDING');
      const { nextSecret } = valueOf(await fixture.execute(CONFIRM_LINK, { secret: proof }));
      await fixture.moveClock(3_610);
      expect((await fixture.execute(OPTIONS, { secret: nextSecret })).codes).toEqual(['NTF001']);
      expect(await statusOf(tokenRef)).toBe('EXPIRED');
    });
  });

  describe('The former occupant after a Change of Tenancy', () => {
    it('is not re-identified: no method is available to any caller', async () => {
      const { mpxn, ref } = await customerWithAddress();
      const passkeyHolder = newMpxn();
      const enrolledRef = await enrolled(fixture, owner, authenticator(), passkeyHolder);
      await changeTenancy(ref);
      await changeTenancy(enrolledRef);
      for (const [at, of, input] of [
        [mpxn, ref, { method: 'MAGIC_LINK' }],
        [mpxn, ref, ADD],
        [passkeyHolder, enrolledRef, ASSERT],
        [passkeyHolder, enrolledRef, ADD],
      ] as const) {
        const across = await fixture.execute(REIDENTIFY, { input: { mpxn: at, ...input } }, { caller: stranger });
        const own = await fixture.execute(REIDENTIFY_OWN, { ref: of, input }, { caller: owner });
        expect([across.codes, own.codes]).toEqual([['REI001'], ['REI001']]);
      }
    });

    it('is re-identified while the change is in the future, as is a person who moved in on that day', async () => {
      const { mpxn, ref } = await customerWithAddress();
      await changeTenancy(ref, 'current_date + 2');
      expect(await statusOf((await started(fixture, stranger, { mpxn, method: 'MAGIC_LINK' })).tokenRef)).toBe(
        'PENDING',
      );
      const moved = newMpxn();
      const late = await fixture.newRecord(owner, {}, { mpxn: moved, moveInDate: '2021-04-01' });
      await changeTenancy(late, "date '2021-04-01'");
      const { tokenRef } = await started(fixture, stranger, { mpxn: moved, method: 'MAGIC_LINK' });
      expect(await statusOf(tokenRef)).toBe('PENDING');
    });

    it('cannot confirm what was started before, and confirmed tokens cannot be used', async () => {
      const [one, two] = [await customerWithAddress(), await customerWithAddress()];
      const started1 = await started(fixture, stranger, { mpxn: one.mpxn, method: 'MAGIC_LINK' });
      const started2 = await started(fixture, stranger, { mpxn: two.mpxn, method: 'MAGIC_LINK' });
      const [secret1, secret2] = [await mailedSecret(fixture, one.email), await mailedSecret(fixture, two.email)];
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: secret2 }));
      await changeTenancy(one.ref);
      await changeTenancy(two.ref);
      expect((await fixture.execute(CEREMONY, { secret: secret1 })).data).toEqual({ ceremony: null });
      expect((await fixture.execute(CONFIRM_LINK, { secret: secret1 })).codes).toEqual(['NTF001']);
      expect(await statusOf(started1.tokenRef)).toBe('EXPIRED');
      const proof = valueOf(await fixture.execute(PROOF, { token: started2.tokenRef }, AS_ACCESS));
      expect(proof.status).toBe('EXPIRED');
    });

    it('does not receive the mails of the present occupant', async () => {
      const { mpxn, email, ref } = await customerWithAddress();
      await changeTenancy(ref, "date '2024-01-01'");
      const present = `present-${mpxn}@customer.example`;
      await fixture.newRecord(stranger, { email: present }, { mpxn, moveInDate: '2024-01-01' });
      await fixture.newRecord(owner, { email: `older-${email}` }, { mpxn, moveInDate: '2023-12-31' });
      const { tokenRef } = await started(fixture, stranger, { mpxn, method: 'MAGIC_LINK' });
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, present) }));
      expect(await statusOf(tokenRef)).toBe('CONFIRMED');
      await fixture.jobsDone();
      for (const former of [email, `older-${email}`]) expect(await mailsNow(fixture, former)).toEqual([]);
    });
  });

  describe('A record that is closed', () => {
    it('can neither confirm, register nor assert anything', async () => {
      const [mpxn, own] = [newMpxn(), authenticator()];
      const ref = await enrolled(fixture, owner, own, mpxn);
      const { secret, tokenRef } = await started(fixture, stranger, { mpxn, ...ASSERT });
      const options = await optionsOf(fixture, secret);
      await fixture.owner.query(
        'update identity.identity_record set closing_at = now(), closed_at = now() where ref = $1',
        [ref],
      );
      expect((await finish(fixture, secret, own.get(options))).codes).toEqual(['NTF001']);
      expect((await fixture.execute(CEREMONY, { secret })).data).toEqual({ ceremony: null });
      expect(valueOf(await fixture.execute(PROOF, { token: tokenRef }, AS_ACCESS))).toMatchObject({
        status: 'PENDING',
        closing: true,
      });
    });
  });

  describe('Stored data about secrets', () => {
    it('does not suffice to use them', async () => {
      const { mpxn, email } = await customerWithAddress();
      const { tokenRef, secret } = await started(fixture, stranger, { mpxn, ...ADD });
      const link = await started(fixture, stranger, { mpxn, method: 'MAGIC_LINK' });
      const mailed = await mailedSecret(fixture, email);
      const { rows } = await fixture.owner.query<{ row: string }>(
        `select to_jsonb(t)::text as row from identity.ceremony t union all select to_jsonb(t)::text from identity.reidentification t`,
      );
      const stored = rows.map(({ row }) => row).join('\n') + fixture.log();
      for (const value of [tokenRef, secret, link.tokenRef, mailed, mpxn, email]) {
        expect(stored).not.toContain(value);
        expect(stored).not.toContain(Buffer.from(value).toString('hex'));
      }
    });
  });
}
