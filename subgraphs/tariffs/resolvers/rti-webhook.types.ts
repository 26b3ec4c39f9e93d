import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { connectionType } from '../../server/connection.types';
import type { RtiWebhookFilter, StoredRtiWebhook } from '../database/rti-webhook-lists';
import type { RegisteredWebhook } from '../database/rti-webhook.repository';

/** RtiWebhook of the graph. */
@ObjectType('RtiWebhook', {
  description: 'Where an RTI User takes the events of a supplier.',
  simpleResolvers: true,
})
export class RtiWebhookType implements Omit<StoredRtiWebhook, 'openUrl'> {
  @Field(() => ID, { description: 'Identifier.' }) webhookId: string;
  @Field(() => String, { description: 'The supplier.' }) mpid: string;
  @Field(() => String, { description: 'The RTI User.' }) userId: string;
  @Field(() => DateTime, { description: 'When it was registered.' }) createdAt: Date;
  @Field(() => DateTime, { nullable: true, description: 'When another address took the place of the first.' })
  replacedAt: Date | null;
}

/** RtiWebhookConnection of the graph. */
export const RtiWebhookConnectionType = connectionType(
  'RtiWebhook',
  'A page of the webhooks, the last one registered first.',
  () => RtiWebhookType,
);

@InputType('RtiWebhookFilter', { description: 'Which webhooks: both conditions hold.' })
export class RtiWebhookFilterInput implements RtiWebhookFilter {
  @Field(() => String, { nullable: true, description: 'Those at this supplier.' }) mpid?: string | null;
  @Field(() => String, { nullable: true, description: 'Those of this RTI User.' }) userId?: string | null;
}

@ObjectType('RegisteredRtiWebhook', { description: 'A webhook as it was registered.', simpleResolvers: true })
export class RegisteredRtiWebhookPayload implements RegisteredWebhook {
  @Field(() => ID, { description: 'Identifier.' }) webhookId: string;
  @Field(() => String, { description: 'The secret that deliveries are signed with. It cannot be retrieved later.' })
  signingSecret: string;
  @Field(() => Boolean, { description: 'False when it took the place of an address that was there.' }) isNew: boolean;
}

@ObjectType('RemovedRtiWebhook', { description: 'A webhook that was removed.', simpleResolvers: true })
export class RemovedRtiWebhookPayload {
  @Field(() => ID, { description: 'Its identifier.' }) webhookId: string;
}
