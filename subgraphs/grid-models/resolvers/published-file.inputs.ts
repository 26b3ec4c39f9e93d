import { ArgsType, Field, Int } from 'type-graphql';
import { ProjectId, PublicationPeriod } from '../../../schema/scalars';
import type { CimFile } from '../domain/difference-model';
import type { PublicationPeriod as Period } from '../domain/publication-place';
import { CimFileEnum } from './grid-models.enums';

/** Where a development project is published. */
@ArgsType()
export class ProjectArgs {
  @Field(() => String, { description: 'Code or alias of the licence area, in any case.' }) area: string;
  @Field(() => Int, { description: 'The year of the publication.' }) publicationYear: number;
  @Field(() => PublicationPeriod, { description: 'Its cycle in the year.' }) period: Period;
  @Field(() => ProjectId, { description: 'The development project.' }) projectId: string;
}

/** Which version of which development project. */
@ArgsType()
export class VersionArgs extends ProjectArgs {
  @Field(() => Int, { description: 'Version of the archive, from 1.' }) version: number;
}

/** Which file of which version. */
@ArgsType()
export class FileArgs extends VersionArgs {
  @Field(() => CimFileEnum, { description: 'The file.' }) cimFile: CimFile;
}
