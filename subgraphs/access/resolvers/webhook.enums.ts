import { graphqlEnum } from '../../server/graphql.enums';

export const WebhookEventTypeEnum = graphqlEnum('WebhookEventType', 'What a subscription is told.', {
  'consent.expiring': 'An access on consent is about to expire.',
  'tenancy.change': 'A change of tenancy was recorded at a meter point with ACTIVE records of the Data User.',
  'consent.withdrawal': 'A customer has withdrawn consent; the record is already REVOKED.',
});

export const DeliveredEventTypeEnum = graphqlEnum('DeliveredEventType', 'What is delivered to a subscription.', {
  'consent.expiring': 'An access on consent is about to expire.',
  'tenancy.change': 'A change of tenancy was recorded at a meter point with ACTIVE records of the Data User.',
  'consent.withdrawal': 'A customer has withdrawn consent; the record is already REVOKED.',
  'webhook.test': 'A test that the Data User asked for.',
});

export const DeliveryStateEnum = graphqlEnum('DeliveryState', 'What became of a delivery.', {
  pending: 'It is tried again until its last attempt.',
  delivered: 'The receiver answered with 2xx.',
  undelivered: 'The last attempt failed.',
  superseded: 'A later event of the record has made it pointless.',
});
