import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { valueOf } from '../../../support/ceremonies';
import { ContestFixture } from '../../../support/contest-fixture';
import { mailsNow } from '../../../support/sign-in-mails';
import { requestLink, scopeOf } from '../../../support/sign-in-operations';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';

/** Verdicts on contacts after a Change of Tenancy of an earlier day is recorded. */
export function lateChanges(): void {
  /** The day on which the occupancy starts, and a later one on which its customer moves in. */
  const [CHANGE, MOVED_IN] = ['2024-05-01', '2024-05-03'];
  let fixture: SignInFixture;
  let people: ContestFixture;
  let honest: Caller;
  let attacker: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    people = new ContestFixture(fixture);
    [honest, attacker] = [await fixture.dataUser(), await fixture.dataUser()];
  });
  afterEach(() => fixture.moveClock(0));

  /** A contested home, and the session of its customer at the supplier. */
  async function contested() {
    const [mpxn, email, theirs] = [newMpxn(), people.newEmail('tenant'), people.newEmail('outsider')];
    await people.customer(honest, mpxn, email, 'own', { moveInDate: MOVED_IN });
    await people.customer(attacker, mpxn, theirs, 'planted', { moveInDate: MOVED_IN });
    return { mpxn, email, theirs, token: await people.suppliedToken(mpxn) };
  }
  const attackersContact = async (token: string) =>
    (await people.contacts(token)).find(({ shown }) => shown.startsWith('o'))?.id as string;
  const judgeAttacker = async (token: string, verdict: 'CONFIRMED' | 'REJECTED') =>
    valueOf(await people.judge(token, await attackersContact(token), verdict));
  const register = async (mpxn: string, email: string, moveInDate: string) =>
    void (await fixture.newRecord(attacker, { email }, { mpxn, moveInDate }));
  const tomorrow = async () =>
    (
      await fixture.owner.query(
        `select ((register.register_now() at time zone 'Europe/London')::date + 1)::text as day`,
      )
    ).rows[0].day as string;
  const isMailedLink = async (email: string) => {
    valueOf(await requestLink(fixture, { email }));
    await fixture.jobsDone();
    return (await mailsNow(fixture, email)).some(({ text }) => text.includes('/sign-in/link/'));
  };

  describe('After a Change of Tenancy of an earlier day is recorded', () => {
    it.each([
      ['of a later day, registered after the change', false],
      ['of the day after the verdict, registered before it', true],
    ])('a rejected contact signs in to no record %s, and contests nothing', async (_, isPlanned) => {
      const { mpxn, email, theirs, token } = await contested();
      if (isPlanned) await register(mpxn, theirs, await tomorrow());
      await judgeAttacker(token, 'REJECTED');
      await fixture.tenancyChanged(mpxn, CHANGE);
      if (isPlanned) await fixture.moveClock(2 * 24 * 3600);
      else await register(mpxn, theirs, '2024-05-04');
      expect(await isMailedLink(theirs)).toBe(false);
      expect((await scopeOf(fixture, await people.signedIn(email)))?.isContested).toBe(false);
    });

    it('a rejected contact signs in to a record of the tenancy that starts after the verdict', async () => {
      const { mpxn, theirs, token } = await contested();
      const later = await tomorrow();
      await register(mpxn, theirs, later);
      await judgeAttacker(token, 'REJECTED');
      await fixture.tenancyChanged(mpxn, CHANGE);
      await fixture.moveClock(2 * 24 * 3600);
      await fixture.tenancyChanged(mpxn, later);
      expect(await scopeOf(fixture, await people.signedIn(theirs))).toMatchObject({ isCurrent: true, since: later });
    });

    it('a verdict on a rejected contact states the rejection as the former one; an equal one is not counted again', async () => {
      const { mpxn, theirs } = await contested();
      const rejections = async () =>
        (
          await fixture.owner.query(
            `select coalesce(sum(count), 0)::int as count from identity.contact_count where duid = $1 and kind = 'rejection'`,
            [attacker.duid],
          )
        ).rows[0].count as number;
      const before = await rejections();
      await judgeAttacker(await people.suppliedToken(mpxn), 'REJECTED');
      await fixture.tenancyChanged(mpxn, CHANGE);
      await people.customer(honest, mpxn, people.newEmail('partner'), 'third', { moveInDate: MOVED_IN });
      const token = await people.suppliedToken(mpxn);
      await judgeAttacker(token, 'REJECTED');
      expect(await rejections()).toBe(before + 1);
      await judgeAttacker(token, 'CONFIRMED');
      const audit = `select detail from identity.audit_entry where action = 'judge-contact' order by id desc limit 1`;
      expect((await fixture.owner.query(audit)).rows[0].detail).toMatchObject({ from: { verdict: 'rejected' } });
      expect(await scopeOf(fixture, await people.signedIn(theirs))).toMatchObject({ isCurrent: true });
    });

    it('the customer confirms a contact that the former one rejected after leaving, and it signs in again', async () => {
      const { mpxn, theirs, token } = await contested();
      await judgeAttacker(token, 'REJECTED');
      await fixture.tenancyChanged(mpxn, CHANGE);
      await people.customer(honest, mpxn, people.newEmail('partner'), 'third', { moveInDate: MOVED_IN });
      expect(await isMailedLink(theirs)).toBe(false);
      await judgeAttacker(await people.suppliedToken(mpxn), 'CONFIRMED');
      expect(await isMailedLink(theirs)).toBe(true);
    });
  });
}
