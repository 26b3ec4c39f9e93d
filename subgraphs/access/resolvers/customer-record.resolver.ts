import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type CallContext, MayCall } from '../../server/caller';
import type { CustomerScopes } from '../customer-scope';
import type { AccessRecordPage } from '../database/access-record-lists';
import type { CustomerRecordRepository, Look } from '../database/customer-record.repository';
import type { StoredAccessRecord } from '../database/stored-access-record';
import { AccessRecordConnectionType } from './access-record.payloads';
import { AccessRecordType } from './access-record.types';
import { AccessLookType, ConsentWithdrawalType, CustomerRecordArgs } from './customer-record.types';
import { refuseWithdrawal } from './refuse-change';

const MOST_LOOKS = 500;

/** What a signed-in customer sees and does (2-decisions-a-b.md, sections 9 and 10). */
@Resolver()
export class CustomerRecordResolver {
  constructor(
    private readonly customers: CustomerRecordRepository,
    private readonly scopeOf: CustomerScopes,
  ) {}

  @MayCall('customer')
  @Query(() => AccessRecordConnectionType, {
    description: 'Who has access to the meter data of the customer, or had it.',
  })
  async customerAccessRecords(
    @Args(() => CustomerRecordArgs) args: CustomerRecordArgs,
    @Ctx() context: CallContext,
  ): Promise<AccessRecordPage> {
    return this.customers.page(await this.scopeOf(context), args.part, args);
  }

  @MayCall('customer')
  @Query(() => AccessRecordType, { nullable: true, description: 'One of them by its internal id.' })
  async customerAccessRecord(
    @Arg('id', () => ID, { description: 'Internal id; never the access key.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<StoredAccessRecord | null> {
    return this.customers.byId(await this.scopeOf(context), id);
  }

  @MayCall('customer')
  @Mutation(() => ConsentWithdrawalType, {
    description: 'Withdraws the consent on which an ACTIVE access rests, at once and without a reason.',
  })
  async withdrawConsent(
    @Arg('id', () => ID, { description: 'Internal id of the access record.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<ConsentWithdrawalType> {
    const scope = await this.scopeOf(context);
    const revokedAt = await this.customers.withdraw(scope, id, () => this.scopeOf(context));
    return revokedAt ? { id, revokedAt } : refuseWithdrawal(await this.customers.byId(await this.scopeOf(context), id));
  }

  @MayCall('customer')
  @Query(() => [AccessLookType], { description: 'Who looked at these access records, the latest 500 entries.' })
  async accessLooks(@Ctx() context: CallContext): Promise<Look[]> {
    return this.customers.looks(await this.scopeOf(context), MOST_LOOKS);
  }
}
