import { Client } from 'pg';
import { closeAgain } from '../../../../subgraphs/identity/anonymisation/personal-data-destruction.repository';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { EXISTS, REIDENTIFY, valueOf } from '../../../support/ceremonies';
import { ContestFixture, METER_POINT, PROVE_BY_PASSKEY } from '../../../support/contest-fixture';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';
import { isLinkMail, isSignInNotice, mailsNow, secretIn } from '../../../support/sign-in-mails';
import { SESSION, SIGN_IN_WITH_LINK, asCustomer, requestLink, scopeOf } from '../../../support/sign-in-operations';
import { until } from '../../../support/until';

/** Identity Records between the request to anonymise them and its result. */
export function closingRecords(): void {
  const RETURN = 'https://larkhill.example/back';
  const ANONYMISE = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { anonymisedAt } }';
  const CLOSING = `select pg_advisory_xact_lock(access.lock_of_identity_record(id)) from identity.identity_record where ref = $1`;
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

  const anonymise = (ref: string) => fixture.execute(ANONYMISE, { ref }, { caller: honest });

  describe('While `access` decides on a request to anonymise a record with an ACTIVE consent', () => {
    let mpxn: string;
    let resident: string;
    let intruder: string;
    let consent: string;
    let decided: () => Promise<readonly string[]>;
    beforeEach(async () => {
      mpxn = newMpxn();
      const [email, theirs] = [people.newEmail('closing-resident'), people.newEmail('closing-planted')];
      const ir = await people.customer(honest, mpxn, email, 'own');
      await people.customer(attacker, mpxn, theirs, 'planted');
      [resident, intruder] = [await people.signedIn(email), await people.signedIn(theirs)];
      consent = await people.idOf(resident, 'own');
      const lock = await people.holding(CLOSING, [ir]);
      const request = anonymise(ir);
      await lock.isWaitedFor();
      decided = async () => {
        await lock.release();
        return (await request).codes;
      };
    });

    it('its contact still contests the other one, which cannot withdraw the consent', async () => {
      const withdrawn = await people.withdraw(intruder, consent);
      expect((await scopeOf(fixture, intruder)).isContested).toBe(true);
      expect(await decided()).toEqual(['CNF003']);
      expect(withdrawn.codes).toEqual(['NTF001']);
      expect(await people.seen(resident)).toEqual(['own']);
    });

    it('its customer stays signed in', async () => {
      const { codes } = await fixture.execute(SESSION, {}, asCustomer(resident));
      expect(await decided()).toEqual(['CNF003']);
      expect(codes).toEqual([]);
    });

    it('no re-identification by meter point starts with the other contact', async () => {
      const input = { mpxn, method: 'MAGIC_LINK', redirectUrl: RETURN };
      const { codes } = await fixture.execute(REIDENTIFY, { input }, { caller: other });
      const existing = await fixture.execute(EXISTS, { mpxn }, { caller: other });
      expect(await decided()).toEqual(['CNF003']);
      expect(codes).toEqual(['REI001']);
      expect(valueOf(existing)).toEqual({ exists: true, availableMethods: ['PASSKEY_REGISTER'] });
    });
  });

  it('A record that a restore closes again while `access` rejects its anonymising is anonymised when its access records have ended', async () => {
    const [mpxn, email] = [newMpxn(), people.newEmail('closed-again')];
    const ir = await people.customer(honest, mpxn, email, 'own');
    await fixture.newRecord(other, { email }, { mpxn });
    const { rows } = await fixture.owner.query('select id from identity.identity_record where ref = $1', [ir]);
    const { id } = rows[0] as { id: string };
    const lock = await people.holding(CLOSING, [ir]);
    const request = anonymise(ir);
    await lock.isWaitedFor();
    const restore = new Client({
      connectionString: fixture.databaseUrl,
      options: '-c search_path=identity,register',
    });
    await restore.connect();
    expect(await closeAgain(restore, new Map([[id, '2026-01-15T10:30:00Z']]))).toBe(1);
    await restore.end();
    await lock.release();
    expect((await request).codes).toEqual(['CNF003']);
    const resident = await people.signedIn(email);
    expect((await people.withdraw(resident, await people.idOf(resident, 'own'))).codes).toEqual([]);
    const anonymised = 'select from identity.identity_record where id = $1 and anonymised_at is not null';
    await until(async () => {
      const due = `update identity_jobs._private_jobs set run_at = now() where key = 'anonymise ' || $1 and locked_at is null`;
      await fixture.owner.query(due, [id]);
      return (await fixture.owner.query(anonymised, [id])).rowCount === 1 ? true : undefined;
    });
  });

  it('A proof that waits while the record of its session is anonymised stores nothing about the erased address', async () => {
    const [mpxn, email] = [newMpxn(), people.newEmail('erased')];
    const ir = await fixture.newRecord(honest, { email }, { mpxn });
    const passkey = await people.passkeyHolder(other, mpxn, null);
    const token = await people.signedIn(email);
    const { rows } = await fixture.owner.query('select email_index from identity.identity_record where ref = $1', [ir]);
    const proof = await people.assertion(passkey);
    const lock = await people.holding(METER_POINT, [ir]);
    const anonymised = anonymise(ir);
    await lock.isWaitedFor();
    const proven = fixture.execute(PROVE_BY_PASSKEY, proof, asCustomer(token));
    await lock.isWaitedFor(2);
    await lock.release();
    expect((await anonymised).codes).toEqual([]);
    expect((await proven).codes).toEqual(['PRM003']);
    const stored = 'select from identity.contact_proof where one = $1 or other = $1';
    expect((await fixture.owner.query(stored, [rows[0].email_index])).rowCount).toBe(0);
  });

  it('A sign-in that waits for a registration is reported to the address that it adds', async () => {
    const [mpxn, email, added] = [newMpxn(), people.newEmail('present'), people.newEmail('being-added')];
    const ir = await fixture.newRecord(honest, { email }, { mpxn });
    valueOf(await requestLink(fixture, { email }));
    await fixture.jobsDone();
    const secret = secretIn((await mailsNow(fixture, email)).filter(isLinkMail));
    const lock = await people.holding(METER_POINT, [ir]);
    const registered = fixture.newRecord(other, { email: added }, { mpxn });
    await lock.isWaitedFor();
    const signedIn = fixture.execute(SIGN_IN_WITH_LINK, { secret });
    await lock.isWaitedFor(2);
    await lock.release();
    await registered;
    expect((await signedIn).codes).toEqual([]);
    await fixture.jobsDone();
    expect((await mailsNow(fixture, added)).filter(isSignInNotice)).toHaveLength(1);
  });

  it('A sign-in that meets the destruction of its record waits for it, and is rejected', async () => {
    const email = people.newEmail('leaving');
    const ir = await fixture.newRecord(honest, { email });
    valueOf(await requestLink(fixture, { email }));
    await fixture.jobsDone();
    const secret = secretIn((await mailsNow(fixture, email)).filter(isLinkMail));
    const lock = await people.holding(METER_POINT, [ir]);
    const anonymised = anonymise(ir);
    await lock.isWaitedFor();
    const signedIn = fixture.execute(SIGN_IN_WITH_LINK, { secret });
    await lock.isWaitedFor(2);
    await lock.release();
    expect((await anonymised).codes).toEqual([]);
    expect((await signedIn).codes).toEqual(['AUT001']);
  });
}
