import { Field, InputType } from 'type-graphql';
import type { DataType } from '../../../schema/data-types';
import { CalendarDate, DateTime, Duid, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from './legacy-consent';
import { UkAddressInput } from '../../server/graph/uk-address.types';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { optional } from '../../server/graph/decorator-options';

@InputType('ConsentEvidenceInput', { description: 'Evidence of a consent (Interface B).' })
class ConsentEvidenceInput implements domain.ConsentEvidence {
  @Field(() => DateTime, { description: 'When the customer consented.' }) consentDate: Date;
  @Field(() => String, optional("The Data User's own reference, at most 255 characters."))
  userDefinedReference: string | null;
  @Field(() => Uri, { description: 'Terms that the customer agreed to.' }) termsUrl: string;
  @Field(() => DateTime, optional('When the consent ends; null for no defined end.')) consentExpiry: Date | null;
  @Field(() => Mpxn, { description: 'The meter point, in the pattern of Interface B. An update cannot change it.' })
  mpxn: string;
  @Field(() => String, { description: 'How consent was given, at most 100 characters.' }) method: string;
  @Field(() => UkAddressInput, optional('Address of the property.')) address: UkAddressInput | null;
}

@InputType('ConsentRegistrationInput', { description: 'A consent to be registered through Interface B, or updated.' })
export class ConsentRegistrationInput implements domain.NewConsent {
  @Field(() => Duid, { description: "The Data User: the caller's own." }) duid: string;
  @Field(() => CalendarDate, { description: 'First day from which data is available.' }) moveInDate: string;
  @Field(() => ConsentEvidenceInput, { description: 'Evidence of the consent.' }) evidence: ConsentEvidenceInput;
  @Field(() => [DataTypeEnum], { description: 'Categories of data that are covered, each once.' }) dataType: DataType[];
}
