import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { CalendarDate, Duid, Mpxn } from '../../../schema/scalars';
import type { ChangeOfTenancy } from '../domain/change-of-tenancy';

/** ChangeOfTenancyInput of the graph. */
@InputType('ChangeOfTenancyInput', { description: 'A Change of Tenancy, as the communications operator records it.' })
export class ChangeOfTenancyInput implements ChangeOfTenancy {
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
  @Field(() => CalendarDate, { description: 'Day on which the tenancy begins; it may lie ahead.' })
  effectiveDate: string;
  @Field(() => String, { description: "The operator's reference of the change." }) sourceReference: string;
}

/** ChangeOfTenancyRecord of the graph. */
@ObjectType('ChangeOfTenancyRecord', {
  description: 'A recorded Change of Tenancy. It revokes nothing: Data Users are told.',
  simpleResolvers: true,
})
export class ChangeOfTenancyRecord implements ChangeOfTenancy {
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
  @Field(() => CalendarDate, { description: 'Day on which the tenancy begins.' }) effectiveDate: string;
  @Field(() => String, { description: "The operator's reference of the change." }) sourceReference: string;
  @Field(() => Int, { description: 'ACTIVE access records at the meter point when it was recorded.' })
  activeRecordsAffected: number;
  @Field(() => [Duid], { description: 'The Data Users of these records, but for those that were terminated.' })
  dataUsersNotified: string[];
  @Field(() => Boolean, { description: 'False for a repeat, which tells nobody again.' }) isNew: boolean;
  @Field(() => Boolean, { description: 'The answer of an earlier request with the same idempotency key.' })
  replayed: boolean;
}
