import { FieldResolver, Resolver, Root } from 'type-graphql';
import type { ShownItem } from '../database/stored-item';
import type { ObjectChangeLists, StoredChange } from '../database/object-change-lists';
import { DifferenceItemType } from './difference-item.types';
import { ObjectChangeType } from './object-change.types';

/** From an item to all that its version does to the object. */
@Resolver(() => DifferenceItemType)
export class DifferenceItemResolver {
  constructor(private readonly changes: ObjectChangeLists) {}

  @FieldResolver(() => ObjectChangeType, { description: 'What the version does to the object, over its three files.' })
  change(@Root() { versionId, mRID }: ShownItem): Promise<StoredChange | null> {
    return this.changes.ofObject(versionId, mRID);
  }
}
