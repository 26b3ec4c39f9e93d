import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  CEREMONY,
  CONFIRM_LINK,
  MAIL_PROOF,
  OPTIONS,
  OWN_STATUS,
  READ,
  REMOVE,
  RETURN_URL,
  asserted,
  finish,
  lastPart,
  mailedSecret,
  optionsOf,
  registered,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { ContestFixture, METER_POINT } from '../../../support/contest-fixture';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';
import { mailsNow } from '../../../support/sign-in-mails';

/** Re-identifications by a contact that the customer rejects before or after its proof. */
export function rejectedProofs(): void {
  const ADD = { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL };
  let fixture: SignInFixture;
  let people: ContestFixture;
  let owner: Caller;
  let other: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    [owner, other] = [await fixture.dataUser(RETURN_URL), await fixture.dataUser(RETURN_URL)];
  });

  const authenticator = () => new SoftwareAuthenticator({ origin: new URL(fixture.urls.portalUrl).origin });
  const passkeysOf = async (ref: string) =>
    valueOf(await fixture.execute(READ, { ref }, { caller: owner })).credentials.length as number;

  /** A record with the passkey of its customer and a mistyped address, and a session of the customer at the supplier. */
  async function mistyped() {
    const [mpxn, email, own] = [newMpxn(), people.newEmail('mistyped'), authenticator()];
    const change = { email, initiatePasskeyRegistration: true, passkeyReturnUrl: RETURN_URL };
    const { ir, redirect } = await fixture.newEnrolment(owner, change, { mpxn });
    valueOf(await registered(fixture, lastPart(redirect), own));
    await fixture.newRecord(other, { email: people.newEmail('resident') }, { mpxn });
    const token = await people.suppliedToken(mpxn);
    const { id } = (await people.contacts(token)).find(({ shown }) => shown?.startsWith('m')) ?? {};
    return { mpxn, email, own, ref: ir, reject: async () => valueOf(await people.judge(token, id ?? '', 'REJECTED')) };
  }

  /** The secret with which the holder of an address continues after its proof. */
  async function provenSecret(ref: string, email: string): Promise<string> {
    const { secret } = await started(fixture, owner, ADD, ref);
    valueOf(await fixture.execute(MAIL_PROOF, { secret, language: 'EN' }));
    await fixture.jobsDone();
    return valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) })).nextSecret;
  }

  describe('An address that the customer rejects after a ceremony was started', () => {
    it('is no longer offered for a proof, and receives no link', async () => {
      const { ref, email, reject } = await mistyped();
      const { secret } = await started(fixture, owner, ADD, ref);
      const proofs = async () => valueOf(await fixture.execute(CEREMONY, { secret })).proofs;
      expect(await proofs()).toEqual(['PASSKEY', 'MAIL']);
      await reject();
      await fixture.jobsDone();
      const before = (await mailsNow(fixture, email)).length;
      expect(await proofs()).toEqual(['PASSKEY']);
      expect((await fixture.execute(MAIL_PROOF, { secret, language: 'EN' })).codes).toEqual(['REI001']);
      await fixture.jobsDone();
      expect(await mailsNow(fixture, email)).toHaveLength(before);
    });
  });

  describe('A passkey that its Data User removes after a ceremony was started', () => {
    it('is no longer offered for a proof', async () => {
      const { ref } = await mistyped();
      const { secret } = await started(fixture, owner, ADD, ref);
      const proofs = async () => valueOf(await fixture.execute(CEREMONY, { secret })).proofs;
      expect(await proofs()).toEqual(['PASSKEY', 'MAIL']);
      const { credentials } = valueOf(await fixture.execute(READ, { ref }, { caller: owner }));
      valueOf(await fixture.execute(REMOVE, { ref, id: credentials[0].credentialId }, { caller: owner }));
      expect(await proofs()).toEqual(['MAIL']);
    });
  });

  describe('An address that the customer rejects after it was proven in a ceremony', () => {
    it('adds no passkey', async () => {
      const { ref, email, reject } = await mistyped();
      const secret = await provenSecret(ref, email);
      const response = authenticator().create(await optionsOf(fixture, secret));
      await reject();
      expect((await finish(fixture, secret, response)).codes).toEqual(['NTF001']);
      expect((await fixture.execute(OPTIONS, { secret })).codes).toEqual(['NTF001']);
      expect(await passkeysOf(ref)).toBe(1);
    });

    it('adds no passkey if the rejection is committed while the ceremony waits for the lock of the meter point', async () => {
      const { ref, email, reject } = await mistyped();
      const secret = await provenSecret(ref, email);
      const response = authenticator().create(await optionsOf(fixture, secret));
      const lock = await people.holding(METER_POINT, [ref]);
      const rejected = reject();
      await lock.isWaitedFor();
      const finished = finish(fixture, secret, response);
      await lock.isWaitedFor(2);
      await lock.release();
      await rejected;
      expect((await finished).codes).toEqual(['NTF001']);
      expect(await passkeysOf(ref)).toBe(1);
    });

    it('leaves no valid token that it confirmed, and those that another contact confirmed', async () => {
      const { ref, email, own, reject } = await mistyped();
      const statusOf = async (token: string) =>
        valueOf(await fixture.execute(OWN_STATUS, { ref, token }, { caller: owner })).status;
      const byLink = await started(fixture, owner, { method: 'MAGIC_LINK' }, ref);
      await fixture.jobsDone();
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }));
      const byPasskey = await started(fixture, owner, { method: 'PASSKEY_ASSERT', passkeyReturnUrl: RETURN_URL }, ref);
      valueOf(await asserted(fixture, byPasskey.secret, own));
      expect([await statusOf(byLink.tokenRef), await statusOf(byPasskey.tokenRef)]).toEqual(['CONFIRMED', 'CONFIRMED']);
      await reject();
      expect([await statusOf(byLink.tokenRef), await statusOf(byPasskey.tokenRef)]).toEqual(['EXPIRED', 'CONFIRMED']);
    });
  });
}
