import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { type RateLimit, withinNetworkLimit } from '../../server/callers/rate-limits';
import type { DifferenceItemQueries, DifferenceItemPage } from './difference-item.queries';
import type {
  DependencyStep,
  DifferenceModelQueries,
  ItemClassCount,
  ModelDependencyQueries,
  StoredModel,
} from './difference-model.queries';
import type { ProjectVersionQueries, StoredVersion } from '../projects/project-version.queries';
import type { PublishedFileQueries, StoredFile } from '../files/published-file.queries';
import { mRIDOf } from '../rdf/rdf-resources';
import { DifferenceItemArgs, DifferenceItemConnectionType } from './difference-item.resolver';
import {
  DependencyStepType,
  DifferenceModelType,
  ItemClassCountType,
  ModelDependencyType,
} from './difference-model.types';
import type { ModelPreconditionQueries, PreconditionPage } from './model-precondition.queries';
import { ModelPreconditionConnectionType } from './model-precondition.types';
import { nullable } from '../../server/graph/decorator-options';
import { PageArgs } from '../../server/lists/connection.types';
import { ProjectVersionType } from '../projects/development-project.types';
import { StoredFileType } from '../files/published-file.resolver';

/** Queries behind the fields of a difference model. */
interface ModelQueries {
  readonly models: DifferenceModelQueries;
  readonly dependencies: ModelDependencyQueries;
  readonly versions: ProjectVersionQueries;
  readonly items: DifferenceItemQueries;
  readonly preconditions: ModelPreconditionQueries;
  readonly files: PublishedFileQueries;
}

/** Resolves published difference models and their dependencies. */
@Resolver(() => DifferenceModelType)
export class DifferenceModelResolver {
  constructor(
    private readonly queries: ModelQueries,
    private readonly requests: RateLimit,
  ) {}

  @MayCall('anyone')
  @Query(() => DifferenceModelType, nullable('A published difference model by its internal id.'))
  async differenceModel(
    @Arg('id', () => ID, { description: 'Its internal id.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<StoredModel | null> {
    await withinNetworkLimit(this.requests, context);
    return this.queries.models.byId(id);
  }

  @MayCall('anyone')
  @Query(() => [DifferenceModelType], {
    description: 'The published difference models with this mRID in their header, newest first; at most 100.',
  })
  async differenceModels(
    @Arg('mRID', () => String, { description: 'The mRID, case-insensitive, also as a reference: `urn:uuid:…`.' })
    mRID: string,
    @Ctx() context: CallContext,
  ): Promise<readonly StoredModel[]> {
    await withinNetworkLimit(this.requests, context);
    return this.queries.dependencies.withMrid(mRIDOf(mRID));
  }

  @FieldResolver(() => StoredFileType, { description: 'The published file.' })
  async stored(@Root() { versionId, file }: StoredModel): Promise<StoredFile | null> {
    const stored = (await this.queries.files.stored(versionId)).find(({ member }) => member === file);
    return stored ? { ...stored, name: `${file}.xml` } : null;
  }

  @FieldResolver(() => ProjectVersionType, { description: 'The version that contains it.' })
  projectVersion(@Root() { versionId }: StoredModel): Promise<StoredVersion | null> {
    return this.queries.versions.byId(versionId);
  }

  @FieldResolver(() => DifferenceItemConnectionType, { description: 'Its items.' })
  items(
    @Root() model: StoredModel,
    @Args() { first, after, ...filter }: DifferenceItemArgs,
  ): Promise<DifferenceItemPage> {
    return this.queries.items.page(model, filter, { first, after });
  }

  @FieldResolver(() => ModelPreconditionConnectionType, {
    description:
      'What must hold in the base model. Empty for models published before the register stored preconditions.',
  })
  preconditions(@Root() model: StoredModel, @Args() page: PageArgs): Promise<PreconditionPage> {
    return this.queries.preconditions.page(model, page);
  }

  @FieldResolver(() => [ItemClassCountType], { description: 'Its items by section and class.' })
  classCounts(@Root() { number }: StoredModel): Promise<readonly ItemClassCount[]> {
    return this.queries.models.classCounts(number);
  }

  @FieldResolver(() => [ModelDependencyType], { description: 'The models that it depends on: its base models.' })
  dependentOn(@Root() { header }: StoredModel): readonly ModelDependencyType[] {
    return header.dependentOn.map((mRID) => ({ mRID }));
  }

  @FieldResolver(() => [DifferenceModelType], {
    description: 'The published models that depend on it, newest first; at most 100.',
  })
  dependents(@Root() { header }: StoredModel): Promise<readonly StoredModel[]> {
    return this.queries.dependencies.dependents(header.mRID);
  }

  @FieldResolver(() => [DependencyStepType], {
    description:
      'Its direct and indirect dependencies, each once, nearest first; at most 100. Those of a base model are not followed.',
  })
  dependencyChain(@Root() { header }: StoredModel): Promise<readonly DependencyStep[]> {
    return this.queries.dependencies.chain(header);
  }
}
