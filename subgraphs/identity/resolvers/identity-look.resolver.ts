import { Ctx, Query, Resolver } from 'type-graphql';
import { type CallContext, MayCall } from '../../server/caller';
import type { CustomerSessions } from '../sign-in/customer-sessions';
import type { IdentityLookRepository } from '../database/identity-look.repository';
import type { OccupancyRepository } from '../database/occupancy.repository';
import type { CustomerSession } from '../domain/customer-session';
import { IdentityLook } from './identity-look.types';

/** Who looked at the customer (2-decisions-a-b.md, section 10). */
@Resolver()
export class IdentityLookResolver {
  constructor(
    private readonly looks: IdentityLookRepository,
    private readonly occupants: OccupancyRepository,
    private readonly sessions: CustomerSessions,
  ) {}

  @MayCall('customer')
  @Query(() => [IdentityLook], {
    description:
      'Which organisations asked whether somebody is registered at the meter point, or tried to re-identify them, newest first: the newest 500.',
  })
  async identityLooks(@Ctx() context: CallContext): Promise<IdentityLook[]> {
    const session = await this.sessions.ofCaller(context);
    const { since, beganAt, endedAt } = session;
    const looks = await this.looks.of({ recordIds: await this.recordsOf(session), since, beganAt, endedAt });
    return looks.map(({ duid, ...look }) => ({ ...look, dataUser: { duid } }));
  }

  /** All of the present occupancy; of an ended or contested one only the customer's own. */
  private async recordsOf({ isCurrent, isContested, mpxn, ownRecordIds }: CustomerSession): Promise<readonly string[]> {
    if (!isCurrent || isContested) return ownRecordIds;
    const records = await this.occupants.recordsAt(mpxn);
    return records.filter(({ occupancy }) => occupancy === 'current').map(({ id }) => id);
  }
}
