import { Directive, Field, ObjectType } from 'type-graphql';
import { nullable, simple } from '../graph/decorator-options';

@Directive('@shareable')
@ObjectType('PageInfo', simple('Start and end of a page.'))
export class PageInfoType {
  @Field(() => String, nullable('Cursor of the first entry.')) startCursor: string | null;
  @Field(() => String, nullable('Cursor of the last entry.')) endCursor: string | null;
  @Field(() => Boolean, { description: 'Whether the page starts after a cursor.' }) hasPreviousPage: boolean;
  @Field(() => Boolean, { description: 'Whether there is another page.' }) hasNextPage: boolean;
}
