import { Directive, Field, ObjectType } from 'type-graphql';

@Directive('@shareable')
@ObjectType('PageInfo', { description: 'Start and end of a page.', simpleResolvers: true })
export class PageInfoType {
  @Field(() => String, { nullable: true, description: 'Cursor of the first entry.' }) startCursor: string | null;
  @Field(() => String, { nullable: true, description: 'Cursor of the last entry.' }) endCursor: string | null;
  @Field(() => Boolean, { description: 'Whether the page starts after a cursor.' }) hasPreviousPage: boolean;
  @Field(() => Boolean, { description: 'Whether there is another page.' }) hasNextPage: boolean;
}
