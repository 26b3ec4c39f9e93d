import { Field, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import type { ContentEncoding, FileView } from '../domain/published-file';
import { ContentEncodingEnum, FileViewEnum } from './grid-models.enums';

/** StoredFile of the graph. */
@ObjectType('StoredFile', { description: 'A file as it was published.', simpleResolvers: true })
export class StoredFileType {
  @Field(() => String, { description: 'Its name: `EQ.xml`, or that of the archive.' }) name: string;
  @Field(() => Int, { description: 'Its size in bytes.' }) size: number;
  @Field(() => String, { description: 'Its SHA-256, hexadecimal.' }) sha256: string;
}

/** FileRepresentation of the graph. */
@ObjectType('FileRepresentation', { description: 'One form of a published file.', simpleResolvers: true })
export class FileRepresentationType {
  @Field(() => FileViewEnum, { description: 'The form.' }) view: FileView;
  @Field(() => ContentEncodingEnum, { description: 'How its bytes are coded.' }) encoding: ContentEncoding;
  @Field(() => Int, { description: 'Its size in bytes, as coded.' }) size: number;
  @Field(() => String, { description: 'SHA-256 of the bytes as coded, hexadecimal.' }) sha256: string;
  @Field(() => String, {
    description:
      'A path inside the register from which the bytes can be read for at most a minute: for services of the register.',
  })
  address: string;
}

/** PublishedFile of the graph. */
@ObjectType('PublishedFile', { description: 'A published file with every form of it.', simpleResolvers: true })
export class PublishedFileType {
  @Field(() => String, { description: 'Its name: `EQ.xml`, or that of the archive.' }) name: string;
  @Field(() => DateTime, { description: 'When its version was published.' }) publishedAt: Date;
  @Field(() => [FileRepresentationType], { description: 'Its forms.' })
  representations: readonly FileRepresentationType[];
}
