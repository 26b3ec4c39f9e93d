import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { EventId, WebhookId } from '../../../schema/scalars';
import { type CallContext, MayCall, actorOf, callerOf, duidOf } from '../../server/callers/caller';
import { type IdempotentRequest, replayable } from '../../server/idempotency';
import { nullable } from '../../server/graph/decorator-options';
import { IdempotencyKey } from '../../server/graph/idempotency-key.types';
import { REGISTER_WEBHOOK, type Webhook } from './webhook';
import { webhookViolations } from './webhook-rules';
import { WebhookDeliveryArgs, WebhookDeliveryConnectionType } from './webhook-delivery.resolver';
import {
  EventRedeliveryType,
  WebhookDeletionType,
  WebhookInputType,
  WebhookRegistrationType,
  WebhookTestType,
  WebhookType,
  WebhookUpdateInputType,
  WebhookUpdateType,
} from './webhook.types';
import type { AccessDependencies } from '../dependencies';

const wid = () => Arg('wid', () => WebhookId, { description: 'The subscription.' });

/** Reads and writes behind {@link WebhookResolver}. */
type WebhookDependencies = Pick<
  AccessDependencies,
  'webhooks' | 'webhookDeliveries' | 'callbackUrlPolicy' | 'idempotency'
>;

/** The own webhook subscriptions of a Data User (specification, Webhook subscriptions; decisions A/B, 6). */
@Resolver(() => WebhookType)
export class WebhookResolver {
  constructor(private readonly dependencies: WebhookDependencies) {}

  @MayCall('data_user')
  @Query(() => [WebhookType], { name: 'webhooks', description: "The caller's own subscriptions, oldest first." })
  ownWebhooks(@Ctx() context: CallContext): Promise<Webhook[]> {
    return this.dependencies.webhooks.ofDataUser(duidOf(context));
  }

  @MayCall('data_user')
  @Query(() => WebhookType, nullable("One of the caller's own subscriptions."))
  webhook(@wid() id: string, @Ctx() context: CallContext): Promise<Webhook> {
    return this.dependencies.webhooks.own(id, duidOf(context));
  }

  @MayCall('data_user')
  @Mutation(() => WebhookRegistrationType, {
    description: 'Registers a subscription; its secret is returned only once.',
  })
  async registerWebhook(
    @Arg('input', () => WebhookInputType, { description: 'The subscription.' }) input: WebhookInputType,
    @IdempotencyKey('15 minutes') key: string | null,
    @Ctx() context: CallContext,
  ): Promise<WebhookRegistrationType> {
    const { webhooks, callbackUrlPolicy } = this.dependencies;
    const actor = actorOf(context);
    const idempotent = this.request(context, REGISTER_WEBHOOK, key, input);
    const { response, replayed } = await replayable(idempotent, async () => {
      throwViolations(webhookViolations(input, callbackUrlPolicy));
      return webhooks.register(actor, input, idempotent);
    });
    return { ...(await webhooks.registered(response)), replayed };
  }

  @MayCall('data_user')
  @Mutation(() => WebhookUpdateType, { description: 'Updates the present fields; absent fields stay unchanged.' })
  async updateWebhook(
    @wid() id: string,
    @Arg('input', () => WebhookUpdateInputType, { description: 'The changes.' }) input: WebhookUpdateInputType,
    @Ctx() context: CallContext,
  ): Promise<WebhookUpdateType> {
    const { webhooks, callbackUrlPolicy } = this.dependencies;
    const actor = actorOf(context);
    throwViolations(webhookViolations(input, callbackUrlPolicy));
    const signingSecret = await webhooks.update(actor, id, input);
    return { webhook: await webhooks.own(id, actor.duid), signingSecret };
  }

  @MayCall('data_user')
  @Mutation(() => WebhookDeletionType, { description: 'Deletes a subscription and ends its deliveries.' })
  async deleteWebhook(@wid() id: string, @Ctx() context: CallContext): Promise<WebhookDeletionType> {
    await this.dependencies.webhooks.delete(actorOf(context), id);
    return { wid: id };
  }

  @MayCall('data_user')
  @Mutation(() => EventRedeliveryType, { description: 'Delivers an event again, signed with the current secret.' })
  async redeliverEvent(
    @wid() id: string,
    @Arg('eventId', () => EventId, { description: 'The event.' }) eventId: string,
    @IdempotencyKey('24 hours') key: string | null,
    @Ctx() context: CallContext,
  ): Promise<EventRedeliveryType> {
    const { webhooks, webhookDeliveries } = this.dependencies;
    const idempotent = this.request(context, `redeliverEvent ${id} ${eventId}`, key, null);
    const { replayed } = await replayable(idempotent, async () => {
      const webhook = await webhooks.own(id, duidOf(context));
      return webhookDeliveries.redeliver(webhook.id, eventId, idempotent);
    });
    return { eventId, replayed };
  }

  @MayCall('data_user')
  @Mutation(() => WebhookTestType, { description: 'Sends a test event to a subscription.' })
  async testWebhook(
    @wid() id: string,
    @IdempotencyKey('24 hours') key: string | null,
    @Ctx() context: CallContext,
  ): Promise<WebhookTestType> {
    const { webhooks, webhookDeliveries } = this.dependencies;
    const idempotent = this.request(context, `testWebhook ${id}`, key, null);
    const { response: eventId, replayed } = await replayable(idempotent, async () =>
      webhookDeliveries.test(await webhooks.own(id, duidOf(context)), idempotent),
    );
    return { eventId, replayed };
  }

  @FieldResolver(() => WebhookDeliveryConnectionType, {
    description: 'Its deliveries of the last 90 days, newest first.',
  })
  deliveries(@Root() { id }: WebhookType, @Args(() => WebhookDeliveryArgs) args: WebhookDeliveryArgs) {
    return this.dependencies.webhookDeliveries.page(id, args);
  }

  private request(context: CallContext, operation: string, key: string | null, body: unknown): IdempotentRequest {
    return this.dependencies.idempotency.request(callerOf(context).accountId, operation, key, body);
  }
}
