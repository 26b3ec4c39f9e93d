import { Query, Resolver } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type { RegisterClock } from '../../server/register-clock';

/** The clock by which tariffs take effect, for whoever asks for the prices of today. */
@Resolver()
export class RegisterTimeResolver {
  constructor(private readonly clock: Pick<RegisterClock, 'now'>) {}

  @MayCall('public')
  @Query(() => DateTime, { description: 'The time by the clock of the register.' })
  registerTime(): Promise<Date> {
    return this.clock.now();
  }
}
