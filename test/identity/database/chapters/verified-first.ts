import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  CEREMONY,
  CONFIRM_LINK,
  REIDENTIFY,
  RETURN_URL,
  STATUS,
  asserted,
  enrol,
  enrolled,
  mailedSecret,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { mailsNow } from '../../../support/sign-in-mails';
import { type SignInFixture, newMpxn, fixtureOfThisFile } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';

export function verifiedFirst(): void {
  const ASSERT = { method: 'PASSKEY_ASSERT', passkeyReturnUrl: RETURN_URL };
  const ADD = { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL };

  let fixture: SignInFixture;
  let owner: Caller;
  /** Registers unverified records at the same meter point, newer than the verified one. */
  let careless: Caller;
  let other: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    [owner, careless, other] = [
      await fixture.dataUser(RETURN_URL),
      await fixture.dataUser(RETURN_URL),
      await fixture.dataUser(RETURN_URL),
    ];
  });

  let people = 0;
  const newEmail = (who: string) => `${who}-${(people += 1)}@customer.example`;
  const authenticator = () => new SoftwareAuthenticator({ origin: new URL(fixture.urls.identityRedirectUrl).origin });
  const statusOf = async (token: string) =>
    valueOf(await fixture.execute(STATUS, { token }, { caller: other })).status as string;

  /** Registers newer unverified records: one with the passkey, if given, and one with the address. */
  async function intruder(mpxn: string, { email, passkey }: { email: string; passkey?: SoftwareAuthenticator }) {
    const plain = { email: null, principalVerification: null };
    if (passkey) await enrol(fixture, careless, passkey, await fixture.newRecord(careless, plain, { mpxn }));
    await fixture.newRecord(careless, { ...plain, email }, { mpxn });
  }

  describe('A newer unverified record does not take over a verified customer', () => {
    it('who receives a magic link', async () => {
      const mpxn = newMpxn();
      const [email, stranger] = [newEmail('verified'), newEmail('stranger')];
      await fixture.newRecord(owner, { email }, { mpxn });
      await intruder(mpxn, { email: stranger, passkey: authenticator() });
      const input = { mpxn, method: 'MAGIC_LINK' };
      const { magicLink } = valueOf(await fixture.execute(REIDENTIFY, { input }, { caller: other }));
      expect(magicLink.dispatchedTo).toBe('v***@c***.example');
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }));
      expect(await statusOf(magicLink.tokenRef)).toBe('CONFIRMED');
      expect(await mailsNow(fixture, stranger)).toEqual([]);
    });

    it('who asserts a passkey', async () => {
      const [mpxn, own, theirs] = [newMpxn(), authenticator(), authenticator()];
      await enrolled(fixture, owner, own, mpxn);
      await intruder(mpxn, { email: newEmail('stranger'), passkey: theirs });
      const { tokenRef, secret } = await started(fixture, other, { mpxn, ...ASSERT });
      expect((await asserted(fixture, secret, theirs)).codes).toEqual(['AUT001']);
      expect(await statusOf(tokenRef)).toBe('PENDING');
      valueOf(await asserted(fixture, secret, own));
      expect(await statusOf(tokenRef)).toBe('CONFIRMED');
    });

    it('who adds a passkey', async () => {
      const [mpxn, theirs] = [newMpxn(), authenticator()];
      await fixture.newRecord(owner, { email: newEmail('verified') }, { mpxn });
      await intruder(mpxn, { email: newEmail('stranger'), passkey: theirs });
      const { secret } = await started(fixture, other, { mpxn, ...ADD });
      expect(valueOf(await fixture.execute(CEREMONY, { secret })).proofs).toEqual(['MAIL']);
      await expect(asserted(fixture, secret, theirs)).rejects.toThrow('REI001');
    });

    it('if the verified record does not support the method: the request is rejected', async () => {
      const mpxn = newMpxn();
      await fixture.newRecord(owner, { email: null }, { mpxn });
      await intruder(mpxn, { email: newEmail('stranger'), passkey: authenticator() });
      for (const method of [{ method: 'MAGIC_LINK' }, ASSERT, ADD]) {
        expect((await fixture.execute(REIDENTIFY, { input: { mpxn, ...method } }, { caller: other })).codes).toEqual([
          'REI001',
        ]);
      }
    });
  });

  describe('Without a verified record', () => {
    it('the newest record that supports the method confirms', async () => {
      const [mpxn, own] = [newMpxn(), authenticator()];
      const older = newEmail('older');
      await fixture.newRecord(owner, { email: older, principalVerification: null }, { mpxn });
      await intruder(mpxn, { email: newEmail('newer'), passkey: own });
      const { tokenRef, secret } = await started(fixture, other, { mpxn, ...ASSERT });
      valueOf(await asserted(fixture, secret, own));
      expect(await statusOf(tokenRef)).toBe('CONFIRMED');
      const input = { mpxn, method: 'MAGIC_LINK' };
      const { magicLink } = valueOf(await fixture.execute(REIDENTIFY, { input }, { caller: other }));
      expect(magicLink.dispatchedTo).toBe('n***@c***.example');
    });
  });

  describe('Records that the previous release stored', () => {
    it('are counted as verified or not, although an older one cannot be decrypted, which is logged', async () => {
      const plain = { email: null, principalVerification: null };
      const irs: string[] = [];
      for (const change of [{ email: null }, { email: null }, plain])
        irs.push(await fixture.newRecord(owner, change, { mpxn: newMpxn() }));
      const [damaged = '', ...intact] = irs;
      await fixture.damageDataKey(damaged);
      await fixture.owner.query(`begin; set local session_replication_role = replica;
        update identity.identity_record set is_verified = null where ref in ('${irs.join("', '")}'); commit`);
      await fixture.addReplica();
      const settled =
        'select is_verified from identity.identity_record where ref = any($1) and is_verified is not null order by is_verified';
      const verified = await until(async () => {
        const { rows } = await fixture.owner.query<{ is_verified: boolean }>(settled, [irs]);
        return rows.length === intact.length ? rows.map((row) => row.is_verified) : undefined;
      });
      expect(verified).toEqual([false, true]);
      const { rows } = await fixture.owner.query('select id from identity.identity_record where ref = $1', [damaged]);
      await until(() => fixture.log().includes(`"ids":["${rows[0].id}"]`) || undefined);
    });
  });
}
