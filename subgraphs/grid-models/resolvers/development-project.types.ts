import { ArgsType, Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { ProjectId, PublicationPeriod } from '../../../schema/scalars';
import type { PublicationPeriod as Period } from '../domain/publication-place';
import { PageArgs, connectionType } from '../../server/connection.types';

/** DevelopmentProject of the graph. */
@Directive('@key(fields: "id")')
@ObjectType('DevelopmentProject', {
  description: 'A development project, published in one cycle of a licence area.',
  simpleResolvers: true,
})
export class DevelopmentProjectType {
  @Field(() => ID, { description: 'Its internal id.' }) id: string;
  @Field(() => Int, { description: 'The year of the publication.' }) publicationYear: number;
  @Field(() => PublicationPeriod, { description: 'Its cycle in the year.' }) period: Period;
  @Field(() => ProjectId, { description: 'The identifier of the project.' }) projectId: string;
}

/** DevelopmentProjectConnection of the graph. */
export const DevelopmentProjectConnectionType = connectionType(
  'DevelopmentProject',
  'A page of the development projects, newest publication first.',
  () => DevelopmentProjectType,
);

/** Which page of the projects, and which of them. */
@ArgsType()
export class DevelopmentProjectArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'Code or alias of a licence area, in any case.',
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
  @Field(() => ProjectId, { nullable: true, defaultValue: null, description: 'Only projects of this identifier.' })
  projectId: string | null;
}
