import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { IdentityRecordKey, TokenRef } from '../../../schema/scalars';
import { type CallContext, MayCall, duidOf } from '../../server/callers/caller';
import { NotCheckable } from '../../server/graph/checked-mutations';
import { nullable } from '../../server/graph/decorator-options';
import { IdempotencyKey } from '../../server/graph/idempotency-key.types';
import type { IdentityRecordRepository } from '../records/identity-record.repository';
import type { ReidentificationRepository } from './reidentification.repository';
import type { OwnRecords } from '../records/own-records.repository';
import type * as domain from './reidentification';
import type { ReidentificationResponse } from './reidentification';
import type { ReidentificationInitiation } from './initiation.flow';
import type { RedemptionCheck } from './redeemed-tokens.client';
import {
  CrossReidentificationInput,
  OwnReidentificationInput,
  Reidentification,
  ReidentificationStatus,
} from './reidentification.types';

/** Sentence about repeats of a start. */
const MAILS_ONCE = 'A repeat mails nothing.';
const TOKEN_REF = { description: 'Reference of the re-identification.' } as const;

/** Start and status of re-identifications. */
@Resolver()
export class ReidentificationResolver {
  constructor(
    private readonly initiation: ReidentificationInitiation,
    private readonly reidentifications: ReidentificationRepository,
    private readonly records: IdentityRecordRepository,
    private readonly ownRecords: OwnRecords,
    private readonly checkRedemption: RedemptionCheck,
  ) {}

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('data_user', 'portal')
  @Mutation(() => Reidentification, {
    description:
      'Starts the re-identification of the customer at a meter point. The response does not disclose which Identity Record confirms it, or whose it is.',
  })
  reidentify(
    @Arg('input', () => CrossReidentificationInput, { description: 'Meter point and method.' })
    input: CrossReidentificationInput,
    @IdempotencyKey('24 hours', MAILS_ONCE) idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<ReidentificationResponse> {
    const { mpxn, method, redirectUrl, passkeyReturnUrl, state } = input;
    return this.initiation.byMpxn({ mpxn, method, redirectUrl, passkeyReturnUrl, state }, idempotencyKey, context);
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('data_user')
  @Mutation(() => Reidentification, {
    description: 'Starts the re-identification of the customer of an own Identity Record.',
  })
  reidentifyOwn(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Arg('input', () => OwnReidentificationInput, { description: 'The method.' }) input: OwnReidentificationInput,
    @IdempotencyKey('24 hours', MAILS_ONCE) idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<ReidentificationResponse> {
    const { method, redirectUrl, passkeyReturnUrl, state } = input;
    const request = { method, redirectUrl, passkeyReturnUrl, state };
    return this.initiation.ofOwnRecord(ref, request, idempotencyKey, context);
  }

  @MayCall('data_user', 'portal')
  @Query(
    () => ReidentificationStatus,
    nullable('A re-identification by meter point that the caller started; null when there is none.'),
  )
  async reidentification(
    @Arg('tokenRef', () => TokenRef, TOKEN_REF) tokenRef: string,
    @Ctx() context: CallContext,
  ): Promise<ReidentificationStatus | null> {
    const found = await this.reidentifications.byToken(tokenRef);
    if (found?.scope !== 'cross') return null;
    if (found.duid !== duidOf(context)) throw new RegisterError('PRM002');
    return statusOf(await this.checkRedemption(found, tokenRef, context));
  }

  @MayCall('data_user')
  @Query(
    () => ReidentificationStatus,
    nullable('A re-identification of an own Identity Record; null when there is none.'),
  )
  async ownReidentification(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Arg('tokenRef', () => TokenRef, TOKEN_REF) tokenRef: string,
    @Ctx() context: CallContext,
  ): Promise<ReidentificationStatus | null> {
    const record = await this.records.link(ref);
    if (!record) return null;
    await this.ownRecords.require(record, ref, context, 'reject-identity-read');
    const found = await this.reidentifications.byToken(tokenRef);
    if (found?.scope !== 'own' || found.recordId !== record.id) return null;
    return statusOf(await this.checkRedemption(found, tokenRef, context));
  }
}

function statusOf({ method, state, isClosed, confirmedAt }: domain.Reidentification): ReidentificationStatus {
  return { method, status: isClosed ? 'expired' : state, confirmedAt };
}
