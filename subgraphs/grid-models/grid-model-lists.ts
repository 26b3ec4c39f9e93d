import type { Database } from '../server/database';
import { DevelopmentProjectLists } from './database/development-project-lists';
import { DifferenceItemLists } from './database/difference-item-lists';
import { DifferenceModelLists } from './database/difference-model-lists';
import { GridLocationLists } from './database/grid-location-lists';
import { ModelDependencies } from './database/model-dependencies';
import { ObjectChangeLists } from './database/object-change-lists';
import { ProjectVersionLists } from './database/project-version-lists';
import { PublishedFileLists } from './database/published-file-lists';
import { VersionComparisonLists } from './database/version-comparison-lists';

/** What the graph reads of publications: published versions alone, which never change. */
export interface GridModelLists {
  readonly projects: DevelopmentProjectLists;
  readonly versions: ProjectVersionLists;
  readonly models: DifferenceModelLists;
  readonly dependencies: ModelDependencies;
  readonly items: DifferenceItemLists;
  readonly changes: ObjectChangeLists;
  readonly locations: GridLocationLists;
  readonly comparisons: VersionComparisonLists;
  readonly files: PublishedFileLists;
}

/** The lists over an open database. */
export function gridModelLists(database: Database): GridModelLists {
  return {
    projects: new DevelopmentProjectLists(database),
    versions: new ProjectVersionLists(database),
    models: new DifferenceModelLists(database),
    dependencies: new ModelDependencies(database),
    items: new DifferenceItemLists(database),
    changes: new ObjectChangeLists(database),
    locations: new GridLocationLists(database),
    comparisons: new VersionComparisonLists(database),
    files: new PublishedFileLists(database),
  };
}
