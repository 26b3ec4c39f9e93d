import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { CONFIRM_LINK, OPTIONS, RETURN_URL, STATUS, mailedSecret, started, valueOf } from '../../../support/ceremonies';
import { consentOf, consentingDataUser, registerConsent, shownConsents } from '../../../support/legacy-consents';
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

/** What has a deadline, and is made while the clock is ahead. */
export function madeAhead(): void {
  const TWO_HOURS = 7_200;
  const PROVE = 'mutation ($secret: String!) { proveContactByLink(secret: $secret) }';

  let fixture: SignInFixture;
  let people: ContestFixture;
  let dataUser: Caller;
  let other: Caller;
  let mpxn: string;
  let email: string;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    const urls = [RETURN_URL, 'https://larkhill.example/back'];
    [dataUser, other] = [await fixture.dataUser(...urls), await fixture.dataUser(...urls)];
  });
  beforeEach(async () => {
    [mpxn, email] = [newMpxn(), people.newEmail('resident')];
    await people.customer(dataUser, mpxn, email, 'of the home');
  });
  afterEach(() => fixture.moveClock(0));

  /** Makes something while the clock is two hours ahead. */
  async function ahead<Made>(make: () => Promise<Made>): Promise<Made> {
    await fixture.moveClock(TWO_HOURS);
    const made = await make();
    await fixture.moveClock(0);
    return made;
  }

  it('a session is signed out once the clock is set back, and does not return', async () => {
    const token = await ahead(() => people.signedIn(email));
    expect((await fixture.execute(SESSION, {}, asCustomer(token))).codes).toEqual(['AUT001']);
    await fixture.addReplica(); // its first purge deletes the session
    await until(async () => {
      const { rowCount } = await fixture.owner.query(
        `select from identity.customer_session where started_at > register.register_now() + interval '1 hour'`,
      );
      return rowCount === 0 || undefined;
    });
    await fixture.moveClock(TWO_HOURS + 60);
    expect((await fixture.execute(SESSION, {}, asCustomer(token))).codes).toEqual(['AUT001']);
  });

  it('a mailed link signs no customer in', async () => {
    const secret = await ahead(async () => {
      valueOf(await requestLink(fixture, { email }));
      await fixture.jobsDone();
      const [mail] = await mailsNow(fixture, email);
      return /\/sign-in\/link\/([\w-]{43})/.exec(mail?.text ?? '')?.[1];
    });
    expect((await fixture.execute(SIGN_IN_WITH_LINK, { secret })).codes).toEqual(['AUT001']);
  });

  it('an attempt with a passkey fails', async () => {
    const authenticator = await people.passkeyHolder(dataUser, newMpxn(), null);
    const response = { ...(await ahead(() => people.assertion(authenticator))), entry: null };
    expect((await fixture.execute(SIGN_IN_WITH_PASSKEY, response)).codes).toEqual(['AUT001']);
  });

  it('a link proves no second contact', async () => {
    const second = people.newEmail('second');
    await people.customer(other, mpxn, second, 'other');
    const token = await people.signedIn(email);
    const secret = await ahead(() => people.mailedProof(token, second));
    expect((await fixture.execute(PROVE, { secret }, asCustomer(token))).codes).toEqual(['NTF001']);
  });

  it('a link confirms no re-identification, which has expired', async () => {
    const [{ tokenRef }, secret] = await ahead(async () => [
      await started(fixture, other, { mpxn, method: 'MAGIC_LINK' }),
      await mailedSecret(fixture, email),
    ]);
    expect((await fixture.execute(CONFIRM_LINK, { secret })).codes).toEqual(['NTF001']);
    const status = await fixture.execute(STATUS, { token: tokenRef }, { caller: other });
    expect(status.data.reidentification?.status ?? 'EXPIRED').toBe('EXPIRED');
  });

  it('a redirect starts no ceremony', async () => {
    const home = newMpxn();
    await people.passkeyHolder(dataUser, home, null);
    const input = { mpxn: home, method: 'PASSKEY_ASSERT', passkeyReturnUrl: RETURN_URL };
    const { secret } = await ahead(() => started(fixture, other, input));
    expect((await fixture.execute(OPTIONS, { secret })).codes).toEqual(['NTF001']);
  });

  it('a confirmed re-identification has expired, and shows no consents of other Data Users', async () => {
    const [home, address] = [newMpxn(), people.newEmail('menna')];
    const [registrant, initiator] = [await consentingDataUser(fixture), await consentingDataUser(fixture)];
    await registerConsent(fixture, registrant, consentOf(registrant, home));
    await fixture.newRecord(registrant, { email: address }, { mpxn: home });
    const { tokenRef } = await ahead(async () => {
      const start = await started(fixture, initiator, { mpxn: home, method: 'MAGIC_LINK' });
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, address) }));
      expect(await shownConsents(fixture, initiator, home)).toHaveLength(1);
      return start;
    });
    expect(await shownConsents(fixture, initiator, home)).toEqual([]);
    const status = await fixture.execute(STATUS, { token: tokenRef }, { caller: initiator });
    expect(status.data.reidentification?.status ?? 'EXPIRED').toBe('EXPIRED');
  });
}
