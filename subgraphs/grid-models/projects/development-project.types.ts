import { ArgsType, Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime, ProjectId, PublicationPeriod } from '../../../schema/scalars';
import { PageArgs, connectionType } from '../../server/lists/connection.types';
import type { PublicationPeriod as Period } from '../publications/publication-key';
import type { LicenceArea } from './licence-areas';

@ObjectType('LicenceArea', { description: 'A licence area of a distribution network operator.', simpleResolvers: true })
export class LicenceAreaType implements LicenceArea {
  @Field(() => String, { description: 'Its code: the host label between `ltds.` and the next dot.' }) code: string;
  @Field(() => String, { description: 'The name of the area.' }) name: string;
  @Field(() => String, { description: 'The company, or the group of companies, that holds the licence.' })
  group: string;
  @Field(() => String, { description: 'The distributor identifier, two digits.' }) distributorId: string;
  @Field(() => String, { description: 'The GSP group, one letter.' }) gspGroup: string;
  @Field(() => [String], { description: 'Other codes that name the area.' }) aliases: readonly string[];
}

@Directive('@key(fields: "id")')
@ObjectType('DevelopmentProject', {
  description: 'A development project, published in one cycle of a licence area.',
  simpleResolvers: true,
})
export class DevelopmentProjectType {
  @Field(() => ID, { description: 'Its internal id.' }) id: string;
  @Field(() => Int, { description: 'The year of the publication.' }) publicationYear: number;
  @Field(() => PublicationPeriod, { description: 'The publication cycle of the year.' }) period: Period;
  @Field(() => ProjectId, { description: 'The identifier of the project.' }) projectId: string;
}

/** Pages of development projects. */
export const DevelopmentProjectConnectionType = connectionType(
  'DevelopmentProject',
  'A page of the development projects, newest publication first.',
  () => DevelopmentProjectType,
);

/** Page and conditions of a list of development projects. */
@ArgsType()
export class DevelopmentProjectArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'Code or alias of a licence area, case-insensitive.',
  })
  area: string | null;
  @Field(() => Int, { nullable: true, defaultValue: null, description: 'Only publications of this year.' })
  publicationYear: number | null;
  @Field(() => PublicationPeriod, {
    nullable: true,
    defaultValue: null,
    description: 'Only publications of this cycle.',
  })
  period: Period | null;
  @Field(() => ProjectId, { nullable: true, defaultValue: null, description: 'Only projects with this identifier.' })
  projectId: string | null;
}

/** Identifies a development project. */
@ArgsType()
export class ProjectArgs {
  @Field(() => String, { description: 'Code or alias of the licence area, case-insensitive.' }) area: string;
  @Field(() => Int, { description: 'The year of the publication.' }) publicationYear: number;
  @Field(() => PublicationPeriod, { description: 'The publication cycle of the year.' }) period: Period;
  @Field(() => ProjectId, { description: 'The identifier of the project.' }) projectId: string;
}

@ObjectType('ProjectVersion', {
  description: 'A published archive of a development project. It never changes: a correction is a new version.',
  simpleResolvers: true,
})
export class ProjectVersionType {
  @Field(() => ID, { description: 'Its internal id.' }) id: string;
  @Field(() => Int, { description: 'Its number, from 1.' }) version: number;
  @Field(() => DateTime, { description: 'When the version was published.' }) publishedAt: Date;
  @Field(() => Int, {
    description:
      'Number of points whose location neither the version nor the base model at its publication states. They are missing from `locations`.',
  })
  unplacedPoints: number;
}

@ObjectType('ObjectClassCount', {
  description: 'Number of changed objects of a class, by kind of change.',
  simpleResolvers: true,
})
export class ObjectClassCountType {
  @Field(() => String, {
    description:
      'The prefixed class under which the objects are listed, stated or not; `rdf:Description` for objects whose class remains unknown.',
  })
  type: string;
  @Field(() => Int, { description: 'Objects that the version adds.' }) added: number;
  @Field(() => Int, { description: 'Objects that the version removes.' }) removed: number;
  @Field(() => Int, { description: 'Objects that the version changes.' }) changed: number;
}
