import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { CUSTOMER_RECORD_PARTS, type CustomerRecordPart, type Lookup } from './customer-record.repository';
import { LOOKUP_KINDS, type LookupKind } from './lookup-counts.repository';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';

const CustomerRecordPartEnum = graphqlEnum('CustomerRecordPart', 'Present or past access.', {
  current: 'What the communications operator DISCOVERED first, then ACTIVE access; the newest first.',
  history: 'Records that were revoked, have expired or were claimed; the latest end first.',
} satisfies Record<(typeof CUSTOMER_RECORD_PARTS)[number], string>);

const AccessLookupKindEnum = graphqlEnum('AccessLookKind', 'Kind of lookup of an access record.', {
  verification: 'A caller with its access key verified it.',
  listing: 'An organisation read a list that contains it.',
} satisfies Record<(typeof LOOKUP_KINDS)[number], string>);

/** Arguments of a page of a customer's access records. */
@ArgsType()
export class CustomerRecordArgs {
  @Field(() => CustomerRecordPartEnum, { description: 'Present or past access.' })
  part: CustomerRecordPart;
  @Field(() => Int, { nullable: true, defaultValue: 100, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, optional('Cursor after which the page starts.')) after: string | null;
}

@ObjectType('ConsentWithdrawal', simple('A consent that the customer withdrew.'))
export class ConsentWithdrawalType {
  @Field(() => ID, { description: 'Internal id of the access record.' }) id: string;
  @Field(() => DateTime, { description: 'When the access ended.' }) revokedAt: Date;
}

@ObjectType('AccessLook', simple('Number of lookups of an access record by an organisation in one hour.'))
export class AccessLookupType implements Lookup {
  @Field(() => ID, { description: 'Internal id of the access record, as of `customerAccessRecord`.' }) recordId: string;
  @Field(
    () => String,
    nullable('Name of the organisation; null for a caller with the access key who was not identified.'),
  )
  organisation: string | null;
  @Field(() => AccessLookupKindEnum, { description: 'Kind of lookup.' }) kind: LookupKind;
  @Field(() => DateTime, { description: 'Start of the hour.' }) hour: Date;
  @Field(() => Int, { description: 'Number of lookups.' }) count: number;
}
