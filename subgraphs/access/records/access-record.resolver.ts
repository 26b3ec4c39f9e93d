import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Info, Int, Mutation, Query, Resolver } from 'type-graphql';
import { type Violation, throwViolations } from '../../../schema/register-error';
import { AccessKey } from '../../../schema/scalars';
import { type Actor, type CallContext, MayCall, actorOf, callerOf, duidOf } from '../../server/callers/caller';
import { withinLimit } from '../../server/callers/rate-limits';
import { clientNetwork } from '../../server/callers/resource-owner';
import { nullable } from '../../server/graph/decorator-options';
import { IdempotencyKey } from '../../server/graph/idempotency-key.types';
import { selectsField } from '../../server/graph/selected-field';
import { StoredAccessRecord } from './stored-access-record.queries';
import { type RevocationReason } from './access-record';
import { type StoredToken, tokenOf } from './access-record.repository';
import { registrationViolations } from './rules/registration-rules';
import { REJECTED_TOKEN } from '../identity-links/redeemed-token.repository';
import { RevocationReasonEnum } from './access-record.enums';
import { AccessRecordInputType } from './access-record.inputs';
import {
  AccessRecordConnectionType,
  AccessRecordListArgs,
  AllAccessRecordsArgs,
  AccessRecordRegistrationType,
  AccessRecordReplacementType,
  AccessRecordRevocationType,
} from './access-record.payloads';
import { AccessRecordType } from './access-record.types';
import { rejectAlias, rejectChange } from './change-rejection';
import type { RegistrationContext } from './rules/registration-rule';
import type { AccessDependencies } from '../dependencies';
import { selectsDocument, selectsKey } from './operation-records.queries';

const TOO_MANY_UNKNOWN_KEYS = 'Too many verifications of unknown keys from this network.';

/** Registration, verification, replacement, revocation and lists of access records (specification, Endpoints A). */
@Resolver(() => AccessRecordType)
export class AccessRecordResolver {
  constructor(private readonly dependencies: AccessDependencies) {}

  @MayCall('anyone')
  @Query(() => AccessRecordType, nullable('Verifies an access record: the access key is the credential.'))
  async accessRecord(
    @Arg('key', () => AccessKey, { description: 'The access key.' }) key: string,
    @Ctx() context: CallContext,
  ): Promise<StoredAccessRecord | null> {
    const record = await this.dependencies.records.byKey(key);
    const { limits, lookups } = this.dependencies;
    if (!record) await withinLimit(limits.verifyMisses, clientNetwork(context.clientAddress), TOO_MANY_UNKNOWN_KEYS);
    else lookups.verified(record.id, organisationAccountOf(context));
    return record;
  }

  @MayCall('data_user')
  @Query(() => AccessRecordConnectionType, { description: "The caller's own access records, newest first." })
  accessRecords(
    @Args(() => AccessRecordListArgs) args: AccessRecordListArgs,
    @Ctx() context: CallContext,
    @Info() info: GraphQLResolveInfo,
  ) {
    return this.page(duidOf(context), args, context, info);
  }

  @MayCall('admin', 'analyst')
  @Query(() => AccessRecordConnectionType, {
    description: 'The access records of all Data Users, or of one, newest first: for the back office.',
  })
  allAccessRecords(
    @Args(() => AllAccessRecordsArgs) args: AllAccessRecordsArgs,
    @Ctx() context: CallContext,
    @Info() info: GraphQLResolveInfo,
  ) {
    return this.page(args.duid, args, context, info);
  }

  @MayCall('data_user')
  @Mutation(() => AccessRecordRegistrationType, { description: 'Registers an access record.' })
  async registerAccessRecord(
    @Arg('input', () => AccessRecordInputType, { description: 'The record.' }) input: AccessRecordInputType,
    @IdempotencyKey('24 hours') idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<AccessRecordRegistrationType> {
    const actor = actorOf(context);
    const idempotent = this.dependencies.idempotency.request(
      actor.accountId,
      'registerAccessRecord',
      idempotencyKey,
      input,
    );
    // Without `replayable`: the clock is read at the same time as the stored response.
    const [stored, now] = await Promise.all([
      idempotent.findStoredResponse<StoredToken>(),
      this.dependencies.clock.now(),
    ]);
    if (stored) return { accessToken: tokenOf(stored), replayed: true };
    const violations = registrationViolations(input, this.ruleContext(actor, now));
    if (violations.length > 0) throwViolations([...violations, ...(await this.tokenViolations(input, context))]);
    const link = await this.dependencies.identities.vouchFor(input, actor.duid, context);
    const registered = await this.dependencies.records.register(actor, input, link, idempotent);
    return registered
      ? { accessToken: tokenOf(registered), replayed: false }
      : { accessToken: tokenOf(await idempotent.storedResponse()), replayed: true };
  }

  @MayCall('data_user')
  @Mutation(() => AccessRecordReplacementType, {
    description: 'Replaces the content of an ACTIVE record; every version is stored.',
  })
  async replaceAccessRecord(
    @Arg('key', () => AccessKey, { description: 'The access key; it does not change.' }) key: string,
    @Arg('input', () => AccessRecordInputType, { description: 'The whole new content.' }) input: AccessRecordInputType,
    @Arg('ifVersions', () => [Int], nullable('Only when the current version is one of these.'))
    ifVersions: number[] | null,
    @Ctx() context: CallContext,
  ): Promise<AccessRecordReplacementType> {
    const actor = actorOf(context);
    const [record, now] = await Promise.all([this.dependencies.records.byKey(key), this.dependencies.clock.now()]);
    const own = record?.row.duid === actor.duid ? record : null;
    // For a record of another Data User, or none, the reference is compared with itself, so that violations disclose nothing about its link.
    const identityRecordRef = own ? own.row.identity_record_ref : (input.recordMetadata.identityRecordRef ?? null);
    throwViolations(registrationViolations(input, this.ruleContext(actor, now, { identityRecordRef })));
    const replaced = await this.dependencies.records.replace(actor, key, input, ifVersions ?? null);
    if (!replaced)
      return rejectChange(await this.dependencies.records.byKey(key), actor.duid, input.processing.legalBasis);
    return { accessToken: { key, expiry: replaced.expiry }, version: replaced.version };
  }

  @MayCall('data_user', 'portal')
  @Mutation(() => AccessRecordRevocationType, {
    description:
      'Revokes an ACTIVE record; nothing is deleted. A portal withdraws consent, by the alias from its list.',
  })
  async revokeAccessRecord(
    @Arg('key', () => AccessKey, { description: 'The access key, or the alias of a portal.' }) key: string,
    @Arg('reason', () => RevocationReasonEnum, nullable('Why the access ends.')) reason: RevocationReason | null,
    @Arg('ifVersions', () => [Int], nullable('Only when the current version is one of these.'))
    ifVersions: number[] | null,
    @Ctx() context: CallContext,
  ): Promise<AccessRecordRevocationType> {
    const actor = actorOf(context);
    if (callerOf(context).role === 'portal') return this.withdrawByAlias(actor, key, reason, ifVersions);
    const revokedAt = await this.dependencies.records.revoke(actor, key, reason ?? null, ifVersions ?? null);
    return revokedAt ? { ak: key, revokedAt } : rejectChange(await this.dependencies.records.byKey(key), actor.duid);
  }

  /** Returns a page of the records of a Data User, or of all. */
  private page(duid: string | null, args: AccessRecordListArgs, context: CallContext, info: GraphQLResolveInfo) {
    const { state, legalBasis } = args;
    const { accountId, role } = callerOf(context);
    const filter = { duid, meterPointId: null, state, legalBasis };
    const page = {
      ...args,
      withVersions: selectsField(info, 'versions'),
      withDocument: selectsDocument(info),
      withKey: role === 'data_user' && selectsKey(info),
      isForBackOffice: role !== 'data_user',
    };
    return this.dependencies.recordQueries.page(filter, page, accountId);
  }

  /**
   * Returns VAL009 if no registration can redeem the token of an input: one that breaks other rules reports all violations. A token beside an
   * Identity Record is not checked (VAL005).
   */
  private async tokenViolations(
    { recordMetadata, reidentificationToken: token }: AccessRecordInputType,
    context: CallContext,
  ): Promise<Violation[]> {
    if (token == null || recordMetadata.identityRecordRef != null) return [];
    const { proofs, redeemedTokens } = this.dependencies;
    const [proof, isRedeemed] = await Promise.all([proofs(token, context), redeemedTokens.has(token)]);
    return proof?.isConfirmed === true && !isRedeemed ? [] : [REJECTED_TOKEN];
  }

  private async withdrawByAlias(
    { accountId }: Actor,
    alias: string,
    reason: RevocationReason | null,
    ifVersions: number[] | null,
  ): Promise<AccessRecordRevocationType> {
    const { portals } = this.dependencies;
    const revokedAt = await portals.withdraw(accountId, alias, reason ?? 'customer-request', ifVersions ?? null);
    return revokedAt ? { ak: alias, revokedAt } : rejectAlias(await portals.stateOf(accountId, alias));
  }

  private ruleContext(
    { duid }: Actor,
    now: Date,
    replaces?: { identityRecordRef: string | null },
  ): RegistrationContext {
    return { duid, production: this.dependencies.production, now, ...(replaces ? { replaces } : {}) };
  }
}

/** Account of the calling organisation; null for a customer, for the consumer of a supplier, and without a valid bearer token. */
function organisationAccountOf({ caller }: CallContext): string | null {
  return caller === null || ['customer', 'consumer'].includes(caller.role) ? null : caller.accountId;
}
