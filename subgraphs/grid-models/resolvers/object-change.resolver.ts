import { FieldResolver, Resolver, Root } from 'type-graphql';
import type { ObjectChangeLists, StoredChange } from '../database/object-change-lists';
import type { ValueChange } from '../domain/object-changes';
import { ObjectChangeType, ValueChangeType } from './object-change.types';

/** What of an object is changed. */
@Resolver(() => ObjectChangeType)
export class ObjectChangeResolver {
  constructor(private readonly changes: ObjectChangeLists) {}

  @FieldResolver(() => [ValueChangeType], {
    description: 'Its attributes and associations, old and new; what stays the same is left out.',
  })
  values(@Root() change: StoredChange): Promise<readonly ValueChange[]> {
    return this.changes.values(change);
  }
}
