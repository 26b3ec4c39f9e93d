import { ContestFixture } from '../../../support/contest-fixture';
import { expectWait } from '../../../support/limit-period';
import { mailsOf, secretIn } from '../../../support/sign-in-mails';
import {
  FINISH_SUPPLIER,
  REQUEST_LINK,
  SIGN_IN_LINK,
  SIGN_IN_WITH_LINK,
  SIGN_IN_WITH_PASSKEY,
  START_PASSKEY,
  START_SUPPLIER,
} from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, startSignInFixture } from '../../../support/sign-in-fixture';

export function signInLimits(): void {
  const MOST = 3;
  const secret = 'A'.repeat(43);

  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await startSignInFixture({
      replicas: 2,
      limits: { signIns: MOST, existsMinute: 2 * MOST, existsDay: MOST },
    });
  });
  afterAll(() => fixture?.close());

  let networks = 0;
  const newNetwork = () => `10.1.${(networks += 1)}.1`;

  /** Requests that count towards a limit: requests for a link and starts towards one, failed proofs towards another. */
  const COSTLY: readonly (readonly [string, string, () => object, string[]])[] = [
    ['requests for a link', REQUEST_LINK, () => ({ entry: { mpxn: newMpxn() }, language: 'EN' }), []],
    ['starts at a supplier', START_SUPPLIER, () => ({ mpid: 'NONE', entry: { mpxn: newMpxn() } }), ['NTF001']],
    ['invalid links', SIGN_IN_WITH_LINK, () => ({ secret }), ['AUT001']],
    ['invalid passkeys', SIGN_IN_WITH_PASSKEY, () => ({ secret, response: {} }), ['AUT001']],
    ['invalid supplier responses', FINISH_SUPPLIER, () => ({ secret, callbackUrl: 'x' }), ['AUT001']],
  ];

  describe('The limits on sign-ins from a network', () => {
    it.each(COSTLY)('count %s, across replicas', async (_, query, variables, codes) => {
      const [clientAddress, startedAt] = [newNetwork(), performance.now()];
      for (let attempt = 0; attempt < MOST; attempt++)
        expect((await fixture.execute(query, variables(), { clientAddress }, attempt % 2)).codes).toEqual(codes);
      for (const replica of [0, 1]) {
        const { codes: rejected, retryAfter } = await fixture.execute(query, variables(), { clientAddress }, replica);
        expect(rejected).toEqual(['LIM002']);
        expectWait(retryAfter, 60, startedAt);
      }
      expect((await fixture.execute(query, variables(), { clientAddress: newNetwork() })).codes).toEqual(codes);
    });

    it.each<[string, typeof COSTLY, typeof COSTLY]>([
      ['requests', COSTLY.slice(0, 2), COSTLY.slice(2)],
      ['failed proofs', COSTLY.slice(2), COSTLY.slice(0, 2)],
    ])(
      'are shared by all sign-in methods: %s of one use up those of the others, and nothing else',
      async (_, same, others) => {
        const clientAddress = newNetwork();
        const [[, query, variables]] = same as [(typeof COSTLY)[number]];
        for (let attempt = 0; attempt <= MOST; attempt++) await fixture.execute(query, variables(), { clientAddress });
        for (const [, shared, input] of same)
          expect((await fixture.execute(shared, input(), { clientAddress })).codes).toEqual(['LIM002']);
        for (const [, other, input, codes] of others)
          expect((await fixture.execute(other, input(), { clientAddress })).codes).toEqual(codes);
      },
    );

    it('admit a valid link beyond them', async () => {
      const email = 'guessed@customer.example';
      await fixture.newRecord(await fixture.dataUser(), { email });
      await fixture.execute(REQUEST_LINK, { entry: { email }, language: 'EN' }, { clientAddress: newNetwork() });
      const link = secretIn(await mailsOf(fixture, email, 1));
      const clientAddress = newNetwork();
      for (let attempt = 0; attempt <= MOST; attempt++)
        await fixture.execute(SIGN_IN_WITH_LINK, { secret }, { clientAddress }, attempt % 2);
      expect((await fixture.execute(SIGN_IN_WITH_LINK, { secret: link }, { clientAddress })).codes).toEqual([]);
      expect((await fixture.execute(SIGN_IN_WITH_LINK, { secret: link }, { clientAddress })).codes).toEqual(['LIM002']);
    });

    it('admit a valid passkey and a valid response of a supplier beyond them', async () => {
      const people = new ContestFixture(fixture); // its requests are those of one network
      const passkey = await people.passkeyHolder(
        await fixture.dataUser('https://larkhill.example/back'),
        newMpxn(),
        null,
      );
      for (let attempt = 0; attempt <= MOST; attempt++) await fixture.execute(SIGN_IN_WITH_LINK, { secret });
      expect((await fixture.execute(SIGN_IN_WITH_LINK, { secret })).codes).toEqual(['LIM002']);
      expect(await people.signedInByPasskey(passkey)).toMatch(/^cst_/);
      expect(await people.suppliedToken(newMpxn())).toMatch(/^cst_/);
    });

    it('count an IPv6 /64 as one network', async () => {
      const query = (host: number) =>
        fixture.execute(SIGN_IN_WITH_LINK, { secret }, { clientAddress: `2001:db8:1:1::${host}` }, host % 2);
      for (let host = 1; host <= MOST; host++) expect((await query(host)).codes).toEqual(['AUT001']);
      expect((await query(9)).codes).toEqual(['LIM002']);
    });

    it('do not count reading a link', async () => {
      const clientAddress = newNetwork();
      for (let attempt = 0; attempt < 2 * MOST; attempt++)
        expect((await fixture.execute(SIGN_IN_LINK, { secret }, { clientAddress })).codes).toEqual([]);
      expect((await fixture.execute(SIGN_IN_WITH_LINK, { secret }, { clientAddress })).codes).toEqual(['AUT001']);
    });

    it('are separate, and six times higher, for starting with a passkey, across replicas', async () => {
      const [clientAddress, startedAt] = [newNetwork(), performance.now()];
      const start = (replica: number, network = clientAddress) =>
        fixture.execute(START_PASSKEY, {}, { clientAddress: network }, replica % 2);
      for (let attempt = 0; attempt < 6 * MOST; attempt++) expect((await start(attempt)).codes).toEqual([]);
      for (const replica of [0, 1]) {
        const { codes, retryAfter } = await start(replica);
        expect(codes).toEqual(['LIM002']);
        expectWait(retryAfter, 60, startedAt);
      }
      expect((await start(0, newNetwork())).codes).toEqual([]);
      // other sign-in methods remain available
      expect((await fixture.execute(SIGN_IN_WITH_LINK, { secret }, { clientAddress })).codes).toEqual(['AUT001']);
    });
  });

  describe('The limit on existence checks and re-identifications of an account in a day', () => {
    const EXISTS = 'query ($mpxn: MPxN!) { identityRecordExistence(mpxn: $mpxn) { exists } }';
    const REIDENTIFY = `mutation ($input: CrossReidentificationInput!) { reidentify(input: $input) { method } }`;

    it('counts both together, across replicas, and sets Retry-After to the rest of 24 hours', async () => {
      const [caller, other] = [await fixture.dataUser(), await fixture.dataUser()];
      const [mpxn, startedAt] = [newMpxn(), performance.now()];
      const exists = (replica: number, by = caller) => fixture.execute(EXISTS, { mpxn }, { caller: by }, replica);
      const reidentify = (replica: number) =>
        fixture.execute(REIDENTIFY, { input: { mpxn, method: 'MAGIC_LINK' } }, { caller }, replica);
      expect([(await exists(0)).codes, (await reidentify(1)).codes, (await exists(1)).codes]).toEqual([
        [],
        ['NTF001'],
        [],
      ]);
      for (const rejected of [await exists(0), await exists(1), await reidentify(0)]) {
        expect(rejected.codes).toEqual(['LIM002']);
        expectWait(rejected.retryAfter, 24 * 3_600, startedAt);
      }
      expect((await exists(0, other)).codes).toEqual([]);
    });
  });
}
