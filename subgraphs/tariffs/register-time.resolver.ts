import { Query, Resolver } from 'type-graphql';
import { DateTime } from '../../schema/scalars';
import { MayCall } from '../server/callers/caller';
import type { RegisterClock } from '../server/database/register-clock';

/** The clock that decides when tariffs take effect. Clients need it to read the prices of today. */
@Resolver()
export class RegisterTimeResolver {
  constructor(private readonly clock: Pick<RegisterClock, 'now'>) {}

  @MayCall('public')
  @Query(() => DateTime, { description: 'The time by the clock of the register.' })
  registerTime(): Promise<Date> {
    return this.clock.now();
  }
}
