import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { CUSTOMER_RECORD_PARTS, type CustomerRecordPart, type Look } from '../database/customer-record.repository';
import { LOOK_KINDS, type LookKind } from '../database/looks';
import type { StoredAccessRecord } from '../database/stored-access-record';
import { graphqlEnum } from '../../server/graphql.enums';
import { AccessRecordType } from './access-record.types';

const CustomerRecordPartEnum = graphqlEnum('CustomerRecordPart', 'What has access now, or what had it.', {
  current: 'ACTIVE access first, then what the communications operator DISCOVERED; the newest first.',
  history: 'What was revoked or has expired; the latest end first.',
} satisfies Record<(typeof CUSTOMER_RECORD_PARTS)[number], string>);

const AccessLookKindEnum = graphqlEnum('AccessLookKind', 'How an access record was looked at.', {
  verification: 'Somebody who holds its key verified it.',
  listing: 'It was in a list that an organisation read.',
} satisfies Record<(typeof LOOK_KINDS)[number], string>);

/** Which page of a customer's access records. */
@ArgsType()
export class CustomerRecordArgs {
  @Field(() => CustomerRecordPartEnum, { description: 'What has access now, or what had it.' })
  part: CustomerRecordPart;
  @Field(() => Int, { nullable: true, defaultValue: 100, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Cursor after which the page begins.' })
  after: string | null;
}

@ObjectType('ConsentWithdrawal', { description: 'A consent that the customer withdrew.', simpleResolvers: true })
export class ConsentWithdrawalType {
  @Field(() => ID, { description: 'Internal id of the access record.' }) id: string;
  @Field(() => DateTime, { description: 'When the access ended.' }) revokedAt: Date;
}

@ObjectType('AccessLook', {
  description: 'How often an organisation looked at an access record in one hour.',
  simpleResolvers: true,
})
export class AccessLookType implements Look {
  @Field(() => AccessRecordType, { description: 'The record.' }) record: StoredAccessRecord;
  @Field(() => String, { nullable: true, description: 'Who; null for a holder of the key who was not identified.' })
  organisation: string | null;
  @Field(() => AccessLookKindEnum, { description: 'How.' }) kind: LookKind;
  @Field(() => DateTime, { description: 'The hour, by its beginning.' }) hour: Date;
  @Field(() => Int, { description: 'How often.' }) count: number;
}
