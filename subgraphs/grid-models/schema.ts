import type { RateLimit } from '../server/callers/rate-limits';
import { type SubgraphSchema, buildFederatedSchema } from '../server/graph/subgraph-schema';
import type { GridModelQueries } from './dependencies';
import { totalResolver } from '../server/lists/connection.types';
import { AfterProjectResolver, BaseModelResolver, BaseObjectResolver } from './base-models/base-model.resolver';
import { DevelopmentProjectResolver } from './projects/development-project.resolver';
import { DevelopmentProjectConnectionType } from './projects/development-project.types';
import { DifferenceItemConnectionType, DifferenceItemResolver } from './difference-models/difference-item.resolver';
import { DifferenceModelResolver } from './difference-models/difference-model.resolver';
import { ModelPreconditionConnectionType } from './difference-models/model-precondition.types';
import { GridLocationConnectionType } from './locations/grid-location.types';
import { GridPublicationResolver } from './publications/grid-publication.resolver';
import { DependencyStepResolver, ModelDependencyResolver } from './difference-models/model-dependency.resolver';
import { ObjectChangeConnectionType, ObjectChangeResolver } from './changes/object-change.resolver';
import { ProjectVersionResolver } from './projects/project-version.resolver';
import { type ContentAddresses, PublishedFileResolver } from './files/published-file.resolver';
import type { AuditLog } from '../server/audit/audit.repository';
import { GridAuditResolver } from './grid-audit.resolver';
import { ModelDifferenceResolver, VersionComparisonResolver } from './changes/version-comparison.resolver';
import type { Uploads } from './publications/uploads.flow';

/** Services that the resolvers call. */
interface GridModelDependencies {
  readonly queries: GridModelQueries;
  readonly contents: ContentAddresses;
  readonly uploads: Pick<Uploads, 'prepare'>;
  /** Requests per minute that one network may send without an account. */
  readonly fileRequests: RateLimit;
  readonly audit: AuditLog;
}

const ProjectTotalResolver = totalResolver(DevelopmentProjectConnectionType);
const ItemTotalResolver = totalResolver(DifferenceItemConnectionType);
const PreconditionTotalResolver = totalResolver(ModelPreconditionConnectionType);
const ChangeTotalResolver = totalResolver(ObjectChangeConnectionType);
const LocationTotalResolver = totalResolver(GridLocationConnectionType);

const TOTAL_RESOLVERS = [
  ProjectTotalResolver,
  ItemTotalResolver,
  PreconditionTotalResolver,
  ChangeTotalResolver,
  LocationTotalResolver,
] as const;

const RESOLVERS = [
  DevelopmentProjectResolver,
  ProjectVersionResolver,
  ObjectChangeResolver,
  DifferenceModelResolver,
  ModelDependencyResolver,
  DependencyStepResolver,
  DifferenceItemResolver,
  VersionComparisonResolver,
  ModelDifferenceResolver,
  PublishedFileResolver,
  GridPublicationResolver,
  BaseModelResolver,
  AfterProjectResolver,
  BaseObjectResolver,
  GridAuditResolver,
  ...TOTAL_RESOLVERS,
] as const;

/** Builds the schema of `grid-models`. Without dependencies it can be printed and composed, but not executed. */
export function gridModelSchema(dependencies?: GridModelDependencies): Promise<SubgraphSchema> {
  if (!dependencies) return buildFederatedSchema({ resolvers: RESOLVERS, references: {} });
  const instances = instancesOf(dependencies);
  const { projects, models } = dependencies.queries;
  return buildFederatedSchema({
    resolvers: RESOLVERS,
    references: {
      DevelopmentProject: ({ id }: { id: string }) => projects.byId(id),
      DifferenceModel: ({ id }: { id: string }) => models.byId(id),
    },
    container: { get: (resolver: unknown) => instances.get(resolver) as object },
  });
}

function instancesOf({
  queries,
  contents,
  uploads,
  fileRequests,
  audit,
}: GridModelDependencies): ReadonlyMap<unknown, object> {
  return new Map<unknown, object>([
    [DevelopmentProjectResolver, new DevelopmentProjectResolver(queries.projects, queries.versions, fileRequests)],
    [ProjectVersionResolver, new ProjectVersionResolver(queries)],
    [ObjectChangeResolver, new ObjectChangeResolver(queries.changes, queries.references)],
    [DifferenceModelResolver, new DifferenceModelResolver(queries, fileRequests)],
    [ModelDependencyResolver, new ModelDependencyResolver(queries.dependencies, queries.bases)],
    [DependencyStepResolver, new DependencyStepResolver(queries.dependencies)],
    [DifferenceItemResolver, new DifferenceItemResolver(queries.changes)],
    [VersionComparisonResolver, new VersionComparisonResolver(queries.comparisons, queries.models)],
    [ModelDifferenceResolver, new ModelDifferenceResolver(queries.comparisons)],
    [PublishedFileResolver, new PublishedFileResolver(queries.files, contents, fileRequests)],
    [GridPublicationResolver, new GridPublicationResolver(uploads)],
    [BaseModelResolver, new BaseModelResolver(queries, fileRequests)],
    [AfterProjectResolver, new AfterProjectResolver(queries)],
    [BaseObjectResolver, new BaseObjectResolver(queries.baseObjects)],
    [GridAuditResolver, new GridAuditResolver(audit)],
    ...TOTAL_RESOLVERS.map((Total): [unknown, object] => [Total, new Total()]),
  ]);
}
