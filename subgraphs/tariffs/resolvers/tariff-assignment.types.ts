import { Field, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { connectionType } from '../../server/connection.types';
import type { StoredStep } from '../database/tariff-steps';

/** TariffAssignment of the graph. */
@ObjectType('TariffAssignment', {
  description: 'From when which tariff applies to an MPxN, until the next assignment.',
  simpleResolvers: true,
})
export class TariffAssignmentType implements Pick<StoredStep, 'mpxn' | 'recordedAt'> {
  @Field(() => String, { description: 'The MPxN.' }) mpxn: string;
  @Field(() => DateTime, { description: 'When this was recorded.' }) recordedAt: Date;
}

/** TariffAssignmentConnection of the graph. */
export const TariffAssignmentConnectionType = connectionType(
  'TariffAssignment',
  'A page of the assignments of an MPxN, the last one first.',
  () => TariffAssignmentType,
);
