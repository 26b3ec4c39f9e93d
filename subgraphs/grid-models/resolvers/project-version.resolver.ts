import { Arg, Args, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Connection } from '../../server/connection';
import type { DevelopmentProjectLists, StoredProject } from '../database/development-project-lists';
import type { DifferenceModelLists, StoredModel } from '../database/difference-model-lists';
import type { GridLocation, GridLocationLists } from '../database/grid-location-lists';
import type {
  ObjectChangeLists,
  ObjectChangePage,
  ObjectClassCount,
  StoredChange,
} from '../database/object-change-lists';
import type { StoredVersion } from '../database/project-version-lists';
import type { PublishedFileLists, StoredFile } from '../database/published-file-lists';
import type { CimFile } from '../domain/difference-model';
import { archiveName } from '../domain/publication-place';
import { DevelopmentProjectType } from './development-project.types';
import { DifferenceModelType } from './difference-model.types';
import { CimFileEnum } from './grid-models.enums';
import { GridLocationArgs, GridLocationConnectionType } from './grid-location.types';
import { ObjectChangeArgs, ObjectChangeConnectionType, ObjectChangeType } from './object-change.types';
import { ObjectClassCountType, ProjectVersionType } from './project-version.types';
import { StoredFileType } from './stored-file.types';

/** What the fields of a version are read from. */
export interface VersionReads {
  readonly projects: DevelopmentProjectLists;
  readonly models: DifferenceModelLists;
  readonly changes: ObjectChangeLists;
  readonly locations: GridLocationLists;
  readonly files: PublishedFileLists;
}

/** A version of a development project: its files, and what it does to each object. */
@Resolver(() => ProjectVersionType)
export class ProjectVersionResolver {
  constructor(private readonly reads: VersionReads) {}

  @FieldResolver(() => DevelopmentProjectType, { description: 'The development project.' })
  project(@Root() { project }: StoredVersion): Promise<StoredProject | null> {
    return this.reads.projects.byId(project);
  }

  @FieldResolver(() => StoredFileType, { description: 'The archive as it was published.' })
  async archive(@Root() { id, project, version }: StoredVersion): Promise<StoredFile | null> {
    const [place, stored] = await Promise.all([this.reads.projects.byId(project), this.reads.files.stored(id)]);
    const archive = stored.find(({ member }) => member === 'archive');
    return place && archive ? { ...archive, name: archiveName(place, version) } : null;
  }

  @FieldResolver(() => [DifferenceModelType], { description: 'Its difference models: EQ, SC and GL.' })
  models(@Root() { id }: StoredVersion): Promise<readonly StoredModel[]> {
    return this.reads.models.ofVersion(id);
  }

  @FieldResolver(() => DifferenceModelType, { description: 'One of its difference models.' })
  async model(
    @Root() { id }: StoredVersion,
    @Arg('file', () => CimFileEnum, { description: 'Which one.' }) file: CimFile,
  ): Promise<StoredModel | undefined> {
    return (await this.reads.models.ofVersion(id)).find((model) => model.file === file);
  }

  @FieldResolver(() => [ObjectClassCountType], { description: 'What becomes of the objects, by class.' })
  classCounts(@Root() { id }: StoredVersion): Promise<readonly ObjectClassCount[]> {
    return this.reads.changes.classCounts(id);
  }

  @FieldResolver(() => ObjectChangeConnectionType, { description: 'What it does to each object.' })
  objects(
    @Root() { id }: StoredVersion,
    @Args() { first, after, ...filter }: ObjectChangeArgs,
  ): Promise<ObjectChangePage> {
    return this.reads.changes.page(id, filter, { first, after });
  }

  @FieldResolver(() => ObjectChangeType, { nullable: true, description: 'What it does to one object.' })
  object(
    @Root() { id }: StoredVersion,
    @Arg('mRID', () => String, { description: 'The object, in any case, also as a file refers to it: `#_…`.' })
    mRID: string,
  ): Promise<StoredChange | null> {
    return this.reads.changes.ofObject(id, mRID);
  }

  @FieldResolver(() => GridLocationConnectionType, {
    description: 'The locations of which its GL file says something, or of their points.',
  })
  locations(@Root() { id }: StoredVersion, @Args() page: GridLocationArgs): Promise<Connection<GridLocation>> {
    return this.reads.locations.page(id, page);
  }
}
