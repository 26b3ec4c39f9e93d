import { Field, InputType } from 'type-graphql';
import { DateTime, Duid, IdentityRecordKey, Uri } from '../../../schema/scalars';
import type {
  AccessRecordInput,
  AccessState,
  ArrangementType,
  Consent,
  ConsentType,
  Controller,
  ControllerArrangement,
  ControllerNotice,
  ControllerRole,
  DataType,
  LegalBasis,
  Notice,
  NoticeDetail,
  Recipient,
  StorageConditions,
  UkAddress,
} from '../domain/access-record';
import { DataTypeEnum } from '../../server/data-type.enums';
import {
  AccessStateEnum,
  ArrangementTypeEnum,
  ConsentTypeEnum,
  ControllerRoleEnum,
  LegalBasisEnum,
} from './access-record.enums';

const optional = (description: string) => ({ nullable: true, defaultValue: null, description }) as const;

@InputType('UKAddressInput', { description: 'A postal address in the United Kingdom.' })
export class UkAddressInputType implements UkAddress {
  @Field(() => String, { description: 'First line, at most 100 characters.' }) addressLine1: string;
  @Field(() => String, optional('Second line.')) addressLine2: string | null;
  @Field(() => String, { description: 'Town or city.' }) townCity: string;
  @Field(() => String, optional('County.')) county: string | null;
  @Field(() => String, { description: 'Postcode in capitals.' }) postcode: string;
}

@InputType('StorageConditionsInput', { description: 'Where and how long a controller keeps the data.' })
class StorageConditionsInputType implements StorageConditions {
  @Field(() => String, { description: 'Country, ISO 3166-1 alpha-2.' }) location: string;
  @Field(() => String, { description: 'ISO 8601 duration.' }) retentionPeriod: string;
}

@InputType('ControllerInput', { description: 'A Data Controller.' })
class ControllerInputType implements Controller {
  @Field(() => String, { description: 'Name, at most 255 characters.' }) name: string;
  @Field(() => ControllerRoleEnum, { description: 'Its part in the arrangement.' }) role: ControllerRole;
  @Field(() => Uri, { description: 'Where the customer reaches the controller.' }) contactUrl: string;
  @Field(() => UkAddressInputType, optional('Postal address.')) address: UkAddressInputType | null;
  @Field(() => Uri, optional('Required on the sole or lead entry.')) privacyRightsUrl: string | null;
  @Field(() => String, optional('Legitimate interests assessment.')) liaReference: string | null;
  @Field(() => String, optional('Statute behind a public task or legal obligation.')) statutoryReference: string | null;
  @Field(() => StorageConditionsInputType, optional('Where and how long the data is kept.'))
  storageConditions: StorageConditionsInputType | null;
}

@InputType('ControllerArrangementInput', { description: 'Who is accountable, and together with whom.' })
class ControllerArrangementInputType implements ControllerArrangement {
  @Field(() => ArrangementTypeEnum, { description: 'Sole, joint or group.' }) arrangementType: ArrangementType;
  @Field(() => String, optional('Required for joint arrangements, else null.')) art26Reference: string | null;
  @Field(() => [ControllerInputType], { description: 'Exactly one is sole or lead.' })
  controllers: ControllerInputType[];
}

@InputType('RecordMetadataInput', { description: 'What the Data User says of the record itself.' })
class RecordMetadataInputType {
  @Field(() => String, { description: 'Version of the schema profile, at most 20 characters.' }) schemaVersion: string;
  @Field(() => String, optional('Read-only: refused when supplied.')) recordIdentifier: string | null;
  @Field(() => String, optional('Read-only: refused when supplied.')) createdAt: string | null;
  @Field(() => ControllerArrangementInputType, { description: 'The controllers.' })
  controllerArrangement: ControllerArrangementInputType;
  @Field(
    () => IdentityRecordKey,
    optional('The Identity Record; required unless a re-identification token is supplied.'),
  )
  identityRecordRef: string | null;
  @Field(() => Duid, optional("Accepted when it is the caller's own.")) duid: string | null;
}

@InputType('NoticeDetailInput', { description: 'A notice that the customer agreed to.' })
class NoticeDetailInputType implements NoticeDetail {
  @Field(() => Uri, { description: 'The terms, publicly accessible.' }) termsUrl: string;
  @Field(() => String, { description: 'Version of the agreed notice, at most 50 characters.' }) noticeVersion: string;
  @Field(() => String, optional('ISO 639-1 code.')) noticeLanguage: string | null;
}

@InputType('ControllerNoticeInput', { description: 'The notice of one controller of a joint arrangement.' })
class ControllerNoticeInputType extends NoticeDetailInputType implements ControllerNotice {
  @Field(() => String, { description: 'Name of the controller.' }) controllerName: string;
}

@InputType('NoticeInput', { description: 'The notice of a consent; exactly one member is populated.' })
class NoticeInputType implements Notice {
  @Field(() => NoticeDetailInputType, optional('One notice covering all controllers.'))
  sharedNotice: NoticeDetailInputType | null;
  @Field(() => [ControllerNoticeInputType], optional('Joint arrangements only: one for each controller.'))
  notices: ControllerNoticeInputType[] | null;
}

@InputType('RecipientInput', { description: 'A third party who may receive data.' })
class RecipientInputType implements Recipient {
  @Field(() => String, { description: 'Name, at most 255 characters.' }) name: string;
  @Field(() => String, { description: 'What it does with the data.' }) role: string;
  @Field(() => Uri, optional('Its privacy notice.')) privacyUrl: string | null;
}

@InputType('ProcessingInput', { description: 'What is done with the data, and on what basis.' })
class ProcessingInputType {
  @Field(() => LegalBasisEnum, { description: 'Legal basis; it applies to all controllers.' }) legalBasis: LegalBasis;
  @Field(() => String, { description: 'Why the data is accessed, at most 500 characters.' }) purpose: string;
  @Field(() => [DataTypeEnum], { description: 'The data categories covered, each once.' }) dataTypes: DataType[];
  @Field(() => String, optional('Accepted when GB.')) jurisdiction: string | null;
  @Field(() => String, optional('Who supplies the meter data.')) dataSource: string | null;
  @Field(() => [RecipientInputType], optional('Third parties who may receive data.')) recipients:
    RecipientInputType[] | null;
}

@InputType('ConsentInput', { description: 'How consent was given.' })
class ConsentInputType implements Consent {
  @Field(() => ConsentTypeEnum, { description: 'Type of consent.' }) consentType: ConsentType;
  @Field(() => String, optional('How it was captured, at most 100 characters.')) method: string | null;
}

@InputType('AccessEventInput', { description: 'State and times of the access.' })
class AccessEventInputType {
  @Field(() => AccessStateEnum, { description: 'ACTIVE, or EXPIRED for a historic record.' }) state: AccessState;
  @Field(() => DateTime, { description: 'When the customer consented, or the Controller registered access.' })
  registeredAt: Date;
  @Field(() => DateTime, optional('When the access ends; null means no defined end.')) expiry: Date | null;
  @Field(() => String, optional("The Controller's internal reference.")) controllerReference: string | null;
  @Field(() => ConsentInputType, optional('Required for the consent bases, else null.'))
  consent: ConsentInputType | null;
  @Field(() => String, optional('Read-only: refused when supplied.')) revokedAt: string | null;
}

@InputType('AccessRecordInput', {
  description: 'What a Data User registers or replaces; the same for every legal basis.',
})
export class AccessRecordInputType implements AccessRecordInput {
  @Field(() => RecordMetadataInputType, { description: 'The record itself.' }) recordMetadata: RecordMetadataInputType;
  @Field(() => NoticeInputType, optional('Required for the consent bases, else null.')) notice: NoticeInputType | null;
  @Field(() => ProcessingInputType, { description: 'What is done with the data.' }) processing: ProcessingInputType;
  @Field(() => AccessEventInputType, { description: 'State and times.' }) accessEvent: AccessEventInputType;
  @Field(() => String, optional('A confirmed re-identification token, instead of identityRecordRef.'))
  reidentificationToken: string | null;
}
