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
    const { since, isCurrent } = session;
    const looks = await this.looks.of({ recordIds: await this.recordsOf(session), since, isCurrent });
    return looks.map(({ duid, ...look }) => ({ ...look, dataUser: { duid } }));
  }

  /** All of the present occupancy; of an ended one only the record by which the customer signed in. */
  private async recordsOf({ isCurrent, mpxn, identityRecordId }: CustomerSession): Promise<string[]> {
    if (!isCurrent) return identityRecordId === null ? [] : [identityRecordId];
    const records = await this.occupants.recordsAt(mpxn);
    return records.filter(({ occupancy }) => occupancy === 'current').map(({ id }) => id);
  }
}
