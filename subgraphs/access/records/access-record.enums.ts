import { graphqlEnum } from '../../server/graph/graphql.enums';
import type { ACCESS_STATES, LegalBasis, RevocationReason } from './access-record';
import type { RecordSection } from './record-history.queries';

export const LegalBasisEnum = graphqlEnum(
  'LegalBasis',
  'The legal basis of the access under UK GDPR; it applies to all controllers.',
  {
    'uk-consent': 'The customer consented (Article 6(1)(a)) and may withdraw the consent.',
    'uk-explicit-consent':
      'The customer consented in an explicit statement (Article 6(1)(a)) and may withdraw the consent.',
    'uk-public-task': 'A task in the public interest or under official authority (Article 6(1)(e)).',
    'uk-legitimate-interests':
      'Legitimate interests of the controller, which an assessment (LIA) weighs against those of the customer (Article 6(1)(f)).',
    'uk-legal-obligation': 'An obligation of the controller under law (Article 6(1)(c)).',
    'uk-contract': 'Performance of a contract with the customer (Article 6(1)(b)).',
  } satisfies Record<LegalBasis, string>,
);

export const AccessStateEnum = graphqlEnum('AccessState', 'The state of an access record.', {
  ACTIVE: 'The access is lawful until its expiry.',
  REVOKED: 'The customer withdrew consent, the Controller removed its registration, or the Data User was terminated.',
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

export const RevocationReasonEnum = graphqlEnum('RevocationReason', 'Why the access ends.', {
  'customer-request': 'The customer requested from the Data User that the access ends.',
  'contract-ended': 'The contract on which the access was based has ended.',
  'lia-lapsed': 'The legitimate interests assessment no longer supports the access.',
  'statutory-authority-lapsed': 'The statute that permitted or required the access no longer does.',
  'data-no-longer-required': 'The Data User no longer needs the data for its purpose.',
  other: 'None of the other reasons applies.',
} satisfies Record<RevocationReason, string>);

export const RecordSectionEnum = graphqlEnum('RecordSection', 'A section of the content of an access record.', {
  controllers: 'The controllers: how they share responsibility, their contacts, references and storage conditions.',
  notice: 'The notices that the customer agreed to.',
  recipients: 'Third parties who may receive data.',
  'data-source': 'Who supplies the meter data.',
  consent: 'How consent was given.',
} satisfies Record<RecordSection, string>);

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
