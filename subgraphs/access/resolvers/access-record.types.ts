import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { CalendarDate, DateTime, Duid, IdentityRecordKey, Uri } from '../../../schema/scalars';
import type {
  AccessState,
  ArrangementType,
  Consent,
  ConsentType,
  ControllerNotice,
  ControllerRole,
  DataType,
  LegalBasis,
  Notice,
  NoticeDetail,
  Recipient,
  StorageConditions,
  StoredController,
  StoredControllerArrangement,
  UkAddress,
} from '../domain/access-record';
import type { DiscoveredAccess } from '../domain/discovered-access';
import { DataTypeEnum } from '../../server/data-type.enums';
import {
  AccessStateEnum,
  ArrangementTypeEnum,
  ConsentTypeEnum,
  ControllerRoleEnum,
  LegalBasisEnum,
} from './access-record.enums';

@Directive('@shareable')
@ObjectType('UKAddress', { description: 'A postal address in the United Kingdom.', simpleResolvers: true })
export class UkAddressType implements UkAddress {
  @Field(() => String, { description: 'First line.' }) addressLine1: string;
  @Field(() => String, { nullable: true, description: 'Second line.' }) addressLine2: string | null;
  @Field(() => String, { description: 'Town or city.' }) townCity: string;
  @Field(() => String, { nullable: true, description: 'County.' }) county: string | null;
  @Field(() => String, { description: 'Postcode.' }) postcode: string;
}

@ObjectType('StorageConditions', {
  description: 'Where and how long a controller keeps the data.',
  simpleResolvers: true,
})
export class StorageConditionsType implements StorageConditions {
  @Field(() => String, { description: 'Country, ISO 3166-1 alpha-2.' }) location: string;
  @Field(() => String, { description: 'ISO 8601 duration.' }) retentionPeriod: string;
}

@ObjectType('Controller', { description: 'A Data Controller, accountable for the legal basis.', simpleResolvers: true })
export class ControllerType implements StoredController {
  @Field(() => String, { description: 'Name of the organisation.' }) name: string;
  @Field(() => ControllerRoleEnum, { description: 'Its part in the arrangement.' }) role: ControllerRole;
  @Field(() => Uri, {
    nullable: true,
    description: 'Where the customer reaches the controller; null of an organisation that was discovered.',
  })
  contactUrl: string | null;
  @Field(() => UkAddressType, { nullable: true, description: 'Postal address.' }) address: UkAddress | null;
  @Field(() => Uri, { nullable: true, description: 'Where the customer exercises GDPR rights.' }) privacyRightsUrl:
    string | null;
  @Field(() => String, { nullable: true, description: 'Legitimate interests assessment.' }) liaReference: string | null;
  @Field(() => String, { nullable: true, description: 'Statute behind a public task or legal obligation.' })
  statutoryReference: string | null;
  @Field(() => StorageConditionsType, { nullable: true, description: 'Where and how long the data is kept.' })
  storageConditions: StorageConditions | null;
}

@ObjectType('ControllerArrangement', {
  description: 'Who is accountable, and together with whom.',
  simpleResolvers: true,
})
export class ControllerArrangementType implements StoredControllerArrangement {
  @Field(() => ArrangementTypeEnum, { description: 'How the controllers share responsibility.' })
  arrangementType: ArrangementType;
  @Field(() => String, { nullable: true, description: 'The Article 26 arrangement of joint controllers.' })
  art26Reference: string | null;
  @Field(() => [ControllerType], { description: 'The controllers; exactly one is sole or lead.' })
  controllers: StoredController[];
}

@ObjectType('RecordMetadata', { description: 'What the register knows of the record itself.', simpleResolvers: true })
export class RecordMetadataType {
  @Field(() => String, { description: 'Version of the schema profile that the record conforms to.' })
  schemaVersion: string;
  @Field(() => DateTime, { description: 'When the register received it.' }) createdAt: Date;
  @Field(() => ControllerArrangementType, { description: 'The controllers.' })
  controllerArrangement: StoredControllerArrangement;
  @Field(() => IdentityRecordKey, {
    nullable: true,
    description: 'The linked Identity Record; null when linked by re-identification.',
  })
  identityRecordRef: string | null;
  @Field(() => Duid, { nullable: true, description: 'The Data User that registered it; null of what was discovered.' })
  duid: string | null;
}

@ObjectType('NoticeDetail', { description: 'A notice that the customer agreed to.', simpleResolvers: true })
export class NoticeDetailType implements NoticeDetail {
  @Field(() => Uri, { description: 'The terms, publicly accessible.' }) termsUrl: string;
  @Field(() => String, { description: 'Version of the agreed notice.' }) noticeVersion: string;
  @Field(() => String, { nullable: true, description: 'ISO 639-1 code.' }) noticeLanguage: string | null;
}

@ObjectType('ControllerNotice', {
  description: 'The notice of one controller of a joint arrangement.',
  simpleResolvers: true,
})
export class ControllerNoticeType extends NoticeDetailType implements ControllerNotice {
  @Field(() => String, { description: 'Name of the controller.' }) controllerName: string;
}

@ObjectType('Notice', {
  description: 'The notice of a consent; exactly one member is populated.',
  simpleResolvers: true,
})
export class NoticeType implements Notice {
  @Field(() => NoticeDetailType, { nullable: true, description: 'One notice covering all controllers.' })
  sharedNotice: NoticeDetail | null;
  @Field(() => [ControllerNoticeType], { nullable: true, description: 'One notice for each controller.' }) notices:
    ControllerNotice[] | null;
}

@ObjectType('Recipient', { description: 'A third party who may receive data.', simpleResolvers: true })
export class RecipientType implements Recipient {
  @Field(() => String, { description: 'Name of the organisation.' }) name: string;
  @Field(() => String, { description: 'What it does with the data.' }) role: string;
  @Field(() => Uri, { nullable: true, description: 'Its privacy notice.' }) privacyUrl: string | null;
}

@ObjectType('Processing', { description: 'What is done with the data, and on what basis.', simpleResolvers: true })
export class ProcessingType {
  @Field(() => LegalBasisEnum, {
    nullable: true,
    description: 'Legal basis; it applies to all controllers. Null of what was discovered.',
  })
  legalBasis: LegalBasis | null;
  @Field(() => String, { nullable: true, description: 'Why the data is accessed; null of what was discovered.' })
  purpose: string | null;
  @Field(() => [DataTypeEnum], { description: 'The data categories covered.' }) dataTypes: DataType[];
  @Field(() => String, { description: 'Always GB.' }) jurisdiction: string;
  @Field(() => String, { nullable: true, description: 'Who supplies the meter data.' }) dataSource: string | null;
  @Field(() => [RecipientType], { nullable: true, description: 'Third parties who may receive data.' }) recipients:
    Recipient[] | null;
}

@ObjectType('Consent', { description: 'How consent was given.', simpleResolvers: true })
export class ConsentGivenType implements Consent {
  @Field(() => ConsentTypeEnum, { description: 'Type of consent.' }) consentType: ConsentType;
  @Field(() => String, { nullable: true, description: 'How it was captured.' }) method: string | null;
}

@ObjectType('AccessEvent', { description: 'State and times of the access.', simpleResolvers: true })
export class AccessEventType {
  @Field(() => AccessStateEnum, { description: 'State at this instant.' }) state: AccessState;
  @Field(() => DateTime, { description: 'When the customer consented, or the Controller registered access.' })
  registeredAt: Date;
  @Field(() => DateTime, { nullable: true, description: 'When the access ends; null means no defined end.' })
  expiry: Date | null;
  @Field(() => String, { nullable: true, description: "The Controller's internal reference." }) controllerReference:
    string | null;
  @Field(() => ConsentGivenType, { nullable: true, description: 'Consent, for the consent bases.' })
  consent: Consent | null;
  @Field(() => DateTime, { nullable: true, description: 'When the access was revoked.' }) revokedAt: Date | null;
}

@ObjectType('DiscoveredAccess', {
  description: 'What the communications operator saw of an organisation that is not registered.',
  simpleResolvers: true,
})
export class DiscoveredAccessType implements DiscoveredAccess {
  @Field(() => String, { description: 'Name of the organisation.' }) organisationName: string;
  @Field(() => String, { description: "The operator's reference of the organisation." }) organisationReference: string;
  @Field(() => CalendarDate, { description: 'First request seen.' }) firstSeen: string;
  @Field(() => CalendarDate, { nullable: true, description: 'Last request seen.' }) lastSeen: string | null;
  @Field(() => [DataTypeEnum], { description: 'Data categories requested.' }) dataTypesObserved: DataType[];
}

@Directive('@key(fields: "id", resolvable: false)')
@ObjectType('IdentityRecord', {
  description: 'The person-property relationship that a Data User vouches for. Only that Data User can read it.',
  simpleResolvers: true,
})
export class IdentityRecordReference {
  @Field(() => ID, { description: 'Internal id.' }) id: string;
}

@Directive('@key(fields: "id")')
@ObjectType('AccessRecord', { description: 'A lawful access to the meter data of a customer.', simpleResolvers: true })
export class AccessRecordType {
  @Field(() => ID, { description: 'Internal id; never the access key.' }) id: string;
  @Field(() => Int, { description: 'Version of the content, from 1; the ETag over REST.' }) version: number;
  @Field(() => RecordMetadataType, { description: 'What the register knows of the record itself.' })
  recordMetadata: RecordMetadataType;
  @Field(() => NoticeType, { nullable: true, description: 'Populated for consent bases, otherwise null.' })
  notice: Notice | null;
  @Field(() => ProcessingType, { description: 'What is done with the data.' }) processing: ProcessingType;
  @Field(() => AccessEventType, { description: 'State and times.' }) accessEvent: AccessEventType;
  @Field(() => String, { nullable: true, description: 'Always null in answers.' }) reidentificationToken: string | null;
  @Field(() => [DataTypeEnum], { description: 'The data categories covered.' }) dataTypes: DataType[];
  @Field(() => AccessStateEnum, { description: 'State at this instant.' }) state: AccessState;
  @Field(() => String, { nullable: true, description: 'Name of the sole or lead controller.' }) leadControllerName:
    string | null;
  @Field(() => ArrangementTypeEnum, { nullable: true, description: 'Type of the arrangement.' })
  arrangementType: ArrangementType | null;
  @Field(() => Int, { nullable: true, description: 'Number of controllers.' }) controllerCount: number | null;
  @Field(() => LegalBasisEnum, { nullable: true, description: 'Legal basis.' }) legalBasis: LegalBasis | null;
  @Field(() => String, { nullable: true, description: 'Purpose.' }) purpose: string | null;
  @Field(() => DateTime, { nullable: true, description: 'When the access was registered.' }) registeredAt: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'When the access ends.' }) expiry: Date | null;
  @Field(() => DiscoveredAccessType, { nullable: true, description: 'Set on DISCOVERED records only.' })
  discoveredAccess: DiscoveredAccessType | null;
}
