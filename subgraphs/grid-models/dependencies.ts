import type { Database } from '../server/database/database';
import { AfterProjectQueries } from './base-models/after-project.queries';
import { BaseModelQueries } from './base-models/base-model.queries';
import { BaseObjectQueries } from './base-models/base-object.queries';
import { DevelopmentProjectQueries } from './projects/development-project.queries';
import { DifferenceItemQueries } from './difference-models/difference-item.queries';
import { DifferenceModelQueries, ModelDependencyQueries } from './difference-models/difference-model.queries';
import { ModelPreconditionQueries } from './difference-models/model-precondition.queries';
import { ModelWarningQueries } from './difference-models/model-warning.queries';
import { GridLocationQueries } from './locations/grid-location.queries';
import { ObjectChangeQueries } from './changes/object-change.queries';
import { ObjectReferenceQueries } from './changes/object-reference.queries';
import { ProjectVersionQueries } from './projects/project-version.queries';
import { PublishedFileQueries } from './files/published-file.queries';
import { VersionComparisonQueries } from './changes/version-comparison.queries';

/** Queries behind the GraphQL fields. They return published versions only, which never change. */
export interface GridModelQueries {
  readonly projects: DevelopmentProjectQueries;
  readonly versions: ProjectVersionQueries;
  readonly models: DifferenceModelQueries;
  readonly dependencies: ModelDependencyQueries;
  readonly items: DifferenceItemQueries;
  readonly preconditions: ModelPreconditionQueries;
  readonly warnings: ModelWarningQueries;
  readonly changes: ObjectChangeQueries;
  readonly references: ObjectReferenceQueries;
  readonly bases: BaseModelQueries;
  readonly baseObjects: BaseObjectQueries;
  readonly afterProject: AfterProjectQueries;
  readonly locations: GridLocationQueries;
  readonly comparisons: VersionComparisonQueries;
  readonly files: PublishedFileQueries;
}

/** Creates the queries over an open database. */
export function gridModelQueries(database: Database): GridModelQueries {
  return {
    projects: new DevelopmentProjectQueries(database),
    versions: new ProjectVersionQueries(database),
    models: new DifferenceModelQueries(database),
    dependencies: new ModelDependencyQueries(database),
    items: new DifferenceItemQueries(database),
    preconditions: new ModelPreconditionQueries(database),
    warnings: new ModelWarningQueries(database),
    changes: new ObjectChangeQueries(database),
    references: new ObjectReferenceQueries(database),
    bases: new BaseModelQueries(database),
    baseObjects: new BaseObjectQueries(database),
    afterProject: new AfterProjectQueries(database),
    locations: new GridLocationQueries(database),
    comparisons: new VersionComparisonQueries(database),
    files: new PublishedFileQueries(database),
  };
}
