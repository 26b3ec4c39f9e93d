import { ACCOUNT_ROLES } from '../../../schema/roles';
import { described, graphqlEnum } from '../../server/graph/graphql.enums';
import { ACCESS_STATES, LEGAL_BASES, REVOCATION_REASONS } from './access-record';

export const LegalBasisEnum = graphqlEnum(
  'LegalBasis',
  'The legal basis of the access under UK GDPR; it applies to all controllers.',
  described(LEGAL_BASES, (value) => `Legal basis ${value}.`),
);

export const AccessStateEnum = graphqlEnum('AccessState', 'The state of an access record.', {
  ACTIVE: 'The access is lawful until its expiry.',
  REVOKED: 'The customer withdrew consent, or the Controller removed its registration.',
  EXPIRED: 'The expiry has passed.',
  DISCOVERED: 'Found by the communications operator; it cannot authorise data release.',
} satisfies Record<(typeof ACCESS_STATES)[number], string>);

export const ArrangementTypeEnum = graphqlEnum('ArrangementType', 'How controllers share responsibility.', {
  sole: 'Exactly one controller.',
  joint: 'Joint controllers under Article 26 UK GDPR.',
  group: 'Companies of one group, with one lead.',
});

export const ControllerRoleEnum = graphqlEnum('ControllerRole', 'Role of a controller in its arrangement.', {
  sole: 'The only controller.',
  lead: 'The lead of a joint or group arrangement.',
  joint: 'A joint controller beside the lead.',
  member: 'A member of the group beside the lead.',
});

export const ConsentTypeEnum = graphqlEnum('ConsentType', 'How explicit the consent was.', {
  'expressed-consent': 'The customer expressed consent.',
  'explicit-consent': 'The customer gave explicit consent.',
});

export const RevocationReasonEnum = graphqlEnum(
  'RevocationReason',
  'Why the access ends.',
  described(REVOCATION_REASONS, (value) => `Reason ${value}.`),
);

export const DataUserStatusEnum = graphqlEnum('DataUserStatus', 'Status of an organisation.', {
  active: 'In good standing.',
  suspended: 'Suspended; its records verify as before.',
  terminated: 'No longer a user of the register.',
});

export const TransitionCauseEnum = graphqlEnum('TransitionCause', 'Cause of a state transition.', {
  registered: 'The record was registered.',
  replaced: 'The record was replaced by one whose expiry has passed.',
  revoked: 'The record was revoked.',
  withdrawn: 'The customer withdrew consent in a portal.',
  'data-user-terminated': 'The Data User was terminated.',
  expired: 'The expiry passed.',
  discovered: 'The communications operator reported the access.',
  claimed: 'The discovered organisation registered its access. The record remains for audit.',
});

export const AccountRoleEnum = graphqlEnum(
  'AccountRole',
  'Role of an account.',
  described(ACCOUNT_ROLES, (value) => `Role ${value}.`),
);
