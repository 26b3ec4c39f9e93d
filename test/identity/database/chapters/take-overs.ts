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
import { type SignInRoom, newMpxn, roomOfThisFile } from '../../../support/sign-in-room';

export function takeOvers(): void {
  let room: SignInRoom;
  let owner: Caller;
  let stranger: Caller;
  let origin: string;
  beforeAll(async () => {
    room = await roomOfThisFile();
    [owner, stranger] = [await room.dataUser(RETURN_URL), await room.dataUser(RETURN_URL)];
    ({ origin } = new URL(room.places.identityRedirectUrl));
  });
  afterEach(() => room.moveClock(0));

  const ASSERT = { method: 'PASSKEY_ASSERT', passkeyReturnUrl: RETURN_URL };
  const ADD = { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL };
  const authenticator = () => new SoftwareAuthenticator({ origin });
  const statusOf = async (token: string) => valueOf(await room.ask(STATUS, { token }, { caller: stranger })).status;
  const passkeysOf = async (ref: string) =>
    valueOf(await room.ask(READ, { ref }, { caller: owner })).credentials.length;
  let serial = 0;
  const customerWithAddress = async () => {
    const [mpxn, email] = [newMpxn(), `isla-${(serial += 1)}@customer.example`];
    return { mpxn, email, ref: await room.newRecord(owner, { email }, { mpxn }) };
  };
  /** Records a Change of Tenancy at the meter point of a record, which ends its occupancy. */
  const changeTenancy = async (ref: string, date = 'current_date') =>
    room.owner.query(
      `insert into identity.change_of_tenancy (mpxn_index, effective_date)
       select mpxn_index, ${date} from identity.identity_record where ref = $1`,
      [ref],
    );

  describe('A Data User that impersonates a customer cannot add a passkey', () => {
    it('to a record with an e-mail address, until the customer confirms by mail', async () => {
      const { mpxn, email, ref } = await customerWithAddress();
      const { tokenRef, secret } = await started(room, stranger, { mpxn, ...ADD });
      expect(valueOf(await room.ask(CEREMONY, { secret }))).toMatchObject({
        kind: 'REGISTER_PASSKEY',
        proofs: ['MAIL'],
      });
      expect((await room.ask(OPTIONS, { secret })).codes).toEqual(['REI001']);
      const forged = authenticator().create({ challenge: 'AAAA', rp: {}, user: { id: 'AAAA', name: '' } });
      expect((await finish(room, secret, forged)).codes).toEqual(['AUT001']);
      valueOf(await room.ask(MAIL_PROOF, { secret, language: 'CY' }));
      const proof = await mailedSecret(room, email);
      for (const wrong of [tokenRef, secret]) {
        expect((await room.ask(CONFIRM_LINK, { secret: wrong })).codes).toEqual(['NTF001']);
      }
      expect((await room.ask(OPTIONS, { secret: proof })).codes).toEqual(['REI001']);
      expect(await passkeysOf(ref)).toBe(0);
      expect(await statusOf(tokenRef)).toBe('PENDING');
    });

    it("with the redirect, once the customer has confirmed by mail: only the customer's browser can continue", async () => {
      const { mpxn, email, ref } = await customerWithAddress();
      const { tokenRef, secret } = await started(room, stranger, { mpxn, ...ADD });
      valueOf(await room.ask(MAIL_PROOF, { secret, language: 'EN' }));
      const proof = await mailedSecret(room, email);
      expect(valueOf(await room.ask(CEREMONY, { secret: proof }))).toMatchObject({ kind: 'CONFIRM_PROOF', proofs: [] });
      const pressed = await Promise.all(Array.from({ length: 5 }, () => room.ask(CONFIRM_LINK, { secret: proof })));
      const [{ nextSecret, returnUrl }, ...more] = pressed.flatMap(({ data, codes }) =>
        codes.length === 0 ? [data.confirmCeremonyLink] : [],
      );
      expect(more).toEqual([]);
      expect(returnUrl).toBeNull();
      for (const used of [secret, proof]) {
        expect((await room.ask(CEREMONY, { secret: used })).data).toEqual({ ceremony: null });
        expect((await room.ask(OPTIONS, { secret: used })).codes).toEqual(['NTF001']);
        expect((await room.ask(CONFIRM_LINK, { secret: used })).codes).toEqual(['NTF001']);
        expect((await room.ask(MAIL_PROOF, { secret: used, language: 'EN' })).codes).toEqual(['NTF001']);
      }
      expect(valueOf(await room.ask(CEREMONY, { secret: nextSecret }))).toMatchObject({
        kind: 'REGISTER_PASSKEY',
        proofs: [],
      });
      const outcome = valueOf(await registered(room, nextSecret, authenticator()));
      expect(outcome.returnUrl).toBe(`${RETURN_URL}&dar-passkey-token=${tokenRef}`);
      expect(await statusOf(tokenRef)).toBe('CONFIRMED');
      expect(await passkeysOf(ref)).toBe(1);
    });

    it('with the redirect, once the customer has asserted a passkey', async () => {
      const [mpxn, own] = [newMpxn(), authenticator()];
      const ref = await enrolled(room, owner, own, mpxn);
      const { secret } = await started(room, stranger, { mpxn, ...ADD });
      const { nextSecret } = valueOf(await asserted(room, secret, own));
      expect((await room.ask(OPTIONS, { secret })).codes).toEqual(['NTF001']);
      expect((await room.ask(MAIL_PROOF, { secret: nextSecret, language: 'EN' })).codes).toEqual(['REI001']);
      valueOf(await registered(room, nextSecret, authenticator()));
      expect((await room.ask(OPTIONS, { secret: nextSecret })).codes).toEqual(['NTF001']);
      expect(await passkeysOf(ref)).toBe(2);
    });

    it('by asserting another passkey as the proof', async () => {
      const [mpxn, own, theirs] = [newMpxn(), authenticator(), authenticator()];
      await enrolled(room, owner, own, mpxn);
      await enrolled(room, stranger, theirs, newMpxn());
      const { secret } = await started(room, stranger, { mpxn, ...ADD });
      const { challenge } = await optionsOf(room, secret);
      expect((await finish(room, secret, theirs.get({ challenge }))).codes).toEqual(['AUT001']);
      const registration = authenticator().create({
        ...(await optionsOf(room, secret)),
        rp: {},
        user: { id: 'AA', name: '' },
      });
      expect((await finish(room, secret, registration)).codes).toEqual(['AUT001']);
    });

    it('to a record with neither passkey nor address: only its own Data User can vouch', async () => {
      const [mpxn, first] = [newMpxn(), authenticator()];
      const ref = await room.newRecord(owner, { email: null }, { mpxn });
      expect((await room.ask(REIDENTIFY, { input: { mpxn, ...ADD } }, { caller: stranger })).codes).toEqual(['REI001']);
      expect((await room.ask(REIDENTIFY_OWN, { ref, input: ADD }, { caller: stranger })).codes).toEqual(['PRM002']);
      const [one, two] = [await started(room, owner, ADD, ref), await started(room, owner, ADD, ref)];
      const options = await optionsOf(room, two.secret);
      valueOf(await registered(room, one.secret, first));
      // the Data User vouched for a customer without a passkey, which no longer holds for the second redirect
      expect((await finish(room, two.secret, authenticator().create(options))).codes).toEqual(['NTF001']);
      expect(await passkeysOf(ref)).toBe(1);
    });
  });

  describe('A proof by mail', () => {
    it('belongs to its redirect: it cannot continue another ceremony', async () => {
      const { mpxn, email } = await customerWithAddress();
      const [one, two] = [
        await started(room, stranger, { mpxn, ...ADD }),
        await started(room, stranger, { mpxn, ...ADD }),
      ];
      valueOf(await room.ask(MAIL_PROOF, { secret: one.secret, language: 'EN' }));
      const { nextSecret } = valueOf(await room.ask(CONFIRM_LINK, { secret: await mailedSecret(room, email) }));
      valueOf(await registered(room, nextSecret, authenticator()));
      expect(await statusOf(one.tokenRef)).toBe('CONFIRMED');
      expect(await statusOf(two.tokenRef)).toBe('PENDING');
      expect(valueOf(await room.ask(CEREMONY, { secret: two.secret })).proofs).toEqual(['MAIL']);
    });

    it('is accepted once for several mailed links', async () => {
      const { mpxn, email } = await customerWithAddress();
      const { secret } = await started(room, stranger, { mpxn, ...ADD });
      const proofs: string[] = [];
      for (const count of [1, 2]) {
        valueOf(await room.ask(MAIL_PROOF, { secret, language: 'EN' }));
        proofs.push(await mailedSecret(room, email, count));
      }
      const [first, second] = proofs as [string, string];
      expect(first).not.toBe(second);
      valueOf(await room.ask(CONFIRM_LINK, { secret: first }));
      expect((await room.ask(CEREMONY, { secret: second })).data).toEqual({ ceremony: null });
      expect((await room.ask(CONFIRM_LINK, { secret: second })).codes).toEqual(['NTF001']);
    });

    it('can be used after the redirect has expired, but not after the token has', async () => {
      const { mpxn, email } = await customerWithAddress();
      const { tokenRef, secret } = await started(room, stranger, { mpxn, ...ADD });
      await room.moveClock(290);
      valueOf(await room.ask(MAIL_PROOF, { secret, language: 'EN' }));
      await room.jobsDone();
      const proof = await mailedSecret(room, email);
      await room.moveClock(880);
      expect(await statusOf(tokenRef)).toBe('PENDING');
      const { nextSecret } = valueOf(await room.ask(CONFIRM_LINK, { secret: proof }));
      await room.moveClock(3_610);
      expect((await room.ask(OPTIONS, { secret: nextSecret })).codes).toEqual(['NTF001']);
      expect(await statusOf(tokenRef)).toBe('EXPIRED');
    });
  });

  describe('The former occupant after a Change of Tenancy', () => {
    it('is not re-identified: no method is available to any caller', async () => {
      const { mpxn, ref } = await customerWithAddress();
      const passkeyHolder = newMpxn();
      const enrolledRef = await enrolled(room, owner, authenticator(), passkeyHolder);
      await changeTenancy(ref);
      await changeTenancy(enrolledRef);
      for (const [at, of, input] of [
        [mpxn, ref, { method: 'MAGIC_LINK' }],
        [mpxn, ref, ADD],
        [passkeyHolder, enrolledRef, ASSERT],
        [passkeyHolder, enrolledRef, ADD],
      ] as const) {
        const across = await room.ask(REIDENTIFY, { input: { mpxn: at, ...input } }, { caller: stranger });
        const own = await room.ask(REIDENTIFY_OWN, { ref: of, input }, { caller: owner });
        expect([across.codes, own.codes]).toEqual([['REI001'], ['REI001']]);
      }
    });

    it('is re-identified while the change is in the future, as is a person who moved in on that day', async () => {
      const { mpxn, ref } = await customerWithAddress();
      await changeTenancy(ref, 'current_date + 2');
      expect(await statusOf((await started(room, stranger, { mpxn, method: 'MAGIC_LINK' })).tokenRef)).toBe('PENDING');
      const moved = newMpxn();
      const late = await room.newRecord(owner, {}, { mpxn: moved, moveInDate: '2021-04-01' });
      await changeTenancy(late, "date '2021-04-01'");
      const { tokenRef } = await started(room, stranger, { mpxn: moved, method: 'MAGIC_LINK' });
      expect(await statusOf(tokenRef)).toBe('PENDING');
    });

    it('cannot confirm what was started before, and confirmed tokens cannot be used', async () => {
      const [one, two] = [await customerWithAddress(), await customerWithAddress()];
      const started1 = await started(room, stranger, { mpxn: one.mpxn, method: 'MAGIC_LINK' });
      const started2 = await started(room, stranger, { mpxn: two.mpxn, method: 'MAGIC_LINK' });
      const [secret1, secret2] = [await mailedSecret(room, one.email), await mailedSecret(room, two.email)];
      valueOf(await room.ask(CONFIRM_LINK, { secret: secret2 }));
      await changeTenancy(one.ref);
      await changeTenancy(two.ref);
      expect((await room.ask(CEREMONY, { secret: secret1 })).data).toEqual({ ceremony: null });
      expect((await room.ask(CONFIRM_LINK, { secret: secret1 })).codes).toEqual(['NTF001']);
      expect(await statusOf(started1.tokenRef)).toBe('EXPIRED');
      const proof = valueOf(await room.ask(PROOF, { token: started2.tokenRef }, AS_ACCESS));
      expect(proof.status).toBe('EXPIRED');
    });

    it('does not receive the mails of the present occupant', async () => {
      const { mpxn, email, ref } = await customerWithAddress();
      await changeTenancy(ref, "date '2024-01-01'");
      const present = `present-${mpxn}@customer.example`;
      await room.newRecord(stranger, { email: present }, { mpxn, moveInDate: '2024-01-01' });
      await room.newRecord(owner, { email: `older-${email}` }, { mpxn, moveInDate: '2023-12-31' });
      const { tokenRef } = await started(room, stranger, { mpxn, method: 'MAGIC_LINK' });
      valueOf(await room.ask(CONFIRM_LINK, { secret: await mailedSecret(room, present) }));
      expect(await statusOf(tokenRef)).toBe('CONFIRMED');
      await room.jobsDone();
      expect(await mailsNow(room, email)).toEqual([]);
    });
  });

  describe('A record that is closing', () => {
    it('can neither confirm, register nor assert anything', async () => {
      const [mpxn, own] = [newMpxn(), authenticator()];
      const ref = await enrolled(room, owner, own, mpxn);
      const { secret, tokenRef } = await started(room, stranger, { mpxn, ...ASSERT });
      const options = await optionsOf(room, secret);
      await room.owner.query('update identity.identity_record set closing_at = now() where ref = $1', [ref]);
      expect((await finish(room, secret, own.get(options))).codes).toEqual(['NTF001']);
      expect((await room.ask(CEREMONY, { secret })).data).toEqual({ ceremony: null });
      expect(valueOf(await room.ask(PROOF, { token: tokenRef }, AS_ACCESS))).toMatchObject({
        status: 'PENDING',
        closing: true,
      });
    });
  });

  describe('What is stored about secrets', () => {
    it('does not suffice to use them', async () => {
      const { mpxn, email } = await customerWithAddress();
      const { tokenRef, secret } = await started(room, stranger, { mpxn, ...ADD });
      const link = await started(room, stranger, { mpxn, method: 'MAGIC_LINK' });
      const mailed = await mailedSecret(room, email);
      const { rows } = await room.owner.query<{ row: string }>(
        `select to_jsonb(t)::text as row from identity.ceremony t union all select to_jsonb(t)::text from identity.reidentification t`,
      );
      const stored = rows.map(({ row }) => row).join('\n') + room.log();
      for (const value of [tokenRef, secret, link.tokenRef, mailed, mpxn, email]) {
        expect(stored).not.toContain(value);
        expect(stored).not.toContain(Buffer.from(value).toString('hex'));
      }
    });
  });
}
