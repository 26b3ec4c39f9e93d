import { Arg, Args, Directive, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { AccountRole } from '../../../schema/roles';
import { DateTime, Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import type { EventPage } from '../../server/event-log/event-follow';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { AccountAdmission } from '../accounts/account-admission.queries';
import type { EventLog, EventLogEntry } from './event-log.queries';
import { AccountRoleEnum } from '../accounts/account.enums';
import { EventFilterArgs, EventLogPageType } from './register-event.types';

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('AccountStanding', simple('Current status of an account.'))
class AccountStateType {
  @Field(() => String, { description: 'The account.' }) accountId: string;
  @Field(() => Boolean, { description: 'Whether it is neither suspended nor terminated.' }) active: boolean;
  @Field(() => AccountRoleEnum, { description: 'Its role.' }) role: AccountRole;
  @Field(() => Duid, nullable('DUID of its organisation.')) duid: string | null;
  @Field(() => String, nullable('Series of its valid bearer tokens.')) tokenSeries: string | null;
  @Field(() => DateTime, { description: "Present time of the register's clock." }) now: Date;
}

/** Queries of the gateway while it follows the log for subscriptions, and of `grid-models` for uploads. */
@Resolver()
export class EventLogResolver {
  constructor(
    private readonly events: EventLog,
    private readonly accounts: AccountAdmission,
  ) {}

  @MayCall('service:gateway')
  @Directive('@inaccessible')
  @Query(() => EventLogPageType, {
    description: 'Internal: selected entries of the event log after a cursor.',
  })
  eventLog(
    @Arg('after', () => String, {
      nullable: true,
      description: 'The cursor; empty: from the start of the log; null: no entries, only the current cursor.',
    })
    after: string | null,
    @Arg('first', () => Int, { description: 'Entries at most, 1 to 500.' }) first: number,
    @Args(() => EventFilterArgs) filter: EventFilterArgs,
  ): Promise<EventPage<EventLogEntry>> {
    return this.events.follow(filter, after ?? null, first);
  }

  @MayCall('service:gateway', 'service:grid-models')
  @Directive('@inaccessible')
  @Query(() => [AccountStateType], {
    description: 'Internal: current status of these accounts, without unknown ones. No request is counted.',
  })
  async accountStandings(
    @Arg('accountIds', () => [String], { description: 'The accounts.' }) accountIds: string[],
  ): Promise<AccountStateType[]> {
    const accounts = await Promise.all([...new Set(accountIds)].map(this.accounts.admission));
    return accounts.flatMap((account) => {
      if (account === undefined) return [];
      const { account_id: accountId, role, duid, status, token_series: tokenSeries, now } = account;
      return [{ accountId, active: status === 'active', role, duid, tokenSeries, now }];
    });
  }
}
