import { ArgsType, type ClassType, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { OffsetPage, OffsetRequest, PaginationMeta } from '../database/offset-page';

/** Entries of a page unless asked for otherwise (3-decisions-c-d.md, D.1). */
export const USUAL_PAGE = 20;

/** PaginationMeta of the graph (1-specification.md, Interface D). */
@ObjectType('PaginationMeta', {
  description: 'Where a page stands in its list, by number.',
  simpleResolvers: true,
})
export class PaginationMetaType implements Omit<PaginationMeta, 'total'> {
  @Field(() => Int, { description: 'Entries of the page at most.' }) limit: number;
  @Field(() => Int, { description: 'Entries before the page.' }) offset: number;
  @Field(() => Int, { nullable: true, description: 'Offset of the next page; null on the last one.' })
  nextOffset: number | null;
}

/** The total is counted only when asked for. */
@Resolver(() => PaginationMetaType)
export class PaginationMetaResolver {
  @FieldResolver(() => Int, { description: 'Entries of the whole list.' })
  total(@Root() { total }: PaginationMeta): Promise<number> {
    return total();
  }
}

/** The type of a page by number: `<name>Page`. */
export function offsetPageType<Node extends object>(
  name: string,
  description: string,
  node: () => ClassType<Node>,
): ClassType<OffsetPage<Node>> {
  @ObjectType(`${name}Page`, { description, simpleResolvers: true })
  class PageType {
    @Field(() => [node()], { description: 'Entries.' }) data: readonly Node[];
    @Field(() => PaginationMetaType, { description: 'Where the page stands.' }) meta: PaginationMeta;
  }
  return PageType;
}

/** Which page by number. */
@ArgsType()
export class OffsetArgs implements OffsetRequest {
  @Field(() => Int, { defaultValue: USUAL_PAGE, description: 'Entries of the page, 1 to 100.' }) limit: number;
  @Field(() => Int, { defaultValue: 0, description: 'Entries before the page.' }) offset: number;
}

/** Which page by cursor. */
@ArgsType()
export class ListArgs {
  @Field(() => Int, { defaultValue: USUAL_PAGE, description: 'Entries of the page, 1 to 100.' }) first: number;
  @Field(() => String, { nullable: true, description: 'Cursor after which the page begins.' }) after?: string | null;
}
