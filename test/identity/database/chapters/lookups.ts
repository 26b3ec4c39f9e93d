import type { Caller } from '../../../../subgraphs/server/callers/caller';
import {
  EXISTS,
  MAIL_PROOF,
  REIDENTIFY,
  REIDENTIFY_OWN,
  RETURN_URL,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { expectWait } from '../../../support/limit-period';
import { CONSENTS } from '../../../support/legacy-consents';
import { asCustomer, signedInByLink } from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, fixtureOfThisFile, startSignInFixture } from '../../../support/sign-in-fixture';

export function lookups(): void {
  const LOOKUPS = '{ identityLooks { dataUser { duid } kind hour count } }';
  const LINK = { method: 'MAGIC_LINK' };

  let fixture: SignInFixture;
  let owner: Caller;
  let other: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    [owner, other] = [await fixture.dataUser(RETURN_URL), await fixture.dataUser(RETURN_URL)];
  });
  /** Moves the clock to half past the hour, so that no test runs over a full hour. */
  const toHalfPast = () => 1_800 - (Math.floor(Date.now() / 1_000) % 3_600);
  beforeEach(() => fixture.moveClock(toHalfPast()));
  afterEach(() => fixture.moveClock(0));

  let serial = 0;
  const customer = async (principal: object = {}) => {
    const [mpxn, email] = [newMpxn(), `gwen-${(serial += 1)}@customer.example`];
    return { mpxn, email, ref: await fixture.newRecord(owner, { email }, { mpxn, ...principal }) };
  };
  const lookupsOf = async (email: string) => {
    await fixture.jobsDone();
    const { token } = await signedInByLink(fixture, { email }, email);
    return valueOf(await fixture.execute(LOOKUPS, {}, asCustomer(token)));
  };
  const exists = (mpxn: string, caller: Caller) => fixture.execute(EXISTS, { mpxn }, { caller });

  describe('A lookup of a customer', () => {
    it('is counted by organisation, kind and hour, including rejected attempts', async () => {
      const { mpxn, email, ref } = await customer();
      await fixture.newRecord(other, { principalVerification: null }, { mpxn }); // a second record at the meter point must not count a lookup twice
      for (const caller of [other, other, owner]) await exists(mpxn, caller);
      await started(fixture, other, { mpxn, ...LINK });
      await fixture.execute(
        REIDENTIFY,
        { input: { mpxn, method: 'PASSKEY_ASSERT', passkeyReturnUrl: RETURN_URL } },
        { caller: other },
      );
      await started(fixture, owner, LINK, ref);
      const hour = `${new Date(Date.now() + toHalfPast() * 1_000).toISOString().slice(0, 13)}:00:00.000Z`;
      const lookupOf = (caller: Caller, kind: string, count: number) => ({
        dataUser: { duid: caller.duid },
        kind,
        hour,
        count,
      });
      const listed = await lookupsOf(email);
      expect(listed).toHaveLength(4);
      expect(listed).toEqual(
        expect.arrayContaining([
          lookupOf(other, 'EXISTENCE_CHECK', 2),
          lookupOf(owner, 'EXISTENCE_CHECK', 1),
          lookupOf(other, 'REIDENTIFICATION', 2),
          lookupOf(owner, 'REIDENTIFICATION', 1),
        ]),
      );
    });

    it('is not counted for a replayed or malformed request', async () => {
      const { mpxn, email } = await customer();
      for (const _ of [1, 2, 3])
        await fixture.execute(REIDENTIFY, { input: { mpxn, ...LINK }, key: 'one-look' }, { caller: other });
      await fixture.execute(
        REIDENTIFY,
        { input: { mpxn, ...LINK, redirectUrl: 'https://not-registered.example/' } },
        { caller: other },
      );
      expect((await lookupsOf(email)).map(({ count }: { count: number }) => count)).toEqual([1]);
    });

    it('is counted exactly for concurrent lookups', async () => {
      const { mpxn, email } = await customer();
      await fixture.newRecord(other, {}, { mpxn });
      await Promise.all(Array.from({ length: 40 }, (_, index) => exists(mpxn, index % 2 ? owner : other)));
      expect((await lookupsOf(email)).map(({ count }: { count: number }) => count)).toEqual([20, 20]);
    });

    it('is readable by customers only, for their own meter point', async () => {
      const [one, another] = [await customer(), await customer()];
      await exists(one.mpxn, other);
      expect(await lookupsOf(another.email)).toEqual([]);
      expect((await fixture.execute(LOOKUPS, {}, { caller: owner })).codes).toEqual(['PRM001']);
      expect((await fixture.execute(LOOKUPS)).codes).toEqual(['AUT001']);
      expect((await fixture.execute(LOOKUPS, {}, asCustomer(`cst_${'x'.repeat(43)}`))).codes).toEqual(['AUT001']);
    });

    it('belongs to the occupancy: the next and the former occupant cannot read each other’s', async () => {
      const former = await customer();
      await exists(former.mpxn, owner);
      const today = `(register_now() at time zone 'Europe/London')::date`;
      await fixture.owner.query(
        `update identity.identity_look set hour = hour - interval '40 days' where record_id = (select id from identity.identity_record where ref = $1)`,
        [former.ref],
      );
      await fixture.owner.query(
        `insert into identity.change_of_tenancy (mpxn_index, effective_date)
         select mpxn_index, ${today} - 30 from identity.identity_record where ref = $1`,
        [former.ref],
      );
      const { rows } = await fixture.owner.query(`select (${today} - 30)::text as day`);
      const present = 'present@customer.example';
      await fixture.newRecord(owner, { email: present }, { mpxn: former.mpxn, moveInDate: rows[0].day });
      await exists(former.mpxn, other);
      const duids = (listed: { dataUser: { duid: string } }[]) => listed.map(({ dataUser }) => dataUser.duid);
      expect(duids(await lookupsOf(present))).toEqual([other.duid]);
      expect(duids(await lookupsOf(former.email))).toEqual([owner.duid]);
    });
  });

  describe('Limits', () => {
    let limited: SignInFixture;
    let caller: Caller;
    const mpxn = newMpxn();
    const input = { mpxn, ...LINK };
    let ref: string;
    beforeAll(async () => {
      limited = await startSignInFixture({ replicas: 2, limits: { existsMinute: 4, existsDay: 6, mails: 2 } });
      caller = await limited.dataUser(RETURN_URL);
      ref = await limited.newRecord(caller, { email: 'limited@customer.example' }, { mpxn });
    });
    afterAll(() => limited?.close());

    it('on mails to a person apply across replicas, also to proofs', async () => {
      const request = { input: { mpxn, method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL } };
      const startedAt = performance.now();
      const { passkey } = valueOf(await limited.execute(REIDENTIFY, request, { caller }));
      const secret = passkey.redirectUrl.slice(-43);
      for (const replica of [0, 1]) {
        expect((await limited.execute(MAIL_PROOF, { secret, language: 'EN' }, {}, replica)).codes).toEqual([]);
      }
      for (const replica of [0, 1]) {
        const { codes, retryAfter } = await limited.execute(MAIL_PROOF, { secret, language: 'EN' }, {}, replica);
        expect(codes).toEqual(['LIM002']);
        expectWait(retryAfter, 15 * 60, startedAt);
      }
      expect((await limited.execute(REIDENTIFY, { input }, { caller })).codes).toEqual(['LIM002']);
    });

    it('per account and minute cover existence checks, lookups of consents and re-identifications, across replicas', async () => {
      const [asker, startedAt] = [await limited.dataUser(RETURN_URL), performance.now()];
      const check = (replica: number) => limited.execute(EXISTS, { mpxn }, { caller: asker }, replica);
      for (const replica of [0, 1]) expect((await check(replica)).codes).toEqual([]);
      const lookupOf = (replica: number) => limited.execute(CONSENTS, { mpxn }, { caller: asker }, replica);
      expect((await lookupOf(0)).codes).toEqual([]);
      const unknown = { input: { mpxn: newMpxn(), ...LINK } };
      expect((await limited.execute(REIDENTIFY, unknown, { caller: asker }, 1)).codes).toEqual(['NTF001']);
      for (const replica of [0, 1]) {
        expect((await limited.execute(REIDENTIFY, unknown, { caller: asker }, replica)).codes).toEqual(['LIM002']);
        expect((await check(replica)).codes).toEqual(['LIM002']);
        const { codes, retryAfter } = await lookupOf(replica);
        expect(codes).toEqual(['LIM002']);
        expectWait(retryAfter, 60, startedAt);
        const own = await limited.execute(REIDENTIFY_OWN, { ref, input: LINK }, { caller: asker }, replica);
        expect(own).toMatchObject({ codes: ['LIM002'], retryAfter: expect.any(Number) });
      }
    });

    it('per account and day cover existence checks and lookups of consents', async () => {
      const [asker, startedAt] = [await limited.dataUser(RETURN_URL), performance.now()];
      const check = (query: string) => limited.execute(query, { mpxn }, { caller: asker });
      const afterTheMinute = () =>
        limited.owner.query(`delete from identity.rate_limit where key like 'exists-minute:%'`);
      for (const query of [CONSENTS, CONSENTS, CONSENTS, CONSENTS, EXISTS, EXISTS]) {
        await afterTheMinute();
        expect((await check(query)).codes).toEqual([]);
      }
      await afterTheMinute();
      for (const query of [EXISTS, CONSENTS]) {
        const { codes: rejected, retryAfter } = await check(query);
        expect(rejected).toEqual(['LIM002']);
        expectWait(retryAfter, 24 * 3_600, startedAt);
      }
    });
  });
}
