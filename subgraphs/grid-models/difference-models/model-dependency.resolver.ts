import { FieldResolver, Resolver, Root } from 'type-graphql';
import { nullable } from '../../server/graph/decorator-options';
import type { StoredBaseModel } from '../base-models/base-model';
import type { BaseModelQueries } from '../base-models/base-model.queries';
import { BaseModelType } from '../base-models/base-model.types';
import type { DependencyStep, ModelDependencyQueries, StoredModel } from './difference-model.queries';
import { DependencyStepType, DifferenceModelType, ModelDependencyType } from './difference-model.types';

/** Resolves the published models with the mRID of a dependency. */
@Resolver(() => ModelDependencyType)
export class ModelDependencyResolver {
  constructor(
    private readonly dependencies: ModelDependencyQueries,
    private readonly bases: BaseModelQueries,
  ) {}

  @FieldResolver(
    () => BaseModelType,
    nullable('The newest published base model that has a full model with this mRID. Null if none has it.'),
  )
  baseModel(@Root() { mRID }: ModelDependencyType): Promise<StoredBaseModel | null> {
    return this.bases.withMrid(mRID);
  }

  @FieldResolver(() => [DifferenceModelType], {
    description:
      'The published models with this mRID, newest first; at most 100. Empty if none is published in this register.',
  })
  models(@Root() { mRID }: ModelDependencyType): Promise<readonly StoredModel[]> {
    return this.dependencies.withMrid(mRID);
  }
}

/** Resolves the published model with the mRID of a step. */
@Resolver(() => DependencyStepType)
export class DependencyStepResolver {
  constructor(private readonly dependencies: ModelDependencyQueries) {}

  @FieldResolver(
    () => DifferenceModelType,
    nullable('The newest published model with this mRID; null if none is published in this register.'),
  )
  async model(@Root() { mRID }: DependencyStep): Promise<StoredModel | null> {
    return (await this.dependencies.withMrid(mRID))[0] ?? null;
  }
}
