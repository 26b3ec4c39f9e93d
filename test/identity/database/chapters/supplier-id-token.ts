import { setTimeout as pause } from 'node:timers/promises';
import { type Forger, type Forgery, startForger } from '../../../support/supplier-forger';
import { FINISH_SUPPLIER, START_SUPPLIER } from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, fixtureOfThisFile } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';

/** Maximum size of a supplier's response. */
const MAX_BYTES = 262_144;

export function supplierIdToken(): void {
  let fixture: SignInFixture;
  let forger: Forger;
  let mpid: string;
  beforeAll(async () => {
    [fixture, forger] = await Promise.all([fixtureOfThisFile(), startForger()]);
    ({ mpid } = await fixture.newSupplier({ issuer: forger.issuer }));
  });
  afterAll(() => forger?.close());

  describe('A document of a supplier', () => {
    const METADATA = '/.well-known/openid-configuration';
    let lengthy: Forger;
    beforeEach(async () => void (lengthy = await startForger()));
    afterEach(() => lengthy.close());

    it.each([
      [METADATA, 100_000, []],
      [METADATA, MAX_BYTES, ['SYS002']],
      ['/jwks', 100_000, []],
      ['/jwks', MAX_BYTES, ['SYS002']],
    ])('at %s that is %i bytes longer than necessary: %j', async (path, extra, codes) => {
      lengthy.padding.set(path, extra);
      const at = await fixture.newSupplier({ issuer: lengthy.issuer });
      const mpxn = newMpxn();
      const started = await fixture.execute(START_SUPPLIER, { mpid: at.mpid, entry: { mpxn } });
      const { secret, url } = started.data?.startSupplierSignIn ?? {};
      const callbackUrl = secret && lengthy.respondTo(url, { claims: { mpxn } });
      const ended = secret ? await fixture.execute(FINISH_SUPPLIER, { secret, callbackUrl }) : started;
      expect(ended.codes).toEqual(codes);
      expect(fixture.log().includes(`"supplier":"${at.mpid}","error":"too-long"`)).toBe(codes.length > 0);
    });
  });

  describe('An ID token', () => {
    const forged = async (mpxn: string, forgery: Forgery) => {
      const { data } = await fixture.execute(START_SUPPLIER, { mpid, entry: { mpxn } });
      const { secret, url } = data.startSupplierSignIn;
      return fixture.execute(FINISH_SUPPLIER, { secret, callbackUrl: forger.respondTo(url, forgery) });
    };

    it('that is valid is accepted (so that each forgery below is rejected for its own defect)', async () => {
      const mpxn = newMpxn();
      expect((await forged(mpxn, { claims: { mpxn: [mpxn] } })).codes).toEqual([]);
    });

    it('that arrives after the supplier was suspended signs in to nothing', async () => {
      const mpxn = newMpxn();
      const supplier = await fixture.newSupplier({ issuer: forger.issuer });
      const started = await fixture.execute(START_SUPPLIER, { mpid: supplier.mpid, entry: { mpxn } });
      const { secret, url } = started.data.startSupplierSignIn;
      let release = () => {};
      const after = new Promise<void>((resolve) => (release = resolve));
      const callbackUrl = forger.respondTo(url, { claims: { mpxn: [mpxn] }, after });
      const finished = fixture.execute(FINISH_SUPPLIER, { secret, callbackUrl });
      const code = new URL(callbackUrl).searchParams.get('code') ?? '';
      await until(() => (forger.codes.includes(code) ? true : undefined));
      await fixture.accounts.changeStatus('test', supplier.accountId, 'suspend');
      release();
      expect((await finished).codes).toEqual(['AUT001']);
      const sessions = 'select from identity.customer_session where mpid = $1';
      expect((await fixture.owner.query(sessions, [supplier.mpid])).rowCount).toBe(0);
    });

    it.each<[string, (mpxn: string) => Forgery]>([
      ['without the claim', () => ({ claims: {} })],
      ['signed by a key that the supplier does not publish', (mpxn) => ({ claims: { mpxn }, signedByAnother: true })],
      ['for another sign-in', (mpxn) => ({ claims: { mpxn, nonce: 'x' } })],
      ['for another client', (mpxn) => ({ claims: { mpxn, aud: 'another' } })],
      ['of another issuer', (mpxn) => ({ claims: { mpxn, iss: 'https://evil.example' } })],
      ['that has expired', (mpxn) => ({ claims: { mpxn, exp: 1_000_000_000 } })],
    ])('%s is rejected', async (_, forgery) => {
      const mpxn = newMpxn();
      expect((await forged(mpxn, forgery(mpxn))).codes).toEqual(['AUT001']);
    });

    it('that the supplier does not return in time fails with SYS002 within ten seconds', async () => {
      const limit = pause(9_000, undefined, { ref: false });
      const ended = await Promise.race([forged(newMpxn(), { late: 30_000 }), limit]);
      expect(ended?.codes).toEqual(['SYS002']);
    });

    it('that is longer than 256 KiB with its response fails with SYS002', async () => {
      const mpxn = newMpxn();
      expect((await forged(mpxn, { claims: { mpxn }, padding: MAX_BYTES })).codes).toEqual(['SYS002']);
    });

    it('request that fails at the supplier is reported as SYS002', async () => {
      expect((await forged(newMpxn(), { status: 503 })).codes).toEqual(['SYS002']);
    });
  });
}
