import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { nullable } from '../../server/graph/decorator-options';
import { type ConnectionWithTotal, selectionViolations } from '../../server/lists/connection';
import { type RateLimit, withinNetworkLimit } from '../../server/callers/rate-limits';
import { type OffsetPage, cursorPage } from '../../server/lists/offset-page';
import type { RtiUserQueries, StoredRtiUser } from './rti-user.queries';
import type { RtiUserRepository } from './rti-user.repository';
import { type RegisterEntryStatus, statusesOf } from './register-entry-status';
import { type RtiContact, rtiUserViolations } from './rti-user';
import { ListArgs, OffsetArgs } from '../../server/lists/offset-page.types';
import type { WebUrlPolicy } from '../../server/web-address';
import { ownSupplier } from './own-supplier.queries';
import type { SupplierQueries } from './supplier.queries';
import {
  RtiContactType,
  RtiUserConnectionType,
  RtiUserFilterInput,
  RtiUserInput,
  RtiUserPageType,
  RtiUserType,
  SavedRtiUserPayload,
} from './rti-user.types';
import { RegisterEntryStatusEnum } from './register-entry.types';

/** The public register of RTI Users (specification, GET /v1/users) and its administration. */
@Resolver(() => RtiUserType)
export class RtiUserResolver {
  constructor(
    private readonly entries: RtiUserQueries,
    private readonly repository: RtiUserRepository,
    private readonly suppliers: SupplierQueries,
    private readonly lookups: RateLimit,
    private readonly urlPolicy: WebUrlPolicy,
  ) {}

  @MayCall('public')
  @Query(() => RtiUserPageType, {
    description:
      'A page of the RTI Users, by number. LIM002 if the network exceeds its limit, PRM001 for a supplier that is not active in the register.',
  })
  async rtiUserPage(
    @Arg('active', () => Boolean, nullable('true: only active entries; false: all others; absent: every entry.'))
    active: boolean | null,
    @Args() page: OffsetArgs,
    @Ctx() context: CallContext,
  ): Promise<OffsetPage<StoredRtiUser>> {
    await withinNetworkLimit(this.lookups, context);
    if (context.caller?.role === 'supplier') await ownSupplier(context, this.suppliers); // also for an empty page
    return this.entries.page(statusesOf(active), page);
  }

  @MayCall('public')
  @Query(() => RtiUserConnectionType, {
    description: 'The RTI Users, by identifier. LIM002 if the network exceeds its limit.',
  })
  async rtiUsers(
    @Args() page: ListArgs,
    @Arg('filter', () => RtiUserFilterInput, nullable('Selects entries of the list.'))
    filter: RtiUserFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<ConnectionWithTotal<StoredRtiUser>> {
    await withinNetworkLimit(this.lookups, context);
    const statuses = filter?.status ?? null;
    return this.entries.connection(statuses, cursorPage(page, selectionViolations(statuses, ['filter', 'status'])));
  }

  @MayCall('public')
  @Query(() => RtiUserType, nullable('An RTI User by its identifier. LIM002 if the network exceeds its limit.'))
  async rtiUser(
    @Arg('userId', () => String, { description: 'Its identifier.' }) userId: string,
    @Ctx() context: CallContext,
  ): Promise<StoredRtiUser | null> {
    await withinNetworkLimit(this.lookups, context);
    return this.entries.byKey(userId);
  }

  @MayCall('admin')
  @Mutation(() => SavedRtiUserPayload, {
    description: 'Creates or corrects the entry of an RTI User. CNF001 if it is removed.',
  })
  async saveRtiUser(
    @Arg('input', () => RtiUserInput, { description: 'The entry.' }) input: RtiUserInput,
    @Ctx() context: CallContext,
  ): Promise<SavedRtiUserPayload> {
    throwViolations(rtiUserViolations(input, this.urlPolicy));
    const { entry, isNew } = await this.repository.save(input, callerOf(context).accountId);
    return { rtiUser: entry, isNew };
  }

  @MayCall('admin')
  @Mutation(() => RtiUserType, {
    description:
      'Sets the status of an RTI User. NTF004 if it is unregistered, CNF001 if its current status does not allow the change.',
  })
  setRtiUserStatus(
    @Arg('userId', () => String, { description: 'Its identifier.' }) userId: string,
    @Arg('status', () => RegisterEntryStatusEnum, { description: 'The status.' }) status: RegisterEntryStatus,
    @Ctx() context: CallContext,
  ): Promise<StoredRtiUser> {
    return this.repository.setStatus(userId, status, callerOf(context).accountId);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'URL for events according to its entry, which is not a webhook registered at a supplier. Null unless the caller is a supplier, an ' +
      'admin or the RTI User itself; PRM001 for a supplier that is not active in the register.',
  })
  async webhookUrl(@Root() { userId, webhookUrl }: StoredRtiUser, @Ctx() context: CallContext): Promise<string | null> {
    return (await this.mayReadAll(context, userId)) ? webhookUrl : null;
  }

  @FieldResolver(() => RtiContactType, {
    nullable: true,
    description:
      'Contact for suppliers. Null unless the caller is a supplier, an admin or the RTI User itself. Null, too, if it cannot be decrypted. ' +
      'PRM001 for a supplier that is not active in the register.',
  })
  async contact(@Root() rtiUser: StoredRtiUser, @Ctx() context: CallContext): Promise<RtiContact | null> {
    return (await this.mayReadAll(context, rtiUser.userId)) ? (this.entries.contactOf(rtiUser) ?? null) : null;
  }

  private async mayReadAll(context: CallContext, userId: string): Promise<boolean> {
    const { role, accountId } = context.caller ?? {};
    if (role === 'supplier') await ownSupplier(context, this.suppliers);
    return role === 'admin' || role === 'supplier' || (role === 'consumer' && accountId === userId);
  }
}
