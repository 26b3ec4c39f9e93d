import type { IdentityDependencies } from '../../../../subgraphs/identity/dependencies';
import { ChangeOfTenancyRepository } from '../../../../subgraphs/identity/operator/change-of-tenancy.repository';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { openDatabase } from '../../../../subgraphs/server/database/database';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { jumpedClock } from '../../../support/access-database';
import { valueOf } from '../../../support/ceremonies';
import { ContestFixture } from '../../../support/contest-fixture';
import { scopeOf } from '../../../support/sign-in-operations';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';
import { OPERATOR } from '../../../support/operator-caller';

const RECORD_CHANGE = 'mutation ($input: ChangeOfTenancyInput!) { recordChangeOfTenancy(input: $input) { isNew } }';
const DAY_SECONDS = 24 * 3_600;

/** Changes of Tenancy that are recorded while the clock of the register is ahead. */
export function changesAhead(): void {
  let fixture: SignInFixture;
  let people: ContestFixture;
  let honest: Caller;
  let other: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    [honest, other] = [await fixture.dataUser(), await fixture.dataUser()];
  });
  afterEach(() => fixture.moveClock(0));

  /** Records a change of this day while the clock is ahead; returns the day. */
  async function changedAhead(mpxn: string): Promise<string> {
    const { rows } = await fixture.owner.query(`select (now() at time zone 'Europe/London')::date::text as day`);
    const { day } = rows[0];
    await fixture.moveClock(10 * DAY_SECONDS);
    const input = { mpxn, effectiveDate: day, sourceReference: `the move at ${mpxn}` };
    valueOf(await fixture.execute(RECORD_CHANGE, { input }, { caller: OPERATOR }));
    await fixture.moveClock(0);
    return day;
  }
  const isCorrected = () =>
    until(async () => {
      const ahead = 'select from identity.change_of_tenancy where recorded_at > register.register_now()';
      return (await fixture.owner.query(ahead)).rowCount === 0 || undefined;
    });

  describe('After a Change of Tenancy is recorded while the clock is ahead', () => {
    it('the next customer at the supplier reads the present occupancy, before and after the change is dated again', async () => {
      const mpxn = newMpxn();
      await people.customer(honest, mpxn, people.newEmail('former'), 'of the former occupant');
      await people.customer(other, mpxn, people.newEmail('partner'), 'of the partner');
      const former = await people.suppliedToken(mpxn);
      for (const { id } of await people.contacts(former)) valueOf(await people.judge(former, id, 'CONFIRMED'));
      const day = await changedAhead(mpxn);

      const present = await people.suppliedToken(mpxn);
      const scope = { isCurrent: true, ownRecordIds: [], since: day, endedAt: null };
      expect(await scopeOf(fixture, present)).toMatchObject(scope);
      expect(await people.seen(present)).toEqual(['of the former occupant', 'of the partner']);
      expect(await people.references(present)).toEqual([]);
      await isCorrected();
      expect(await scopeOf(fixture, present)).toMatchObject(scope);
      expect(Date.parse((await scopeOf(fixture, present)).beganAt)).toBeLessThanOrEqual(Date.now());
    });

    it('its time of recording becomes the present one and nothing else', async () => {
      const mpxn = newMpxn();
      await changedAhead(mpxn);
      for (const at of [`now() - interval '1 day'`, `now() + interval '1 day'`]) {
        const update = fixture.owner.query(`update identity.change_of_tenancy set recorded_at = ${at}`);
        await expect(update).rejects.toMatchObject({ code: '23001' });
      }
    });

    it('it keeps its time while the clock has jumped back, by which it would be ahead', async () => {
      const mpxn = newMpxn();
      const { rows } = await fixture.owner.query(`select (now() at time zone 'Europe/London')::date::text as day`);
      const input = { mpxn, effectiveDate: rows[0].day, sourceReference: `the move at ${mpxn}` };
      valueOf(await fixture.execute(RECORD_CHANGE, { input }, { caller: OPERATOR }));
      const newest = 'select max(recorded_at) as at from identity.change_of_tenancy';
      const before = (await fixture.owner.query(newest)).rows;
      const database = openDatabase(databaseAddress(fixture.databaseUrl, 'identity', fixture.keys.hashKey));
      const changes = new ChangeOfTenancyRepository({ database } as IdentityDependencies);
      const correct = await jumpedClock(fixture.owner, '-2 hours');
      await changes.correctTimesAhead().finally(correct);
      await database.close();
      expect((await fixture.owner.query(newest)).rows).toEqual(before);
    });

    it('a session at the supplier that started before the change has ended', async () => {
      const mpxn = newMpxn();
      const former = await people.suppliedToken(mpxn);
      await changedAhead(mpxn);
      expect(await scopeOf(fixture, former)).toMatchObject({ isCurrent: false });
      await isCorrected();
      expect(await scopeOf(fixture, former)).toMatchObject({ isCurrent: false });
    });
  });
}
