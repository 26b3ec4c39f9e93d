import { ArgsType, type ClassType, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { nullable, simple } from '../graph/decorator-options';
import type { OffsetPage, OffsetRequest, PaginationMeta } from './offset-page';

/** Default number of entries of a page (decisions D.1). */
const DEFAULT_PAGE_SIZE = 20;

/** Position of a page with limit and offset (specification, Interface D, PaginationMeta). */
@ObjectType('PaginationMeta', simple('Position of a page in its list.'))
class PaginationMetaType implements Omit<PaginationMeta, 'total'> {
  @Field(() => Int, { description: 'Maximum entries of the page.' }) limit: number;
  @Field(() => Int, { description: 'Entries before the page.' }) offset: number;
  @Field(() => Int, nullable('Offset of the next page; null on the last one.')) nextOffset: number | null;
}

/** Counts the list only if `total` is selected. */
@Resolver(() => PaginationMetaType)
export class PaginationMetaResolver {
  @FieldResolver(() => Int, { description: 'Entries of the whole list.' })
  total(@Root() { total }: PaginationMeta): Promise<number> {
    return total();
  }
}

/** Creates the object type of a page with limit and offset, `<name>Page`. */
export function offsetPageType<Node extends object>(
  name: string,
  description: string,
  node: () => ClassType<Node>,
): ClassType<OffsetPage<Node>> {
  @ObjectType(`${name}Page`, simple(description))
  class PageType {
    @Field(() => [node()], { description: 'Entries.' }) data: readonly Node[];
    @Field(() => PaginationMetaType, { description: 'Position of the page.' }) meta: PaginationMeta;
  }
  return PageType;
}

/** Arguments of a list with limit and offset. */
@ArgsType()
export class OffsetArgs implements OffsetRequest {
  @Field(() => Int, { nullable: true, defaultValue: DEFAULT_PAGE_SIZE, description: 'Entries of the page, 1 to 100.' })
  limit: number;
  @Field(() => Int, { nullable: true, defaultValue: 0, description: 'Entries before the page.' }) offset: number;
}

/** Arguments of a list with cursors. */
@ArgsType()
export class ListArgs {
  @Field(() => Int, { nullable: true, defaultValue: DEFAULT_PAGE_SIZE, description: 'Entries of the page, 1 to 100.' })
  first: number;
  @Field(() => String, nullable('Cursor after which the page starts.')) after?: string | null;
}
