import { Field, InputType } from 'type-graphql';
import { UkAddressInput } from '../../server/graph/uk-address.types';
import { DateTime, Duid, IdentityRecordKey, Uri } from '../../../schema/scalars';
import type { DataType } from '../../../schema/data-types';
import type {
  AccessRecordInput,
  AccessState,
  ArrangementType,
  Controller,
  ControllerArrangement,
  ControllerRole,
  LegalBasis,
} from './access-record';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { optional } from '../../server/graph/decorator-options';
import { AccessStateEnum, ArrangementTypeEnum, ControllerRoleEnum, LegalBasisEnum } from './access-record.enums';
import { ConsentGivenType, NoticeType, RecipientType, StorageConditionsType } from './access-record-values.types';

@InputType('ControllerInput', { description: 'A Data Controller.' })
class ControllerInputType implements Controller {
  @Field(() => String, { description: 'Name, at most 255 characters.' }) name: string;
  @Field(() => ControllerRoleEnum, { description: 'Its role in the arrangement.' }) role: ControllerRole;
  @Field(() => Uri, { description: 'Contact URL for customers.' }) contactUrl: string;
  @Field(() => UkAddressInput, optional('Postal address.')) address: UkAddressInput | null;
  @Field(() => Uri, optional('Required on the sole or lead entry.')) privacyRightsUrl: string | null;
  @Field(() => String, optional('Legitimate interests assessment.')) liaReference: string | null;
  @Field(() => String, optional('Statute behind a public task or legal obligation.')) statutoryReference: string | null;
  @Field(() => StorageConditionsType, optional('Where and how long the data is stored.'))
  storageConditions: StorageConditionsType | null;
}

@InputType('ControllerArrangementInput', { description: 'The accountable controller and its co-controllers.' })
class ControllerArrangementInputType implements ControllerArrangement {
  @Field(() => ArrangementTypeEnum, { description: 'Sole, joint or group.' }) arrangementType: ArrangementType;
  @Field(() => String, optional('Required for joint arrangements, else null.')) art26Reference: string | null;
  @Field(() => [ControllerInputType], { description: 'Exactly one is sole or lead.' })
  controllers: ControllerInputType[];
}

@InputType('RecordMetadataInput', { description: 'Data about the record itself.' })
class RecordMetadataInputType {
  @Field(() => String, { description: 'Version of the schema profile, at most 20 characters.' }) schemaVersion: string;
  @Field(() => String, optional('Read-only: rejected if supplied.')) recordIdentifier: string | null;
  @Field(() => String, optional('Read-only: rejected if supplied.')) createdAt: string | null;
  @Field(() => ControllerArrangementInputType, { description: 'The controllers.' })
  controllerArrangement: ControllerArrangementInputType;
  @Field(
    () => IdentityRecordKey,
    optional('The Identity Record; required unless a re-identification token is supplied.'),
  )
  identityRecordRef: string | null;
  @Field(() => Duid, optional("Accepted if it is the caller's own.")) duid: string | null;
}

@InputType('ProcessingInput', { description: 'Purpose, scope and legal basis of the processing.' })
class ProcessingInputType {
  @Field(() => LegalBasisEnum, { description: 'Legal basis; it applies to all controllers.' }) legalBasis: LegalBasis;
  @Field(() => String, { description: 'Why the data is accessed, at most 500 characters.' }) purpose: string;
  @Field(() => [DataTypeEnum], { description: 'The data categories covered, each once.' }) dataTypes: DataType[];
  @Field(() => String, optional('Accepted if it is GB.')) jurisdiction: string | null;
  @Field(() => String, optional('Who supplies the meter data.')) dataSource: string | null;
  @Field(() => [RecipientType], optional('Third parties who may receive data.')) recipients: RecipientType[] | null;
}

@InputType('AccessEventInput', { description: 'State and times of the access.' })
class AccessEventInputType {
  @Field(() => AccessStateEnum, { description: 'ACTIVE, or EXPIRED for a historic record.' }) state: AccessState;
  @Field(() => DateTime, { description: 'When the customer consented, or the Controller registered access.' })
  registeredAt: Date;
  @Field(() => DateTime, optional('When the access ends; null means no defined end.')) expiry: Date | null;
  @Field(() => String, optional("The Controller's internal reference.")) controllerReference: string | null;
  @Field(() => ConsentGivenType, optional('Required for the consent bases, else null.'))
  consent: ConsentGivenType | null;
  @Field(() => String, optional('Read-only: rejected if supplied.')) revokedAt: string | null;
}

@InputType('AccessRecordInput', {
  description: 'Content of a registration or replacement; the same for every legal basis.',
})
export class AccessRecordInputType implements AccessRecordInput {
  @Field(() => RecordMetadataInputType, { description: 'Data about the record itself.' })
  recordMetadata: RecordMetadataInputType;
  @Field(() => NoticeType, optional('Required for the consent bases, else null.')) notice: NoticeType | null;
  @Field(() => ProcessingInputType, { description: 'Purpose, scope and legal basis of the processing.' })
  processing: ProcessingInputType;
  @Field(() => AccessEventInputType, { description: 'State and times.' }) accessEvent: AccessEventInputType;
  @Field(() => String, optional('A confirmed re-identification token, instead of identityRecordRef.'))
  reidentificationToken: string | null;
}
