import { FieldResolver, Int, Resolver, Root } from 'type-graphql';
import type { AccessRecordPage } from '../database/access-record-lists';
import { AccessRecordConnectionType } from './access-record.payloads';

/** The total of a list, counted only when asked for. */
@Resolver(() => AccessRecordConnectionType)
export class AccessRecordConnectionResolver {
  @FieldResolver(() => Int, { description: 'Entries of the whole list.' })
  totalCount(@Root() { total }: AccessRecordPage): Promise<number> {
    return total();
  }
}
