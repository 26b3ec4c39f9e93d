import { Field, InputType, ObjectType } from 'type-graphql';
import { ReturnedOnce } from '../../server/graph/checked-mutations';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { REPLAYED } from '../../server/graph/idempotency-key.types';
import { CalendarDate, IdentityRecordKey, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from './identity-record';
import { ExpressedBy, PrincipalVerification } from './identity-record.types';
import { UkAddressInput } from '../../server/graph/uk-address.types';

/** Input of PiiPrincipal. */
@InputType('PiiPrincipalInput', { description: 'The person-property relationship.' })
class PiiPrincipalInput implements domain.PiiPrincipal {
  @Field(() => Mpxn, { description: 'The meter point of the property.' }) mpxn: string;
  @Field(() => CalendarDate, { description: 'Day on which the customer moved in.' }) moveInDate: string;
  @Field(() => UkAddressInput, optional('Address of the property.')) address: UkAddressInput | null;
}

/** Input of IdentityRecord. */
@InputType('IdentityRecordInput', { description: 'An Identity Record to be registered.' })
export class IdentityRecordInput implements domain.NewIdentityRecord {
  @Field(() => PiiPrincipalInput, { description: 'The person-property relationship.' }) piiPrincipal: PiiPrincipalInput;
  @Field(() => ExpressedBy, { description: 'Who states the relationship.' }) expressedBy: domain.ExpressedBy;
  @Field(() => PrincipalVerification, optional('Evidence that the principal was identified.'))
  principalVerification: PrincipalVerification | null;
  @Field(
    () => String,
    optional('E-mail address of the customer, for mailed links. It is stored encrypted and never returned.'),
  )
  email: string | null;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Whether the customer is to register a passkey now.',
  })
  initiatePasskeyRegistration: boolean | null;
  @Field(
    () => Uri,
    optional(
      'Registered return URL for the customer after the registration of a passkey; required if one is initiated.',
    ),
  )
  passkeyReturnUrl: string | null;
  @Field(() => String, optional('Value of the query parameter `state` of the return URL, at most 255 characters.'))
  state: string | null;
}

/** Result of a registration. */
@ObjectType('IdentityRecordRegistration', simple('A registered Identity Record.'))
export class IdentityRecordRegistration {
  @Field(() => IdentityRecordKey, { description: 'Key of the new Identity Record.' }) ir: string;
  @ReturnedOnce()
  @Field(() => Uri, nullable('URL at which the customer registers a passkey; null if none was initiated.'))
  passkeyRegistrationRedirect: string | null;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}
