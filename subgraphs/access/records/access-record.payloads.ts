import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { AccessKey, DateTime, Duid } from '../../../schema/scalars';
import type { AccessState, LegalBasis } from './access-record';
import { AccessStateEnum, LegalBasisEnum } from './access-record.enums';
import { AccessRecordType } from './access-record.types';
import { connectionType } from '../../server/lists/connection.types';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { REPLAYED } from '../../server/graph/idempotency-key.types';

@ObjectType('AccessToken', simple('Issued on registration, for Data Providers.'))
class AccessTokenType {
  @Field(() => AccessKey, { description: 'The access key: a secret.' }) key: string;
  @Field(() => DateTime, nullable('When the access ends; null means no defined end.')) expiry: Date | null;
}

@ObjectType('AccessRecordRegistration', simple('A registered access record.'))
export class AccessRecordRegistrationType {
  @Field(() => AccessTokenType, { description: 'The token for Data Providers.' }) accessToken: AccessTokenType;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

@ObjectType('AccessRecordReplacement', simple('A replaced access record.'))
export class AccessRecordReplacementType {
  @Field(() => AccessTokenType, { description: 'The token for Data Providers; its key does not change.' })
  accessToken: AccessTokenType;
  @Field(() => Int, { description: 'The new version.' }) version: number;
}

@ObjectType('AccessRecordRevocation', simple('A revoked access record.'))
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
  @Field(() => String, optional('Cursor after which the page starts.')) after: string | null;
  @Field(() => AccessStateEnum, optional('Only records in this state.')) state: AccessState | null;
  @Field(() => LegalBasisEnum, optional('Only records of this legal basis.')) legalBasis: LegalBasis | null;
}

/** Arguments of a page of the access records of all Data Users. */
@ArgsType()
export class AllAccessRecordsArgs extends AccessRecordListArgs {
  @Field(() => Duid, optional('Only records of this Data User.')) duid: string | null;
}
