import { Field, ObjectType } from 'type-graphql';
import { DateTime, IdentityRecordKey } from '../../../schema/scalars';

/** IdentityRecordAnonymisation of the graph. */
@ObjectType('IdentityRecordAnonymisation', {
  description: 'An Identity Record that was anonymised, or is closed until it is: it cannot be undone.',
  simpleResolvers: true,
})
export class IdentityRecordAnonymisation {
  @Field(() => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ir: string;
  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it was anonymised; a repeat gives the same instant. Null while ACTIVE access records of other Data Users are linked to it.',
  })
  anonymisedAt: Date | null;
}
