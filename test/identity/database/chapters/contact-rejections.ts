import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { CONFIRM_LINK, REIDENTIFY, mailedSecret, started, valueOf } from '../../../support/ceremonies';
import { ContestFixture } from '../../../support/contest-fixture';
import {
  SESSION,
  SIGN_IN_WITH_LINK,
  SIGN_IN_WITH_PASSKEY,
  asCustomer,
  requestLink,
} from '../../../support/sign-in-operations';
import { mailsNow } from '../../../support/sign-in-mails';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';

/** An admin rejects the contacts that a malicious Data User asserted. */
export function contactRejections(): void {
  const RETURN = 'https://larkhill.example/back';
  const PROGRESS = 'dataUser { duid } since requestedBy recordsReviewed recordsRemaining contactsRejected finishedAt';
  const REJECT = `mutation ($duid: DUID!, $since: DateTime, $dryRun: Boolean) {
    rejectAssertedContacts(duid: $duid, since: $since, dryRun: $dryRun) { ${PROGRESS} } }`;
  const LIST = `query ($duid: DUID) { assertedContactRejections(duid: $duid) { ${PROGRESS} } }`;
  const ADMIN = { caller: { accountId: `acc_${'b'.repeat(24)}`, role: 'admin', duid: null, mpid: null } } as const;
  let fixture: SignInFixture;
  let people: ContestFixture;
  let honest: Caller;
  let malicious: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    honest = await fixture.dataUser(RETURN);
  });
  beforeEach(async () => {
    malicious = await fixture.dataUser(RETURN);
  });
  afterEach(() => fixture.moveClock(0));

  const list = async ({ duid }: Caller) => valueOf(await fixture.execute(LIST, { duid }, ADMIN));

  /** Requests a rejection and waits until it is finished. */
  async function rejected({ duid }: Caller, since: Date | null = null) {
    valueOf(await fixture.execute(REJECT, { duid, since: since?.toISOString() ?? null }, ADMIN));
    return until(async () => {
      const [newest] = valueOf(await fixture.execute(LIST, { duid }, ADMIN));
      return newest.finishedAt === null ? undefined : newest;
    });
  }

  /** Whether a request for a link to an address results in a mailed one. */
  async function receivesLink(email: string): Promise<boolean> {
    await fixture.jobsDone();
    const before = (await mailsNow(fixture, email)).length;
    valueOf(await requestLink(fixture, { email }));
    await fixture.jobsDone();
    return (await mailsNow(fixture, email)).length > before;
  }

  it('survive the sanctions on the account, until an admin rejects them', async () => {
    const email = people.newEmail('planted');
    await people.customer(malicious, newMpxn(), email, 'of the home');
    const token = await people.signedIn(email);
    const { accountId } = malicious;
    await fixture.accounts.setVerificationRight('admin', accountId, 'withdraw');
    await fixture.accounts.changeStatus('admin', accountId, 'terminate');
    expect(await receivesLink(email)).toBe(true); // an honest customer keeps the sign-in by default
    expect(await rejected(malicious)).toMatchObject({
      ...{ dataUser: { duid: malicious.duid }, since: null, requestedBy: ADMIN.caller.accountId },
      ...{ recordsReviewed: 1, recordsRemaining: 0, contactsRejected: 1 },
    });
    expect((await fixture.execute(SESSION, {}, asCustomer(token))).codes).toEqual(['AUT001']);
    expect(await receivesLink(email)).toBe(false);
  });

  it('are rejected also at a home where a record of another Data User cannot be decrypted', async () => {
    const [mpxn, email] = [newMpxn(), people.newEmail('planted')];
    const damaged = await people.customer(honest, mpxn, people.newEmail('damaged'), 'damaged');
    await people.customer(malicious, mpxn, email, 'of the home');
    await fixture.damageDataKey(damaged);
    expect(await rejected(malicious)).toMatchObject({ recordsReviewed: 1, contactsRejected: 1 });
    expect(await receivesLink(email)).toBe(false);
  });

  it('are rejected also while a request to anonymise their record is undecided', async () => {
    const [mpxn, email] = [newMpxn(), people.newEmail('planted')];
    await people.customer(malicious, mpxn, email, 'of the home');
    const closing = (value: string) =>
      fixture.owner.query(`update identity.identity_record set closing_at = ${value} where duid = $1`, [
        malicious.duid,
      ]);
    await closing('register.register_now()');
    expect(await rejected(malicious)).toMatchObject({ recordsReviewed: 1, contactsRejected: 1 });
    await closing('null'); // the request was rejected
    expect(await receivesLink(email)).toBe(false);
  });

  it('are rejected also if they were asserted while the clock was ahead; those asserted later remain', async () => {
    const [mpxn, email, later] = [newMpxn(), people.newEmail('planted'), people.newEmail('later')];
    await fixture.moveClock(24 * 3600);
    await people.customer(malicious, mpxn, email, 'of the home');
    await fixture.moveClock(25 * 3600);
    const authenticator = await people.passkeyHolder(malicious, newMpxn(), null);
    await fixture.moveClock(0);
    const tokens = [await people.signedIn(email), await people.signedInByPasskey(authenticator)];
    expect(await rejected(malicious)).toMatchObject({ recordsReviewed: 2, contactsRejected: 2 });
    for (const token of tokens)
      expect((await fixture.execute(SESSION, {}, asCustomer(token))).codes).toEqual(['AUT001']);
    await fixture.moveClock(26 * 3600);
    await people.customer(malicious, newMpxn(), later, 'later');
    expect([await receivesLink(email), await receivesLink(later)]).toEqual([false, true]);
  });

  it('sign in neither by a link that was mailed before nor by a passkey', async () => {
    const email = people.newEmail('planted');
    await people.customer(malicious, newMpxn(), email, 'of the home');
    const authenticator = await people.passkeyHolder(malicious, newMpxn(), null);
    const session = await people.signedInByPasskey(authenticator);
    valueOf(await requestLink(fixture, { email }));
    await fixture.jobsDone();
    const [mail] = await mailsNow(fixture, email);
    const [, secret] = /\/sign-in\/link\/([\w-]{43})/.exec(mail?.text ?? '') ?? [];
    expect(await rejected(malicious)).toMatchObject({ recordsReviewed: 2, contactsRejected: 2 });
    expect((await fixture.execute(SIGN_IN_WITH_LINK, { secret })).codes).toEqual(['AUT001']);
    const response = { ...(await people.assertion(authenticator)), entry: null };
    expect((await fixture.execute(SIGN_IN_WITH_PASSKEY, response)).codes).toEqual(['AUT001']);
    expect((await fixture.execute(SESSION, {}, asCustomer(session))).codes).toEqual(['AUT001']);
  });

  it('confirm no re-identification of another Data User, also not one that was started before', async () => {
    const [mpxn, email] = [newMpxn(), people.newEmail('planted')];
    await people.customer(malicious, mpxn, email, 'of the home');
    const input = { mpxn, method: 'MAGIC_LINK', redirectUrl: RETURN };
    await started(fixture, honest, input);
    const secret = await mailedSecret(fixture, email);
    await rejected(malicious);
    expect((await fixture.execute(CONFIRM_LINK, { secret })).codes).toEqual(['NTF001']);
    expect((await fixture.execute(REIDENTIFY, { input }, { caller: honest })).codes).toEqual(['REI001']);
  });

  it('end a contest: the honest contact opens the whole home again, and receives no mail', async () => {
    const [mpxn, email] = [newMpxn(), people.newEmail('resident')];
    await people.customer(honest, mpxn, email, 'own');
    await people.customer(malicious, mpxn, people.newEmail('planted'), 'planted');
    const token = await people.signedIn(email);
    expect(await people.seen(token)).toEqual(['own']);
    await fixture.jobsDone();
    const before = (await mailsNow(fixture, email)).length;
    await rejected(malicious);
    expect(await people.seen(token)).toEqual(['own', 'planted']);
    await fixture.jobsDone();
    expect(await mailsNow(fixture, email)).toHaveLength(before);
  });

  it('remain if another Data User asserted them, also if both Data Users are rejected one after the other, until the second', async () => {
    const [mpxn, email] = [newMpxn(), people.newEmail('shared')];
    const accomplice = await fixture.dataUser(RETURN);
    await people.customer(malicious, mpxn, email, 'first');
    await people.customer(accomplice, mpxn, email, 'second');
    expect(await rejected(malicious)).toMatchObject({ recordsReviewed: 1, contactsRejected: 0 });
    expect(await receivesLink(email)).toBe(true);
    expect(await rejected(accomplice)).toMatchObject({ recordsReviewed: 1, contactsRejected: 1 });
    expect(await receivesLink(email)).toBe(false);
  });

  it('remain if the customer proved them together with the contact of another Data User', async () => {
    const [mpxn, email, second] = [newMpxn(), people.newEmail('resident'), people.newEmail('resident')];
    await people.customer(honest, mpxn, email, 'own');
    await people.customer(malicious, mpxn, second, 'other');
    const token = await people.signedIn(email);
    const secret = await people.mailedProof(token, second);
    valueOf(
      await fixture.execute(
        'mutation ($secret: String!) { proveContactByLink(secret: $secret) }',
        { secret },
        asCustomer(token),
      ),
    );
    expect(await rejected(malicious)).toMatchObject({ contactsRejected: 0 });
    expect(await receivesLink(second)).toBe(true);
  });

  it('remain if a customer signed in at the supplier confirmed them, and open again if the customer confirms them later', async () => {
    const [mpxn, confirmed, doubtful] = [newMpxn(), people.newEmail('resident'), people.newEmail('resident')];
    await people.customer(malicious, mpxn, confirmed, 'one');
    await people.customer(malicious, mpxn, doubtful, 'two');
    const token = await people.suppliedToken(mpxn);
    const [first, second] = await people.contacts(token);
    valueOf(await people.judge(token, first?.id ?? '', 'CONFIRMED'));
    expect(await rejected(malicious)).toMatchObject({ recordsReviewed: 2, contactsRejected: 1 });
    expect([await receivesLink(confirmed), await receivesLink(doubtful)]).toEqual([true, false]);
    valueOf(await people.judge(token, second?.id ?? '', 'CONFIRMED'));
    expect(await receivesLink(doubtful)).toBe(true);
  });

  it('asserted before the given time remain, and count again if another Data User asserts them', async () => {
    const [mpxn, before, after] = [newMpxn(), people.newEmail('before'), people.newEmail('after')];
    await people.customer(malicious, newMpxn(), before, 'before');
    await fixture.moveClock(60);
    const { rows } = await fixture.owner.query('select register.register_now() as now');
    await people.customer(malicious, mpxn, after, 'after');
    expect(await rejected(malicious, rows[0].now)).toMatchObject({ recordsReviewed: 2, contactsRejected: 1 });
    expect([await receivesLink(before), await receivesLink(after)]).toEqual([true, false]);
    await people.customer(honest, mpxn, after, 'again');
    expect(await receivesLink(after)).toBe(true);
  });

  it('of a person who is yet to move in give no access on that day, even if a Change of Tenancy starts the occupancy', async () => {
    const [mpxn, email] = [newMpxn(), people.newEmail('planted')];
    const { rows } = await fixture.owner.query(`select to_char(current_date + 2, 'YYYY-MM-DD') as day`);
    await people.customer(malicious, mpxn, email, 'of the home', { moveInDate: rows[0].day });
    expect(await rejected(malicious)).toMatchObject({ contactsRejected: 1 });
    await fixture.moveClock(3 * 24 * 3600);
    await fixture.tenancyChanged(mpxn, rows[0].day);
    expect(await receivesLink(email)).toBe(false);
  });

  it('are rejected by an interrupted job from the record on at which it stopped, each once', async () => {
    for (const who of ['one', 'two', 'three']) await people.customer(malicious, newMpxn(), people.newEmail(who), who);
    const { owner } = fixture;
    await owner.query(`create function identity.fail_second() returns trigger language plpgsql as
      $$ begin if new.records_reviewed = 2 then raise exception 'interrupted'; end if; return new; end $$`);
    await owner.query(
      `create trigger fails before update on identity.contact_rejection for each row execute function identity.fail_second()`,
    );
    valueOf(await fixture.execute(REJECT, { duid: malicious.duid }, ADMIN));
    const half = await until(async () => {
      const [newest] = await list(malicious);
      return newest.recordsReviewed === 1 ? newest : undefined;
    });
    expect(half).toMatchObject({ recordsRemaining: 2, contactsRejected: 1, finishedAt: null });
    const again = await fixture.execute(REJECT, { duid: malicious.duid }, ADMIN);
    expect(again.codes).toEqual(['CNF001']);
    await owner.query('drop function identity.fail_second cascade');
    const whole = await until(async () => {
      const [newest] = await list(malicious);
      return newest.finishedAt === null ? undefined : newest;
    });
    expect(whole).toMatchObject({ recordsReviewed: 3, recordsRemaining: 0, contactsRejected: 3 });
  });

  it('leave no trace in the database once their record is anonymised', async () => {
    const ref = await fixture.newRecord(malicious, { email: people.newEmail('planted') });
    await rejected(malicious);
    const rejectedNow = () =>
      fixture.owner.query(
        'select from identity.rejected_assertion join identity.identity_record on id = record_id where ref = $1',
        [ref],
      );
    expect((await rejectedNow()).rowCount).toBe(1);
    const anonymise = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { ir } }';
    valueOf(await fixture.execute(anonymise, { ref }, { caller: malicious }));
    expect((await rejectedNow()).rowCount).toBe(0);
  });

  it('are counted by a check, which rejects none', async () => {
    const email = people.newEmail('planted');
    await people.customer(malicious, newMpxn(), email, 'of the home');
    const checking = { dryRun: true, duid: malicious.duid };
    expect(valueOf(await fixture.execute(REJECT, checking, ADMIN))).toMatchObject({ recordsRemaining: 1 });
    expect(await list(malicious)).toEqual([]);
    expect(await receivesLink(email)).toBe(true);
  });

  it('are rejected with two entries in the audit: the request, and its end with the number of contacts', async () => {
    await people.customer(malicious, newMpxn(), people.newEmail('planted'), 'of the home');
    await rejected(malicious);
    const { rows } = await fixture.owner.query(
      'select actor, action, detail from identity.audit_entry where subject = $1 order by id',
      [malicious.duid],
    );
    const actor = ADMIN.caller.accountId;
    expect(rows).toEqual([
      { actor, action: 'reject-asserted-contacts', detail: { from: null, to: { since: null, records: 1 } } },
      { actor, action: 'finish-contact-rejection', detail: { from: null, to: { since: null, contactsRejected: 1 } } },
    ]);
  });

  it('are rejected neither of an unknown Data User nor from a future time on', async () => {
    const unknown = { duid: `duid_${'0'.repeat(24)}` };
    expect((await fixture.execute(REJECT, unknown, ADMIN)).codes).toEqual(['NTF001']);
    const future = { duid: malicious.duid, since: new Date(Date.now() + 3_600_000).toISOString() };
    expect((await fixture.execute(REJECT, future, ADMIN)).codes).toEqual(['VAL003']);
  });
}
