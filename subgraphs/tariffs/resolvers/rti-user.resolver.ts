import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { RegisterError, refuse } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import type { CountedConnection } from '../../server/connection';
import { type RateLimit, withinNetworkLimit } from '../../server/rate-limits';
import { type OffsetPage, cursorPage } from '../database/offset-page';
import type { RtiUserLists, StoredRtiUser } from '../database/rti-user-lists';
import type { RtiUserRepository } from '../database/rti-user.repository';
import { type RegisterEntryStatus, statusesOf } from '../domain/register-entry-status';
import { type RtiContact, rtiUserViolations } from '../domain/rti-user';
import { ListArgs, OffsetArgs } from './offset-page.types';
import { type SupplierEntries, ownSupplier } from './own-supplier';
import {
  RtiContactType,
  RtiUserConnectionType,
  RtiUserFilterInput,
  RtiUserInput,
  RtiUserPageType,
  RtiUserType,
  SavedRtiUserPayload,
} from './rti-user.types';
import { RegisterEntryStatusEnum } from './tariff.enums';

/** The register of RTI Users (1-specification.md, GET /v1/users), and how admins keep it. */
@Resolver(() => RtiUserType)
export class RtiUserResolver {
  constructor(
    private readonly lists: RtiUserLists,
    private readonly repository: RtiUserRepository,
    private readonly suppliers: SupplierEntries,
    private readonly lookups: RateLimit,
    private readonly production: boolean,
  ) {}

  @MayCall('public')
  @Query(() => RtiUserPageType, {
    description: 'A page of the RTI Users, by number. LIM002 when a network asks too often.',
  })
  async rtiUserPage(
    @Arg('active', () => Boolean, {
      nullable: true,
      description: 'true: only active ones; false: only others; absent: all.',
    })
    active: boolean | null,
    @Args() page: OffsetArgs,
    @Ctx() context: CallContext,
  ): Promise<OffsetPage<StoredRtiUser>> {
    await withinNetworkLimit(this.lookups, context);
    return this.lists.page(statusesOf(active), page);
  }

  @MayCall('public')
  @Query(() => RtiUserConnectionType, {
    description: 'The RTI Users, by identifier. LIM002 when a network asks too often.',
  })
  async rtiUsers(
    @Args() page: ListArgs,
    @Arg('filter', () => RtiUserFilterInput, { nullable: true, description: 'Which of them.' })
    filter: RtiUserFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<CountedConnection<StoredRtiUser>> {
    await withinNetworkLimit(this.lookups, context);
    return this.lists.connection(filter?.status ?? null, cursorPage(page));
  }

  @MayCall('public')
  @Query(() => RtiUserType, {
    nullable: true,
    description: 'An RTI User by its identifier. LIM002 when a network asks too often.',
  })
  async rtiUser(
    @Arg('userId', () => String, { description: 'Its identifier.' }) userId: string,
    @Ctx() context: CallContext,
  ): Promise<StoredRtiUser | null> {
    await withinNetworkLimit(this.lookups, context);
    return this.lists.byId(userId);
  }

  @MayCall('admin')
  @Mutation(() => SavedRtiUserPayload, {
    description: 'Makes or corrects the entry of an RTI User. CNF001 when it was removed.',
  })
  saveRtiUser(
    @Arg('input', () => RtiUserInput, { description: 'The entry.' }) input: RtiUserInput,
  ): Promise<SavedRtiUserPayload> {
    refuse(rtiUserViolations(input, { production: this.production }));
    return this.repository.save(input);
  }

  @MayCall('admin')
  @Mutation(() => RtiUserType, {
    description: 'Sets the status of an RTI User. NTF004 without one, CNF001 where its status does not lead there.',
  })
  async setRtiUserStatus(
    @Arg('userId', () => String, { description: 'Its identifier.' }) userId: string,
    @Arg('status', () => RegisterEntryStatusEnum, { description: 'The status.' }) status: RegisterEntryStatus,
    @Ctx() context: CallContext,
  ): Promise<StoredRtiUser> {
    await this.repository.setStatus(userId, status, callerOf(context).accountId);
    const rtiUser = await this.lists.byId(userId);
    if (rtiUser === null) throw new RegisterError('NTF004');
    return rtiUser;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Where it takes events, as its entry says: no webhook that it registered at a supplier. Null to all but suppliers, admins and the RTI ' +
      'User itself; PRM001 to a supplier that is not active in the register.',
  })
  async webhookUrl(@Root() { userId, webhookUrl }: StoredRtiUser, @Ctx() context: CallContext): Promise<string | null> {
    return (await this.seesAll(context, userId)) ? webhookUrl : null;
  }

  @FieldResolver(() => RtiContactType, {
    nullable: true,
    description:
      'Whom suppliers turn to. Null to all but suppliers, admins and the RTI User itself; PRM001 to a supplier that is not active in the ' +
      'register.',
  })
  async contact(@Root() rtiUser: StoredRtiUser, @Ctx() context: CallContext): Promise<RtiContact | null> {
    return (await this.seesAll(context, rtiUser.userId)) ? this.lists.contactOf(rtiUser) : null;
  }

  private async seesAll(context: CallContext, userId: string): Promise<boolean> {
    const { role, accountId } = context.caller ?? {};
    if (role === 'supplier') await ownSupplier(context, this.suppliers);
    return role === 'admin' || role === 'supplier' || (role === 'consumer' && accountId === userId);
  }
}
