import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { AccessKey, DateTime } from '../../../schema/scalars';
import type { AccessState, LegalBasis } from './access-record';
import { AccessStateEnum, LegalBasisEnum } from './access-record.enums';
import { AccessRecordType } from './access-record.types';
import { connectionType } from '../../server/lists/connection.types';
import { REPLAYED } from '../../server/graph/idempotency-key.types';

@ObjectType('AccessToken', { description: 'Issued on registration, for Data Providers.', simpleResolvers: true })
class AccessTokenType {
  @Field(() => AccessKey, { description: 'The access key: a secret.' }) key: string;
  @Field(() => DateTime, { nullable: true, description: 'When the access ends; null means no defined end.' })
  expiry: Date | null;
}

@ObjectType('AccessRecordRegistration', { description: 'A registered access record.', simpleResolvers: true })
export class AccessRecordRegistrationType {
  @Field(() => AccessTokenType, { description: 'The token for Data Providers.' }) accessToken: AccessTokenType;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

@ObjectType('AccessRecordReplacement', { description: 'A replaced access record.', simpleResolvers: true })
export class AccessRecordReplacementType {
  @Field(() => AccessTokenType, { description: 'The token for Data Providers; its key does not change.' })
  accessToken: AccessTokenType;
  @Field(() => Int, { description: 'The new version.' }) version: number;
}

@ObjectType('AccessRecordRevocation', { description: 'A revoked access record.', simpleResolvers: true })
export class AccessRecordRevocationType {
  @Field(() => AccessKey, { description: 'The access key.' }) ak: string;
  @Field(() => DateTime, { description: 'When the access ended.' }) revokedAt: Date;
}

/** A page of access records. */
export const AccessRecordConnectionType = connectionType(
  'AccessRecord',
  'A page of access records, newest first.',
  () => AccessRecordType,
);

/** Arguments of a page of access records. */
@ArgsType()
export class AccessRecordListArgs {
  @Field(() => Int, { nullable: true, defaultValue: 200, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Cursor after which the page starts.' })
  after: string | null;
  @Field(() => AccessStateEnum, { nullable: true, defaultValue: null, description: 'Only records in this state.' })
  state: AccessState | null;
  @Field(() => LegalBasisEnum, { nullable: true, defaultValue: null, description: 'Only records of this legal basis.' })
  legalBasis: LegalBasis | null;
}
