import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { ReturnedOnce } from '../../server/graph/checked-mutations';
import { nullable, simple } from '../../server/graph/decorator-options';
import { throwViolations } from '../../../schema/register-error';
import { DateTime } from '../../../schema/scalars';
import { type CallbackUrlPolicy, callbackUrlViolation } from '../../delivery/requests/callback-url';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import type { Connection } from '../../server/lists/connection';
import { connectionType } from '../../server/lists/connection.types';
import { cursorPage } from '../../server/lists/offset-page';
import { ListArgs } from '../../server/lists/offset-page.types';
import { consumerOf } from '../consumers/consumer-tokens.flow';
import { ownSupplier, seesWebhookUrls, visibleSupplier } from '../register-entries/own-supplier.queries';
import type { RtiUserQueries, StoredRtiUser } from '../register-entries/rti-user.queries';
import { RtiUserType } from '../register-entries/rti-user.types';
import type { Supplier } from '../register-entries/supplier';
import type { SupplierQueries } from '../register-entries/supplier.queries';
import { SupplierType } from '../register-entries/supplier.types';
import { requireUuid } from '../arguments';
import type { RtiWebhookFilter, RtiWebhookQueries, StoredRtiWebhook } from './rti-webhook.queries';
import type { RegisteredWebhook, RtiWebhookRepository, WebhookRemover } from './rti-webhook.repository';

@ObjectType('RtiWebhook', simple('The webhook at which an RTI User receives the events of a supplier.'))
class RtiWebhookType implements Omit<StoredRtiWebhook, 'decryptUrl'> {
  @Field(() => ID, { description: 'Identifier.' }) webhookId: string;
  @Field(() => String, { description: 'The supplier.' }) mpid: string;
  @Field(() => String, { description: 'The RTI User.' }) userId: string;
  @Field(() => DateTime, { description: 'When it was registered.' }) createdAt: Date;
  @Field(() => DateTime, nullable('When its URL was last replaced; null if it never was.')) replacedAt: Date | null;
}

const RtiWebhookConnectionType = connectionType(
  'RtiWebhook',
  'A page of the webhooks, the latest first.',
  () => RtiWebhookType,
);

@InputType('RtiWebhookFilter', { description: 'Selects webhooks: both conditions must hold.' })
class RtiWebhookFilterInput implements RtiWebhookFilter {
  @Field(() => String, nullable('Webhooks at this supplier.')) mpid?: string | null;
  @Field(() => String, nullable('Webhooks of this RTI User.')) userId?: string | null;
}

@ObjectType('RegisteredRtiWebhook', simple('A registered webhook.'))
class RegisteredRtiWebhookPayload implements RegisteredWebhook {
  @Field(() => ID, { description: 'Identifier.' }) webhookId: string;
  @ReturnedOnce()
  @Field(() => String, { description: 'The secret that deliveries are signed with. It cannot be retrieved later.' })
  signingSecret: string;
  @Field(() => Boolean, { description: 'False if the URL replaced that of a registered webhook.' }) isNew: boolean;
}

@ObjectType('RemovedRtiWebhook', simple('A webhook that was removed.'))
class RemovedRtiWebhookPayload {
  @Field(() => ID, { description: 'Its identifier.' }) webhookId: string;
}

/** Reads and writes behind {@link RtiWebhookResolver}. */
interface RtiWebhookDependencies {
  readonly webhooks: RtiWebhookRepository;
  readonly queries: RtiWebhookQueries;
  readonly suppliers: SupplierQueries;
  readonly rtiUsers: RtiUserQueries;
  readonly urlPolicy: CallbackUrlPolicy;
}

/** Webhooks of RTI Users at suppliers (decisions C/D, D.1). */
@Resolver(() => RtiWebhookType)
export class RtiWebhookResolver {
  constructor(private readonly dependencies: RtiWebhookDependencies) {}

  @MayCall('consumer:webhook:write')
  @Mutation(() => RegisteredRtiWebhookPayload, {
    description:
      'Registers the URL at which the RTI User receives the events of the supplier; a later URL replaces it.',
  })
  registerRtiWebhook(
    @Arg('webhookUrl', () => String, { description: 'URL for events: https.' }) webhookUrl: string,
    @Ctx() context: CallContext,
  ): Promise<RegisteredWebhook> {
    const consumer = consumerOf(context);
    const message = callbackUrlViolation(webhookUrl, this.dependencies.urlPolicy);
    if (message !== undefined) throwViolations([{ code: 'VAL008', path: ['webhookUrl'], message }]);
    return this.dependencies.webhooks.register(consumer, webhookUrl);
  }

  @MayCall('consumer:webhook:write', 'supplier', 'admin')
  @Mutation(() => RemovedRtiWebhookPayload, {
    description:
      'Removes a webhook and ends its deliveries. A supplier removes webhooks of all RTI Users at itself, an admin any. NTF006 if it is not ' +
      "the RTI User's webhook at the supplier, or not one at the calling supplier.",
  })
  async removeRtiWebhook(
    @Arg('webhookId', () => String, { description: 'The webhook.' }) webhookId: string,
    @Ctx() context: CallContext,
  ): Promise<RemovedRtiWebhookPayload> {
    requireUuid('webhookId', webhookId);
    await this.dependencies.webhooks.remove(webhookId, await this.removerOf(context));
    return { webhookId };
  }

  @MayCall('admin', 'analyst', 'supplier')
  @Query(() => RtiWebhookConnectionType, {
    description: 'Webhooks of RTI Users, the latest first; a supplier sees its own.',
  })
  async rtiWebhooks(
    @Args() page: ListArgs,
    @Arg('filter', () => RtiWebhookFilterInput, nullable('Selects entries of the list.'))
    filter: RtiWebhookFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<Connection<StoredRtiWebhook>> {
    const mpid = await visibleSupplier(context, this.dependencies.suppliers, filter?.mpid);
    return this.dependencies.queries.page({ ...filter, mpid }, cursorPage(page));
  }

  @FieldResolver(() => String, nullable('URL for events; null unless the caller is an admin or the supplier.'))
  webhookUrl(@Root() webhook: StoredRtiWebhook, @Ctx() context: CallContext): string | null {
    return seesWebhookUrls(context, webhook.mpid) ? webhook.decryptUrl() : null;
  }

  @FieldResolver(() => Int, {
    description: 'Pending deliveries; the count stops at 10,001, which means more than 10,000.',
  })
  pending(@Root() { webhookId }: StoredRtiWebhook): Promise<number> {
    return this.dependencies.queries.pending(webhookId);
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier.' })
  supplier(@Root() { mpid }: StoredRtiWebhook): Promise<Supplier | null> {
    return this.dependencies.suppliers.byKey(mpid);
  }

  @FieldResolver(() => RtiUserType, { description: 'The RTI User.' })
  rtiUser(@Root() { userId }: StoredRtiWebhook): Promise<StoredRtiUser | null> {
    return this.dependencies.rtiUsers.byKey(userId);
  }

  private async removerOf(context: CallContext): Promise<WebhookRemover> {
    const { role, accountId: actor } = callerOf(context);
    if (role === 'admin') return { actor, mpid: null, userId: null };
    if (role === 'supplier')
      return { actor, mpid: await ownSupplier(context, this.dependencies.suppliers), userId: null };
    const { mpid, userId } = consumerOf(context);
    return { actor: userId, mpid, userId };
  }
}
