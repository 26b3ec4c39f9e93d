import { countContact } from '../../../../subgraphs/identity/contacts/contact.repository';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { valueOf } from '../../../support/ceremonies';
import { ContestFixture } from '../../../support/contest-fixture';
import { type SignInFixture, fixtureOfThisFile, newMpxn, recordInput } from '../../../support/sign-in-fixture';

/** What the back office learns of contests: counts of each Data User, and an alert. */
export function contestCounts(): void {
  const ANONYMISE = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { ir } }';
  const CHECK =
    'mutation ($input: IdentityRecordInput!) { registerIdentityRecord(input: $input, dryRun: true) { ir } }';
  let fixture: SignInFixture;
  let people: ContestFixture;
  let honest: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    honest = await fixture.dataUser();
  });

  describe('Contests of a Data User', () => {
    it('are counted in one row if one transaction records them, so that two such transactions do not deadlock', async () => {
      const { duid } = (await fixture.dataUser()) as { duid: string };
      await fixture.owner.query('begin; set local search_path to identity, register');
      for (let n = 0; n < 6; n++) await countContact(fixture.owner, duid, 'contest');
      await fixture.owner.query('commit');
      const counted = 'select count from identity.contact_count where duid = $1';
      expect((await fixture.owner.query(counted, [duid])).rows).toEqual([{ count: 6 }]);
    });
  });

  describe('The back office', () => {
    const COUNTS = '{ contactCounts { dataUser { duid } asserted contests rejections isAlert } }';
    const countsOf = async ({ duid }: Caller) => {
      const counts = valueOf(await fixture.execute(COUNTS, {}, { caller: { ...honest, role: 'analyst', duid: null } }));
      return counts.find((each: { dataUser: { duid: string } }) => each.dataUser.duid === duid);
    };

    /** The numbers of contests in the lines that alert the back office of a Data User. */
    const alertsOf = ({ duid }: Caller) =>
      fixture
        .log()
        .split('\n')
        .filter((line) => line.includes('alert threshold') && line.includes(String(duid)))
        .map((line) => JSON.parse(line).contests);

    it('reads contacts, contests and rejections of each Data User, with an alert from 20 contests a day', async () => {
      const busy = await fixture.dataUser();
      for (let n = 1; n <= 20; n++) {
        const mpxn = newMpxn();
        await fixture.newRecord(honest, {}, { mpxn });
        await fixture.newRecord(busy, {}, { mpxn });
        if (n < 19) continue;
        expect(await countsOf(busy)).toMatchObject({ asserted: n, contests: n, rejections: 0, isAlert: n >= 20 });
        if (n < 20) continue;
        const token = await people.suppliedToken(mpxn);
        for (const { id } of (await people.contacts(token)).slice(1))
          valueOf(await people.judge(token, id, 'REJECTED'));
        expect(await countsOf(busy)).toMatchObject({ rejections: 1 });
      }
    });

    it('is alerted by one line, also for concurrent contests', async () => {
      const busy = await fixture.dataUser();
      for (let n = 0; n < 5; n++) {
        const mpxns = Array.from({ length: 5 }, () => newMpxn());
        for (const mpxn of mpxns) await fixture.newRecord(honest, {}, { mpxn });
        await Promise.all(mpxns.map((mpxn) => fixture.newRecord(busy, {}, { mpxn })));
      }
      expect(alertsOf(busy)).toEqual([20]);
    });

    it('is not alerted by a check', async () => {
      const busy = await fixture.dataUser();
      const mpxns = Array.from({ length: 20 }, () => newMpxn());
      for (const mpxn of mpxns) await fixture.newRecord(honest, {}, { mpxn });
      for (const mpxn of mpxns.slice(1)) await fixture.newRecord(busy, {}, { mpxn });
      const input = recordInput({}, { mpxn: mpxns[0] });
      expect((await fixture.execute(CHECK, { input }, { caller: busy })).codes).toEqual([]);
      expect(alertsOf(busy)).toEqual([]);
      await fixture.newRecord(busy, {}, { mpxn: mpxns[0] });
      expect(alertsOf(busy)).toEqual([20]);
    });

    it('counts a contact again each time it is removed and registered again', async () => {
      const [mpxn, email, busy] = [newMpxn(), people.newEmail('again'), await fixture.dataUser()];
      await fixture.newRecord(honest, {}, { mpxn });
      for (let n = 1; n <= 3; n++) {
        const ref = await fixture.newRecord(busy, { email }, { mpxn });
        expect(await countsOf(busy)).toMatchObject({ contests: n });
        valueOf(await fixture.execute(ANONYMISE, { ref }, { caller: busy }));
      }
      const { rows } = await fixture.owner.query(`select count(*)::int as left from identity.contact_contest c
        where not exists (select from identity.identity_record r where r.email_index = c.contact)
          and not exists (select from identity.passkey p where p.credential_hash = c.contact)`);
      expect(rows[0].left).toBe(0);
    });
  });
}
