import { Field, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import type { RecordSection, Transition, Version } from './record-history.queries';
import type { DataType } from '../../../schema/data-types';
import type { AccessState, LegalBasis, RevocationReason } from './access-record';
import type { TransitionCause } from './transitions';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { nullable, simple } from '../../server/graph/decorator-options';
import {
  AccessStateEnum,
  LegalBasisEnum,
  RecordSectionEnum,
  RevocationReasonEnum,
  TransitionCauseEnum,
} from './access-record.enums';
import { connectionType } from '../../server/lists/connection.types';

@ObjectType('AccessRecordTransition', simple('A state transition. It is never changed.'))
export class TransitionType implements Transition {
  @Field(() => DateTime, { description: 'Time of the transition.' }) at: Date;
  @Field(() => AccessStateEnum, nullable('Previous state; null at registration.')) from: AccessState | null;
  @Field(() => AccessStateEnum, { description: 'New state.' }) to: AccessState;
  @Field(() => TransitionCauseEnum, { description: 'Cause.' }) cause: TransitionCause;
  @Field(() => RevocationReasonEnum, nullable('Reason given on revocation.')) reason: RevocationReason | null;
}

/** A page of state transitions. */
export const TransitionConnectionType = connectionType(
  'AccessRecordTransition',
  'A page of a history, oldest first.',
  () => TransitionType,
);

@ObjectType('AccessRecordVersion', simple('A version of the content of a record; every version is stored.'))
class VersionType implements Version {
  @Field(() => Int, { description: 'Number, from 1.' }) version: number;
  @Field(() => DateTime, { description: 'Time at which it was recorded.' }) recordedAt: Date;
  @Field(() => LegalBasisEnum, nullable('Legal basis; null for a discovered access.')) legalBasis: LegalBasis | null;
  @Field(() => DateTime, nullable('Expiry.')) expiry: Date | null;
  @Field(() => String, nullable('Purpose; null for a discovered access.')) purpose: string | null;
  @Field(() => [DataTypeEnum], { description: 'Data types.' }) dataTypes: readonly DataType[];
  @Field(() => String, nullable('Name of the sole or lead controller.')) leadControllerName: string | null;
  @Field(() => [RecordSectionEnum], {
    description:
      'Sections whose content differs from the version before; empty for the first version that the caller can read.',
  })
  replacedSections: readonly RecordSection[];
}

/** A page of versions. */
export const VersionConnectionType = connectionType(
  'AccessRecordVersion',
  'A page of the versions of a record.',
  () => VersionType,
);
