import { fingerprintOf } from '../../../../subgraphs/server/audit/audit.repository';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  CONFIRM_LINK,
  EXISTS,
  PROOF,
  AS_ACCESS,
  REIDENTIFY,
  REIDENTIFY_OWN,
  STATUS,
  finish,
  mailedSecret,
  optionsOf,
  started,
  valueOf,
} from '../../../support/ceremonies';
import {
  CONTACT_LINK,
  ContestFixture,
  JUDGE,
  MAIL_CONTACT_LINK,
  PROVE_BY_LINK,
  PROVE_BY_PASSKEY,
} from '../../../support/contest-fixture';
import { consentOf, consentingDataUser, registerConsent } from '../../../support/legacy-consents';
import { isSignInNotice, mailsNow } from '../../../support/sign-in-mails';
import { SESSION, asCustomer, scopeOf } from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, fixtureOfThisFile } from '../../../support/sign-in-fixture';

export function contests(): void {
  const RETURN = 'https://larkhill.example/back';
  const ANONYMISE = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { ir } }';
  let fixture: SignInFixture;
  let people: ContestFixture;
  let honest: Caller;
  let other: Caller;
  let attacker: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    [honest, other, attacker] = [
      await fixture.dataUser(RETURN),
      await fixture.dataUser(RETURN),
      await fixture.dataUser(RETURN),
    ];
  });
  afterEach(() => fixture.moveClock(0));

  /**
   * A meter point whose customer `honest` registered, and for which `attacker` registers a record with another address.
   */
  async function contested({ attackerFirst = false, principal = {} } = {}) {
    const [mpxn, email, theirs] = [newMpxn(), people.newEmail('resident'), people.newEmail('attacker')];
    const own = () => people.customer(honest, mpxn, email, 'own', principal);
    const planted = () => people.customer(attacker, mpxn, theirs, 'planted', principal);
    const [ir] = attackerFirst ? [await planted(), await own()].toReversed() : [await own(), await planted()];
    return { mpxn, email, theirs, ir: ir as string };
  }
  const tomorrow = async () =>
    (
      await fixture.owner.query(
        `select ((register.register_now() at time zone 'Europe/London')::date + 1)::text as day`,
      )
    ).rows[0].day as string;
  const isContested = async (token: string) => (await scopeOf(fixture, token))?.isContested;

  describe('A record of one Data User', () => {
    it.each([
      ['after the record of the resident', false],
      ['before the record of the resident', true],
    ])(
      'gives its contact no access to records of other Data Users while contacts are contested, if it is registered %s',
      async (_, attackerFirst) => {
        const { email, theirs, mpxn } = await contested({ attackerFirst });
        const unverified = await fixture.newRecord(other, { email: null, principalVerification: null }, { mpxn });
        await people.consent(other, unverified, 'of a third');
        const [resident, intruder] = [await people.signedIn(email), await people.signedIn(theirs)];
        expect(await people.seen(resident)).toEqual(['own']);
        expect(await people.seen(intruder)).toEqual(['planted']);
        for (const [token, foreign] of [
          [intruder, await people.idOf(resident, 'own')],
          [resident, await people.idOf(intruder, 'planted')],
        ] as const)
          expect((await people.withdraw(token, foreign)).codes).toEqual(['NTF001']);
        expect((await people.withdraw(resident, await people.idOf(resident, 'own'))).codes).toEqual([]);
        expect(await people.seen(resident, 'HISTORY')).toEqual(['own']);
        expect(await people.seen(intruder, 'HISTORY')).toEqual([]);
      },
    );

    it('limits an existing session once a second contact is registered', async () => {
      const [mpxn, email] = [newMpxn(), people.newEmail('early')];
      await people.customer(attacker, mpxn, email, 'planted');
      const token = await people.signedIn(email);
      const ir = await fixture.newRecord(honest, { email: null, principalVerification: null }, { mpxn });
      await people.consent(honest, ir, 'own');
      expect(await people.seen(token)).toEqual(['own', 'planted']);
      await people.customer(honest, mpxn, people.newEmail('resident'), 'own');
      expect(await people.seen(token)).toEqual(['planted']);
    });

    it('does not let its session withdraw a consent if a contest starts while another transaction locks the record', async () => {
      const [mpxn, email] = [newMpxn(), people.newEmail('waiting')];
      await people.customer(attacker, mpxn, email, 'planted');
      const token = await people.signedIn(email);
      await people.consent(
        honest,
        await fixture.newRecord(honest, { email: null, principalVerification: null }, { mpxn }),
        'own',
      );
      const id = await people.idOf(token, 'own');
      const lock = await people.holding('select from access.access_record where id = $1 for update', [id]);
      const withdrawal = people.withdraw(token, id);
      await lock.isWaitedFor();
      await fixture.newRecord(honest, { email: people.newEmail('resident') }, { mpxn });
      await lock.release();
      expect((await withdrawal).codes).toEqual(['NTF001']);
    });

    it.each([
      ['after the record of the resident', false],
      ['before the record of the resident', true],
    ])(
      'shows its contact neither which Data Users registered the resident nor when, except what the notice states, if it is registered %s',
      async (_, attackerFirst) => {
        const { mpxn, email, theirs } = await contested({ attackerFirst });
        await people.customer(other, mpxn, email, 'of a third');
        const originsOf = async (token: string, standing: string) =>
          (await people.contacts(token))
            .filter((contact) => contact.standing === standing)
            .map(({ dataUsers, since }) => ({ duids: dataUsers.map(({ duid }) => duid), isDated: since !== null }));
        const [all, planted] = [
          { duids: [honest.duid, other.duid], isDated: true },
          { duids: [attacker.duid], isDated: true },
        ];
        const hidden = { duids: [], isDated: false };
        const [resident, intruder] = [await people.signedIn(email), await people.signedIn(theirs)];
        expect([await originsOf(resident, 'OWN'), await originsOf(intruder, 'OWN')]).toEqual([[all], [planted]]);
        const inNotice = { duids: [honest.duid], isDated: true };
        expect(await originsOf(intruder, 'OTHER')).toEqual([attackerFirst ? inNotice : hidden]);
        expect(await originsOf(resident, 'OTHER')).toEqual([attackerFirst ? hidden : planted]);

        const supplied = await people.suppliedToken(mpxn);
        expect(await originsOf(supplied, 'OTHER')).toEqual(attackerFirst ? [planted, all] : [all, planted]);
        const own = (await people.contacts(supplied)).find(({ shown }) => shown.startsWith('r'))?.id as string;
        valueOf(await people.judge(supplied, own, 'CONFIRMED'));
        expect(await originsOf(resident, 'OTHER')).toEqual([planted]);
      },
    );

    it('does not connect its passkey to the address of the customer that it also contains', async () => {
      const [mpxn, email] = [newMpxn(), people.newEmail('resident')];
      await people.customer(honest, mpxn, email, 'own');
      const passkey = await people.passkeyHolder(attacker, mpxn, email);
      const [intruder, resident] = [await people.signedInByPasskey(passkey), await people.signedIn(email)];
      expect(await people.seen(intruder)).toEqual(['of the passkey']);
      expect(await people.seen(resident)).toEqual(['of the passkey', 'own']);
      expect(await isContested(resident)).toBe(true);
    });
  });

  describe('Every contact is notified', () => {
    it('once, with the name of the Data User that wrote the new record', async () => {
      const { email, theirs, mpxn } = await contested();
      for (const address of [email, theirs]) {
        const [notice, ...more] = await people.notices(address);
        expect(notice).toContain('Larkhill Insight Ltd');
        expect(more).toEqual([]);
      }
      await fixture.newRecord(attacker, { email: theirs }, { mpxn });
      await people.signedIn(email);
      expect(await people.notices(email)).toHaveLength(1);
    });

    it('with the advice to sign in at the energy supplier only while customers can sign in at one', async () => {
      const advised = async () => (await people.notices((await contested()).email)).join().includes('energy supplier');
      await fixture.newSupplier();
      expect(await advised()).toBe(true);
      const suppliers = `update access.account set status = $1, suspended_at = case $1 when 'suspended' then register.register_now() end
        where role = 'supplier'`;
      await fixture.owner.query(suppliers, ['suspended']);
      expect(await advised()).toBe(false);
      await fixture.owner.query(suppliers, ['active']);
    });

    it('when another person moves in: by the next sign-in on that day at the latest', async () => {
      const [mpxn, email, coming] = [newMpxn(), people.newEmail('resident'), people.newEmail('coming')];
      await people.customer(honest, mpxn, email, 'own');
      await people.customer(attacker, mpxn, coming, 'planted', { moveInDate: await tomorrow() });
      await fixture.jobsDone();
      expect(await mailsNow(fixture, email)).toEqual([]);
      await fixture.moveClock(86_400);
      const token = await people.signedIn(email);
      expect(await isContested(token)).toBe(true);
      await fixture.moveClock(0);
    });

    it('when another person moves in: on that day by a job, without a sign-in', async () => {
      const [mpxn, email, coming] = [newMpxn(), people.newEmail('resident'), people.newEmail('coming')];
      await people.customer(honest, mpxn, email, 'own');
      await people.customer(attacker, mpxn, coming, 'planted', { moveInDate: await tomorrow() });
      expect(await people.notices(email)).toEqual([]);
      await fixture.moveClock(86_400);
      await fixture.owner.query(
        `update identity_jobs._private_jobs set run_at = now() where key like 'note-contests %'`,
      );
      for (const address of [email, coming]) expect(await people.notices(address)).toHaveLength(1);
    });
  });

  describe('Contacts are not contested', () => {
    it('if several Data Users register one address, or if a record is unverified', async () => {
      const [mpxn, email] = [newMpxn(), people.newEmail('one-person')];
      await people.customer(honest, mpxn, email, 'own');
      await people.customer(other, mpxn, email.toUpperCase(), 'also own');
      await fixture.newRecord(
        attacker,
        { email: people.newEmail('unverified'), principalVerification: null },
        { mpxn },
      );
      const token = await people.signedIn(email);
      expect(await isContested(token)).toBe(false);
      expect(await people.seen(token)).toEqual(['also own', 'own']);
      expect(await people.notices(email)).toEqual([]);
    });

    it('between a former and a present occupant', async () => {
      const [mpxn, former, present] = [newMpxn(), people.newEmail('former'), people.newEmail('present')];
      await people.customer(honest, mpxn, former, 'former');
      await fixture.tenancyChanged(mpxn, '2022-06-01');
      await people.customer(other, mpxn, present, 'present', { moveInDate: '2022-06-01' });
      const [left, lives] = [await people.signedIn(former), await people.signedIn(present)];
      expect(await people.seen(left)).toEqual(['former']);
      expect(await people.seen(lives)).toEqual(['former', 'present']);
      expect(await scopeOf(fixture, lives)).toMatchObject({ isContested: false });
    });

    it('between a former and a present occupant, who does not read the references of Data Users to the former one', async () => {
      const [mpxn, former, present] = [newMpxn(), people.newEmail('former'), people.newEmail('present')];
      const ofInterfaceB = await consentingDataUser(fixture);
      await registerConsent(fixture, ofInterfaceB, consentOf(ofInterfaceB, mpxn));
      await people.customer(honest, mpxn, former, 'former');
      await fixture.tenancyChanged(mpxn, '2022-06-01');
      await people.customer(other, mpxn, present, 'present', { moveInDate: '2022-06-01' });
      expect(await people.references(await people.signedIn(former))).toEqual(['reference to former']);
      const lives = await people.signedIn(present);
      expect(await people.seen(lives)).toHaveLength(3);
      expect(await people.references(lives)).toEqual(['reference to present']);
    });

    it('once a change of tenancy separates them', async () => {
      const { mpxn, email, theirs } = await contested();
      await fixture.tenancyChanged(mpxn, '2022-06-01');
      await people.customer(honest, mpxn, email, 'own again', { moveInDate: '2022-06-01' });
      const [resident, intruder] = [await people.signedIn(email), await people.signedIn(theirs)];
      expect(await isContested(resident)).toBe(false);
      expect(await people.seen(intruder)).toEqual(['planted']);
    });
  });

  describe('Re-identification by meter point', () => {
    const LINK = { method: 'MAGIC_LINK' };
    const METHODS = [LINK, { method: 'PASSKEY_ASSERT' }, { method: 'PASSKEY_REGISTER' }];

    it('is rejected while contacts are contested, and the existence check lists only `passkey-register`', async () => {
      const { mpxn } = await contested();
      for (const method of METHODS)
        expect((await fixture.execute(REIDENTIFY, { input: { mpxn, ...method } }, { caller: other })).codes).toEqual([
          'REI001',
        ]);
      const existence = valueOf(await fixture.execute(EXISTS, { mpxn }, { caller: other }));
      expect(existence).toEqual({ exists: true, availableMethods: ['PASSKEY_REGISTER'] });
    });

    it('that was confirmed before a contest can no longer be used, and a pending one cannot be confirmed', async () => {
      const [mpxn, email] = [newMpxn(), people.newEmail('attacker')];
      await people.customer(attacker, mpxn, email, 'planted');
      const confirmed = await started(fixture, other, { mpxn, ...LINK });
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }));
      const open = await started(fixture, other, { mpxn, ...LINK });
      const secret = await mailedSecret(fixture, email, 2);
      await people.customer(honest, mpxn, people.newEmail('resident'), 'own');
      expect((await fixture.execute(CONFIRM_LINK, { secret })).codes).toEqual(['NTF001']);
      for (const { tokenRef: token } of [confirmed, open]) {
        expect(valueOf(await fixture.execute(STATUS, { token }, { caller: other })).status).toBe('EXPIRED');
        expect(valueOf(await fixture.execute(PROOF, { token }, AS_ACCESS)).status).toBe('EXPIRED');
      }
    });

    it("of the caller's own record continues to work", async () => {
      const { ir } = await contested();
      expect((await started(fixture, honest, LINK, ir)).tokenRef).toMatch(/^mlr_/);
    });
  });

  describe('Two contacts proven in one session', () => {
    it('count as one person: by a link mailed to the other address', async () => {
      const { email, theirs } = await contested();
      const token = await people.signedIn(email);
      const secret = await people.mailedProof(token, theirs);
      expect(valueOf(await fixture.execute(CONTACT_LINK, { secret }, asCustomer(token)))).not.toBeNull();
      expect(await isContested(token)).toBe(true); // opening the page proves nothing
      valueOf(await fixture.execute(PROVE_BY_LINK, { secret }, asCustomer(token)));
      expect(await isContested(token)).toBe(false);
      expect(await people.seen(token)).toEqual(['own', 'planted']);
      expect((await people.contacts(token)).map(({ standing }) => standing)).toEqual(['OWN', 'OWN']);
      expect((await fixture.execute(PROVE_BY_LINK, { secret }, asCustomer(token))).codes).toEqual(['NTF001']);
    });

    it('cannot be proven in the session of the other contact, in another session of the same contact, or without a session', async () => {
      const { email, theirs } = await contested();
      const [resident, intruder] = [await people.signedIn(email), await people.signedIn(theirs)];
      const secret = await people.mailedProof(intruder, email);
      for (const token of [resident, await people.signedIn(email)]) {
        expect(valueOf(await fixture.execute(CONTACT_LINK, { secret }, asCustomer(token)))).toBeNull();
        expect((await fixture.execute(PROVE_BY_LINK, { secret }, asCustomer(token))).codes).toEqual(['NTF001']);
      }
      expect((await fixture.execute(PROVE_BY_LINK, { secret })).codes).toEqual(['AUT001']);
      expect(await isContested(resident)).toBe(true);
    });

    it('leave no link that proves an address after the Identity Record with the address is anonymised', async () => {
      const [mpxn, email, theirs] = [newMpxn(), people.newEmail('resident'), people.newEmail('attacker')];
      const ref = await fixture.newRecord(honest, { email }, { mpxn });
      await people.customer(attacker, mpxn, theirs, 'planted');
      await people.mailedProof(await people.signedIn(theirs), email);
      const links = async () =>
        (await fixture.owner.query('select contact from identity.contact_link where contact = $1', [index])).rows;
      const { rows } = await fixture.owner.query(
        'select email_index as i from identity.identity_record where ref = $1',
        [ref],
      );
      const index: Buffer = rows[0].i;
      expect(await links()).toHaveLength(1);
      valueOf(await fixture.execute(ANONYMISE, { ref }, { caller: honest }));
      expect(await links()).toEqual([]);
    });

    it('are proven by a link although a Data User registers and anonymises the address elsewhere and at the same meter point', async () => {
      const [mpxn, email, theirs] = [newMpxn(), people.newEmail('resident'), people.newEmail('second')];
      await people.customer(honest, mpxn, email, 'own');
      await people.customer(other, mpxn, theirs, 'second');
      const token = await people.signedIn(email);
      const secret = await people.mailedProof(token, theirs);
      for (const home of [newMpxn(), mpxn]) {
        const ref = await fixture.newRecord(attacker, { email: theirs }, { mpxn: home });
        valueOf(await fixture.execute(ANONYMISE, { ref }, { caller: attacker }));
      }
      valueOf(await fixture.execute(PROVE_BY_LINK, { secret }, asCustomer(token)));
      expect(await isContested(token)).toBe(false);
    });

    it('are proven by a link within ten minutes', async () => {
      const { email, theirs } = await contested();
      const token = await people.signedIn(email);
      const secret = await people.mailedProof(token, theirs);
      await fixture.moveClock(601);
      expect((await fixture.execute(PROVE_BY_LINK, { secret }, asCustomer(token))).codes).toEqual(['NTF001']);
    });

    it('count as one person: by a passkey registered for the meter point, and by no other passkey', async () => {
      const [mpxn, email] = [newMpxn(), people.newEmail('resident')];
      await people.customer(honest, mpxn, email, 'own');
      const passkey = await people.passkeyHolder(other, mpxn, null);
      const stranger = await people.passkeyHolder(attacker, newMpxn(), null);
      const token = await people.signedIn(email);
      const wrong = await people.assertion(stranger);
      expect((await fixture.execute(PROVE_BY_PASSKEY, wrong, asCustomer(token))).codes).toEqual(['PRM003']);
      const right = await people.assertion(passkey);
      valueOf(await fixture.execute(PROVE_BY_PASSKEY, right, asCustomer(token)));
      expect((await fixture.execute(PROVE_BY_PASSKEY, right, asCustomer(token))).codes).toEqual(['PRM003']);
      expect(await people.seen(token)).toEqual(['of the passkey', 'own']);
    });

    it('make a notice of a sign-in state that it opens the whole home, which it does not before', async () => {
      const { email, theirs } = await contested();
      const token = await people.signedIn(email);
      valueOf(
        await fixture.execute(PROVE_BY_LINK, { secret: await people.mailedProof(token, theirs) }, asCustomer(token)),
      );
      await people.signedIn(email);
      await fixture.jobsDone();
      const [after, before] = (await mailsNow(fixture, theirs)).filter(isSignInNotice);
      expect(before?.text).toContain('only the access that was registered for the email address or passkey');
      expect(after?.text).toContain('They can see which organisations have access');
    });

    it('still count as one person after a Change of Tenancy of an earlier day is recorded', async () => {
      const { mpxn, email, theirs } = await contested({ principal: { moveInDate: '2024-05-03' } });
      const token = await people.signedIn(email);
      const secret = await people.mailedProof(token, theirs);
      valueOf(await fixture.execute(PROVE_BY_LINK, { secret }, asCustomer(token)));
      await fixture.tenancyChanged(mpxn, '2024-05-01');
      expect(await isContested(token)).toBe(false);
      expect(await people.seen(token)).toEqual(['own', 'planted']);
    });

    it('do not count as one person in a later tenancy', async () => {
      const { mpxn, email, theirs } = await contested();
      const token = await people.signedIn(email);
      valueOf(
        await fixture.execute(PROVE_BY_LINK, { secret: await people.mailedProof(token, theirs) }, asCustomer(token)),
      );
      await fixture.tenancyChanged(mpxn, '2022-06-01');
      for (const [by, address] of [
        [honest, email],
        [attacker, theirs],
      ] as const)
        await people.customer(by, mpxn, address, 'later', { moveInDate: '2022-06-01' });
      await fixture.jobsDone();
      const later = (await people.signedInAll(email))[0] as string;
      expect(await isContested(later)).toBe(true);
    });
  });

  describe('A customer signed in at the supplier', () => {
    it('is admitted only while contacts are contested', async () => {
      const { mpxn } = await contested();
      expect((await people.supplied(mpxn)).codes).toEqual([]);
      const [alone, email] = [newMpxn(), people.newEmail('alone')];
      await people.customer(honest, alone, email, 'own');
      expect((await people.supplied(alone)).codes).toEqual(['AUT001']);
    });

    it('is reported to every verified address of the occupancy', async () => {
      const { mpxn, email, theirs } = await contested();
      await people.supplied(mpxn);
      await fixture.jobsDone();
      for (const address of [email, theirs]) {
        const notices = (await mailsNow(fixture, address)).filter(isSignInNotice);
        expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('login at an energy supplier')]);
        expect(notices[0]?.text).toContain('They can confirm or reject each email address and passkey');
      }
    });

    it('reads access registered for confirmed contacts, and all access when every contact has a verdict', async () => {
      const { mpxn, email, theirs } = await contested();
      const token = await people.suppliedToken(mpxn);
      expect(valueOf(await fixture.execute(SESSION, {}, asCustomer(token)))).toMatchObject({ mpxn, isCurrent: true });
      expect(await people.seen(token)).toEqual([]);
      const [resident, intruder] = [await people.signedIn(email), await people.signedIn(theirs)];
      const [first, second] = (await people.contacts(token)).map(({ id }) => id) as [string, string];
      valueOf(await people.judge(token, first, 'CONFIRMED'));
      expect(await people.seen(token)).toEqual(['own']);
      valueOf(await people.judge(token, second, 'REJECTED'));
      for (const each of [token, resident]) expect(await people.seen(each)).toEqual(['own', 'planted']);
      expect(await scopeOf(fixture, intruder)).toBeNull();
    });

    it('ends the access of a rejected contact, also when the contact is registered again', async () => {
      const { mpxn, email, theirs } = await contested();
      const token = await people.suppliedToken(mpxn);
      const contact = (await people.contacts(token)).find(({ shown }) => shown.startsWith('a'))?.id as string;
      valueOf(await people.judge(token, contact, 'REJECTED'));
      await fixture.newRecord(attacker, { email: theirs }, { mpxn });
      await fixture.jobsDone();
      const before = (await mailsNow(fixture, theirs)).length;
      const requestLink = 'mutation ($entry: SignInEntry!) { requestSignInLink(entry: $entry, language: EN) }';
      for (const entry of [{ mpxn }, { email: theirs }]) valueOf(await fixture.execute(requestLink, { entry }));
      await fixture.jobsDone();
      expect((await mailsNow(fixture, theirs)).length).toBe(before);
      expect(await isContested(await people.signedIn(email))).toBe(false);
      const again = (await people.contacts(token)).map(({ standing }) => standing).toSorted();
      expect(again).toEqual(['OTHER', 'REJECTED']);
    });

    it('ends the access of a rejected contact, also after a Change of Tenancy of an earlier day is recorded', async () => {
      const { mpxn, email, theirs } = await contested({ principal: { moveInDate: '2024-05-03' } });
      const [intruder, resident] = [await people.signedIn(theirs), await people.signedIn(email)];
      const token = await people.suppliedToken(mpxn);
      const contact = (await people.contacts(token)).find(({ shown }) => shown.startsWith('a'))?.id as string;
      valueOf(await people.judge(token, contact, 'REJECTED'));
      await fixture.tenancyChanged(mpxn, '2024-05-01');
      expect(await scopeOf(fixture, intruder)).toBeNull();
      expect(await isContested(resident)).toBe(false);
    });

    it('is in the audit with the supplier, each new verdict and the former one; a check of a verdict stores nothing', async () => {
      const { mpxn, ir } = await contested();
      const { token, mpid: supplier } = await people.supplied(mpxn);
      const contact = await people.contactOf(token, 'OTHER');
      const check = JUDGE.replace('$verdict)', '$verdict, dryRun: true)');
      expect((await fixture.execute(check, { contact, verdict: 'REJECTED' }, asCustomer(token))).codes).toEqual([]);
      for (const verdict of ['CONFIRMED', 'CONFIRMED', 'REJECTED'] as const)
        valueOf(await people.judge(token, contact, verdict));
      const audit = `{ identityAuditEntries(first: 2, filter: { action: "judge-contact" }) {
        nodes { actor subject detail } } }`;
      const admin: Caller = { accountId: 'acc_test', role: 'admin', duid: null, mpid: null };
      const { nodes } = valueOf(await fixture.execute(audit, {}, { caller: admin }));
      const entry = { actor: 'customer', subject: fingerprintOf(ir) };
      expect(nodes).toEqual([
        {
          ...entry,
          detail: { contact: 'email', supplier, from: { verdict: 'confirmed' }, to: { verdict: 'rejected' } },
        },
        { ...entry, detail: { contact: 'email', supplier, from: { verdict: null }, to: { verdict: 'confirmed' } } },
      ]);
    });

    it('loses session and verdicts by the statements for a malicious supplier in docs/operations.md', async () => {
      const { mpxn, email } = await contested();
      const { token, mpid } = await people.supplied(mpxn);
      valueOf(await people.judge(token, await people.contactOf(token, 'OTHER'), 'REJECTED'));
      await people.actOnMaliciousSupplier(mpid);
      expect(await scopeOf(fixture, token)).toBeNull();
      expect(await isContested(await people.signedIn(email))).toBe(true);
    });

    it('is the only one who may confirm or reject contacts', async () => {
      const { email, theirs } = await contested();
      for (const address of [email, theirs]) {
        const token = await people.signedIn(address);
        const contact = await people.contactOf(token, 'OTHER');
        expect((await people.judge(token, contact, 'REJECTED')).codes).toEqual(['PRM003']);
      }
      const [mine, elsewhere] = [
        await people.supplied((await contested()).mpxn),
        await people.supplied((await contested()).mpxn),
      ];
      const foreign = await people.contactOf(elsewhere.token, 'OTHER');
      expect((await people.judge(mine.token, foreign, 'REJECTED')).codes).toEqual(['NTF001']);
      expect((await fixture.execute(JUDGE, { contact: foreign, verdict: 'REJECTED' })).codes).toEqual(['AUT001']);
      expect((await fixture.execute(MAIL_CONTACT_LINK, { contact: foreign }, asCustomer(mine.token))).codes).toEqual([
        'NTF001',
      ]);
    });
  });

  describe('The right to report an identity as verified', () => {
    const REGISTER = 'mutation ($input: IdentityRecordInput!) { registerIdentityRecord(input: $input) { ir } }';
    const input = (outcome: string | null) => ({
      piiPrincipal: { mpxn: newMpxn(), moveInDate: '2021-04-01' },
      expressedBy: 'DATA_SUBJECT',
      principalVerification: outcome && { method: 'Bill', verifiedAt: '2026-01-12T10:00:00Z', outcome },
    });

    it('is withdrawn and restored by an admin and audited; records without that outcome remain possible', async () => {
      const caller = await fixture.dataUser();
      const set = (right: 'withdraw' | 'restore') =>
        fixture.accounts.setVerificationRight('admin', caller.accountId, right);
      const codesOf = async (outcome: string | null) =>
        (await fixture.execute(REGISTER, { input: input(outcome) }, { caller })).codes;
      expect(await codesOf('VERIFIED')).toEqual([]);
      await set('withdraw');
      await expect(set('withdraw')).rejects.toMatchObject({ code: 'CNF001' });
      expect(await codesOf('VERIFIED')).toEqual(['PRM001']);
      for (const outcome of ['PARTIAL', 'FAILED', null]) expect(await codesOf(outcome)).toEqual([]);
      await set('restore');
      expect(await codesOf('VERIFIED')).toEqual([]);
      const { rows } = await fixture.owner.query(
        'select action from access.audit_entry where subject = $1 order by id',
        [caller.accountId],
      );
      expect(rows.map(({ action }) => action)).toEqual([
        'onboard',
        'withdraw-verification-right',
        'restore-verification-right',
      ]);
    });

    it('covers passkeys for which a Data User vouches, also by redirects from before its withdrawal', async () => {
      const caller = await fixture.dataUser(RETURN);
      const set = (right: 'withdraw' | 'restore') =>
        fixture.accounts.setVerificationRight('admin', caller.accountId, right);
      const [ref, unverified] = [
        await fixture.newRecord(caller, { email: null }),
        await fixture.newRecord(caller, { email: null, principalVerification: null }),
      ];
      const authenticator = new SoftwareAuthenticator({ origin: new URL(fixture.urls.portalUrl).origin });
      const passkey = { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN };
      const { secret } = await started(fixture, caller, passkey, ref);
      const response = authenticator.create(await optionsOf(fixture, secret));
      await set('withdraw');
      const rejected = await fixture.execute(REIDENTIFY_OWN, { ref, input: passkey }, { caller });
      expect(rejected.codes).toEqual(['PRM001']);
      expect((await finish(fixture, secret, response)).codes).toEqual(['NTF001']);
      expect((await started(fixture, caller, passkey, unverified)).tokenRef).toMatch(/^mlr_/);
      await set('restore');
      expect((await finish(fixture, secret, response)).codes).toEqual([]);
    });

    it('applies to Data Users only', async () => {
      const { accountId } = await fixture.newSupplier();
      await expect(fixture.accounts.setVerificationRight('admin', accountId, 'withdraw')).rejects.toMatchObject({
        code: 'CNF001',
      });
    });
  });
}
