import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  CEREMONY,
  CONFIRM_LINK,
  OPTIONS,
  READ,
  RETURN_URL,
  finish,
  lastPart,
  mailedSecret,
  optionsOf,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { type SignInFixture, fixtureOfThisFile } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';

/** Ceremonies whose initiating Data User is suspended or terminated before the customer finishes them. */
export function inactiveInitiators(): void {
  const PASSKEY = { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL };
  const WAITING = `select pg_stat_clear_snapshot(), count(*)::int as sessions from pg_stat_activity
    where wait_event_type = 'Lock' and query like '%identity_record%for no key update%'`;
  let fixture: SignInFixture;
  let caller: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
  });
  beforeEach(async () => {
    caller = await fixture.dataUser(RETURN_URL);
  });

  const set = (change: 'suspend' | 'reactivate' | 'terminate') =>
    fixture.accounts.changeStatus('test', caller.accountId, change);
  const passkeysOf = async (ref: string) =>
    valueOf(await fixture.execute(READ, { ref }, { caller })).credentials as unknown[];

  /** The response of a customer's authenticator to a ceremony, not yet sent. */
  async function created(secret: string) {
    const authenticator = new SoftwareAuthenticator({ origin: new URL(fixture.urls.portalUrl).origin });
    return authenticator.create(await optionsOf(fixture, secret));
  }

  it('enrols no passkey that a Data User vouches for, while it is suspended', async () => {
    const ref = await fixture.newRecord(caller, { email: null });
    const { secret } = await started(fixture, caller, PASSKEY, ref);
    const response = await created(secret);
    await set('suspend');
    expect(await finish(fixture, secret, response)).toMatchObject({ data: null, codes: ['NTF001'] });
    expect(await passkeysOf(ref)).toEqual([]);
    await set('reactivate');
    expect(valueOf(await finish(fixture, secret, response)).returnUrl).toMatch(/^https:\/\/larkhill\.example\//);
  });

  it('returns no customer to a URL that is no longer registered', async () => {
    const ref = await fixture.newRecord(caller, { email: null });
    const { secret } = await started(fixture, caller, PASSKEY, ref);
    const response = await created(secret);
    const values = [[`${RETURN_URL}0`], caller.accountId];
    await fixture.owner.query('update access.account set return_urls = $1 where account_id = $2', values);
    expect(valueOf(await finish(fixture, secret, response))).toMatchObject({ returnUrl: null, nextSecret: null });
    expect(await passkeysOf(ref)).toHaveLength(1);
  });

  it('enrols no passkey by the redirect of a new record, once the Data User is terminated', async () => {
    const change = { email: null, initiatePasskeyRegistration: true, passkeyReturnUrl: RETURN_URL };
    const { ir, redirect } = await fixture.newEnrolment(caller, change);
    const secret = lastPart(redirect);
    const response = await created(secret);
    await set('terminate');
    expect((await finish(fixture, secret, response)).codes).toEqual(['NTF001']);
    expect(await passkeysOf(ir)).toEqual([]);
    expect((await fixture.execute(OPTIONS, { secret })).codes).toEqual(['NTF001']);
    expect(valueOf(await fixture.execute(CEREMONY, { secret }))).toBeNull();
  });

  it('enrols no passkey if the Data User is suspended while another transaction locks the record', async () => {
    const ref = await fixture.newRecord(caller, { email: null });
    const { secret } = await started(fixture, caller, PASSKEY, ref);
    const response = await created(secret);
    await fixture.owner.query('begin');
    await fixture.owner.query('select from identity.identity_record where ref = $1 for update', [ref]);
    const finished = finish(fixture, secret, response);
    await until(async () => ((await fixture.owner.query(WAITING)).rows[0].sessions > 0 ? true : undefined));
    await set('suspend');
    await fixture.owner.query('rollback');
    expect((await finished).codes).toEqual(['NTF001']);
    expect(await passkeysOf(ref)).toEqual([]);
  });

  it('confirms no mailed link and returns no customer to a Data User that is suspended', async () => {
    const email = `resident-${caller.accountId}@inactive.example`;
    const ref = await fixture.newRecord(caller, { email });
    await started(fixture, caller, { method: 'MAGIC_LINK', redirectUrl: RETURN_URL }, ref);
    const secret = await mailedSecret(fixture, email);
    await set('suspend');
    expect(await fixture.execute(CONFIRM_LINK, { secret })).toMatchObject({ data: null, codes: ['NTF001'] });
    await set('reactivate');
    expect(valueOf(await fixture.execute(CONFIRM_LINK, { secret })).returnUrl).toMatch(
      /^https:\/\/larkhill\.example\//,
    );
  });
}
