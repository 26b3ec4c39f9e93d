import { Arg, Args, FieldResolver, Resolver, Root } from 'type-graphql';
import { nullable } from '../../server/graph/decorator-options';
import type { Connection } from '../../server/lists/connection';
import type { DevelopmentProjectQueries, StoredProject } from './development-project.queries';
import type { DifferenceModelQueries, StoredModel } from '../difference-models/difference-model.queries';
import type { BaseModelQueries } from '../base-models/base-model.queries';
import type { GridLocation, GridLocationQueries } from '../locations/grid-location.queries';
import type {
  ObjectChangeQueries,
  ObjectChangePage,
  ObjectClassCount,
  StoredChange,
} from '../changes/object-change.queries';
import type { StoredVersion } from './project-version.queries';
import type { PublishedFileQueries, StoredFile } from '../files/published-file.queries';
import { ModelWarningType } from '../difference-models/model-warning.types';
import type { ModelWarningQueries } from '../difference-models/model-warning.queries';
import type { ModelWarning } from '../difference-models/model-warnings';
import type { CimFile } from '../rdf/difference-model';
import { archiveName } from '../publications/publication-key';
import { DevelopmentProjectType, ObjectClassCountType, ProjectVersionType } from './development-project.types';
import { CimFileEnum, DifferenceModelType } from '../difference-models/difference-model.types';
import { GridLocationArgs, GridLocationConnectionType } from '../locations/grid-location.types';
import { ObjectChangeArgs, ObjectChangeConnectionType, ObjectChangeType } from '../changes/object-change.resolver';
import { MRIDS_DESCRIPTION } from '../well-formed-arguments';
import { StoredFileType } from '../files/published-file.resolver';

/** Queries behind the fields of a version. */
interface VersionQueries {
  readonly projects: DevelopmentProjectQueries;
  readonly models: DifferenceModelQueries;
  readonly warnings: ModelWarningQueries;
  readonly changes: ObjectChangeQueries;
  readonly locations: GridLocationQueries;
  readonly bases: BaseModelQueries;
  readonly files: PublishedFileQueries;
}

/** Resolves a version of a development project: its files, and the change of each object. */
@Resolver(() => ProjectVersionType)
export class ProjectVersionResolver {
  constructor(private readonly queries: VersionQueries) {}

  @FieldResolver(() => DevelopmentProjectType, { description: 'The development project.' })
  project(@Root() { project }: StoredVersion): Promise<StoredProject | null> {
    return this.queries.projects.byId(project);
  }

  @FieldResolver(() => StoredFileType, { description: 'The published archive.' })
  async archive(@Root() { id, project, version }: StoredVersion): Promise<StoredFile | null> {
    const [key, stored] = await Promise.all([this.queries.projects.byId(project), this.queries.files.stored(id)]);
    const archive = stored.find(({ member }) => member === 'archive');
    return key && archive ? { ...archive, name: archiveName(key, version) } : null;
  }

  @FieldResolver(() => [DifferenceModelType], { description: 'Its difference models: EQ, SC and GL.' })
  models(@Root() { id }: StoredVersion): Promise<readonly StoredModel[]> {
    return this.queries.models.ofVersion(id);
  }

  @FieldResolver(() => DifferenceModelType, { description: 'The difference model of a file.' })
  async model(
    @Root() { id }: StoredVersion,
    @Arg('file', () => CimFileEnum, { description: 'The file.' }) file: CimFile,
  ): Promise<StoredModel | undefined> {
    return (await this.queries.models.ofVersion(id)).find((model) => model.file === file);
  }

  @FieldResolver(() => [ModelWarningType], {
    description: 'What its publisher should check. A warning on a dependency ends when that is published.',
  })
  warnings(@Root() { id }: StoredVersion): Promise<readonly ModelWarning[]> {
    return this.queries.warnings.ofVersion(id);
  }

  @FieldResolver(() => [ObjectClassCountType], { description: 'Number of changed objects, by class.' })
  classCounts(@Root() { id }: StoredVersion): Promise<readonly ObjectClassCount[]> {
    return this.queries.changes.classCounts(id);
  }

  @FieldResolver(() => ObjectChangeConnectionType, { description: 'The change of each object.' })
  objects(
    @Root() { id }: StoredVersion,
    @Args() { first, after, ...filter }: ObjectChangeArgs,
  ): Promise<ObjectChangePage> {
    return this.queries.changes.page(id, filter, { first, after });
  }

  @FieldResolver(() => ObjectChangeType, nullable('The change of one object; null if the version has no item of it.'))
  object(
    @Root() { id }: StoredVersion,
    @Arg('mRID', () => String, { description: 'The mRID, case-insensitive, also as a reference: `#_…`.' })
    mRID: string,
  ): Promise<StoredChange | null> {
    return this.queries.changes.ofObject(id, mRID);
  }

  @FieldResolver(() => [ObjectChangeType], {
    description:
      'The changes of objects by their mRIDs, each once, in the order of the mRIDs. Objects of which the version has no item are missing.',
  })
  objectsByMRID(
    @Root() { id }: StoredVersion,
    @Arg('mRIDs', () => [String], { description: MRIDS_DESCRIPTION }) mRIDs: readonly string[],
  ): Promise<readonly StoredChange[]> {
    return this.queries.changes.ofObjects(id, mRIDs);
  }

  @FieldResolver(() => GridLocationConnectionType, {
    description:
      'The locations with items in the GL file, or whose points have items in it. What the version does not state of them is that of the base model.',
  })
  async locations(
    @Root() { id, project }: StoredVersion,
    @Args() page: GridLocationArgs,
  ): Promise<Connection<GridLocation>> {
    const key = await this.queries.projects.byId(project);
    const base = key && (await this.queries.bases.applicable(key));
    return this.queries.locations.page({ versionId: id, base: base?.number ?? null }, page);
  }
}
