import { Arg, Directive, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { AccountRole } from '../../../schema/roles';
import { DateTime, Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type { AccountRepository } from '../database/account.repository';
import type { EventLog, EventLogPage } from '../database/event-log';
import { AccountRoleEnum } from './access-record.enums';
import { EventLogPageType } from './register-event.types';

/** Seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('AccountStanding', { description: 'Whether an account is let in at this instant.', simpleResolvers: true })
export class AccountStandingType {
  @Field(() => String, { description: 'The account.' }) accountId: string;
  @Field(() => Boolean, { description: 'False when it is suspended or terminated.' }) active: boolean;
  @Field(() => AccountRoleEnum, { description: 'Its role.' }) role: AccountRole;
  @Field(() => Duid, { nullable: true, description: 'Its Data User.' }) duid: string | null;
  @Field(() => DateTime, { description: "This instant, by the register's clock." }) now: Date;
}

/** What the gateway asks for while it follows the log for subscriptions. */
@Resolver()
export class EventLogResolver {
  constructor(
    private readonly events: EventLog,
    private readonly accounts: AccountRepository,
  ) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => EventLogPageType, {
    description: 'Internal: what followed a cursor in the event log, whoever it is for.',
  })
  eventLog(
    @Arg('after', () => String, {
      nullable: true,
      description: 'The cursor; empty: the beginning of the log. Nothing but the present one without it.',
    })
    after: string | null,
    @Arg('first', () => Int, { description: 'Entries at most, 1 to 500.' }) first: number,
  ): Promise<EventLogPage> {
    return this.events.follow(after ?? null, first);
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => [AccountStandingType], {
    description:
      'Internal: which of these accounts are let in at this instant; counts as no request. Unknown ones are left out.',
  })
  async accountStandings(
    @Arg('accountIds', () => [String], { description: 'The accounts.' }) accountIds: string[],
  ): Promise<AccountStandingType[]> {
    const accounts = await Promise.all([...new Set(accountIds)].map(this.accounts.admission));
    return accounts.flatMap((account) => {
      if (account === undefined) return [];
      const { account_id: accountId, role, duid, status, now } = account;
      return [{ accountId, active: status === 'active', role, duid, now }];
    });
  }
}
