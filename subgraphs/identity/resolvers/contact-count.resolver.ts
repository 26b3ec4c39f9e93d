import { Arg, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { MayCall } from '../../server/caller';
import type { ContactCountRepository } from '../database/contact-count.repository';
import { DataUserReference } from './identity-look.types';

const MOST_DAYS = 400;

/** ContactCount of the graph. */
@ObjectType('ContactCount', {
  description: 'What a Data User asserted of the contacts of customers, and what came of it.',
  simpleResolvers: true,
})
export class ContactCount {
  @Field(() => DataUserReference, { nullable: true, description: 'The Data User.' }) dataUser: DataUserReference;
  @Field(() => Int, { description: 'E-mail addresses and passkeys of verified Identity Records that it wrote.' })
  asserted: number;
  @Field(() => Int, { description: 'Occupancies that became contested by one of them.' }) contests: number;
  @Field(() => Int, { description: 'How many of them a customer whom the supplier proved has rejected.' })
  rejections: number;
  @Field(() => Boolean, { description: 'Whether the contests of one of these days reach `CONTEST_ALERT_PER_DAY`.' })
  isAlert: boolean;
}

/** What the back office knows of contests (2-decisions-a-b.md, section 11). */
@Resolver()
export class ContactCountResolver {
  constructor(
    private readonly counts: ContactCountRepository,
    private readonly contestAlert: number,
  ) {}

  @MayCall('admin', 'analyst')
  @Query(() => [ContactCount], {
    description:
      'What Data Users asserted of contacts within some days: those with rejections first, then those with contests.',
  })
  async contactCounts(
    @Arg('days', () => Int, { defaultValue: 1, description: 'Days, the present one included: 1 to 400.' }) days: number,
  ): Promise<ContactCount[]> {
    if (days < 1 || days > MOST_DAYS) throw new RegisterError('VAL003', `days must be 1 to ${MOST_DAYS}`);
    const counts = await this.counts.of(days);
    return counts.map(({ duid, mostContests, ...count }) => ({
      ...count,
      dataUser: { duid },
      isAlert: mostContests >= this.contestAlert,
    }));
  }
}
