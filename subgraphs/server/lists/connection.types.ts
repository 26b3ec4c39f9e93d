import { ArgsType, type ClassType, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { nullable, optional, simple } from '../graph/decorator-options';
import type { Connection, ConnectionWithTotal, PageRequest } from './connection';
import { PageInfoType } from './page-info.types';

/** Creates the object types of a list, `<name>Edge` and `<name>Connection`; returns the latter. */
export function connectionType<Node extends object>(
  name: string,
  description: string,
  node: () => ClassType<Node>,
): ClassType<Connection<Node>> {
  @ObjectType(`${name}Edge`, simple('An entry with its cursor.'))
  class EdgeType {
    @Field(() => String, { description: 'Cursor of the entry.' }) cursor: string;
    @Field(node, { description: 'The entry.' }) node: Node;
  }
  @ObjectType(`${name}Connection`, simple(description))
  class ConnectionType {
    @Field(() => [EdgeType], { description: 'Entries with their cursors.' }) edges: readonly EdgeType[];
    @Field(() => [node()], { description: 'Entries.' }) nodes: readonly Node[];
    @Field(() => String, nullable('Cursor of the next page; null on the last one.')) nextCursor: string | null;
    @Field(() => PageInfoType, { description: 'Start and end of the page.' }) pageInfo: PageInfoType;
  }
  return ConnectionType;
}

/** Creates the resolver of `totalCount`, which counts the list only if the field is selected. */
export function totalResolver<Node extends object>(connection: ClassType<Connection<Node>>): ClassType<object> {
  @Resolver(() => connection)
  class TotalResolver {
    @FieldResolver(() => Int, { description: 'Entries of the whole list.' })
    totalCount(@Root() { total }: ConnectionWithTotal<Node>): Promise<number> {
      return total();
    }
  }
  return TotalResolver;
}

/** Arguments of a list. */
@ArgsType()
export class PageArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, optional('Cursor after which the page starts.')) after: string | null;
}

/** Arguments of a page of history. */
@ArgsType()
export class HistoryArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'Entries of the page, 1 to 100.' }) first: number;
  @Field(() => String, optional('Cursor after which the page starts.')) after: string | null;
}

/** Arguments of a page of versions. */
@ArgsType()
export class VersionArgs extends HistoryArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Whether the page starts with the present version.' })
  newestFirst: boolean;
}
