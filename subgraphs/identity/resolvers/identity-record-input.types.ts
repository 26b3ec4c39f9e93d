import { Field, InputType } from 'type-graphql';
import { CalendarDate, DateTime, JsonObject, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from '../domain/identity-record';
import { ExpressedBy, VerificationOutcome } from './identity-record.types';

/** UKAddress as sent; `access` has the same input for controllers. */
@InputType('UKAddressInput', { description: 'A postal address in the United Kingdom.' })
export class UkAddressInput implements domain.UkAddress {
  @Field(() => String, { description: 'First line, at most 100 characters.' })
  addressLine1: string;

  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'Second line.',
  })
  addressLine2: string | null;

  @Field(() => String, { description: 'Town or city.' })
  townCity: string;

  @Field(() => String, { nullable: true, defaultValue: null, description: 'County.' })
  county: string | null;

  @Field(() => String, { description: 'Postcode in capitals.' })
  postcode: string;
}

/** PiiPrincipal as sent. */
@InputType('PiiPrincipalInput', { description: 'The person-property relationship.' })
export class PiiPrincipalInput implements domain.PiiPrincipal {
  @Field(() => Mpxn, { description: 'The meter point of the property.' })
  mpxn: string;

  @Field(() => CalendarDate, { description: 'Day on which the customer moved in.' })
  moveInDate: string;

  @Field(() => UkAddressInput, { nullable: true, defaultValue: null, description: 'Address of the property.' })
  address: UkAddressInput | null;
}

/** PrincipalVerification as sent. */
@InputType('PrincipalVerificationInput', { description: 'Evidence that the principal was identified.' })
export class PrincipalVerificationInput implements domain.PrincipalVerification {
  @Field(() => String, { description: 'How the identity was verified, at most 100 characters.' })
  method: string;

  @Field(() => DateTime, { description: 'When the identity was verified.' })
  verifiedAt: Date;

  @Field(() => VerificationOutcome, { description: 'What came of it.' })
  outcome: domain.VerificationOutcome;

  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'Reference of the verification, at most 255 characters.',
  })
  reference: string | null;

  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'What was submitted as evidence, at most 255 characters.',
  })
  submitted: string | null;

  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'What it was verified against, at most 255 characters.',
  })
  verifiedAgainst: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    defaultValue: null,
    description: 'Further detail: at most 10 levels and 16 KiB.',
  })
  detail: unknown;
}

/** An Identity Record as sent. */
@InputType('IdentityRecordInput', { description: 'An Identity Record to be registered.' })
export class IdentityRecordInput implements domain.NewIdentityRecord {
  @Field(() => PiiPrincipalInput, { description: 'The person-property relationship.' })
  piiPrincipal: PiiPrincipalInput;

  @Field(() => ExpressedBy, { description: 'Who states the relationship.' })
  expressedBy: domain.ExpressedBy;

  @Field(() => PrincipalVerificationInput, {
    nullable: true,
    defaultValue: null,
    description: 'Evidence that the principal was identified.',
  })
  principalVerification: PrincipalVerificationInput | null;

  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'E-mail address of the customer, for mailed links. It is kept encrypted and never answered.',
  })
  email: string | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Whether the customer is to register a passkey now.',
  })
  initiatePasskeyRegistration: boolean | null;

  @Field(() => Uri, {
    nullable: true,
    defaultValue: null,
    description:
      'Where the customer returns to after registering a passkey: a registered return URL, required when that is initiated.',
  })
  passkeyReturnUrl: string | null;

  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'What the return URL carries back as `state=`, at most 255 characters.',
  })
  state: string | null;
}
