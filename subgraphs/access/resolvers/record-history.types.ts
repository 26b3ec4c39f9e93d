import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import type { PageRequest } from '../../server/connection';
import type { Transition, Version } from '../database/record-history';
import type { AccessState, LegalBasis, RevocationReason } from '../domain/access-record';
import type { TransitionCause } from '../domain/state-transitions';
import { AccessStateEnum, LegalBasisEnum, RevocationReasonEnum, TransitionCauseEnum } from './access-record.enums';
import { PageInfoType } from '../../server/page-info.types';

/** Which page of a history. */
@ArgsType()
export class RecordHistoryArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'Entries of the page, 1 to 100.' }) first: number;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Cursor after which the page begins.' })
  after: string | null;
}

@ObjectType('AccessRecordTransition', {
  description: 'A state change; nothing of it is ever rewritten.',
  simpleResolvers: true,
})
export class TransitionType implements Transition {
  @Field(() => DateTime, { description: 'When.' }) at: Date;
  @Field(() => AccessStateEnum, { nullable: true, description: 'State before; null at registration.' })
  from: AccessState | null;
  @Field(() => AccessStateEnum, { description: 'State after.' }) to: AccessState;
  @Field(() => TransitionCauseEnum, { description: 'Cause.' }) cause: TransitionCause;
  @Field(() => RevocationReasonEnum, { nullable: true, description: 'Reason given on revocation.' })
  reason: RevocationReason | null;
}

@ObjectType('AccessRecordTransitionEdge', { description: 'A state change in a list.', simpleResolvers: true })
class TransitionEdgeType {
  @Field(() => String, { description: 'Where the entry stands.' }) cursor: string;
  @Field(() => TransitionType, { description: 'The entry.' }) node: TransitionType;
}

@ObjectType('AccessRecordTransitionConnection', {
  description: 'A page of a history, oldest first.',
  simpleResolvers: true,
})
export class TransitionConnectionType {
  @Field(() => [TransitionEdgeType], { description: 'Entries with their cursors.' })
  edges: readonly TransitionEdgeType[];
  @Field(() => [TransitionType], { description: 'Entries.' }) nodes: readonly TransitionType[];
  @Field(() => PageInfoType, { description: 'Where the page ends.' }) pageInfo: PageInfoType;
}

@ObjectType('AccessRecordVersion', {
  description: 'A version of the content of a record; every version is kept.',
  simpleResolvers: true,
})
class VersionType implements Version {
  @Field(() => Int, { description: 'Number, from 1.' }) version: number;
  @Field(() => DateTime, { description: 'When it was recorded.' }) recordedAt: Date;
  @Field(() => LegalBasisEnum, { nullable: true, description: 'Legal basis; null of what was discovered.' })
  legalBasis: LegalBasis | null;
  @Field(() => DateTime, { nullable: true, description: 'Expiry.' }) expiry: Date | null;
}

@ObjectType('AccessRecordVersionEdge', { description: 'A version in a list.', simpleResolvers: true })
class VersionEdgeType {
  @Field(() => String, { description: 'Where the entry stands.' }) cursor: string;
  @Field(() => VersionType, { description: 'The entry.' }) node: VersionType;
}

@ObjectType('AccessRecordVersionConnection', {
  description: 'A page of a history, oldest first.',
  simpleResolvers: true,
})
export class VersionConnectionType {
  @Field(() => [VersionEdgeType], { description: 'Entries with their cursors.' }) edges: readonly VersionEdgeType[];
  @Field(() => [VersionType], { description: 'Entries.' }) nodes: readonly VersionType[];
  @Field(() => PageInfoType, { description: 'Where the page ends.' }) pageInfo: PageInfoType;
}
