import { Directive, Field, ID, InputType, ObjectType } from 'type-graphql';
import { ConsentKey, DateTime, Duid, IdentityRecordKey, Uri } from '../../../schema/scalars';
import type { ShownConsent, LegacyConsentState } from './legacy-consent.repository';
import type { DataType } from '../../../schema/data-types';
import type { AccessState } from '../records/access-record';
import type { LegacyConsent } from './legacy-consent';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { REPLAYED } from '../../server/graph/idempotency-key.types';
import { AccessStateEnum } from '../records/access-record.enums';

/** Internal: services of the register only. */
@Directive('@inaccessible')
@InputType('LegacyRequestInput', { description: 'Internal: origin of a request of Interface B.' })
export class LegacyRequestInput {
  @Field(() => ID, { description: 'The account of the caller.' }) accountId: string;
  @Field(() => Duid, { description: 'DUID of the account.' }) duid: string;
  @Field(() => String, nullable('Idempotency key of the request.')) idempotencyKey: string | null;
  @Field(() => String, { description: 'Keyed hash of the content of the request.' }) contentHash: string;
}

/** Internal: services of the register only. */
@Directive('@inaccessible')
@InputType('LegacyConsentInput', { description: 'Internal: a consent of Interface B without personal data.' })
export class LegacyConsentInput implements LegacyConsent {
  @Field(() => DateTime, { description: 'When the customer consented.' }) consentDate: Date;
  @Field(() => String, optional("The Data User's own reference.")) userDefinedReference: string | null;
  @Field(() => Uri, { description: 'Terms that the customer agreed to.' }) termsUrl: string;
  @Field(() => DateTime, optional('When the consent ends.')) consentExpiry: Date | null;
  @Field(() => String, { description: 'How consent was given.' }) method: string;
  @Field(() => [DataTypeEnum], { description: 'Categories of data that are covered.' }) dataTypes: DataType[];
}

/** Internal: services of the register only. */
@Directive('@inaccessible')
@InputType('ConsentedIdentityRecordInput', { description: 'Internal: the Identity Record of a consent.' })
export class ConsentedIdentityRecordInput {
  @Field(() => ID, { description: 'Internal identifier.' }) id: string;
  @Field(() => IdentityRecordKey, { description: 'Its key.' }) ref: string;
  @Field(() => ID, { description: 'Opaque id of its meter point.' }) meterPointId: string;
}

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('RecordedConsent', simple('Internal: a recorded consent.'))
export class RecordedConsentType {
  @Field(() => ConsentKey, { description: 'Its key.' }) key: string;
  @Field(() => DateTime, nullable('When it ends.')) consentExpiry: Date | null;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('StandingConsent', simple('Internal: present state of a consent of Interface B.'))
export class LegacyConsentStateType implements LegacyConsentState {
  @Field(() => Duid, { description: 'Its Data User.' }) duid: string;
  @Field(() => AccessStateEnum, { description: "Its state, by the register's clock." }) state: AccessState;
  @Field(() => ID, { description: 'Internal identifier of its Identity Record.' }) identityRecordId: string;
  @Field(() => ID, nullable('Its meter point; null once its Identity Record is closed.')) meterPointId: string | null;
}

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('ShownConsent', simple('Internal: an ACTIVE consent at a meter point.'))
export class ShownConsentType implements ShownConsent {
  @Field(() => Duid, { description: 'Its Data User.' }) duid: string;
  @Field(
    () => ID,
    nullable('Internal identifier of the Identity Record that its Data User linked; null after a re-identification.'),
  )
  identityRecordId: string | null;
  @Field(() => DateTime, { description: 'When the customer consented.' }) consentDate: Date;
  @Field(() => String, nullable("The Data User's own reference, for that Data User."))
  userDefinedReference: string | null;
  @Field(() => Uri, { description: 'Terms that the customer agreed to.' }) termsUrl: string;
  @Field(() => DateTime, nullable('When the consent ends.')) consentExpiry: Date | null;
  @Field(() => String, { description: 'How consent was given.' }) method: string;
  @Field(() => [DataTypeEnum], { description: 'Categories of data that are covered.' }) dataTypes: DataType[];
}
