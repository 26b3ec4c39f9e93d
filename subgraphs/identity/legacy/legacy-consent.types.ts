import { Field, ObjectType } from 'type-graphql';
import type { DataType } from '../../../schema/data-types';
import { ConsentKey, DateTime, Duid, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from './legacy-consent';
import { UkAddress } from '../records/identity-record.types';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { REPLAYED } from '../../server/graph/idempotency-key.types';

@ObjectType('ConsentToken', { description: 'Issued when a consent is registered.', simpleResolvers: true })
class ConsentToken implements domain.ConsentToken {
  @Field(() => ConsentKey, {
    description: 'The consent key: a secret. With the prefix `ak_` it is the access key of the access record.',
  })
  key: string;
  @Field(() => DateTime, { nullable: true, description: 'When the consent ends; null means no defined end.' })
  consentExpiry: Date | null;
}

@ObjectType('ConsentRegistration', { description: 'A registered or updated consent.', simpleResolvers: true })
export class ConsentRegistration implements domain.ConsentRegistration {
  @Field(() => ConsentToken, { description: 'Token of the consent.' }) consentToken: ConsentToken;
  @Field(() => Boolean, { description: 'Whether it is a new consent; false for an update.' }) isNew: boolean;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

@ObjectType('ConsentEvidence', { description: 'Evidence of a consent (Interface B).', simpleResolvers: true })
class ConsentEvidence implements domain.ConsentEvidence {
  @Field(() => DateTime, { description: 'When the customer consented.' }) consentDate: Date;
  @Field(() => String, { nullable: true, description: "The Data User's own reference: for that Data User only." })
  userDefinedReference: string | null;
  @Field(() => Uri, { description: 'Terms that the customer agreed to.' }) termsUrl: string;
  @Field(() => DateTime, { nullable: true, description: 'When the consent ends; null means no defined end.' })
  consentExpiry: Date | null;
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
  @Field(() => String, {
    description: 'How consent was given; its type if it was registered through Interface A without a method.',
  })
  method: string;
  @Field(() => UkAddress, {
    nullable: true,
    description: 'Address of the property: for the Data User that supplied it only.',
  })
  address: UkAddress | null;
}

@ObjectType('RegisteredConsent', {
  description: 'An ACTIVE consent of Interface B.',
  simpleResolvers: true,
})
export class RegisteredConsent implements domain.RegisteredConsent {
  @Field(() => Duid, { description: 'The Data User that registered it.' }) duid: string;
  @Field(() => ConsentEvidence, { description: 'Evidence of the consent, as far as the caller may read it.' })
  evidence: ConsentEvidence;
  @Field(() => [DataTypeEnum], { description: 'Categories of data that are covered.' }) dataType: DataType[];
}
