import { Field, InputType, ObjectType } from 'type-graphql';
import { AccessKey, CalendarDate, Mpxn } from '../../../schema/scalars';
import type { DataType } from '../domain/access-record';
import type { DiscoveredAccessReport, DiscoveredState } from '../domain/discovered-access';
import { DataTypeEnum } from '../../server/data-type.enums';
import { graphqlEnum } from '../../server/graphql.enums';

const DiscoveredStateEnum = graphqlEnum('DiscoveredState', 'How the record of a discovered access stands.', {
  DISCOVERED: 'The customer sees it; it cannot authorise data release.',
  EXPIRED: 'It was last seen too long ago to be shown.',
} satisfies Record<DiscoveredState, string>);

/** What the communications operator reports of an organisation that asks for data of a meter point. */
@InputType('DiscoveredAccessInput', {
  description: 'What the communications operator saw of an organisation that is not registered.',
})
export class DiscoveredAccessInputType implements DiscoveredAccessReport {
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
  @Field(() => String, { description: 'Name of the organisation.' }) organisationName: string;
  @Field(() => String, { description: "The operator's reference of the organisation." }) organisationReference: string;
  @Field(() => CalendarDate, { description: 'First request seen.' }) firstSeen: string;
  @Field(() => [DataTypeEnum], { description: 'Data categories requested.' }) dataTypesObserved: DataType[];
  @Field(() => String, { description: "The operator's reference of this report." }) sourceReference: string;
  @Field(() => CalendarDate, { nullable: true, description: 'Last request seen.' }) lastSeen?: string | null;
}

@ObjectType('DiscoveredAccessReport', { description: 'A reported access.', simpleResolvers: true })
export class DiscoveredAccessReportType {
  @Field(() => AccessKey, { description: 'The access key: a secret. It verifies, and authorises nothing.' }) ak: string;
  @Field(() => DiscoveredStateEnum, { description: 'The state in which the record reads.' }) state: DiscoveredState;
  @Field(() => Boolean, { description: 'False for a repeat, which brings the record up to date.' }) isNew: boolean;
  @Field(() => Boolean, { description: 'The answer of an earlier request with the same idempotency key.' })
  replayed: boolean;
}
