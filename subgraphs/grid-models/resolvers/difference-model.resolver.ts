import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { type CallContext, MayCall } from '../../server/caller';
import { type RateLimit, withinNetworkLimit } from '../../server/rate-limits';
import type { DifferenceItemLists, DifferenceItemPage } from '../database/difference-item-lists';
import type { DifferenceModelLists, ItemClassCount, StoredModel } from '../database/difference-model-lists';
import type { DependencyStep, ModelDependencies } from '../database/model-dependencies';
import type { ProjectVersionLists, StoredVersion } from '../database/project-version-lists';
import type { PublishedFileLists, StoredFile } from '../database/published-file-lists';
import { mRIDOf } from '../domain/rdf-resources';
import { DifferenceItemArgs, DifferenceItemConnectionType } from './difference-item.types';
import {
  DependencyStepType,
  DifferenceModelType,
  ItemClassCountType,
  ModelDependencyType,
} from './difference-model.types';
import { ProjectVersionType } from './project-version.types';
import { StoredFileType } from './stored-file.types';

/** What the fields of a difference model are read from. */
export interface ModelReads {
  readonly models: DifferenceModelLists;
  readonly dependencies: ModelDependencies;
  readonly versions: ProjectVersionLists;
  readonly items: DifferenceItemLists;
  readonly files: PublishedFileLists;
}

/** Published difference models, and how they depend on each other. */
@Resolver(() => DifferenceModelType)
export class DifferenceModelResolver {
  constructor(
    private readonly reads: ModelReads,
    private readonly requests: RateLimit,
  ) {}

  @MayCall('anyone')
  @Query(() => DifferenceModelType, { nullable: true, description: 'A published difference model by its internal id.' })
  async differenceModel(
    @Arg('id', () => ID, { description: 'Its internal id.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<StoredModel | null> {
    await withinNetworkLimit(this.requests, context);
    return this.reads.models.byId(id);
  }

  @MayCall('anyone')
  @Query(() => [DifferenceModelType], {
    description: 'The published difference models whose header has this mRID, newest first: at most 100.',
  })
  async differenceModels(
    @Arg('mRID', () => String, { description: 'The mRID, in any case, also as a file refers to it: `urn:uuid:…`.' })
    mRID: string,
    @Ctx() context: CallContext,
  ): Promise<readonly StoredModel[]> {
    await withinNetworkLimit(this.requests, context);
    return this.reads.dependencies.withMrid(mRIDOf(mRID));
  }

  @FieldResolver(() => StoredFileType, { description: 'The file as it was published.' })
  async stored(@Root() { versionId, file }: StoredModel): Promise<StoredFile | null> {
    const stored = (await this.reads.files.stored(versionId)).find(({ member }) => member === file);
    return stored ? { ...stored, name: `${file}.xml` } : null;
  }

  @FieldResolver(() => ProjectVersionType, { description: 'The version of which it is a file.' })
  projectVersion(@Root() { versionId }: StoredModel): Promise<StoredVersion | null> {
    return this.reads.versions.byId(versionId);
  }

  @FieldResolver(() => DifferenceItemConnectionType, { description: 'Its items.' })
  items(
    @Root() model: StoredModel,
    @Args() { first, after, ...filter }: DifferenceItemArgs,
  ): Promise<DifferenceItemPage> {
    return this.reads.items.page(model, filter, { first, after });
  }

  @FieldResolver(() => [ItemClassCountType], { description: 'What it holds, by section and class.' })
  classCounts(@Root() { number }: StoredModel): Promise<readonly ItemClassCount[]> {
    return this.reads.models.classCounts(number);
  }

  @FieldResolver(() => [ModelDependencyType], { description: 'The models that it is a difference to.' })
  dependentOn(@Root() { header }: StoredModel): readonly ModelDependencyType[] {
    return header.dependentOn.map((mRID) => ({ mRID }));
  }

  @FieldResolver(() => [DifferenceModelType], {
    description: 'The published models that are a difference to it, newest first: at most 100.',
  })
  dependents(@Root() { header }: StoredModel): Promise<readonly StoredModel[]> {
    return this.reads.dependencies.dependents(header.mRID);
  }

  @FieldResolver(() => [DependencyStepType], {
    description: 'The models that it depends on, and what those depend on, each once, nearest first: at most 100.',
  })
  dependencyChain(@Root() { header }: StoredModel): Promise<readonly DependencyStep[]> {
    return this.reads.dependencies.chain(header);
  }
}
