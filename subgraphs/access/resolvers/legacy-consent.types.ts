import { Directive, Field, ID, InputType, ObjectType } from 'type-graphql';
import { ConsentKey, DateTime, Duid, IdentityRecordKey, Uri } from '../../../schema/scalars';
import type { ShownConsent, StandingConsent } from '../database/legacy-consent.repository';
import type { AccessState, DataType } from '../domain/access-record';
import type { LegacyConsent } from '../domain/legacy-consent';
import { DataTypeEnum } from '../../server/data-type.enums';
import { AccessStateEnum } from './access-record.enums';

/** LegacyRequestInput of the graph: sent by services of the register only. */
@Directive('@inaccessible')
@InputType('LegacyRequestInput', { description: 'Internal: whose registration of a consent it is.' })
export class LegacyRequestInput {
  @Field(() => ID, { description: 'The account of the caller.' }) accountId: string;
  @Field(() => Duid, { description: 'Its Data User.' }) duid: string;
  @Field(() => String, { nullable: true, description: 'Idempotency key as it was sent.' }) idempotencyKey:
    string | null;
  @Field(() => String, { description: 'Keyed hash of everything that was sent with it.' }) contentHash: string;
}

/** LegacyConsentInput of the graph: sent by services of the register only. */
@Directive('@inaccessible')
@InputType('LegacyConsentInput', { description: 'Internal: a consent of Interface B without what is personal.' })
export class LegacyConsentInput implements LegacyConsent {
  @Field(() => DateTime, { description: 'When the customer consented.' }) consentDate: Date;
  @Field(() => String, { nullable: true, defaultValue: null, description: "The Data User's own reference." })
  userDefinedReference: string | null;
  @Field(() => Uri, { description: 'Terms that the customer agreed to.' }) termsUrl: string;
  @Field(() => DateTime, { nullable: true, defaultValue: null, description: 'When the consent ends.' })
  consentExpiry: Date | null;
  @Field(() => String, { description: 'How consent was given.' }) method: string;
  @Field(() => [DataTypeEnum], { description: 'Categories of data that are covered.' }) dataTypes: DataType[];
}

/** ConsentedIdentityRecordInput of the graph: sent by services of the register only. */
@Directive('@inaccessible')
@InputType('ConsentedIdentityRecordInput', { description: 'Internal: the Identity Record of a consent.' })
export class ConsentedIdentityRecordInput {
  @Field(() => ID, { description: 'Internal identifier.' }) id: string;
  @Field(() => IdentityRecordKey, { description: 'Its key.' }) ref: string;
  @Field(() => ID, { description: 'Opaque id of its meter point.' }) meterPointId: string;
}

/** RecordedConsent of the graph: seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('RecordedConsent', { description: 'Internal: a consent that was recorded.', simpleResolvers: true })
export class RecordedConsentType {
  @Field(() => ConsentKey, { description: 'Its key.' }) key: string;
  @Field(() => DateTime, { nullable: true, description: 'When it ends.' }) consentExpiry: Date | null;
  @Field(() => Boolean, { description: 'The answer of an earlier request with the same idempotency key.' })
  replayed: boolean;
}

/** StandingConsent of the graph: seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('StandingConsent', { description: 'Internal: how a consent of Interface B stands.', simpleResolvers: true })
export class StandingConsentType implements StandingConsent {
  @Field(() => Duid, { description: 'Its Data User.' }) duid: string;
  @Field(() => AccessStateEnum, { description: "Its state, by the register's clock." }) state: AccessState;
  @Field(() => ID, { description: 'Internal identifier of its Identity Record.' }) identityRecordId: string;
  @Field(() => ID, { nullable: true, description: 'Its meter point; null once its Identity Record is closed.' })
  meterPointId: string | null;
}

/** ShownConsent of the graph: seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('ShownConsent', { description: 'Internal: an ACTIVE consent of a meter point.', simpleResolvers: true })
export class ShownConsentType implements ShownConsent {
  @Field(() => Duid, { description: 'Its Data User.' }) duid: string;
  @Field(() => ID, {
    nullable: true,
    description:
      'Internal identifier of the Identity Record that its Data User linked; null after a re-identification.',
  })
  identityRecordId: string | null;
  @Field(() => DateTime, { description: 'When the customer consented.' }) consentDate: Date;
  @Field(() => String, { nullable: true, description: "The Data User's own reference, for that Data User." })
  userDefinedReference: string | null;
  @Field(() => Uri, { description: 'Terms that the customer agreed to.' }) termsUrl: string;
  @Field(() => DateTime, { nullable: true, description: 'When the consent ends.' }) consentExpiry: Date | null;
  @Field(() => String, { description: 'How consent was given.' }) method: string;
  @Field(() => [DataTypeEnum], { description: 'Categories of data that are covered.' }) dataTypes: DataType[];
}
