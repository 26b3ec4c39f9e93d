import { FieldResolver, Resolver, Root } from 'type-graphql';
import type { StoredModel } from '../database/difference-model-lists';
import type { DependencyStep, ModelDependencies } from '../database/model-dependencies';
import { DependencyStepType, DifferenceModelType, ModelDependencyType } from './difference-model.types';

/** The published models that a dependency names. */
@Resolver(() => ModelDependencyType)
export class ModelDependencyResolver {
  constructor(private readonly dependencies: ModelDependencies) {}

  @FieldResolver(() => [DifferenceModelType], {
    description: 'The published models of this mRID, newest first: at most 100; none when it is not published here.',
  })
  models(@Root() { mRID }: ModelDependencyType): Promise<readonly StoredModel[]> {
    return this.dependencies.withMrid(mRID);
  }
}

/** The published model of a step of a chain. */
@Resolver(() => DependencyStepType)
export class DependencyStepResolver {
  constructor(private readonly dependencies: ModelDependencies) {}

  @FieldResolver(() => DifferenceModelType, {
    nullable: true,
    description: 'The newest published model of this mRID; null when it is not published here.',
  })
  async model(@Root() { mRID }: DependencyStep): Promise<StoredModel | null> {
    return (await this.dependencies.withMrid(mRID))[0] ?? null;
  }
}
