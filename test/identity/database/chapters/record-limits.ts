import { randomUUID } from 'node:crypto';
import { personalDataCipher } from '../../../../subgraphs/identity/records/personal-data-cipher';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { EXISTS, REIDENTIFY, valueOf } from '../../../support/ceremonies';
import { CONSENTS, consentOf, consentingDataUser, sendConsent } from '../../../support/legacy-consents';
import { isLinkMail, mailsNow } from '../../../support/sign-in-mails';
import { asCustomer, signedInByLink } from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, fixtureOfThisFile } from '../../../support/sign-in-fixture';

export function recordLimits(): void {
  const REGISTER = `mutation ($input: IdentityRecordInput!, $key: String) {
    registerIdentityRecord(input: $input, idempotencyKey: $key) { ir } }`;
  const ANONYMISE = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { ir } }';
  const LOOKUPS = '{ identityLooks { dataUser { duid } count } }';
  const MOST = 5;

  let fixture: SignInFixture;
  let dataUser: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    dataUser = await fixture.dataUser();
  });

  let people = 0;
  const newEmail = () => `counted-${(people += 1)}@customer.example`;

  /** Registers an unverified record without contacts; returns its key or the error codes. */
  async function registered(
    mpxn: string,
    { moveInDate = '2021-04-01', key = null as string | null, by = dataUser, replica = 0 } = {},
  ) {
    const input = { piiPrincipal: { mpxn, moveInDate }, expressedBy: 'DATA_SUBJECT' };
    const { data, codes } = await fixture.execute(REGISTER, { input, key }, { caller: by }, replica);
    return codes.length > 0 ? codes : (data.registerIdentityRecord.ir as string);
  }
  const several = (count: number, mpxn: string) =>
    Promise.all(Array.from({ length: count }, (_, n) => registered(mpxn, { replica: n % 2 })));
  const REJECTED = ['CNF003'];

  /** Inserts unverified copies of a record, in excess of the limit or as consents of Interface B do. */
  async function flood(ref: string, count: number, dataUsers: number): Promise<void> {
    const { rows } = await fixture.owner.query(
      `select id, sealed, wrapped as "wrappedKey" from identity.identity_record join identity_keys.data_key on record_id = id where ref = $1`,
      [ref],
    );
    const cipher = personalDataCipher(fixture.keys.encryptionKey);
    const personal = cipher.open(rows[0].id, rows[0]);
    const ids = Array.from({ length: count }, () => randomUUID());
    const encrypted = ids.map((id) => cipher.encryptValue(id, personal));
    await fixture.owner.query(
      `with copy as (
         select c.id, 'ir_' || substr(md5(c.id::text), 1, 24) as ref, c.sealed, c.wrapped,
           'duid_' || substr(md5((n % $5::int)::text), 1, 24) as duid, r.mpxn_index, r.email_index,
           r.meter_point_id, r.expressed_by, r.form
         from identity.identity_record r, unnest($2::uuid[], $3::bytea[], $4::bytea[]) with ordinality c (id, sealed, wrapped, n)
         where r.ref = $1),
       record as (
         insert into identity.identity_record (id, ref, duid, mpxn_index, email_index, meter_point_id, expressed_by, form, sealed, is_verified)
         select id, ref, duid, mpxn_index, email_index, meter_point_id, expressed_by, form, sealed, false from copy)
       insert into identity_keys.data_key (record_id, wrapped) select id, wrapped from copy`,
      [ref, ids, encrypted.map(({ sealed }) => sealed), encrypted.map(({ wrappedKey }) => wrappedKey), dataUsers],
    );
  }

  describe('Live Identity Records of a Data User at a meter point', () => {
    it('are at most five, also for concurrent registrations', async () => {
      const mpxn = newMpxn();
      const results = await several(14, mpxn);
      expect(results.filter((result) => typeof result === 'string')).toHaveLength(MOST);
      expect(results.filter((result) => typeof result !== 'string')).toEqual(Array(14 - MOST).fill(REJECTED));
      expect(await registered(mpxn)).toEqual(REJECTED);
    });

    it('are counted for each Data User and each meter point', async () => {
      const mpxn = newMpxn();
      await several(MOST, mpxn);
      expect(await registered(mpxn, { by: await fixture.dataUser() })).toMatch(/^ir_/);
      expect(await registered(newMpxn())).toMatch(/^ir_/);
    });

    it('do not count once they are anonymised', async () => {
      const mpxn = newMpxn();
      const [ref] = await several(MOST, mpxn);
      valueOf(await fixture.execute(ANONYMISE, { ref }, { caller: dataUser }));
      expect(await registered(mpxn)).toMatch(/^ir_/);
      expect(await registered(mpxn)).toEqual(REJECTED);
    });

    it('do not count once they are closed until an access record of another Data User ends', async () => {
      const mpxn = newMpxn();
      const [ref] = await several(MOST, mpxn);
      const closed = 'closed_at = register.register_now(), closing_at = register.register_now()';
      await fixture.owner.query(`update identity.identity_record set ${closed} where ref = $1`, [ref]);
      expect(await registered(mpxn)).toMatch(/^ir_/);
      expect(await registered(mpxn)).toEqual(REJECTED);
    });

    it('are counted per occupancy, also for a future one', async () => {
      const mpxn = newMpxn();
      await several(MOST, mpxn);
      await fixture.tenancyChanged(mpxn, '2022-06-01');
      await fixture.tenancyChanged(mpxn, '2999-01-01');
      expect(await registered(mpxn)).toEqual(REJECTED);
      for (const moveInDate of ['2022-06-01', '2999-01-01']) {
        for (let n = 0; n < MOST; n++) expect(await registered(mpxn, { moveInDate })).toMatch(/^ir_/);
        expect(await registered(mpxn, { moveInDate })).toEqual(REJECTED);
      }
    });

    it('do not include those of consents of Interface B, which have no limit', async () => {
      const [by, mpxn] = [await consentingDataUser(fixture), newMpxn()];
      const consent = consentOf(by, mpxn);
      const { moveInDate } = consent;
      for (let n = 0; n <= MOST; n++) expect((await sendConsent(fixture, by, consent)).codes).toEqual([]);
      for (let n = 0; n < MOST; n++) expect(await registered(mpxn, { by, moveInDate })).toMatch(/^ir_/);
      expect(await registered(mpxn, { by, moveInDate })).toEqual(REJECTED);
      expect((await sendConsent(fixture, by, consent)).codes).toEqual([]);
    });

    it('are returned again for their idempotency key; a rejected registration does not use its key', async () => {
      const mpxn = newMpxn();
      const [key, other] = [randomUUID(), randomUUID()];
      await several(MOST - 1, mpxn);
      const last = await registered(mpxn, { key });
      expect(await registered(mpxn, { key })).toBe(last);
      expect(await registered(mpxn, { key: other })).toEqual(REJECTED);
      valueOf(await fixture.execute(ANONYMISE, { ref: last }, { caller: dataUser }));
      expect(await registered(mpxn, { key: other })).toMatch(/^ir_/);
    });
  });

  describe('Many newer unverified records', () => {
    it('do not lock out a verified customer: mailed links, sign-in, notices and re-identification work as before', async () => {
      const [mpxn, email, housemate] = [newMpxn(), newEmail(), newEmail()];
      const ref = await fixture.newRecord(dataUser, { email }, { mpxn });
      await flood(ref, 600, 600);
      await signedInByLink(fixture, { mpxn }, email);
      await signedInByLink(fixture, { email }, email);
      const { magicLink } = valueOf(
        await fixture.execute(
          REIDENTIFY,
          { input: { mpxn, method: 'MAGIC_LINK' } },
          { caller: await fixture.dataUser() },
        ),
      );
      expect(magicLink.dispatchedTo).toBe('c***@c***.example');
      await fixture.newRecord(dataUser, { email: housemate }, { mpxn });
      await signedInByLink(fixture, { email: housemate }, housemate);
      await fixture.jobsDone();
      expect((await mailsNow(fixture, email)).filter((mail) => !isLinkMail(mail)).length).toBeGreaterThan(0);
    });
  });

  describe('Many newer unverified records without contacts', () => {
    it.each([
      ['do not displace a verified customer, who can still be re-identified', {}, 600],
      [
        'do not displace an unverified customer of another, who can still be re-identified',
        { principalVerification: null },
        1,
      ],
    ])('%s', async (_, verification, dataUsers) => {
      const mpxn = newMpxn();
      await fixture.newRecord(dataUser, { email: newEmail(), ...verification }, { mpxn });
      const other = await fixture.newRecord(dataUser, { email: null, principalVerification: null }, { mpxn });
      await flood(other, 600, dataUsers);
      const { magicLink } = valueOf(
        await fixture.execute(
          REIDENTIFY,
          { input: { mpxn, method: 'MAGIC_LINK' } },
          { caller: await fixture.dataUser() },
        ),
      );
      expect(magicLink.dispatchedTo).toBe('c***@c***.example');
    });
  });

  describe('Lookups at a meter point with many records of one Data User', () => {
    it.each([
      ['existence check', EXISTS],
      ['lookup of consents', CONSENTS],
    ])('cost at most 500 rows for each %s, and the customer reads it', async (_, query) => {
      const [mpxn, email, caller] = [newMpxn(), newEmail(), await fixture.dataUser()];
      await fixture.newRecord(dataUser, { email }, { mpxn });
      const planted = await fixture.newRecord(
        await fixture.dataUser(),
        { email: null, principalVerification: null },
        { mpxn },
      );
      await flood(planted, 700, 1);
      valueOf(await fixture.execute(query, { mpxn }, { caller }));
      const counted = await fixture.owner.query('select from identity.identity_look where duid = $1', [caller.duid]);
      expect(counted.rowCount).toBeGreaterThan(0);
      expect(counted.rowCount).toBeLessThanOrEqual(500);
      const { token } = await signedInByLink(fixture, { email }, email);
      const { identityLooks } = (await fixture.execute(LOOKUPS, {}, asCustomer(token))).data;
      expect(identityLooks).toEqual([{ dataUser: { duid: caller.duid }, count: 1 }]);
    });
  });

  describe('Many newer verified records with an address, of one Data User', () => {
    it('do not prevent the link to the record of another Data User', async () => {
      const [mpxn, email, busy] = [newMpxn(), newEmail(), await fixture.dataUser()];
      await fixture.newRecord(dataUser, { email }, { mpxn });
      for (let n = 0; n < 6; n++) await fixture.newRecord(busy, { email });
      await signedInByLink(fixture, { email }, email);
      await fixture.jobsDone();
      const { rows } = await fixture.owner.query(
        `select count(*)::int as links from identity.sign_in_link l join identity.identity_record r on r.id = l.record_id where r.duid = $1`,
        [dataUser.duid],
      );
      expect(rows[0].links).toBeGreaterThan(0);
    });
  });
}
