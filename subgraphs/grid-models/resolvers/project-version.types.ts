import { Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';

/** ProjectVersion of the graph. */
@ObjectType('ProjectVersion', {
  description: 'A published archive of a development project: a correction is a new version, none ever changes.',
  simpleResolvers: true,
})
export class ProjectVersionType {
  @Field(() => ID, { description: 'Its internal id.' }) id: string;
  @Field(() => Int, { description: 'Its number, from 1.' }) version: number;
  @Field(() => DateTime, { description: 'When it was published.' }) publishedAt: Date;
  @Field(() => Int, {
    description: 'Points that it changes without saying of which location they are: none of `locations` has them.',
  })
  unplacedPoints: number;
}

/** ObjectClassCount of the graph. */
@ObjectType('ObjectClassCount', { description: 'What becomes of the objects of a class.', simpleResolvers: true })
export class ObjectClassCountType {
  @Field(() => String, { description: 'The class, prefixed; `rdf:Description` where it is not known.' }) type: string;
  @Field(() => Int, { description: 'New objects.' }) added: number;
  @Field(() => Int, { description: 'Objects that are there no more.' }) removed: number;
  @Field(() => Int, { description: 'Objects that are changed.' }) changed: number;
}
