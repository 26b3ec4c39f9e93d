import { Args, ArgsType, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { type RateLimit, withinNetworkLimit } from '../../server/callers/rate-limits';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import { CimFileEnum } from '../difference-models/difference-model.types';
import { ProjectArgs } from '../projects/development-project.types';
import { licenceAreaOf } from '../projects/licence-areas';
import { archiveName, memberName } from '../publications/publication-key';
import type { CimFile } from '../rdf/difference-model';
import type { ContentStore } from './content-store.flow';
import type { ContentEncoding, FileView, Member } from './content.repository';
import type { PublishedFileQueries, StoredRepresentation } from './published-file.queries';

const FileViewEnum = graphqlEnum<FileView>('FileView', 'A view of a published file.', {
  rdf: 'RDF/XML, the published bytes.',
  json: 'The JSON view of a difference model.',
  zip: 'The archive, the published bytes.',
});

const ContentEncodingEnum = graphqlEnum<ContentEncoding>('ContentEncoding', 'Content coding of a representation.', {
  identity: 'Uncompressed.',
  gzip: 'Compressed by gzip.',
});

@ObjectType('StoredFile', simple('A published file.'))
export class StoredFileType {
  @Field(() => String, { description: 'Its name: `EQ.xml`, or the name of the archive.' }) name: string;
  @Field(() => Int, { description: 'Its size in bytes.' }) size: number;
  @Field(() => String, { description: 'Its SHA-256, hexadecimal.' }) sha256: string;
}

@ObjectType('FileRepresentation', simple('A representation of a published file.'))
class FileRepresentationType {
  @Field(() => FileViewEnum, { description: 'The view.' }) view: FileView;
  @Field(() => ContentEncodingEnum, { description: 'The content coding.' }) encoding: ContentEncoding;
  @Field(() => Int, { description: 'Its size in bytes, after coding.' }) size: number;
  @Field(() => String, { description: 'SHA-256 of the bytes after coding, hexadecimal.' }) sha256: string;
  @Field(() => String, {
    description: 'A path at which services of the register can read the bytes for 30 to 60 seconds.',
  })
  address: string;
}

@ObjectType('PublishedFile', simple('A published file with all its representations.'))
class PublishedFileType {
  @Field(() => String, {
    description: 'Its name for downloads: `LTDS_EPN_2026-01_Thetford-33kV_v1_EQ.xml`, or the name of the archive.',
  })
  name: string;
  @Field(() => DateTime, { description: 'When its version was published.' }) publishedAt: Date;
  @Field(() => [FileRepresentationType], { description: 'Its representations.' })
  representations: readonly FileRepresentationType[];
}

/** Identifies a version of a development project. */
@ArgsType()
class VersionArgs extends ProjectArgs {
  @Field(() => Int, { description: 'Number of the version, from 1.' }) version: number;
}

/** Identifies a file of a version. */
@ArgsType()
class FileArgs extends VersionArgs {
  @Field(() => CimFileEnum, { description: 'The file.' }) cimFile: CimFile;
}

/** Issues the addresses of contents. */
export type ContentAddresses = Pick<ContentStore, 'address'>;

/** Resolves published files (specification, C. Development-project file retrieval). */
@Resolver()
export class PublishedFileResolver {
  constructor(
    private readonly files: PublishedFileQueries,
    private readonly contents: ContentAddresses,
    private readonly requests: RateLimit,
  ) {}

  @MayCall('anyone')
  @Query(
    () => PublishedFileType,
    nullable('A file of a version; null if it does not exist. LIM002 if a network sends too many requests.'),
  )
  publishedFile(
    @Args() { cimFile, ...version }: FileArgs,
    @Ctx() context: CallContext,
  ): Promise<PublishedFileType | null> {
    return this.published(version, cimFile, context);
  }

  @MayCall('anyone')
  @Query(
    () => PublishedFileType,
    nullable('The archive of a version; null if it does not exist. LIM002 if a network sends too many requests.'),
  )
  publishedArchive(@Args() version: VersionArgs, @Ctx() context: CallContext): Promise<PublishedFileType | null> {
    return this.published(version, 'archive', context);
  }

  private async published(
    { area, ...version }: VersionArgs,
    member: Member,
    context: CallContext,
  ): Promise<PublishedFileType | null> {
    await withinNetworkLimit(this.requests, context);
    const licenceArea = licenceAreaOf(area);
    if (!licenceArea) return null;
    const key = { ...version, area: licenceArea.code };
    const stored = await this.files.representations(key, member);
    const [first] = stored;
    if (!first) return null;
    const name = member === 'archive' ? archiveName(key, key.version) : memberName(key, key.version, member);
    return { name, publishedAt: first.publishedAt, representations: stored.map((each) => this.representation(each)) };
  }

  private representation({ content, view, encoding, size, sha256 }: StoredRepresentation) {
    return { view, encoding, size, sha256, address: this.contents.address({ content, sha256 }) };
  }
}
