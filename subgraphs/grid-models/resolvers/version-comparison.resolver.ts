import { Args, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Connection } from '../../server/connection';
import type {
  ComparedVersions,
  ComparisonCount,
  ModelDifference,
  VersionComparisonLists,
} from '../database/version-comparison-lists';
import { ValueChangeType } from './object-change.types';
import type { ValueChange } from '../domain/object-changes';
import {
  ComparisonCountType,
  ModelDifferenceArgs,
  ModelDifferenceConnectionType,
  ModelDifferenceType,
  VersionComparisonType,
} from './version-comparison.types';

/** What changed between two versions. */
@Resolver(() => VersionComparisonType)
export class VersionComparisonResolver {
  constructor(private readonly comparisons: VersionComparisonLists) {}

  @FieldResolver(() => [ComparisonCountType], { description: 'How many items are different, by file.' })
  counts(@Root() versions: ComparedVersions): Promise<readonly ComparisonCount[]> {
    return this.comparisons.counts(versions);
  }

  @FieldResolver(() => ModelDifferenceConnectionType, { description: 'The items that are different.' })
  differences(
    @Root() versions: ComparedVersions,
    @Args() { first, after, ...filter }: ModelDifferenceArgs,
  ): Promise<Connection<ModelDifference>> {
    return this.comparisons.page(versions, filter, { first, after });
  }
}

/** How an item of two versions is different. */
@Resolver(() => ModelDifferenceType)
export class ModelDifferenceResolver {
  constructor(private readonly comparisons: VersionComparisonLists) {}

  @FieldResolver(() => [ValueChangeType], {
    description: 'Attributes and associations of the item, in the first and in the other version.',
  })
  values(@Root() difference: ModelDifference): Promise<readonly ValueChange[]> {
    return this.comparisons.values(difference);
  }
}
