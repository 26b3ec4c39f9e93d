import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { type CallContext, MayCall } from '../../server/caller';
import { type RateLimit, withinNetworkLimit } from '../../server/rate-limits';
import type { ContentStore } from '../content-store';
import type { Member, PublishedFileLists, StoredRepresentation } from '../database/published-file-lists';
import { licenceAreaOf } from '../domain/licence-areas';
import { archiveName } from '../domain/publication-place';
import { FileArgs, VersionArgs } from './published-file.inputs';
import { PublishedFileType } from './stored-file.types';

/** Where the bytes of a content are. */
export type ContentAddresses = Pick<ContentStore, 'address'>;

/** Published files for those who fetch them (1-specification.md, "C. Development-project file retrieval"). */
@Resolver()
export class PublishedFileResolver {
  constructor(
    private readonly files: PublishedFileLists,
    private readonly contents: ContentAddresses,
    private readonly requests: RateLimit,
  ) {}

  @MayCall('anyone')
  @Query(() => PublishedFileType, {
    nullable: true,
    description: 'A file of a version; null when there is none. LIM002 when a network asks too often.',
  })
  publishedFile(
    @Args() { cimFile, ...version }: FileArgs,
    @Ctx() context: CallContext,
  ): Promise<PublishedFileType | null> {
    return this.published(version, cimFile, `${cimFile}.xml`, context);
  }

  @MayCall('anyone')
  @Query(() => PublishedFileType, {
    nullable: true,
    description: 'The archive of a version; null when there is none. LIM002 when a network asks too often.',
  })
  async publishedArchive(@Args() version: VersionArgs, @Ctx() context: CallContext): Promise<PublishedFileType | null> {
    const area = licenceAreaOf(version.area)?.code ?? version.area;
    return this.published(version, 'archive', archiveName({ ...version, area }, version.version), context);
  }

  private async published(
    { area, ...version }: VersionArgs,
    member: Member,
    name: string,
    context: CallContext,
  ): Promise<PublishedFileType | null> {
    await withinNetworkLimit(this.requests, context);
    const licenceArea = licenceAreaOf(area);
    if (!licenceArea) return null;
    const stored = await this.files.representations({ ...version, area: licenceArea.code }, member);
    const [first] = stored;
    if (!first) return null;
    return { name, publishedAt: first.publishedAt, representations: stored.map((each) => this.shown(each)) };
  }

  private shown({ content, view, encoding, size, sha256 }: StoredRepresentation) {
    return { view, encoding, size, sha256, address: this.contents.address(content) };
  }
}
