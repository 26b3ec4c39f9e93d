import type { RateLimit } from '../server/rate-limits';
import { type SubgraphSchema, buildFederatedSchema } from '../server/subgraph-schema';
import type { GridModelLists } from './grid-model-lists';
import { totalResolver } from '../server/connection.types';
import { DevelopmentProjectResolver } from './resolvers/development-project.resolver';
import { DevelopmentProjectConnectionType } from './resolvers/development-project.types';
import { DifferenceItemResolver } from './resolvers/difference-item.resolver';
import { DifferenceItemConnectionType } from './resolvers/difference-item.types';
import { DifferenceModelResolver } from './resolvers/difference-model.resolver';
import { GridLocationConnectionType } from './resolvers/grid-location.types';
import { GridPublicationResolver } from './resolvers/grid-publication.resolver';
import { DependencyStepResolver, ModelDependencyResolver } from './resolvers/model-dependency.resolver';
import { ObjectChangeResolver } from './resolvers/object-change.resolver';
import { ObjectChangeConnectionType } from './resolvers/object-change.types';
import { ProjectVersionResolver } from './resolvers/project-version.resolver';
import { type ContentAddresses, PublishedFileResolver } from './resolvers/published-file.resolver';
import { ModelDifferenceResolver, VersionComparisonResolver } from './resolvers/version-comparison.resolver';
import type { Uploads } from './publishing/uploads';

/** What the resolvers of `grid-models` work with. */
export interface GridModelParts {
  readonly lists: GridModelLists;
  readonly contents: ContentAddresses;
  readonly uploads: Pick<Uploads, 'prepare'>;
  /** What a network without an account asks for in a minute. */
  readonly fileRequests: RateLimit;
}

const ProjectTotalResolver = totalResolver(DevelopmentProjectConnectionType);
const ItemTotalResolver = totalResolver(DifferenceItemConnectionType);
const ChangeTotalResolver = totalResolver(ObjectChangeConnectionType);
const LocationTotalResolver = totalResolver(GridLocationConnectionType);

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
  ProjectTotalResolver,
  ItemTotalResolver,
  ChangeTotalResolver,
  LocationTotalResolver,
] as const;

/** The subgraph `grid-models`. Without parts it can be printed and composed, but not executed. */
export function gridModelSchema(parts?: GridModelParts): Promise<SubgraphSchema> {
  if (!parts) return buildFederatedSchema({ resolvers: RESOLVERS, references: {} });
  const instances = instancesOf(parts);
  const { projects, models } = parts.lists;
  return buildFederatedSchema({
    resolvers: RESOLVERS,
    references: {
      DevelopmentProject: ({ id }: { id: string }) => projects.byId(id),
      DifferenceModel: ({ id }: { id: string }) => models.byId(id),
    },
    container: { get: (resolver: unknown) => instances.get(resolver) as object },
  });
}

function instancesOf({ lists, contents, uploads, fileRequests }: GridModelParts): ReadonlyMap<unknown, object> {
  return new Map<unknown, object>([
    [DevelopmentProjectResolver, new DevelopmentProjectResolver(lists.projects, lists.versions, fileRequests)],
    [ProjectVersionResolver, new ProjectVersionResolver(lists)],
    [ObjectChangeResolver, new ObjectChangeResolver(lists.changes)],
    [DifferenceModelResolver, new DifferenceModelResolver(lists, fileRequests)],
    [ModelDependencyResolver, new ModelDependencyResolver(lists.dependencies)],
    [DependencyStepResolver, new DependencyStepResolver(lists.dependencies)],
    [DifferenceItemResolver, new DifferenceItemResolver(lists.changes)],
    [VersionComparisonResolver, new VersionComparisonResolver(lists.comparisons)],
    [ModelDifferenceResolver, new ModelDifferenceResolver(lists.comparisons)],
    [PublishedFileResolver, new PublishedFileResolver(lists.files, contents, fileRequests)],
    [GridPublicationResolver, new GridPublicationResolver(uploads)],
    ...[ProjectTotalResolver, ItemTotalResolver, ChangeTotalResolver, LocationTotalResolver].map(
      (Total): [unknown, object] => [Total, new Total()],
    ),
  ]);
}
