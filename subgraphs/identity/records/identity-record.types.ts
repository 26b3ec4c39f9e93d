import { Directive, Field, ID, InputType, ObjectType } from 'type-graphql';
import { CalendarDate, DateTime, IdentityRecordKey, JsonObject, Mpxn } from '../../../schema/scalars';
import type * as domain from './identity-record';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import { UkAddress } from '../../server/graph/uk-address.types';

export const ExpressedBy = graphqlEnum('ExpressedBy', 'Who states that the customer lives at the property.', {
  'data-subject': 'The customer.',
  'authorised-representative': 'A representative authorised by the customer.',
} satisfies Record<domain.ExpressedBy, string>);

const VerificationOutcome = graphqlEnum('VerificationOutcome', 'Outcome of the verification of the principal.', {
  verified: 'The identity was verified.',
  failed: 'The identity was not verified.',
  partial: 'Part of the identity was verified.',
} satisfies Record<domain.VerificationOutcome, string>);

@ObjectType('PiiPrincipal', simple('The relationship of a person and a property.'))
export class PiiPrincipal implements domain.PiiPrincipal {
  @Field(() => Mpxn, { description: 'The meter point of the property.' }) mpxn: string;
  @Field(() => CalendarDate, { description: 'Day on which the customer moved in.' }) moveInDate: string;
  @Field(() => UkAddress, nullable('Address of the property.')) address: UkAddress | null;
}

@ObjectType('PrincipalVerification', simple('Evidence that the principal was identified.'))
@InputType('PrincipalVerificationInput', { description: 'Evidence that the principal was identified.' })
export class PrincipalVerification implements domain.PrincipalVerification {
  @Field(() => String, { description: 'How the identity was verified, at most 100 characters.' }) method: string;
  @Field(() => DateTime, { description: 'When the identity was verified.' }) verifiedAt: Date;
  @Field(() => VerificationOutcome, { description: 'Outcome of the verification.' })
  outcome: domain.VerificationOutcome;
  @Field(() => String, optional('Reference of the verification, at most 255 characters.')) reference: string | null;
  @Field(() => String, optional('Description of the submitted evidence, at most 255 characters.')) submitted:
    string | null;
  @Field(() => String, optional('Source against which it was verified, at most 255 characters.'))
  verifiedAgainst: string | null;
  @Field(() => JsonObject, optional('Further detail without a fixed schema: at most 10 levels and 16 KiB.'))
  detail: unknown;
}

@ObjectType('PasskeyCredential', simple('A passkey registered on an Identity Record.'))
export class PasskeyCredential implements domain.PasskeyCredential {
  @Field(() => ID, { description: 'Identifier of the credential, `cred_` and 24 hexadecimal digits.' })
  credentialId: string;
  @Field(() => DateTime, { description: 'When the passkey was registered.' }) registeredAt: Date;
  @Field(() => [String], nullable('Transports that the authenticator reported.')) transports: string[] | null;
}

/** An Identity Record. Fields that need the data key have their own resolvers. The e-mail address is never readable. */
@Directive('@key(fields: "id")')
@ObjectType(
  'IdentityRecord',
  simple('The relationship of a person and a property that a Data User vouches for. Only that Data User can read it.'),
)
export class IdentityRecord implements Omit<domain.IdentityRecord, 'duid' | 'personal'> {
  @Field(() => ID, { description: 'Internal id.' }) id: string;
  @Field(() => IdentityRecordKey, { description: 'Key of the record, for its Data User.' }) ir: string;
  @Field(() => DateTime, { description: 'When the record was registered.' }) createdAt: Date;
  @Field(() => ExpressedBy, { description: 'Who stated the relationship.' }) expressedBy: domain.ExpressedBy;
  @Field(() => Boolean, { description: 'Whether an e-mail address is stored, so that a link can be mailed.' })
  hasEmail: boolean;
  @Field(() => DateTime, nullable('When the record was anonymised; null until then, also for a closed record.'))
  anonymisedAt: Date | null;
}
