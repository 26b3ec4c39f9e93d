import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import { REMOVE, asserted, lastPart, registered, started, valueOf } from '../../../support/ceremonies';
import { ContestFixture, PROVE_BY_LINK, PROVE_BY_PASSKEY } from '../../../support/contest-fixture';
import { ASSERT } from '../../../support/passkey-fixture';
import { asCustomer, scopeOf } from '../../../support/sign-in-operations';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';

/** Two addresses that the customer connected by a passkey, after the register no longer has the passkey. */
export function keptConnections(): void {
  const ANONYMISE = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { anonymisedAt } }';
  const RETURN_URL = ASSERT.passkeyReturnUrl;
  let fixture: SignInFixture;
  let people: ContestFixture;
  let first: Caller;
  let second: Caller;
  let ofPasskey: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    [first, second, ofPasskey] = [
      await fixture.dataUser(RETURN_URL),
      await fixture.dataUser(RETURN_URL),
      await fixture.dataUser(RETURN_URL),
    ];
  });

  /** A home with two addresses and a passkey of three Data Users; the customer proved each address together with the passkey. */
  async function connected() {
    const [mpxn, email, another] = [newMpxn(), people.newEmail('one'), people.newEmail('same')];
    await people.customer(first, mpxn, email, 'own');
    await people.customer(second, mpxn, another, 'another');
    const enrolment = { email: null, initiatePasskeyRegistration: true, passkeyReturnUrl: RETURN_URL };
    const { ir, redirect } = await fixture.newEnrolment(ofPasskey, enrolment, { mpxn });
    const passkey = new SoftwareAuthenticator({ origin: new URL(fixture.places.portalUrl).origin });
    valueOf(await registered(fixture, lastPart(redirect), passkey));
    const token = await people.signedIn(email);
    valueOf(await fixture.execute(PROVE_BY_PASSKEY, await people.assertion(passkey), asCustomer(token)));
    const byPasskey = await people.signedInByPasskey(passkey);
    const secret = await people.mailedProof(byPasskey, another);
    valueOf(await fixture.execute(PROVE_BY_LINK, { secret }, asCustomer(byPasskey)));
    expect(await scopeOf(fixture, token)).toMatchObject({ isContested: false });
    const remove = async () => {
      const { rows } = await fixture.owner.query(
        `select p.id from identity.passkey p join identity.identity_record r on r.id = p.record_id where r.ref = $1`,
        [ir],
      );
      valueOf(await fixture.execute(REMOVE, { ref: ir, id: rows[0].id }, { caller: ofPasskey }));
    };
    const anonymise = async () =>
      valueOf(await fixture.execute(ANONYMISE, { ref: ir }, { caller: ofPasskey })).anonymisedAt as unknown;
    return { mpxn, email, token, passkey, remove, anonymise };
  }

  describe('Two addresses that were proven by one passkey stay connected', () => {
    it('after the Data User has removed the passkey', async () => {
      const { token, remove } = await connected();
      await remove();
      expect(await people.seen(token)).toEqual(['another', 'own']);
      expect(await people.contacts(token)).toMatchObject([{ standing: 'OWN' }, { standing: 'OWN' }]);
    });

    it('after the Identity Record with the passkey was anonymised', async () => {
      const { token, anonymise } = await connected();
      expect(await anonymise()).not.toBeNull();
      expect(await people.seen(token)).toEqual(['another', 'own']);
    });

    it('after that record was closed, because another Data User has access', async () => {
      const { mpxn, token, passkey, anonymise } = await connected();
      const { secret, tokenRef } = await started(fixture, second, { mpxn, ...ASSERT });
      valueOf(await asserted(fixture, secret, passkey));
      await people.consent(second, { reidentificationToken: tokenRef }, 'by token');
      expect(await anonymise()).toBeNull();
      expect(await people.seen(token)).toEqual(['another', 'by token', 'own']);
    });

    it('but not if a customer signed in at the supplier had rejected the passkey', async () => {
      const { mpxn, email, token, remove } = await connected();
      await people.customer(second, mpxn, people.newEmail('stranger'), 'planted');
      const supplied = await people.suppliedToken(mpxn);
      const rejected = (await people.contacts(supplied)).find(({ kind }) => kind === 'PASSKEY')?.id as string;
      valueOf(await people.judge(supplied, rejected, 'REJECTED'));
      await remove();
      expect(await people.seen(token)).toEqual(['own']);
      expect(await scopeOf(fixture, await people.signedIn(email))).toMatchObject({ isContested: true });
    });
  });
}
