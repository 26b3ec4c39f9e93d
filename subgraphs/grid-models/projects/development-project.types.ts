import { ArgsType, Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime, ProjectId, PublicationPeriod } from '../../../schema/scalars';
import { optional, simple } from '../../server/graph/decorator-options';
import { PageArgs, connectionType } from '../../server/lists/connection.types';
import type { PublicationPeriod as Period } from '../publications/publication-key';
import type { LicenceArea } from './licence-areas';

@ObjectType('LicenceArea', simple('A licence area of a distribution network operator.'))
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
@ObjectType('DevelopmentProject', simple('A development project, published in one cycle of a licence area.'))
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
  @Field(() => String, optional('Code or alias of a licence area, case-insensitive.')) area: string | null;
  @Field(() => Int, optional('Only publications of this year.')) publicationYear: number | null;
  @Field(() => PublicationPeriod, optional('Only publications of this cycle.')) period: Period | null;
  @Field(() => ProjectId, optional('Only projects with this identifier.')) projectId: string | null;
}

/** Identifies a development project. */
@ArgsType()
export class ProjectArgs {
  @Field(() => String, { description: 'Code or alias of the licence area, case-insensitive.' }) area: string;
  @Field(() => Int, { description: 'The year of the publication.' }) publicationYear: number;
  @Field(() => PublicationPeriod, { description: 'The publication cycle of the year.' }) period: Period;
  @Field(() => ProjectId, { description: 'The identifier of the project.' }) projectId: string;
}

@ObjectType(
  'ProjectVersion',
  simple('A published archive of a development project. It never changes: a correction is a new version.'),
)
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

@ObjectType('ObjectClassCount', simple('Number of changed objects of a class, by kind of change.'))
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
