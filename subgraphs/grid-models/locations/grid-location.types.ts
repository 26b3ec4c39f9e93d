import { ArgsType, Field, Float, Int, ObjectType } from 'type-graphql';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import type { PageRequest } from '../../server/lists/connection';
import type { ObjectChangeKind } from '../changes/object-changes';
import { connectionType } from '../../server/lists/connection.types';
import { ObjectChangeKindEnum } from '../changes/object-change.resolver';

@ObjectType('GridPoint', simple('A `cim:PositionPoint` of a location.'))
class GridPointType {
  @Field(() => Int, nullable('Its sequence number in the location.')) sequence: number | null;
  @Field(() => Float, { description: '`xPosition`: longitude or easting.' }) x: number;
  @Field(() => Float, { description: '`yPosition`: latitude or northing.' }) y: number;
}

@ObjectType('GridLocation', {
  description:
    'A `cim:Location` of a version, with its points. It is CHANGED if the version changes only its points or single attributes.',
  simpleResolvers: true,
})
class GridLocationType {
  @Field(() => String, { description: 'mRID of the location.' }) mRID: string;
  @Field(() => ObjectChangeKindEnum, { description: 'Kind of the change.' }) kind: ObjectChangeKind;
  @Field(() => String, nullable('Name of the location; null if neither the version nor the base model states it.'))
  name: string | null;
  @Field(() => String, nullable('mRID of the power system resource at the location.')) object: string | null;
  @Field(
    () => String,
    nullable('Class of the power system resource; null if neither the version nor the base model has it.'),
  )
  objectType: string | null;
  @Field(
    () => String,
    nullable('Name of the power system resource; null if neither the version nor the base model states it.'),
  )
  objectName: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'mRID under which `ProjectVersion.object` has the change: that of the power system resource, or else of the location; null if the version changes only points.',
  })
  changedObject: string | null;
  @Field(
    () => String,
    nullable('URN of the coordinate system, or its mRID if neither the GL file nor the base model states a URN.'),
  )
  coordinateSystem: string | null;
  @Field(() => [GridPointType], {
    description:
      'The points that the version adds or moves, or else those that it deletes, by sequence number. Points that the version does not mention are missing.',
  })
  points: readonly GridPointType[];
  @Field(() => [GridPointType], {
    description: 'The points that the version deletes or moves, by sequence number: the position before the change.',
  })
  pointsBefore: readonly GridPointType[];
}

/** Pages of locations. */
export const GridLocationConnectionType = connectionType(
  'GridLocation',
  'A page of the locations of a version, ordered by mRID.',
  () => GridLocationType,
);

/** Page of a list of locations. */
@ArgsType()
export class GridLocationArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 500, description: 'Entries of the page, 1 to 5000.' })
  first: number;
  @Field(() => String, optional('Cursor after which the page starts.')) after: string | null;
}
