import { ArgsType, Field, Float, Int, ObjectType } from 'type-graphql';
import type { PageRequest } from '../../server/connection';
import type { ObjectChangeKind } from '../domain/object-changes';
import { connectionType } from '../../server/connection.types';
import { ObjectChangeKindEnum } from './grid-models.enums';

/** GridPoint of the graph. */
@ObjectType('GridPoint', { description: 'A cim:PositionPoint.', simpleResolvers: true })
export class GridPointType {
  @Field(() => Int, { nullable: true, description: 'Its place among the points of the location.' }) sequence:
    number | null;
  @Field(() => Float, { description: 'xPosition: the longitude or easting.' }) x: number;
  @Field(() => Float, { description: 'yPosition: the latitude or northing.' }) y: number;
}

/** GridLocation of the graph. */
@ObjectType('GridLocation', {
  description:
    'A cim:Location of a version, with its points. One of which the version changes nothing but the points, or single attributes, is CHANGED.',
  simpleResolvers: true,
})
export class GridLocationType {
  @Field(() => String, { description: 'The location.' }) mRID: string;
  @Field(() => ObjectChangeKindEnum, { description: 'What becomes of it.' }) kind: ObjectChangeKind;
  @Field(() => String, { nullable: true, description: 'Its own name; null where the version does not say it.' })
  name: string | null;
  @Field(() => String, { nullable: true, description: 'mRID of the power system resource that is there.' })
  object: string | null;
  @Field(() => String, { nullable: true, description: 'Its class; null where the version says nothing of it.' })
  objectType: string | null;
  @Field(() => String, { nullable: true, description: 'Its name; null where the version does not say it.' })
  objectName: string | null;
  @Field(() => String, { nullable: true, description: 'URN of the coordinate system, else its mRID.' })
  coordinateSystem: string | null;
  @Field(() => [GridPointType], {
    description:
      'Its points in their order, as far as the version says them: those that come, or those that go where none come.',
  })
  points: readonly GridPointType[];
  @Field(() => [GridPointType], {
    description: 'The points that go, in their order: where it was before, as far as the version says it.',
  })
  pointsBefore: readonly GridPointType[];
}

/** GridLocationConnection of the graph. */
export const GridLocationConnectionType = connectionType(
  'GridLocation',
  'A page of the locations of a version, in the order of mRIDs.',
  () => GridLocationType,
);

/** Which page of the locations of a version. */
@ArgsType()
export class GridLocationArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 500, description: 'Entries of the page, 1 to 5000.' })
  first: number;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Cursor after which the page begins.' })
  after: string | null;
}
