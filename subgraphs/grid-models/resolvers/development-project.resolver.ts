import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, MayCall } from '../../server/caller';
import { type RateLimit, withinNetworkLimit } from '../../server/rate-limits';
import type { DevelopmentProjectLists, ProjectPage, StoredProject } from '../database/development-project-lists';
import type { ProjectVersionLists, StoredVersion } from '../database/project-version-lists';
import { LICENCE_AREAS, type LicenceArea, licenceAreaOf } from '../domain/licence-areas';
import {
  DevelopmentProjectArgs,
  DevelopmentProjectConnectionType,
  DevelopmentProjectType,
} from './development-project.types';
import { LicenceAreaType } from './licence-area.types';
import { ProjectVersionType } from './project-version.types';
import { ProjectArgs } from './published-file.inputs';
import type { ComparedVersions } from '../database/version-comparison-lists';
import { VersionComparisonType } from './version-comparison.types';

/** Licence areas, and the development projects that are published in them. */
@Resolver(() => DevelopmentProjectType)
export class DevelopmentProjectResolver {
  constructor(
    private readonly projects: DevelopmentProjectLists,
    private readonly projectVersions: ProjectVersionLists,
    private readonly requests: RateLimit,
  ) {}

  @MayCall('anyone')
  @Query(() => [LicenceAreaType], { description: 'The licence areas of Great Britain, by distributor identifier.' })
  licenceAreas(): readonly LicenceArea[] {
    return LICENCE_AREAS;
  }

  @MayCall('anyone')
  @Query(() => DevelopmentProjectConnectionType, {
    description:
      'The published development projects, newest publication first; NTF001 when there is no such licence area, LIM002 when a network asks too often.',
  })
  async developmentProjects(
    @Args() { first, after, area, ...filter }: DevelopmentProjectArgs,
    @Ctx() context: CallContext,
  ): Promise<ProjectPage> {
    await withinNetworkLimit(this.requests, context);
    const licenceArea = area === null ? null : licenceAreaOf(area);
    if (licenceArea === undefined) throw new RegisterError('NTF001', 'There is no such licence area');
    return this.projects.page({ ...filter, area: licenceArea?.code ?? null }, { first, after });
  }

  @MayCall('anyone')
  @Query(() => DevelopmentProjectType, {
    nullable: true,
    description: 'A development project of one cycle. LIM002 when a network asks too often.',
  })
  async developmentProject(
    @Args() { area, ...place }: ProjectArgs,
    @Ctx() context: CallContext,
  ): Promise<StoredProject | null> {
    await withinNetworkLimit(this.requests, context);
    const licenceArea = licenceAreaOf(area);
    return licenceArea ? this.projects.byPlace({ ...place, area: licenceArea.code }) : null;
  }

  @FieldResolver(() => LicenceAreaType, { description: 'The licence area.' })
  licenceArea(@Root() { area }: StoredProject): LicenceArea | undefined {
    return licenceAreaOf(area);
  }

  @FieldResolver(() => ProjectVersionType, { description: 'The newest version.' })
  latestVersion(@Root() { id, latestVersion }: StoredProject): Promise<StoredVersion | null> {
    return this.projectVersions.ofProject(id, latestVersion);
  }

  @FieldResolver(() => [ProjectVersionType], { description: 'Every version, newest first.' })
  versions(@Root() { id }: StoredProject): Promise<readonly StoredVersion[]> {
    return this.projectVersions.allOfProject(id);
  }

  @FieldResolver(() => ProjectVersionType, { nullable: true, description: 'One version.' })
  version(
    @Root() { id }: StoredProject,
    @Arg('version', () => Int, { description: 'Its number.' }) version: number,
  ): Promise<StoredVersion | null> {
    return this.projectVersions.ofProject(id, version);
  }

  @FieldResolver(() => VersionComparisonType, {
    nullable: true,
    description: 'What changed between two versions; null when one of them is not there.',
  })
  async comparison(
    @Root() { id }: StoredProject,
    @Arg('from', () => Int, { description: 'The version that is compared.' }) from: number,
    @Arg('to', () => Int, { description: 'The version with which it is compared.' }) to: number,
  ): Promise<ComparedVersions | null> {
    const [one, other] = await Promise.all([from, to].map((number) => this.projectVersions.ofProject(id, number)));
    return one && other ? { from: one, to: other } : null;
  }
}
