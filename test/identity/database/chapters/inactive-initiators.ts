import { UnsecuredJWT } from 'jose';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  CEREMONY,
  CONFIRM_LINK,
  MAIL_PROOF,
  OPTIONS,
  READ,
  REIDENTIFY_OWN,
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
    where datname = current_database() and wait_event_type = 'Lock' and query like '%identity_record%for no key update%'`;
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

  describe('After the secret of the Data User was revoked', () => {
    /** Replaces the secret; returns the context of a request with a bearer token that is issued afterwards. */
    async function revoke(revokePrevious = true) {
      await fixture.accounts.rotateSecret('test', caller.accountId, revokePrevious);
      const account = 'select token_series from access.account where account_id = $1';
      const series = (await fixture.owner.query(account, [caller.accountId])).rows[0].token_series as string | null;
      return { caller, bearer: new UnsecuredJWT({ series }).encode() };
    }
    const redirectOf = async (ref: string, context: Awaited<ReturnType<typeof revoke>> | { readonly caller: Caller }) =>
      lastPart(valueOf(await fixture.execute(REIDENTIFY_OWN, { ref, input: PASSKEY }, context)).passkey.redirectUrl);

    it('redirects for which its thief vouched enrol no passkey, and those of the new secret do', async () => {
      const ref = await fixture.newRecord(caller, { email: null });
      const stolen = await redirectOf(ref, { caller });
      const response = await created(stolen);
      const afterFirst = await redirectOf(ref, await revoke());
      const responseToFirst = await created(afterFirst);
      const afterSecond = await redirectOf(ref, await revoke());
      expect((await finish(fixture, stolen, response)).codes).toEqual(['NTF001']);
      expect((await finish(fixture, afterFirst, responseToFirst)).codes).toEqual(['NTF001']);
      expect(valueOf(await fixture.execute(CEREMONY, { secret: stolen }))).toBeNull();
      expect(await passkeysOf(ref)).toEqual([]);
      valueOf(await finish(fixture, afterSecond, await created(afterSecond)));
      expect(await passkeysOf(ref)).toHaveLength(1);
    });

    it('the redirect of a new record enrols no passkey', async () => {
      const change = { email: null, initiatePasskeyRegistration: true, passkeyReturnUrl: RETURN_URL };
      const { ir, redirect } = await fixture.newEnrolment(caller, change);
      const response = await created(lastPart(redirect));
      await revoke();
      expect((await finish(fixture, lastPart(redirect), response)).codes).toEqual(['NTF001']);
      expect(await passkeysOf(ir)).toEqual([]);
    });

    it.each<[string, (ref: string) => Promise<unknown>]>([
      ['its secret was replaced without a revocation', () => revoke(false)],
      [
        'the previous release issued them',
        async (ref) => {
          const statement = `update identity.reidentification set token_series = null
            where record_id = (select id from identity.identity_record where ref = $1)`;
          await fixture.owner.query(statement, [ref]);
          await revoke();
        },
      ],
    ])('redirects remain valid if %s', async (_, change) => {
      const ref = await fixture.newRecord(caller, { email: null });
      const secret = await redirectOf(ref, { caller });
      await change(ref);
      valueOf(await finish(fixture, secret, await created(secret)));
      expect(await passkeysOf(ref)).toHaveLength(1);
    });

    it('a customer who confirms by mail still adds a passkey', async () => {
      const email = `revoked-${caller.accountId}@inactive.example`;
      const ref = await fixture.newRecord(caller, { email });
      const secret = await redirectOf(ref, { caller });
      await revoke();
      valueOf(await fixture.execute(MAIL_PROOF, { secret, language: 'EN' }));
      const proof = await mailedSecret(fixture, email);
      const { nextSecret } = valueOf(await fixture.execute(CONFIRM_LINK, { secret: proof }));
      valueOf(await finish(fixture, nextSecret, await created(nextSecret)));
      expect(await passkeysOf(ref)).toHaveLength(1);
    });
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
