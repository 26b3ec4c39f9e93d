import type { Caller } from '../../../../subgraphs/server/callers/caller';
import {
  AS_ACCESS,
  CONFIRM_LINK,
  PROOF,
  RETURN_URL,
  STATUS,
  asserted,
  mailedSecret,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { ContestFixture } from '../../../support/contest-fixture';
import { ASSERT } from '../../../support/passkey-fixture';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';
import { scopeOf } from '../../../support/sign-in-operations';

/** Access that is linked to a closed Identity Record: one that waits to be anonymised until the access of another Data User ends. */
export function closedRecords(): void {
  const ANONYMISE = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { anonymisedAt } }';
  let fixture: SignInFixture;
  let people: ContestFixture;
  let honest: Caller;
  let linked: Caller;
  let attacker: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    [honest, linked, attacker] = [
      await fixture.dataUser(RETURN_URL),
      await fixture.dataUser(ASSERT.passkeyReturnUrl),
      await fixture.dataUser('https://larkhill.example/back'),
    ];
  });

  /** A customer with a consent of another Data User, linked by a confirmed re-identification to a record that can be closed. */
  async function linkedCustomer() {
    const [mpxn, email] = [newMpxn(), people.newEmail('linked')];
    const ref = await fixture.newRecord(honest, { email }, { mpxn });
    const { tokenRef } = await started(fixture, linked, { mpxn, method: 'MAGIC_LINK' });
    valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }));
    await people.consent(linked, { reidentificationToken: tokenRef }, 'by token');
    const close = async () =>
      expect(valueOf(await fixture.execute(ANONYMISE, { ref }, { caller: honest })).anonymisedAt).toBeNull();
    return { mpxn, email, ref, close };
  }

  describe('A repeated request to anonymise a closed record', () => {
    it('does not wait for a change of its access records that have ended', async () => {
      const { email, ref, close } = await linkedCustomer();
      await people.consent(honest, ref, 'own');
      const token = await people.signedIn(email);
      valueOf(await people.withdraw(token, await people.idOf(token, 'own')));
      await close();
      const ended = `select from access.access_record where revoked_at is not null
        and identity_record_id = (select id from identity.identity_record where ref = $1)`;
      expect((await fixture.owner.query(ended, [ref])).rowCount).toBe(1);
      const lock = await people.holding(`${ended} for update`, [ref]);
      await close().finally(() => lock.release());
    });
  });

  describe('A re-identification by meter point', () => {
    it('reads expired once its Identity Record is closed, whether the customer had confirmed it or not', async () => {
      const { mpxn, email, close } = await linkedCustomer();
      const confirmed = await started(fixture, linked, { mpxn, method: 'MAGIC_LINK' });
      const secret = await mailedSecret(fixture, email, 2);
      valueOf(await fixture.execute(CONFIRM_LINK, { secret }));
      const pending = await started(fixture, linked, { mpxn, method: 'MAGIC_LINK' });
      const statuses = async () => {
        const read = [confirmed, pending].map(({ tokenRef }) =>
          fixture.execute(STATUS, { token: tokenRef }, { caller: linked }),
        );
        return (await Promise.all(read)).map((response) => String(valueOf(response).status));
      };
      expect(await statuses()).toEqual(['CONFIRMED', 'PENDING']);
      await close();
      expect(await statuses()).toEqual(['EXPIRED', 'EXPIRED']);
    });
  });

  describe('Access that is linked to a closed record', () => {
    it('remains that of its address only, not of a passkey that another Data User put into a record with the address', async () => {
      const { mpxn, email, close } = await linkedCustomer();
      const passkey = await people.passkeyHolder(attacker, mpxn, email);
      const planted = await people.signedInByPasskey(passkey);
      expect(await people.seen(planted)).toEqual(['of the passkey']);
      await close();
      const { secret, tokenRef } = await started(fixture, linked, { mpxn, ...ASSERT });
      valueOf(await asserted(fixture, secret, passkey));
      const proof = valueOf(await fixture.execute(PROOF, { token: tokenRef }, AS_ACCESS));
      expect(proof).toMatchObject({ status: 'CONFIRMED', ownRecordIds: [proof.identityRecordId] });
      const own = await people.signedIn(email);
      await fixture.tenancyChanged(mpxn, '2024-05-01');
      expect(await people.seen(planted)).toEqual(['of the passkey']);
      expect(await people.seen(own)).toEqual(['by token', 'of the passkey']);
    });

    it('is not shown to a newcomer, although a customer had confirmed the address of the closed record as well', async () => {
      const { mpxn, close } = await linkedCustomer();
      const [moved, email] = [{ moveInDate: '2024-05-01' }, people.newEmail('newcomer')];
      await people.customer(honest, mpxn, email, 'own', moved);
      const former = await people.suppliedToken(mpxn);
      const shown = (await people.contacts(former)).find((contact) => contact.shown.startsWith('l'));
      valueOf(await people.judge(former, String(shown?.id), 'CONFIRMED'));
      await close();
      await people.customer(linked, mpxn, people.newEmail('another'), 'another', moved);
      const present = await people.suppliedToken(mpxn);
      for (const { id } of await people.contacts(present)) valueOf(await people.judge(present, id, 'CONFIRMED'));
      await people.customer(attacker, mpxn, people.newEmail('stranger'), 'of the stranger', moved);
      for (const token of [present, await people.signedIn(email)]) {
        expect(await people.seen(token)).toEqual(['another', 'own']);
        expect((await scopeOf(fixture, token)).since).toBe('2024-05-01');
      }
    });
  });
}
