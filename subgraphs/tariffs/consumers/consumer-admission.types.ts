import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';

@Directive('@inaccessible')
@ObjectType('ConsumerAdmission', {
  description: 'Internal: whom the token of a supplier lets in at this instant.',
  simpleResolvers: true,
})
export class ConsumerAdmissionType {
  @Field(() => String, { description: 'The supplier that issued it.' }) mpid: string;
  @Field(() => String, { description: 'Its authorisation server, which signed it.' }) issuer: string;
  @Field(() => String, { description: 'The consumer, in the issuer’s words.' }) subject: string;
  @Field(() => ID, { description: 'The RTI User to whom it was issued.' }) userId: string;
  @Field(() => [String], { description: 'Meter points of the consumer.' }) mpxns: readonly string[];
  @Field(() => [String], { description: 'What it allows.' }) scopes: readonly string[];
  @Field(() => Int, { nullable: true, description: 'Seconds until the RTI User may try again; null within the rate.' })
  retryAfter: number | null;
}
