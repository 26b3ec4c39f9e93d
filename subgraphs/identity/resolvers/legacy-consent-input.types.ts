import { Field, InputType } from 'type-graphql';
import type { DataType } from '../../../schema/data-types';
import { CalendarDate, DateTime, Duid, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from '../domain/legacy-consent';
import { UkAddressInput } from './identity-record-input.types';
import { DataTypeEnum } from '../../server/data-type.enums';

/** ConsentEvidence as sent. */
@InputType('ConsentEvidenceInput', { description: 'Evidence of a consent (Interface B).' })
export class ConsentEvidenceInput implements domain.ConsentEvidence {
  @Field(() => DateTime, { description: 'When the customer consented.' })
  consentDate: Date;

  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: "The Data User's own reference, at most 255 characters.",
  })
  userDefinedReference: string | null;

  @Field(() => Uri, { description: 'Terms that the customer agreed to.' })
  termsUrl: string;

  @Field(() => DateTime, {
    nullable: true,
    defaultValue: null,
    description: 'When the consent ends; null for no defined end.',
  })
  consentExpiry: Date | null;

  @Field(() => Mpxn, { description: 'The meter point, in the pattern of Interface B. An update keeps it.' })
  mpxn: string;

  @Field(() => String, { description: 'How consent was given, at most 100 characters.' })
  method: string;

  @Field(() => UkAddressInput, { nullable: true, defaultValue: null, description: 'Address of the property.' })
  address: UkAddressInput | null;
}

/** A consent as sent. */
@InputType('ConsentRegistrationInput', { description: 'A consent to be registered through Interface B, or updated.' })
export class ConsentRegistrationInput implements domain.NewConsent {
  @Field(() => Duid, { description: "The Data User: the caller's own." })
  duid: string;

  @Field(() => CalendarDate, { description: 'First day from which data is available.' })
  moveInDate: string;

  @Field(() => ConsentEvidenceInput, { description: 'Evidence of the consent.' })
  evidence: ConsentEvidenceInput;

  @Field(() => [DataTypeEnum], { description: 'Categories of data that are covered, each once.' })
  dataType: DataType[];
}
