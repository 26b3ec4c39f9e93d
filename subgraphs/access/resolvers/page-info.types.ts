import { Directive, Field, ObjectType } from 'type-graphql';

@Directive('@shareable')
@ObjectType('PageInfo', { description: 'Where a page ends.', simpleResolvers: true })
export class PageInfoType {
  @Field(() => String, { nullable: true, description: 'Cursor of the last entry.' }) endCursor: string | null;
  @Field(() => Boolean, { description: 'Whether there is another page.' }) hasNextPage: boolean;
}
