import { Field, InputType, ObjectType } from 'type-graphql';
import { Uri } from '../../../schema/scalars';
import { optional, simple } from '../../server/graph/decorator-options';
import type {
  Consent,
  ConsentType,
  ControllerNotice,
  Notice,
  NoticeDetail,
  Recipient,
  StorageConditions,
} from './access-record';
import { ConsentTypeEnum } from './access-record.enums';

@ObjectType('StorageConditions', simple('Where and how long a controller stores the data.'))
@InputType('StorageConditionsInput', { description: 'Where and how long a controller stores the data.' })
export class StorageConditionsType implements StorageConditions {
  @Field(() => String, { description: 'Country, ISO 3166-1 alpha-2.' }) location: string;
  @Field(() => String, { description: 'ISO 8601 duration.' }) retentionPeriod: string;
}

@ObjectType('NoticeDetail', simple('A notice that the customer agreed to.'))
@InputType('NoticeDetailInput', { description: 'A notice that the customer agreed to.' })
class NoticeDetailType implements NoticeDetail {
  @Field(() => Uri, { description: 'The terms, publicly accessible.' }) termsUrl: string;
  @Field(() => String, { description: 'Version of the agreed notice, at most 50 characters.' }) noticeVersion: string;
  @Field(() => String, optional('ISO 639-1 code.')) noticeLanguage: string | null;
}

@ObjectType('ControllerNotice', simple('The notice of one controller of a joint arrangement.'))
@InputType('ControllerNoticeInput', { description: 'The notice of one controller of a joint arrangement.' })
class ControllerNoticeType extends NoticeDetailType implements ControllerNotice {
  @Field(() => String, { description: 'Name of the controller.' }) controllerName: string;
}

@ObjectType('Notice', simple('The notice of a consent; exactly one member is populated.'))
@InputType('NoticeInput', { description: 'The notice of a consent; exactly one member is populated.' })
export class NoticeType implements Notice {
  @Field(() => NoticeDetailType, optional('One notice covering all controllers.'))
  sharedNotice: NoticeDetailType | null;
  @Field(() => [ControllerNoticeType], optional('Joint arrangements only: one for each controller.'))
  notices: ControllerNoticeType[] | null;
}

@ObjectType('Recipient', simple('A third party who may receive data.'))
@InputType('RecipientInput', { description: 'A third party who may receive data.' })
export class RecipientType implements Recipient {
  @Field(() => String, { description: 'Name, at most 255 characters.' }) name: string;
  @Field(() => String, { description: 'How it uses the data.' }) role: string;
  @Field(() => Uri, optional('Its privacy notice.')) privacyUrl: string | null;
}

@ObjectType('Consent', simple('How consent was given.'))
@InputType('ConsentInput', { description: 'How consent was given.' })
export class ConsentGivenType implements Consent {
  @Field(() => ConsentTypeEnum, { description: 'Type of consent.' }) consentType: ConsentType;
  @Field(() => String, optional('How it was captured, at most 100 characters.')) method: string | null;
}
