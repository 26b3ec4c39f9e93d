import { Directive, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { CalendarDate, DateTime, IdentityRecordKey, JsonObject, Mpxn } from '../../../schema/scalars';
import type * as domain from '../domain/identity-record';

/** GraphQL names of {@link domain.ExpressedBy}. */
export const ExpressedBy = {
  DATA_SUBJECT: 'data-subject',
  AUTHORISED_REPRESENTATIVE: 'authorised-representative',
} as const satisfies Record<string, domain.ExpressedBy>;
registerEnumType(ExpressedBy, {
  name: 'ExpressedBy',
  description: 'Who states that the customer lives at the property.',
  valuesConfig: {
    DATA_SUBJECT: { description: 'The customer.' },
    AUTHORISED_REPRESENTATIVE: { description: 'Somebody authorised to speak for the customer.' },
  },
});

/** GraphQL names of {@link domain.VerificationOutcome}. */
export const VerificationOutcome = {
  VERIFIED: 'verified',
  FAILED: 'failed',
  PARTIAL: 'partial',
} as const satisfies Record<string, domain.VerificationOutcome>;
registerEnumType(VerificationOutcome, {
  name: 'VerificationOutcome',
  description: 'What verifying the identity of the principal came to.',
  valuesConfig: {
    VERIFIED: { description: 'The identity was verified.' },
    FAILED: { description: 'The identity could not be verified.' },
    PARTIAL: { description: 'Only a part of the identity was verified.' },
  },
});

/** UKAddress of the graph; `access` has the same type for controllers. */
@Directive('@shareable')
@ObjectType('UKAddress', { description: 'A postal address in the United Kingdom.', simpleResolvers: true })
export class UkAddress implements domain.UkAddress {
  @Field(() => String, { description: 'First line.' }) addressLine1: string;
  @Field(() => String, { nullable: true, description: 'Second line.' }) addressLine2: string | null;
  @Field(() => String, { description: 'Town or city.' }) townCity: string;
  @Field(() => String, { nullable: true, description: 'County.' }) county: string | null;
  @Field(() => String, { description: 'Postcode.' }) postcode: string;
}

/** PiiPrincipal of the graph. */
@ObjectType('PiiPrincipal', { description: 'The person-property relationship.', simpleResolvers: true })
export class PiiPrincipal implements domain.PiiPrincipal {
  @Field(() => Mpxn, { description: 'The meter point of the property.' }) mpxn: string;
  @Field(() => CalendarDate, { description: 'Day on which the customer moved in.' }) moveInDate: string;
  @Field(() => UkAddress, { nullable: true, description: 'Address of the property.' }) address: UkAddress | null;
}

/** PrincipalVerification of the graph. */
@ObjectType('PrincipalVerification', {
  description: 'Evidence that the principal was identified.',
  simpleResolvers: true,
})
export class PrincipalVerification implements domain.PrincipalVerification {
  @Field(() => String, { description: 'How the identity was verified.' }) method: string;
  @Field(() => DateTime, { description: 'When the identity was verified.' }) verifiedAt: Date;
  @Field(() => VerificationOutcome, { description: 'What came of it.' }) outcome: domain.VerificationOutcome;
  @Field(() => String, { nullable: true, description: 'Reference of the verification.' }) reference: string | null;
  @Field(() => String, { nullable: true, description: 'What was submitted as evidence.' }) submitted: string | null;
  @Field(() => String, { nullable: true, description: 'What the evidence was verified against.' }) verifiedAgainst:
    string | null;
  @Field(() => JsonObject, { nullable: true, description: 'Further detail, of no fixed form.' }) detail: unknown;
}

/** PasskeyCredential of the graph: never a public key. */
@ObjectType('PasskeyCredential', { description: 'A passkey registered on an Identity Record.', simpleResolvers: true })
export class PasskeyCredential implements domain.PasskeyCredential {
  @Field(() => ID, { description: 'Identifier of the credential, `cred_` and 24 hexadecimal digits.' })
  credentialId: string;
  @Field(() => DateTime, { description: 'When the passkey was registered.' }) registeredAt: Date;
  @Field(() => [String], { nullable: true, description: 'Transports that the authenticator named.' }) transports:
    string[] | null;
}

/** IdentityRecord of the graph; the fields that need the data key have resolvers of their own. Never the e-mail address. */
@Directive('@key(fields: "id")')
@ObjectType('IdentityRecord', {
  description: 'The person-property relationship that a Data User vouches for. Only that Data User can read it.',
  simpleResolvers: true,
})
export class IdentityRecord implements Omit<domain.IdentityRecord, 'duid' | 'personal'> {
  @Field(() => ID, { description: 'Internal id.' }) id: string;
  @Field(() => IdentityRecordKey, { description: 'The key by which the Data User knows the record.' }) ir: string;
  @Field(() => DateTime, { description: 'When the record was registered.' }) createdAt: Date;
  @Field(() => ExpressedBy, { description: 'Who stated the relationship.' }) expressedBy: domain.ExpressedBy;
  @Field(() => Boolean, { description: 'Whether an e-mail address is stored, so that a link can be mailed.' })
  hasEmail: boolean;
  @Field(() => DateTime, { nullable: true, description: 'When the record was anonymised; null for a live record.' })
  anonymisedAt: Date | null;
}
