import { Field, ObjectType } from 'type-graphql';
import type { DataType } from '../../../schema/data-types';
import { ConsentKey, DateTime, Duid, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from './legacy-consent';
import { UkAddress } from '../../server/graph/uk-address.types';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { nullable, simple } from '../../server/graph/decorator-options';
import { REPLAYED } from '../../server/graph/idempotency-key.types';

@ObjectType('ConsentToken', simple('Issued when a consent is registered.'))
class ConsentToken implements domain.ConsentToken {
  @Field(() => ConsentKey, {
    description: 'The consent key: a secret. With the prefix `ak_` it is the access key of the access record.',
  })
  key: string;
  @Field(() => DateTime, nullable('When the consent ends; null means no defined end.')) consentExpiry: Date | null;
}

@ObjectType('ConsentRegistration', simple('A registered or updated consent.'))
export class ConsentRegistration implements domain.ConsentRegistration {
  @Field(() => ConsentToken, { description: 'Token of the consent.' }) consentToken: ConsentToken;
  @Field(() => Boolean, { description: 'Whether it is a new consent; false for an update.' }) isNew: boolean;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

@ObjectType('ConsentEvidence', simple('Evidence of a consent (Interface B).'))
class ConsentEvidence implements domain.ConsentEvidence {
  @Field(() => DateTime, { description: 'When the customer consented.' }) consentDate: Date;
  @Field(() => String, nullable("The Data User's own reference: for that Data User only."))
  userDefinedReference: string | null;
  @Field(() => Uri, { description: 'Terms that the customer agreed to.' }) termsUrl: string;
  @Field(() => DateTime, nullable('When the consent ends; null means no defined end.')) consentExpiry: Date | null;
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
  @Field(() => String, {
    description: 'How consent was given; its type if it was registered through Interface A without a method.',
  })
  method: string;
  @Field(() => UkAddress, nullable('Address of the property: for the Data User that supplied it only.'))
  address: UkAddress | null;
}

@ObjectType('RegisteredConsent', simple('An ACTIVE consent of Interface B.'))
export class RegisteredConsent implements domain.RegisteredConsent {
  @Field(() => Duid, { description: 'The Data User that registered it.' }) duid: string;
  @Field(() => ConsentEvidence, { description: 'Evidence of the consent, as far as the caller may read it.' })
  evidence: ConsentEvidence;
  @Field(() => [DataTypeEnum], { description: 'Categories of data that are covered.' }) dataType: DataType[];
}
