import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { type RateLimit, withinNetworkLimit } from '../../server/callers/rate-limits';
import { ownerOf } from '../../server/callers/resource-owner';
import { nullable } from '../../server/graph/decorator-options';
import type { Connection } from '../../server/lists/connection';
import { PageArgs } from '../../server/lists/connection.types';
import type { ModelWarningQueries } from '../difference-models/model-warning.queries';
import { ModelWarningType } from '../difference-models/model-warning.types';
import type { ModelWarning } from '../difference-models/model-warnings';
import type { DevelopmentProjectQueries } from '../projects/development-project.queries';
import { ProjectVersionType } from '../projects/development-project.types';
import { licenceAreaOf } from '../projects/licence-areas';
import type { StoredVersion } from '../projects/project-version.queries';
import type { StoredChange } from '../changes/object-change.queries';
import { ObjectChangeType } from '../changes/object-change.resolver';
import type { AfterProjectQueries } from './after-project.queries';
import type { BaseFile, StoredBaseModel } from './base-model';
import type { BaseModelQueries } from './base-model.queries';
import type { BaseObject, BaseObjectQueries } from './base-object.queries';
import {
  BaseFileType,
  BaseModelArgs,
  BaseModelType,
  BaseObjectType,
  ObjectAfterConnectionType,
  ObjectAfterType,
} from './base-model.types';
import { MRIDS_DESCRIPTION, requireMRIDs, requireWellFormed } from '../well-formed-arguments';
import type { ObjectAfter } from './object-after';

/** Resolves base models and their files. */
@Resolver(() => BaseModelType)
export class BaseModelResolver {
  constructor(
    private readonly queries: { readonly bases: BaseModelQueries; readonly warnings: ModelWarningQueries },
    private readonly requests: RateLimit,
  ) {}

  @MayCall('anyone')
  @Query(() => BaseModelType, {
    nullable: true,
    description:
      'The base model of a licence area for a publication cycle: the newest that is not of a later cycle. Null if none is published. LIM002 if a network sends too many requests.',
  })
  async baseModel(
    @Args() { area, publicationYear, period }: BaseModelArgs,
    @Ctx() context: CallContext,
  ): Promise<StoredBaseModel | null> {
    await withinNetworkLimit(this.requests, context);
    const licenceArea = licenceAreaOf(area);
    return licenceArea ? this.queries.bases.applicable({ area: licenceArea.code, publicationYear, period }) : null;
  }

  @FieldResolver(() => [BaseFileType], { description: 'Its full models: EQ, SC and GL.' })
  files(@Root() { number }: StoredBaseModel): Promise<readonly BaseFile[]> {
    return this.queries.bases.files(number);
  }

  @FieldResolver(() => [ModelWarningType], {
    description: 'What its publisher should check. A warning on a dependency ends when that is published.',
  })
  warnings(@Root() { number }: StoredBaseModel): Promise<readonly ModelWarning[]> {
    return this.queries.warnings.ofBase(number);
  }
}

/** Resolves the fields of a project version that apply it to the base model of its area. */
@Resolver(() => ProjectVersionType)
export class AfterProjectResolver {
  constructor(
    private readonly queries: {
      readonly projects: DevelopmentProjectQueries;
      readonly bases: BaseModelQueries;
      readonly afterProject: AfterProjectQueries;
    },
  ) {}

  @FieldResolver(() => BaseModelType, {
    nullable: true,
    description:
      'The base model to which the version is applied: the newest of the area that is not of a later cycle. Null if none is published.',
  })
  async baseModel(@Root() { project }: StoredVersion): Promise<StoredBaseModel | null> {
    const key = await this.queries.projects.byId(project);
    return key && this.queries.bases.applicable(key);
  }

  @FieldResolver(() => ObjectAfterType, {
    nullable: true,
    description:
      'Any object after the version. Null if neither the base model nor the version has it, or if no base model is published.',
  })
  async objectAfter(
    @Root() version: StoredVersion,
    @Arg('mRID', () => String, { description: 'The mRID, case-insensitive, also as a reference: `#_…`.' })
    mRID: string,
  ): Promise<ShownObject | null> {
    requireWellFormed({ mRID });
    const base = await this.baseModel(version);
    const [object] = base === null ? [] : await this.queries.afterProject.named(base, version.id, [mRID]);
    return object === undefined ? null : shown(object);
  }

  @FieldResolver(() => [ObjectAfterType], {
    description:
      'Objects after the version by their mRIDs, each once, in the order of the mRIDs. Those that neither the base model nor the version has are missing; all are if no base model is published.',
  })
  async objectsAfter(
    @Root() version: StoredVersion,
    @Arg('mRIDs', () => [String], { description: MRIDS_DESCRIPTION }) mRIDs: readonly string[],
  ): Promise<ShownObject[]> {
    requireMRIDs(mRIDs);
    const base = await this.baseModel(version);
    return base === null ? [] : (await this.queries.afterProject.named(base, version.id, mRIDs)).map(shown);
  }

  @FieldResolver(
    () => ObjectAfterConnectionType,
    nullable('The objects of the version that do not fit the base model. Null if no base model is published.'),
  )
  async unfittingObjects(
    @Root() version: StoredVersion,
    @Args() page: PageArgs,
    @Ctx() context: CallContext,
  ): Promise<Connection<ShownObject> | null> {
    const base = await this.baseModel(version);
    if (base === null) return null;
    const found = await this.queries.afterProject.unfitting(base, version.id, page, ownerOf(context));
    const edges = found.edges.map(({ cursor, node }) => ({ cursor, node: shown(node) }));
    return { ...found, edges, nodes: edges.map(({ node }) => node) };
  }
}

/** Resolves what the base model says about a changed object. */
@Resolver(() => ObjectChangeType)
export class BaseObjectResolver {
  constructor(private readonly baseObjects: BaseObjectQueries) {}

  @FieldResolver(() => BaseObjectType, {
    nullable: true,
    description:
      'The object in the base model to which the version is applied. Null if that lacks it, or if no base model is published.',
  })
  inBaseModel(@Root() change: StoredChange): Promise<BaseObject | null> {
    return this.baseObjects.ofChange(change);
  }
}

type ShownObject = ReturnType<typeof shown>;

/** Returns the fields of an object in GraphQL. */
function shown({ statements, findings, ...object }: ObjectAfter) {
  return {
    ...object,
    statements: statements.map(({ kind, ...statement }) => ({ ...statement, isAssociation: kind === 'association' })),
    findings: findings.map(({ statement: { name, value }, instead = [], ...finding }) => ({
      ...{ ...finding, name, value, instead },
    })),
  };
}
