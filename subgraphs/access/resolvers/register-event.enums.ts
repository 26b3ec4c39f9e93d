import type { RegisterEventType } from '../domain/register-event';
import { graphqlEnum } from '../../server/graphql.enums';

export const RegisterEventTypeEnum = graphqlEnum('RegisterEventType', 'What has happened.', {
  'consent.expiring': 'A record on consent has come within the window of a subscription before its expiry.',
  'tenancy.change': 'A change of tenancy was recorded at a meter point with ACTIVE records of the Data User.',
  'consent.withdrawal': 'A customer has withdrawn consent; the record is already REVOKED.',
  'webhook.test': 'A Data User tries a subscription.',
  'access.registered': 'A record was registered.',
  'access.revoked': 'The Controller removed its registration.',
  'access.expired': 'The expiry of a record has passed.',
  'access.discovered': 'The communications operator found access that is not registered.',
  'access.claimed': 'The organisation of a discovered access has registered it.',
} satisfies Record<RegisterEventType, string>);
