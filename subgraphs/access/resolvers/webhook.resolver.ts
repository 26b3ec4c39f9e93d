import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { EventId, WebhookId } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf } from '../../server/caller';
import type { IdempotentRequest } from '../../server/idempotency';
import { REGISTER_WEBHOOK } from '../database/webhook.repository';
import type { Webhook } from '../domain/webhook';
import { webhookViolations } from '../domain/webhook-rules';
import type { AccessParts } from '../schema';
import { WebhookDeliveryArgs, WebhookDeliveryConnectionType } from './webhook-delivery.types';
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

const wid = () => Arg('wid', () => WebhookId, { description: 'The subscription.' });

const idempotencyKey = (duration: string) =>
  Arg('idempotencyKey', () => String, {
    nullable: true,
    description: `Makes a repeat give the same answer, for ${duration}.`,
  });

/** What of the subgraph subscriptions need. */
export type WebhookParts = Pick<AccessParts, 'webhooks' | 'webhookDeliveries' | 'callbackRealm' | 'idempotency'>;

/** Webhook subscriptions of a Data User: its own only (1-specification.md, Webhook subscriptions; 2-decisions-a-b.md, section 6). */
@Resolver(() => WebhookType)
export class WebhookResolver {
  constructor(private readonly parts: WebhookParts) {}

  @MayCall('data_user')
  @Query(() => [WebhookType], { name: 'webhooks', description: "The caller's own subscriptions, oldest first." })
  ownWebhooks(@Ctx() context: CallContext): Promise<Webhook[]> {
    return this.parts.webhooks.ofDataUser(duidOf(context));
  }

  @MayCall('data_user')
  @Query(() => WebhookType, { nullable: true, description: "A subscription of the caller's own." })
  webhook(@wid() id: string, @Ctx() context: CallContext): Promise<Webhook> {
    return this.parts.webhooks.own(id, duidOf(context));
  }

  @MayCall('data_user')
  @Mutation(() => WebhookRegistrationType, { description: 'Registers a subscription; its secret is shown once.' })
  async registerWebhook(
    @Arg('input', () => WebhookInputType, { description: 'The subscription.' }) input: WebhookInputType,
    @idempotencyKey('15 minutes') key: string | null,
    @Ctx() context: CallContext,
  ): Promise<WebhookRegistrationType> {
    const actor = { accountId: callerOf(context).accountId, duid: duidOf(context) };
    const { webhooks, callbackRealm } = this.parts;
    const idempotent = this.request(context, REGISTER_WEBHOOK, key, input);
    const kept = await webhooks.recallKept(idempotent);
    if (kept) return { ...kept, replayed: true };
    refuse(webhookViolations(input, callbackRealm));
    const registered = await webhooks.register(actor, input, idempotent);
    return registered ? { ...registered, replayed: false } : { ...(await webhooks.recall(idempotent)), replayed: true };
  }

  @MayCall('data_user')
  @Mutation(() => WebhookUpdateType, { description: 'Changes what is supplied; the rest stays as it is.' })
  async updateWebhook(
    @wid() id: string,
    @Arg('input', () => WebhookUpdateInputType, { description: 'What is to change.' }) input: WebhookUpdateInputType,
    @Ctx() context: CallContext,
  ): Promise<WebhookUpdateType> {
    const { webhooks, callbackRealm } = this.parts;
    const duid = duidOf(context);
    refuse(webhookViolations(input, callbackRealm));
    const signingSecret = await webhooks.update(duid, id, input);
    return { webhook: await webhooks.own(id, duid), signingSecret };
  }

  @MayCall('data_user')
  @Mutation(() => WebhookDeletionType, { description: 'Deletes a subscription; nothing more is sent.' })
  async deleteWebhook(@wid() id: string, @Ctx() context: CallContext): Promise<WebhookDeletionType> {
    await this.parts.webhooks.delete(duidOf(context), id);
    return { wid: id };
  }

  @MayCall('data_user')
  @Mutation(() => EventRedeliveryType, { description: 'Delivers an event once more, signed with the current secret.' })
  async redeliverEvent(
    @wid() id: string,
    @Arg('eventId', () => EventId, { description: 'The event.' }) eventId: string,
    @idempotencyKey('24 hours') key: string | null,
    @Ctx() context: CallContext,
  ): Promise<EventRedeliveryType> {
    const { webhooks, webhookDeliveries } = this.parts;
    const idempotent = this.request(context, `redeliverEvent ${id} ${eventId}`, key, null);
    const kept = await webhookDeliveries.recallKept(idempotent);
    if (kept) return kept;
    const webhook = await webhooks.own(id, duidOf(context));
    return webhookDeliveries.redeliver(webhook.id, eventId, idempotent);
  }

  @MayCall('data_user')
  @Mutation(() => WebhookTestType, { description: 'Sends a test event to a subscription.' })
  async testWebhook(
    @wid() id: string,
    @idempotencyKey('24 hours') key: string | null,
    @Ctx() context: CallContext,
  ): Promise<WebhookTestType> {
    const { webhooks, webhookDeliveries } = this.parts;
    const idempotent = this.request(context, `testWebhook ${id}`, key, null);
    const kept = await webhookDeliveries.recallKept(idempotent);
    if (kept) return kept;
    return webhookDeliveries.test(await webhooks.own(id, duidOf(context)), idempotent);
  }

  @FieldResolver(() => WebhookDeliveryConnectionType, {
    description: 'Its deliveries of the last 90 days, newest first.',
  })
  deliveries(@Root() { id }: WebhookType, @Args(() => WebhookDeliveryArgs) args: WebhookDeliveryArgs) {
    return this.parts.webhookDeliveries.page(id, args);
  }

  private request(
    context: CallContext,
    operation: string,
    key: string | null | undefined,
    body: unknown,
  ): IdempotentRequest {
    return this.parts.idempotency.request(callerOf(context).accountId, operation, key ?? null, body);
  }
}
