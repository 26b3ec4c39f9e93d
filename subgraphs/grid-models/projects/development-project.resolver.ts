import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { type RateLimit, withinNetworkLimit } from '../../server/callers/rate-limits';
import { nullable } from '../../server/graph/decorator-options';
import type { DevelopmentProjectQueries, ProjectPage, StoredProject } from './development-project.queries';
import type { ProjectVersionQueries, StoredVersion } from './project-version.queries';
import { LICENCE_AREAS, type LicenceArea, licenceAreaOf } from './licence-areas';
import {
  DevelopmentProjectArgs,
  DevelopmentProjectConnectionType,
  DevelopmentProjectType,
  LicenceAreaType,
  ProjectArgs,
  ProjectVersionType,
} from './development-project.types';
import type { ComparedVersions } from '../changes/version-comparison.queries';
import { VersionComparisonType } from '../changes/version-comparison.resolver';

/** Resolves licence areas and their development projects. */
@Resolver(() => DevelopmentProjectType)
export class DevelopmentProjectResolver {
  constructor(
    private readonly projects: DevelopmentProjectQueries,
    private readonly projectVersions: ProjectVersionQueries,
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
      'The published development projects, newest publication first. NTF001 if the licence area does not exist, VAL003 if the year has not four digits, LIM002 if a network sends too many requests.',
  })
  async developmentProjects(
    @Args() { first, after, area, ...filter }: DevelopmentProjectArgs,
    @Ctx() context: CallContext,
  ): Promise<ProjectPage> {
    if (filter.publicationYear !== null) requireYear(filter.publicationYear);
    await withinNetworkLimit(this.requests, context);
    const licenceArea = area === null ? null : licenceAreaOf(area);
    if (licenceArea === undefined) throw new RegisterError('NTF001', 'The licence area does not exist');
    return this.projects.page({ ...filter, area: licenceArea?.code ?? null }, { first, after });
  }

  @MayCall('anyone')
  @Query(() => DevelopmentProjectType, {
    nullable: true,
    description:
      'A development project of one cycle; null if it does not exist. VAL003 if the year has not four digits, LIM002 if a network sends too many requests.',
  })
  async developmentProject(
    @Args() { area, ...key }: ProjectArgs,
    @Ctx() context: CallContext,
  ): Promise<StoredProject | null> {
    requireYear(key.publicationYear);
    await withinNetworkLimit(this.requests, context);
    const licenceArea = licenceAreaOf(area);
    return licenceArea ? this.projects.byKey({ ...key, area: licenceArea.code }) : null;
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

  @FieldResolver(() => ProjectVersionType, nullable('A version; null if it does not exist.'))
  version(
    @Root() { id }: StoredProject,
    @Arg('version', () => Int, { description: 'Its number.' }) version: number,
  ): Promise<StoredVersion | null> {
    return this.projectVersions.ofProject(id, version);
  }

  @FieldResolver(
    () => VersionComparisonType,
    nullable('The differences between two versions; null if one of them does not exist.'),
  )
  async comparison(
    @Root() { id }: StoredProject,
    @Arg('from', () => Int, { description: 'Number of the first version.' }) from: number,
    @Arg('to', () => Int, { description: 'Number of the second version.' }) to: number,
  ): Promise<ComparedVersions | null> {
    const [one, other] = await Promise.all([from, to].map((number) => this.projectVersions.ofProject(id, number)));
    return one && other ? { from: one, to: other } : null;
  }
}

/** Throws VAL003 unless a year has four digits (decisions C.3). */
function requireYear(publicationYear: number): void {
  if (publicationYear >= 1_000 && publicationYear <= 9_999) return;
  const message = 'must have exactly four digits';
  throw new RegisterError('VAL003', message, { violations: [{ code: 'VAL003', path: ['publicationYear'], message }] });
}
