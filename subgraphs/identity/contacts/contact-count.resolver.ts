import { Arg, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { MayCall } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import { type ContactCountRepository, MAX_DATA_USERS } from './contact-count.repository';
import { DataUserReference } from '../lookups/identity-lookup.resolver';

const MAX_DAYS = 400;

@ObjectType(
  'ContactCount',
  simple('Contacts of customers that a Data User asserted, and their contests and rejections.'),
)
class ContactCount {
  @Field(() => DataUserReference, nullable('The Data User.')) dataUser: DataUserReference;
  @Field(() => Int, { description: 'E-mail addresses and passkeys of verified Identity Records that it registered.' })
  asserted: number;
  @Field(() => Int, { description: 'Occupancies that one of them made contested.' }) contests: number;
  @Field(() => Int, { description: 'Contacts that a customer signed in at the supplier rejected.' })
  rejections: number;
  @Field(() => Boolean, {
    description: 'Whether the contests of one of these days reach the setting `CONTEST_ALERT_PER_DAY`.',
  })
  isAlert: boolean;
}

/** Contests of Data Users, for the back office (decisions A/B, 11). */
@Resolver()
export class ContactCountResolver {
  constructor(
    private readonly counts: ContactCountRepository,
    private readonly contestAlert: number,
  ) {}

  @MayCall('admin', 'analyst')
  @Query(() => [ContactCount], {
    description: `Contacts that Data Users asserted in some days: at most ${MAX_DATA_USERS} Data Users, those with the most rejections first, then with the most contests.`,
  })
  async contactCounts(
    @Arg('days', () => Int, { defaultValue: 1, description: 'Number of days, including the present one: 1 to 400.' })
    days: number,
  ): Promise<ContactCount[]> {
    if (days < 1 || days > MAX_DAYS) throw new RegisterError('VAL003', `days must be 1 to ${MAX_DAYS}`);
    const counts = await this.counts.of(days);
    return counts.map(({ duid, mostContests, ...count }) => ({
      ...count,
      dataUser: { duid },
      isAlert: mostContests >= this.contestAlert,
    }));
  }
}
