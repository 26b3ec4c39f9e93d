import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { AccessKey, DateTime } from '../../../schema/scalars';
import type { AccessState, LegalBasis } from '../domain/access-record';
import { AccessStateEnum, LegalBasisEnum } from './access-record.enums';
import { AccessRecordType } from './access-record.types';
import { PageInfoType } from '../../server/page-info.types';

@ObjectType('AccessToken', { description: 'Issued on registration, for Data Providers.', simpleResolvers: true })
export class AccessTokenType {
  @Field(() => AccessKey, { description: 'The access key: a secret.' }) key: string;
  @Field(() => DateTime, { nullable: true, description: 'When the access ends; null means no defined end.' })
  expiry: Date | null;
}

@ObjectType('AccessRecordRegistration', { description: 'A registered access record.', simpleResolvers: true })
export class AccessRecordRegistrationType {
  @Field(() => AccessTokenType, { description: 'The token for Data Providers.' }) accessToken: AccessTokenType;
  @Field(() => Boolean, { description: 'The answer of an earlier request with the same idempotency key.' })
  replayed: boolean;
}

@ObjectType('AccessRecordReplacement', { description: 'A replaced access record.', simpleResolvers: true })
export class AccessRecordReplacementType {
  @Field(() => AccessTokenType, { description: 'The token for Data Providers; the key is kept.' })
  accessToken: AccessTokenType;
  @Field(() => Int, { description: 'The new version.' }) version: number;
}

@ObjectType('AccessRecordRevocation', { description: 'A revoked access record.', simpleResolvers: true })
export class AccessRecordRevocationType {
  @Field(() => AccessKey, { description: 'The access key.' }) ak: string;
  @Field(() => DateTime, { description: 'When the access ended.' }) revokedAt: Date;
}

@ObjectType('AccessRecordEdge', { description: 'An entry of a list of access records.', simpleResolvers: true })
class AccessRecordEdgeType {
  @Field(() => String, { description: 'Where the entry stands.' }) cursor: string;
  @Field(() => AccessRecordType, { description: 'The record.' }) node: AccessRecordType;
}

@ObjectType('AccessRecordConnection', {
  description: 'A page of a list of access records, newest first.',
  simpleResolvers: true,
})
export class AccessRecordConnectionType {
  @Field(() => [AccessRecordEdgeType], { description: 'Entries with their cursors.' }) edges: AccessRecordEdgeType[];
  @Field(() => [AccessRecordType], { description: 'Entries.' }) nodes: AccessRecordType[];
  @Field(() => String, { nullable: true, description: 'Cursor of the next page; null on the last one.' }) nextCursor:
    string | null;
  @Field(() => PageInfoType, { description: 'Where the page ends.' }) pageInfo: PageInfoType;
}

/** Which page of a list of access records, and which of them. */
@ArgsType()
export class AccessRecordListArgs {
  @Field(() => Int, { nullable: true, defaultValue: 200, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Cursor after which the page begins.' })
  after: string | null;
  @Field(() => AccessStateEnum, { nullable: true, defaultValue: null, description: 'Only records in this state.' })
  state: AccessState | null;
  @Field(() => LegalBasisEnum, { nullable: true, defaultValue: null, description: 'Only records of this legal basis.' })
  legalBasis: LegalBasis | null;
}
