import { FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { AccessRecordLists, type AccessRecordFilter } from '../database/access-record-lists';
import { AccessRecordConnectionType } from './access-record.payloads';

/** The total of a list, counted only when asked for. */
@Resolver(() => AccessRecordConnectionType)
export class AccessRecordConnectionResolver {
  constructor(private readonly lists: AccessRecordLists) {}

  @FieldResolver(() => Int, { description: 'Entries of the whole list.' })
  totalCount(@Root() { filter }: { filter: AccessRecordFilter }): Promise<number> {
    return this.lists.count(filter);
  }
}
