import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { UkAddress } from '../../server/graph/uk-address.types';
import { CalendarDate, DateTime, Duid, IdentityRecordKey, Uri } from '../../../schema/scalars';
import type { DataType } from '../../../schema/data-types';
import type {
  AccessState,
  ArrangementType,
  Consent,
  ControllerRole,
  LegalBasis,
  Notice,
  Recipient,
  StorageConditions,
} from './access-record';
import type { DiscoveredAccess, StoredController, StoredControllerArrangement } from './record-document';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { nullable, simple } from '../../server/graph/decorator-options';
import { AccessStateEnum, ArrangementTypeEnum, ControllerRoleEnum, LegalBasisEnum } from './access-record.enums';
import { ConsentGivenType, NoticeType, RecipientType, StorageConditionsType } from './access-record-values.types';

@ObjectType('Controller', simple('A Data Controller, accountable for the legal basis.'))
class ControllerType implements StoredController {
  @Field(() => String, { description: 'Name of the organisation.' }) name: string;
  @Field(() => ControllerRoleEnum, { description: 'Its role in the arrangement.' }) role: ControllerRole;
  @Field(() => Uri, nullable('Contact URL for customers; null for a discovered organisation.'))
  contactUrl: string | null;
  @Field(() => UkAddress, nullable('Postal address.')) address: UkAddress | null;
  @Field(() => Uri, nullable('URL at which customers exercise GDPR rights.')) privacyRightsUrl: string | null;
  @Field(() => String, nullable('Legitimate interests assessment.')) liaReference: string | null;
  @Field(() => String, nullable('Statute behind a public task or legal obligation.')) statutoryReference: string | null;
  @Field(() => StorageConditionsType, nullable('Where and how long the data is stored.'))
  storageConditions: StorageConditions | null;
}

@ObjectType('ControllerArrangement', simple('The accountable controller and its co-controllers.'))
class ControllerArrangementType implements StoredControllerArrangement {
  @Field(() => ArrangementTypeEnum, { description: 'How the controllers share responsibility.' })
  arrangementType: ArrangementType;
  @Field(() => String, nullable('The Article 26 arrangement of joint controllers.')) art26Reference: string | null;
  @Field(() => [ControllerType], { description: 'The controllers; exactly one is sole or lead.' })
  controllers: StoredController[];
}

@ObjectType('RecordMetadata', simple('Data about the record itself.'))
export class RecordMetadataType {
  @Field(() => String, { description: 'Version of the schema profile that the record conforms to.' })
  schemaVersion: string;
  @Field(() => DateTime, { description: 'Time at which the register received it.' }) createdAt: Date;
  @Field(() => ControllerArrangementType, { description: 'The controllers.' })
  controllerArrangement: StoredControllerArrangement;
  @Field(
    () => IdentityRecordKey,
    nullable(
      'The linked Identity Record; null when linked by re-identification, and in lists for callers who do not own the record.',
    ),
  )
  identityRecordRef: string | null;
  @Field(() => Duid, nullable('The Data User that registered it; null for a discovered access.')) duid: string | null;
}

@ObjectType('Processing', simple('Purpose, scope and legal basis of the processing.'))
class ProcessingType {
  @Field(() => LegalBasisEnum, nullable('Legal basis; it applies to all controllers. Null for a discovered access.'))
  legalBasis: LegalBasis | null;
  @Field(() => String, nullable('Why the data is accessed; null for a discovered access.')) purpose: string | null;
  @Field(() => [DataTypeEnum], { description: 'The data categories covered.' }) dataTypes: DataType[];
  @Field(() => String, { description: 'Always GB.' }) jurisdiction: string;
  @Field(() => String, nullable('Who supplies the meter data.')) dataSource: string | null;
  @Field(() => [RecipientType], nullable('Third parties who may receive data.')) recipients: Recipient[] | null;
}

@ObjectType('AccessEvent', simple('State and times of the access.'))
export class AccessEventType {
  @Field(() => AccessStateEnum, { description: 'Present state.' }) state: AccessState;
  @Field(() => DateTime, { description: 'When the customer consented, or the Controller registered access.' })
  registeredAt: Date;
  @Field(() => DateTime, nullable('When the access ends; null means no defined end.')) expiry: Date | null;
  @Field(() => ConsentGivenType, nullable('Consent, for the consent bases.')) consent: Consent | null;
  @Field(() => DateTime, nullable('When the access was revoked.')) revokedAt: Date | null;
}

@ObjectType(
  'DiscoveredAccess',
  simple('Reports of the communications operator about an organisation that has not registered its access.'),
)
class DiscoveredAccessType implements DiscoveredAccess {
  @Field(() => String, { description: 'Name of the organisation.' }) organisationName: string;
  @Field(() => String, { description: "The operator's reference of the organisation." }) organisationReference: string;
  @Field(() => CalendarDate, { description: 'Day of the first request.' }) firstSeen: string;
  @Field(() => CalendarDate, nullable('Day of the last request.')) lastSeen: string | null;
  @Field(() => [DataTypeEnum], { description: 'Data categories requested.' }) dataTypesObserved: DataType[];
}

@Directive('@key(fields: "id", resolvable: false)')
@ObjectType(
  'IdentityRecord',
  simple('The relationship of a person and a property that a Data User vouches for. Only that Data User can read it.'),
)
export class IdentityRecordReference {
  @Field(() => ID, { description: 'Internal id.' }) id: string;
}

@Directive('@key(fields: "id")')
@ObjectType('AccessRecord', simple('A lawful access to the meter data of a customer.'))
export class AccessRecordType {
  @Field(() => ID, { description: 'Internal id; never the access key.' }) id: string;
  @Field(() => Int, { description: 'Version of the content, from 1; the ETag over REST.' }) version: number;
  @Field(() => RecordMetadataType, { description: 'Data about the record itself.' })
  recordMetadata: RecordMetadataType;
  @Field(() => NoticeType, nullable('Populated for consent bases, otherwise null.')) notice: Notice | null;
  @Field(() => ProcessingType, { description: 'Purpose, scope and legal basis of the processing.' })
  processing: ProcessingType;
  @Field(() => AccessEventType, { description: 'State and times.' }) accessEvent: AccessEventType;
  @Field(() => String, nullable('Always null in responses.')) reidentificationToken: string | null;
  @Field(() => [DataTypeEnum], { description: 'The data categories covered.' }) dataTypes: DataType[];
  @Field(() => AccessStateEnum, { description: 'Present state.' }) state: AccessState;
  @Field(() => String, nullable('Name of the sole or lead controller.')) leadControllerName: string | null;
  @Field(() => ArrangementTypeEnum, nullable('Type of the arrangement.')) arrangementType: ArrangementType | null;
  @Field(() => Int, nullable('Number of controllers.')) controllerCount: number | null;
  @Field(() => LegalBasisEnum, nullable('Legal basis.')) legalBasis: LegalBasis | null;
  @Field(() => String, nullable('Purpose.')) purpose: string | null;
  @Field(() => DateTime, nullable('When the access was registered.')) registeredAt: Date | null;
  @Field(() => DateTime, nullable('When the access ends.')) expiry: Date | null;
  @Field(() => DiscoveredAccessType, nullable('Set on DISCOVERED records only.'))
  discoveredAccess: DiscoveredAccessType | null;
}
