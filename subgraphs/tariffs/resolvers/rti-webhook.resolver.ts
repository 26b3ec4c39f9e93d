import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { type CallbackRealm, callbackUrlFault } from '../../delivery/callback-url';
import { type CallContext, MayCall } from '../../server/caller';
import type { Connection } from '../../server/connection';
import { consumerOf } from '../consumers/consumer-scope';
import { cursorPage } from '../database/offset-page';
import type { RtiUserLists, StoredRtiUser } from '../database/rti-user-lists';
import type { RtiWebhookLists, StoredRtiWebhook } from '../database/rti-webhook-lists';
import type { RegisteredWebhook, RtiWebhookRepository } from '../database/rti-webhook.repository';
import type { SupplierLists } from '../database/supplier-lists';
import type { Supplier } from '../domain/supplier';
import { ListArgs } from './offset-page.types';
import { seesPersonalData, visibleSupplier } from './own-supplier';
import { RtiUserType } from './rti-user.types';
import {
  RegisteredRtiWebhookPayload,
  RemovedRtiWebhookPayload,
  RtiWebhookConnectionType,
  RtiWebhookFilterInput,
  RtiWebhookType,
} from './rti-webhook.types';
import { SupplierType } from './supplier.types';
import { requireUuid } from './uuid-argument';

/** What webhooks are kept in and read from. */
export interface RtiWebhookReads {
  readonly webhooks: RtiWebhookRepository;
  readonly lists: RtiWebhookLists;
  readonly suppliers: SupplierLists;
  readonly rtiUsers: RtiUserLists;
  /** Where addresses may lead to. */
  readonly realm: CallbackRealm;
}

/** Webhooks of RTI Users at suppliers (3-decisions-c-d.md, D.1). */
@Resolver(() => RtiWebhookType)
export class RtiWebhookResolver {
  constructor(private readonly reads: RtiWebhookReads) {}

  @MayCall('consumer:webhook:write')
  @Mutation(() => RegisteredRtiWebhookPayload, {
    description:
      'Registers where the RTI User takes events of the supplier; another address takes the place of the first.',
  })
  registerRtiWebhook(
    @Arg('webhookUrl', () => String, { description: 'Where events are delivered to: https.' }) webhookUrl: string,
    @Ctx() context: CallContext,
  ): Promise<RegisteredWebhook> {
    const consumer = consumerOf(context);
    const fault = callbackUrlFault(webhookUrl, this.reads.realm);
    if (fault !== undefined) refuse([{ code: 'VAL008', path: ['webhookUrl'], message: fault }]);
    return this.reads.webhooks.register(consumer, webhookUrl);
  }

  @MayCall('consumer:webhook:write')
  @Mutation(() => RemovedRtiWebhookPayload, {
    description: "Removes a webhook: nothing more is delivered. NTF006 when it is not the RTI User's at the supplier.",
  })
  async removeRtiWebhook(
    @Arg('webhookId', () => String, { description: 'The webhook.' }) webhookId: string,
    @Ctx() context: CallContext,
  ): Promise<RemovedRtiWebhookPayload> {
    const consumer = consumerOf(context);
    requireUuid('webhookId', webhookId);
    await this.reads.webhooks.remove(webhookId, consumer);
    return { webhookId };
  }

  @MayCall('admin', 'analyst', 'supplier')
  @Query(() => RtiWebhookConnectionType, {
    description: 'Webhooks of RTI Users, the last one registered first; a supplier sees those at itself.',
  })
  async rtiWebhooks(
    @Args() page: ListArgs,
    @Arg('filter', () => RtiWebhookFilterInput, { nullable: true, description: 'Which of them.' })
    filter: RtiWebhookFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<Connection<StoredRtiWebhook>> {
    const mpid = await visibleSupplier(context, this.reads.suppliers, filter?.mpid);
    return this.reads.lists.page({ ...filter, mpid }, cursorPage(page));
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Where events are delivered to, for an admin and its own supplier only.',
  })
  webhookUrl(@Root() webhook: StoredRtiWebhook, @Ctx() context: CallContext): string | null {
    return seesPersonalData(context, webhook.mpid) ? webhook.openUrl() : null;
  }

  @FieldResolver(() => Int, {
    description: 'Deliveries that are still to be made; 10,001 are counted at most: that many means more than 10,000.',
  })
  pending(@Root() { webhookId }: StoredRtiWebhook): Promise<number> {
    return this.reads.lists.pending(webhookId);
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier.' })
  supplier(@Root() { mpid }: StoredRtiWebhook): Promise<Supplier | null> {
    return this.reads.suppliers.byMpid(mpid);
  }

  @FieldResolver(() => RtiUserType, { description: 'The RTI User.' })
  rtiUser(@Root() { userId }: StoredRtiWebhook): Promise<StoredRtiUser | null> {
    return this.reads.rtiUsers.byId(userId);
  }
}
