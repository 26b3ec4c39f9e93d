import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { IdentityRecordKey, TokenRef } from '../../../schema/scalars';
import { type CallContext, MayCall, duidOf } from '../../server/caller';
import type { IdentityRecordRepository } from '../database/identity-record.repository';
import type { ReidentificationRepository } from '../database/reidentification.repository';
import { isOwnedBy } from '../domain/ownership';
import type * as domain from '../domain/reidentification';
import type { ReidentificationAnswer } from '../domain/started-reidentification';
import type { ReidentificationInitiation } from '../reidentification/initiation';
import type { Unredeemed } from '../reidentification/redeemed-tokens';
import {
  CrossReidentificationInput,
  OwnReidentificationInput,
  Reidentification,
  ReidentificationStatus,
} from './reidentification.types';

const IDEMPOTENCY_KEY = {
  nullable: true,
  defaultValue: null,
  description:
    'Makes a repeated request safe for 24 hours: the same key and input are answered the same, nothing is mailed again.',
} as const;
const TOKEN_REF = { description: 'Reference of the re-identification.' } as const;

/** Re-identifications: starting them, and asking how far they have come. */
@Resolver()
export class ReidentificationResolver {
  constructor(
    private readonly initiation: ReidentificationInitiation,
    private readonly reidentifications: ReidentificationRepository,
    private readonly records: IdentityRecordRepository,
    private readonly unredeemed: Unredeemed,
  ) {}

  @MayCall('data_user', 'portal')
  @Mutation(() => Reidentification, {
    description:
      'Starts the re-identification of the customer at a meter point. Which Identity Record confirms it, and whose it is, is never told.',
  })
  reidentify(
    @Arg('input', () => CrossReidentificationInput, { description: 'Meter point and method.' })
    input: CrossReidentificationInput,
    @Arg('idempotencyKey', () => String, IDEMPOTENCY_KEY) idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<ReidentificationAnswer> {
    const { mpxn, method, redirectUrl, passkeyReturnUrl, state } = input;
    return this.initiation.byMpxn({ mpxn, method, redirectUrl, passkeyReturnUrl, state }, idempotencyKey, context);
  }

  @MayCall('data_user')
  @Mutation(() => Reidentification, {
    description: 'Starts the re-identification of the customer of an own Identity Record.',
  })
  reidentifyOwn(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Arg('input', () => OwnReidentificationInput, { description: 'The method.' }) input: OwnReidentificationInput,
    @Arg('idempotencyKey', () => String, IDEMPOTENCY_KEY) idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<ReidentificationAnswer> {
    const { method, redirectUrl, passkeyReturnUrl, state } = input;
    const request = { method, redirectUrl, passkeyReturnUrl, state };
    return this.initiation.ofOwnRecord(ref, request, idempotencyKey, context);
  }

  @MayCall('data_user', 'portal')
  @Query(() => ReidentificationStatus, {
    nullable: true,
    description: 'A re-identification by meter point that the caller started; null when there is none.',
  })
  async reidentification(
    @Arg('tokenRef', () => TokenRef, TOKEN_REF) tokenRef: string,
    @Ctx() context: CallContext,
  ): Promise<ReidentificationStatus | null> {
    const found = await this.reidentifications.byToken(tokenRef);
    if (found?.scope !== 'cross') return null;
    if (found.duid !== duidOf(context)) throw new RegisterError('PRM002');
    return statusOf(await this.unredeemed(found, tokenRef, context));
  }

  @MayCall('data_user')
  @Query(() => ReidentificationStatus, {
    nullable: true,
    description: 'A re-identification of an own Identity Record; null when there is none.',
  })
  async ownReidentification(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Arg('tokenRef', () => TokenRef, TOKEN_REF) tokenRef: string,
    @Ctx() context: CallContext,
  ): Promise<ReidentificationStatus | null> {
    const record = await this.records.link(ref);
    if (!record) return null;
    if (!isOwnedBy(record, duidOf(context))) throw new RegisterError('PRM002');
    const found = await this.reidentifications.byToken(tokenRef);
    if (found?.scope !== 'own' || found.recordId !== record.id) return null;
    return statusOf(await this.unredeemed(found, tokenRef, context));
  }
}

function statusOf({ method, state: status, confirmedAt }: domain.Reidentification): ReidentificationStatus {
  return { method, status, confirmedAt };
}
