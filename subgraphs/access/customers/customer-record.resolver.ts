import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { MAX_LOOKUPS } from '../../../schema/lookups';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { nullable } from '../../server/graph/decorator-options';
import type { CustomerScopes } from './customer-scope.client';
import type { AccessRecordPage } from '../records/access-record.queries';
import type { CustomerRecordRepository, Lookup } from './customer-record.repository';
import type { StoredAccessRecord } from '../records/stored-access-record.queries';
import { AccessRecordConnectionType } from '../records/access-record.payloads';
import { AccessRecordType } from '../records/access-record.types';
import { AccessLookupType, ConsentWithdrawalType, CustomerRecordArgs } from './customer-record.types';
import { rejectWithdrawal } from '../records/change-rejection';

/** Access records of a signed-in customer (decisions A/B, 9 and 10). */
@Resolver()
export class CustomerRecordResolver {
  constructor(
    private readonly customers: CustomerRecordRepository,
    private readonly scopes: CustomerScopes,
  ) {}

  @MayCall('customer')
  @Query(() => AccessRecordConnectionType, {
    description: 'Access to the meter data of the customer, present and past.',
  })
  async customerAccessRecords(
    @Args(() => CustomerRecordArgs) args: CustomerRecordArgs,
    @Ctx() context: CallContext,
  ): Promise<AccessRecordPage> {
    return this.customers.page(await this.scopes.of(context), args.part, args);
  }

  @MayCall('customer')
  @Query(() => AccessRecordType, nullable('An access record of the customer by its internal id.'))
  async customerAccessRecord(
    @Arg('id', () => ID, { description: 'Internal id; never the access key.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<StoredAccessRecord | null> {
    return this.customers.byId(await this.scopes.of(context), id);
  }

  @MayCall('customer')
  @Mutation(() => ConsentWithdrawalType, {
    description:
      'Withdraws the consent that is the legal basis of an ACTIVE access, without a reason. The access ends immediately.',
  })
  async withdrawConsent(
    @Arg('id', () => ID, { description: 'Internal id of the access record.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<ConsentWithdrawalType> {
    const revokedAt = await this.customers.withdraw(id, () => this.scopes.now(context));
    return revokedAt
      ? { id, revokedAt }
      : rejectWithdrawal(await this.customers.byId(await this.scopes.of(context), id));
  }

  @MayCall('customer')
  @Query(() => [AccessLookupType], {
    description: `Lookups of the access records of the customer, newest first, at most ${MAX_LOOKUPS} entries.`,
  })
  async accessLooks(
    @Arg('before', () => DateTime, nullable('Only hours that start before this instant.')) before: Date | null,
    @Ctx() context: CallContext,
  ): Promise<Lookup[]> {
    return this.customers.lookups(await this.scopes.of(context), MAX_LOOKUPS, before);
  }
}
