import type { QueryRunner } from 'typeorm';
import { RemovedPasskeys1790000000017 } from '../../../../subgraphs/identity/migrations/0017-removed-passkeys';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  REMOVE,
  asserted,
  finish,
  lastPart,
  optionsOf,
  registered,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { ContestFixture, PROVE_BY_LINK, PROVE_BY_PASSKEY } from '../../../support/contest-fixture';
import { ASSERT } from '../../../support/passkey-fixture';
import { SIGN_IN_WITH_PASSKEY, asCustomer, scopeOf } from '../../../support/sign-in-operations';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';

type Shown = Awaited<ReturnType<ContestFixture['contacts']>>[number];

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

  /** A home with two addresses and a passkey of three Data Users, which nothing connects yet. */
  async function unconnected(principal: object = {}) {
    const [mpxn, email, another] = [newMpxn(), people.newEmail('one'), people.newEmail('same')];
    await people.customer(first, mpxn, email, 'own', principal);
    await people.customer(second, mpxn, another, 'another', principal);
    const enrolment = { email: null, initiatePasskeyRegistration: true, passkeyReturnUrl: RETURN_URL };
    const { ir, redirect } = await fixture.newEnrolment(ofPasskey, enrolment, { mpxn, ...principal });
    const passkey = new SoftwareAuthenticator({ origin: new URL(fixture.urls.portalUrl).origin });
    valueOf(await registered(fixture, lastPart(redirect), passkey));
    const provePasskey = async () =>
      valueOf(
        await fixture.execute(
          PROVE_BY_PASSKEY,
          await people.assertion(passkey),
          asCustomer(await people.signedIn(email)),
        ),
      );
    const proveAnother = async () => {
      const byPasskey = await people.signedInByPasskey(passkey);
      const secret = await people.mailedProof(byPasskey, another);
      valueOf(await fixture.execute(PROVE_BY_LINK, { secret }, asCustomer(byPasskey)));
    };
    const remove = async () => {
      const { rows } = await fixture.owner.query(
        `select p.id from identity.passkey p join identity.identity_record r on r.id = p.record_id where r.ref = $1`,
        [ir],
      );
      valueOf(await fixture.execute(REMOVE, { ref: ir, id: rows[0].id }, { caller: ofPasskey }));
    };
    return { mpxn, email, another, ir, passkey, provePasskey, proveAnother, remove };
  }

  /** A home with two addresses and a passkey; the customer proved each address together with the passkey. */
  async function connected() {
    const home = await unconnected();
    await home.provePasskey();
    await home.proveAnother();
    const token = await people.signedIn(home.email);
    expect(await scopeOf(fixture, token)).toMatchObject({ isContested: false });
    return { ...home, token, anonymise: () => anonymised(ofPasskey, home.ir) };
  }

  const anonymised = async (caller: Caller, ref: string) =>
    valueOf(await fixture.execute(ANONYMISE, { ref }, { caller })).anonymisedAt as unknown;

  /** A customer signed in at the supplier judges the contacts that match. */
  async function judge(mpxn: string, verdict: 'CONFIRMED' | 'REJECTED', matches: (contact: Shown) => boolean) {
    const { token, mpid } = await people.supplied(mpxn);
    const contacts = (await people.contacts(token)).filter(matches);
    expect(contacts).not.toEqual([]);
    for (const { id } of contacts) valueOf(await people.judge(token, id, verdict));
    return { mpid };
  }
  const isPasskey = ({ kind }: Shown) => kind === 'PASSKEY';

  describe('The verdict of a malicious supplier', () => {
    it('is deleted by docs/operations.md although the oldest Identity Record with the contact was anonymised since', async () => {
      const [mpxn, email] = [newMpxn(), people.newEmail('supplied')];
      const oldest = await fixture.newRecord(ofPasskey, { email }, { mpxn });
      await fixture.newRecord(ofPasskey, { email }, { mpxn });
      await people.customer(second, mpxn, people.newEmail('planted'), 'planted');
      const { mpid } = await judge(mpxn, 'REJECTED', ({ shown }) => shown.startsWith('s'));
      expect(await anonymised(ofPasskey, oldest)).not.toBeNull();
      await people.actOnMaliciousSupplier(mpid);
      expect(await scopeOf(fixture, await people.signedIn(email))).toMatchObject({ isContested: true });
    });

    it('of the previous release is deleted by docs/operations.md, too', async () => {
      const [mpxn, email] = [newMpxn(), people.newEmail('supplied')];
      const ir = await fixture.newRecord(ofPasskey, { email }, { mpxn });
      await people.customer(second, mpxn, people.newEmail('planted'), 'planted');
      const { mpid } = await judge(mpxn, 'REJECTED', ({ shown }) => shown.startsWith('s'));
      const stored = `update identity.contact_verdict set mpid = null
        where mpxn_index = (select mpxn_index from identity.identity_record where ref = $1)`;
      expect((await fixture.owner.query(stored, [ir])).rowCount).toBe(1);
      await people.actOnMaliciousSupplier(mpid);
      expect(await scopeOf(fixture, await people.signedIn(email))).toMatchObject({ isContested: true });
    });
  });

  describe('Two addresses that were proven by one passkey stay connected', () => {
    it('after the Data User has removed the passkey', async () => {
      const { token, remove } = await connected();
      await remove();
      expect(await people.seen(token)).toEqual(['another', 'own']);
      expect(await people.contacts(token)).toMatchObject([{ standing: 'OWN' }, { standing: 'OWN' }]);
      expect(await scopeOf(fixture, token)).toMatchObject({ isContested: false });
    });

    it('after the Identity Record with the passkey was anonymised', async () => {
      const { token, anonymise } = await connected();
      expect(await anonymise()).not.toBeNull();
      expect(await people.seen(token)).toEqual(['another', 'own']);
    });

    it('and the Identity Record with the passkey is anonymised even if another of the home cannot be decrypted', async () => {
      const { mpxn, anonymise } = await connected();
      const damaged = await people.customer(second, mpxn, people.newEmail('damaged'), 'damaged');
      await fixture.damageDataKey(damaged);
      expect(await anonymise()).not.toBeNull();
    });

    it('after that record was closed, because another Data User has access, which remains theirs while contacts are contested', async () => {
      const { mpxn, token, passkey, anonymise } = await connected();
      const { secret, tokenRef } = await started(fixture, second, { mpxn, ...ASSERT });
      valueOf(await asserted(fixture, secret, passkey));
      await people.consent(second, { reidentificationToken: tokenRef }, 'by token');
      expect(await anonymise()).toBeNull();
      expect(await people.seen(token)).toEqual(['another', 'by token', 'own']);
      await people.customer(second, mpxn, people.newEmail('stranger'), 'of the stranger');
      expect(await scopeOf(fixture, token)).toMatchObject({ isContested: true });
      expect(await people.seen(token)).toEqual(['another', 'by token', 'own']);
    });

    it('also if a customer signed in at the supplier confirmed the passkey and one of the addresses', async () => {
      const { mpxn, email, provePasskey, remove } = await unconnected();
      await judge(mpxn, 'CONFIRMED', (contact) => isPasskey(contact) || contact.shown.startsWith('s'));
      await provePasskey();
      await remove();
      expect(await people.seen(await people.signedIn(email))).toEqual(['another', 'own']);
    });

    it('until an operator deletes the verdict of a malicious supplier that confirmed the passkey', async () => {
      const { mpxn, email, provePasskey, remove } = await unconnected();
      await provePasskey();
      const { mpid } = await judge(mpxn, 'CONFIRMED', (contact) => isPasskey(contact) || contact.shown.startsWith('s'));
      await remove();
      expect(await people.seen(await people.signedIn(email))).toEqual(['another', 'own']);
      await people.actOnMaliciousSupplier(mpid);
      expect(await people.seen(await people.signedIn(email))).toEqual(['own']);
    });

    it('not if the passkey is that of another Identity Record than the request names, which removes nothing', async () => {
      const { mpxn, ir, token } = await connected();
      const other = await fixture.newRecord(ofPasskey, {}, { mpxn });
      const credentials =
        'select id from identity.passkey where record_id = (select id from identity.identity_record where ref = $1)';
      const { rows } = await fixture.owner.query(credentials, [ir]);
      const removed = await fixture.execute(REMOVE, { ref: other, id: rows[0].id }, { caller: ofPasskey });
      expect(removed.codes).toEqual(['NTF001']);
      await people.customer(second, mpxn, people.newEmail('stranger'), 'planted');
      await judge(mpxn, 'REJECTED', isPasskey);
      expect(await people.seen(token)).toEqual(['own']);
    });

    it('also if a Change of Tenancy of an earlier day was recorded between the proofs', async () => {
      const { mpxn, email, provePasskey, proveAnother, remove } = await unconnected({ moveInDate: '2024-05-03' });
      await provePasskey();
      await fixture.tenancyChanged(mpxn, '2024-05-01');
      await proveAnother();
      await remove();
      expect(await people.seen(await people.signedIn(email))).toEqual(['another', 'own']);
    });

    it('also if the customer confirmed the passkey after a rejection, and such a change was recorded between both', async () => {
      const { mpxn, email, provePasskey, proveAnother, remove } = await unconnected({ moveInDate: '2024-05-03' });
      await judge(mpxn, 'REJECTED', isPasskey);
      await fixture.tenancyChanged(mpxn, '2024-05-01');
      await judge(mpxn, 'CONFIRMED', isPasskey);
      await provePasskey();
      await proveAnother();
      await remove();
      expect(await people.seen(await people.signedIn(email))).toEqual(['another', 'own']);
    });

    it('but not if a customer signed in at the supplier had rejected the passkey', async () => {
      const { mpxn, email, token, remove } = await connected();
      await people.customer(second, mpxn, people.newEmail('stranger'), 'planted');
      await judge(mpxn, 'REJECTED', isPasskey);
      await remove();
      expect(await people.seen(token)).toEqual(['own']);
      expect(await scopeOf(fixture, await people.signedIn(email))).toMatchObject({ isContested: true });
    });
  });

  describe('The id of a removed passkey, registered again with the key of a thief in another Identity Record of the home,', () => {
    /** The Data User of the passkey removes it and vouches for a passkey with its id in a new record; returns the authenticator of that. */
    async function registeredAgain({ mpxn, passkey, remove }: Awaited<ReturnType<typeof unconnected>>) {
      await remove();
      const enrolment = { email: null, initiatePasskeyRegistration: true, passkeyReturnUrl: RETURN_URL };
      const { redirect } = await fixture.newEnrolment(ofPasskey, enrolment, { mpxn });
      const thief = new SoftwareAuthenticator({ origin: new URL(fixture.urls.portalUrl).origin });
      const secret = lastPart(redirect);
      const response = thief.create(await optionsOf(fixture, secret), {}, passkey.passkeys[0]?.id);
      valueOf(await finish(fixture, secret, response));
      return thief;
    }

    it('is a new contact, which no former proof connects', async () => {
      const home = await connected();
      const thief = await people.signedInByPasskey(await registeredAgain(home));
      expect(await scopeOf(fixture, thief)).toMatchObject({ isContested: true });
      expect(await people.seen(thief)).toEqual([]);
      expect(await people.seen(home.token)).toEqual(['another', 'own']);
    });

    it('is a new contact also if an earlier release removed the passkey and kept its proofs, which the migration deletes', async () => {
      const home = await connected();
      const stale = 'create temp table stale_proof as select * from identity.contact_proof';
      await fixture.owner.query(stale);
      const remove = async () => {
        await home.remove();
        await fixture.owner.query(
          'insert into identity.contact_proof select * from stale_proof on conflict do nothing; drop table stale_proof',
        );
        await fixture.owner.query('begin');
        const query = (sql: string) => fixture.owner.query(sql);
        await new RemovedPasskeys1790000000017().up({ query } as unknown as QueryRunner);
        await fixture.owner.query('commit');
      };
      const thief = await people.signedInByPasskey(await registeredAgain({ ...home, remove }));
      expect(await people.seen(thief)).toEqual([]);
      expect(await people.seen(home.token)).toEqual(['another', 'own']);
    });

    it('is not confirmed, although the customer had confirmed the removed passkey', async () => {
      const home = await unconnected();
      await judge(home.mpxn, 'CONFIRMED', () => true);
      const thief = await people.signedInByPasskey(await registeredAgain(home));
      expect(await scopeOf(fixture, thief)).toMatchObject({ isContested: true });
      expect(await people.seen(thief)).toEqual([]);
    });

    it('is reported as a new contest', async () => {
      const home = await unconnected();
      const before = await people.notices(home.email);
      await registeredAgain(home);
      expect(await people.notices(home.email)).toHaveLength(before.length + 1);
    });

    it.each([
      ['', async () => {}],
      [
        ', also after another record of the home was anonymised',
        async (mpxn: string) => {
          const other = await fixture.newRecord(ofPasskey, { email: null, principalVerification: null }, { mpxn });
          expect(await anonymised(ofPasskey, other)).not.toBeNull();
        },
      ],
    ])('stays rejected if the customer had rejected it%s', async (_, meanwhile) => {
      const home = await unconnected();
      await judge(home.mpxn, 'REJECTED', isPasskey);
      await home.remove();
      await meanwhile(home.mpxn);
      const thief = await registeredAgain({ ...home, remove: async () => {} });
      const signIn = await fixture.execute(SIGN_IN_WITH_PASSKEY, { ...(await people.assertion(thief)), entry: null });
      expect(signIn.codes).toEqual(['AUT001']);
    });
  });

  describe('Two addresses that were proven by an address of two Identity Records', () => {
    /** A home with an address that is in the records `ir` and `remaining` of two Data Users, and connects two others. */
    async function sharing() {
      const [mpxn, email, shared] = [newMpxn(), people.newEmail('one'), people.newEmail('household')];
      await people.customer(first, mpxn, email, 'own');
      const ir = await fixture.newRecord(ofPasskey, { email: shared }, { mpxn });
      const remaining = await fixture.newRecord(second, { email: shared }, { mpxn });
      await proven(email, shared);
      const another = people.newEmail('same');
      await people.customer(second, mpxn, another, 'another');
      await proven(shared, another);
      return { mpxn, email, ir, remaining };
    }

    /** The customer proves an address in a session of another. */
    async function proven(by: string, address: string) {
      const token = await people.signedIn(by);
      const secret = await people.mailedProof(token, address);
      valueOf(await fixture.execute(PROVE_BY_LINK, { secret }, asCustomer(token)));
    }

    it('stay connected after both records were anonymised', async () => {
      const { email, ir, remaining } = await sharing();
      await anonymised(ofPasskey, ir);
      await anonymised(second, remaining);
      expect(await people.seen(await people.signedIn(email))).toEqual(['another', 'own']);
    });

    it('are contested after one record was anonymised and the address is rejected in the other', async () => {
      const { mpxn, email, ir } = await sharing();
      await anonymised(ofPasskey, ir);
      expect(await people.seen(await people.signedIn(email))).toEqual(['another', 'own']);
      await people.customer(ofPasskey, mpxn, people.newEmail('planted'), 'planted');
      await judge(mpxn, 'REJECTED', ({ shown }) => /^[hp]/.test(shown));
      const token = await people.signedIn(email);
      expect(await people.seen(token)).toEqual(['own']);
      expect(await scopeOf(fixture, token)).toMatchObject({ isContested: true });
    });

    it('are contested after an admin rejected the address while the other record was closed, and that one is anonymised', async () => {
      const { email, ir, remaining } = await sharing();
      await fixture.owner.query(
        'update identity.identity_record set closing_at = now(), closed_at = now() where ref = $1',
        [ir],
      );
      await fixture.owner.query(
        `insert into identity.rejected_assertion (record_id, contact)
          select id, email_index from identity.identity_record where ref = $1`,
        [remaining],
      );
      expect(await anonymised(ofPasskey, ir)).not.toBeNull();
      expect(await people.seen(await people.signedIn(email))).toEqual(['own']);
    });
  });
}
