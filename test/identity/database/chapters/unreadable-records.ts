import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { EXISTS, REIDENTIFY, RETURN_URL, STATUS, started, valueOf } from '../../../support/ceremonies';
import { ContestFixture } from '../../../support/contest-fixture';
import {
  consentOf,
  consentingDataUser,
  registerConsent,
  sendConsent,
  shownConsents,
} from '../../../support/legacy-consents';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';
import { SESSION, asCustomer, scopeOf } from '../../../support/sign-in-operations';

/** Homes where an Identity Record cannot be decrypted, because its data key is damaged. */
export function unreadableRecords(): void {
  let fixture: SignInFixture;
  let people: ContestFixture;
  let honest: Caller;
  let other: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    [honest, other] = [await fixture.dataUser(RETURN_URL), await fixture.dataUser(RETURN_URL)];
  });

  const reidentified = (mpxn: string, by: Caller) =>
    fixture.execute(REIDENTIFY, { input: { mpxn, method: 'MAGIC_LINK' } }, { caller: by });

  describe('At a home where the record of a verified customer cannot be decrypted', () => {
    let mpxn: string;
    let email: string;
    let damaged: string;
    let open: string;
    beforeEach(async () => {
      [mpxn, email] = [newMpxn(), people.newEmail('readable')];
      await people.customer(honest, mpxn, email, 'own');
      damaged = await people.customer(other, mpxn, people.newEmail('damaged'), 'of the damaged record');
      open = await people.signedIn(email);
      await fixture.damageDataKey(damaged);
    });

    it('another customer signs in, and reads the own access only, as do open sessions', async () => {
      for (const token of [open, await people.signedIn(email)]) {
        expect(await scopeOf(fixture, token)).toMatchObject({ isCurrent: true, isContested: true });
        expect(await people.seen(token)).toEqual(['own']);
        expect(await people.contacts(token)).toMatchObject([{ standing: 'OWN' }]);
      }
    });

    it('Data Users register records; contacts stay contested until the damaged record is anonymised', async () => {
      await people.customer(honest, mpxn, email, 'second');
      expect(await people.seen(open)).toEqual(['own', 'second']);
      const anonymise = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { anonymisedAt } }';
      expect((await fixture.execute(anonymise, { ref: damaged }, { caller: other })).codes).toEqual(['CNF003']);
      expect(await scopeOf(fixture, open)).toMatchObject({ isContested: true });
    });

    it('a re-identification by meter point is rejected as while contacts are contested', async () => {
      expect(valueOf(await fixture.execute(EXISTS, { mpxn }, { caller: honest }))).toEqual({
        exists: true,
        availableMethods: ['PASSKEY_REGISTER'],
      });
      expect((await reidentified(mpxn, honest)).codes).toEqual(['REI001']);
    });

    it('a customer signs in at the supplier and reads nothing of others', async () => {
      const token = await people.suppliedToken(mpxn);
      expect(await scopeOf(fixture, token)).toMatchObject({ isContested: true });
      expect(await people.seen(token)).toEqual([]);
    });
  });

  it('A session and a re-identification of a record end when it cannot be decrypted any more', async () => {
    const [mpxn, email] = [newMpxn(), people.newEmail('damaged')];
    const ir = await people.customer(honest, mpxn, email, 'own');
    const token = await people.signedIn(email);
    const { tokenRef } = await started(fixture, other, { mpxn, method: 'MAGIC_LINK' });
    await fixture.damageDataKey(ir);
    expect((await fixture.execute(SESSION, {}, asCustomer(token))).codes).toEqual(['AUT001']);
    expect(valueOf(await fixture.execute(STATUS, { token: tokenRef }, { caller: other })).status).toBe('EXPIRED');
  });

  it('The only verified record of a home gives way neither to an unverified one nor to a sign-in at the supplier', async () => {
    const mpxn = newMpxn();
    const ir = await fixture.newRecord(honest, { email: people.newEmail('damaged') }, { mpxn });
    await fixture.newRecord(other, { email: people.newEmail('planted'), principalVerification: null }, { mpxn });
    await fixture.damageDataKey(ir);
    expect((await reidentified(mpxn, other)).codes).toEqual(['REI001']);
    expect((await people.supplied(mpxn)).codes).toEqual(['AUT001']);
  });

  it('A record that cannot be decrypted counts against the limit of its Data User', async () => {
    const mpxn = newMpxn();
    const register = () => fixture.newRecord(honest, { email: null }, { mpxn });
    await fixture.damageDataKey(await register());
    for (let n = 1; n < 5; n++) await register();
    await expect(register()).rejects.toThrow(/^CNF003$/);
  });

  it('A consent of Interface B whose record cannot be decrypted is shown without address, and can be updated', async () => {
    const [mpxn, caller] = [newMpxn(), await consentingDataUser(fixture)];
    const ck = await registerConsent(fixture, caller, consentOf(caller, mpxn));
    const { rows } = await fixture.owner.query('select ref from identity.identity_record where duid = $1', [
      caller.duid,
    ]);
    await fixture.damageDataKey(rows[0].ref);
    const addresses = async () =>
      (await shownConsents(fixture, caller, mpxn)).map(
        ({ evidence }: { evidence: { address: { postcode: string } | null } }) => evidence.address?.postcode ?? null,
      );
    expect(await addresses()).toEqual([null]);
    expect((await sendConsent(fixture, caller, consentOf(caller, mpxn), { ck, key: 'repaired' })).codes).toEqual([]);
    expect(await addresses()).toEqual([expect.any(String)]);
  });
}
