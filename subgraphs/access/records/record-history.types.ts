import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import type { PageRequest } from '../../server/lists/connection';
import type { RecordSection, Transition, Version } from './record-history.queries';
import type { AccessState, DataType, LegalBasis, RevocationReason } from './access-record';
import type { TransitionCause } from './transitions';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import {
  AccessStateEnum,
  LegalBasisEnum,
  RecordSectionEnum,
  RevocationReasonEnum,
  TransitionCauseEnum,
} from './access-record.enums';
import { connectionType } from '../../server/lists/connection.types';

/** Arguments of a page of history. */
@ArgsType()
export class RecordHistoryArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'Entries of the page, 1 to 100.' }) first: number;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Cursor after which the page starts.' })
  after: string | null;
}

/** Arguments of a page of versions. */
@ArgsType()
export class RecordVersionArgs extends RecordHistoryArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Whether the page starts with the present version.' })
  newestFirst: boolean;
}

@ObjectType('AccessRecordTransition', {
  description: 'A state transition. It is never changed.',
  simpleResolvers: true,
})
export class TransitionType implements Transition {
  @Field(() => DateTime, { description: 'Time of the transition.' }) at: Date;
  @Field(() => AccessStateEnum, { nullable: true, description: 'Previous state; null at registration.' })
  from: AccessState | null;
  @Field(() => AccessStateEnum, { description: 'New state.' }) to: AccessState;
  @Field(() => TransitionCauseEnum, { description: 'Cause.' }) cause: TransitionCause;
  @Field(() => RevocationReasonEnum, { nullable: true, description: 'Reason given on revocation.' })
  reason: RevocationReason | null;
}

/** A page of state transitions. */
export const TransitionConnectionType = connectionType(
  'AccessRecordTransition',
  'A page of a history, oldest first.',
  () => TransitionType,
);

@ObjectType('AccessRecordVersion', {
  description: 'A version of the content of a record; every version is stored.',
  simpleResolvers: true,
})
class VersionType implements Version {
  @Field(() => Int, { description: 'Number, from 1.' }) version: number;
  @Field(() => DateTime, { description: 'Time at which it was recorded.' }) recordedAt: Date;
  @Field(() => LegalBasisEnum, { nullable: true, description: 'Legal basis; null for a discovered access.' })
  legalBasis: LegalBasis | null;
  @Field(() => DateTime, { nullable: true, description: 'Expiry.' }) expiry: Date | null;
  @Field(() => String, { nullable: true, description: 'Purpose; null for a discovered access.' }) purpose:
    string | null;
  @Field(() => [DataTypeEnum], { description: 'Data types.' }) dataTypes: readonly DataType[];
  @Field(() => String, { nullable: true, description: 'Name of the sole or lead controller.' })
  leadControllerName: string | null;
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
