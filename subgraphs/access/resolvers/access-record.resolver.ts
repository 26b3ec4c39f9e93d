import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { RegisterError, refuse } from '../../../schema/register-error';
import { AccessKey } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf, requireAmong } from '../../server/caller';
import { clientNetwork, withinLimit } from '../../server/rate-limits';
import type { DirectoryEntry } from '../database/data-user.repository';
import type { AccessRecordRepository, Actor } from '../database/access-record.repository';
import { StoredAccessRecord } from '../database/stored-access-record';
import type { RevocationReason } from '../domain/access-record';
import { isOwner } from '../domain/ownership';
import { type RegistrationFacts, registrationViolations } from '../domain/registration-rules';
import type { AccessParts } from '../schema';
import { RevocationReasonEnum } from './access-record.enums';
import { AccessRecordInputType } from './access-record.inputs';
import {
  AccessRecordConnectionType,
  AccessRecordListArgs,
  AccessRecordRegistrationType,
  AccessRecordReplacementType,
  AccessRecordRevocationType,
} from './access-record.payloads';
import { AccessRecordType, IdentityRecordReference } from './access-record.types';
import { DIRECTORY_READERS } from './data-user.resolver';
import { DataUserType } from './data-user.types';
import { RecordHistoryArgs, TransitionConnectionType, VersionConnectionType } from './record-history.types';
import { refuseAlias, refuseChange } from './refuse-change';

/** Registers, verifies, replaces, revokes and lists access records (1-specification.md, Endpoints A; 2-decisions-a-b.md, section 3). */
@Resolver(() => AccessRecordType)
export class AccessRecordResolver {
  constructor(private readonly parts: AccessParts) {}

  @MayCall('anyone')
  @Query(() => AccessRecordType, {
    nullable: true,
    description: 'Verifies an access record: the access key is the credential.',
  })
  async accessRecord(
    @Arg('key', () => AccessKey, { description: 'The access key.' }) key: string,
    @Ctx() context: CallContext,
  ): Promise<StoredAccessRecord | null> {
    const record = await this.parts.records.byKey(key);
    if (!record) await withinLimit(this.parts.limits.verifyMisses, clientNetwork(context.clientAddress));
    else this.parts.looks.verified(record.id, organisationOf(context));
    return record;
  }

  @MayCall('data_user')
  @Query(() => AccessRecordConnectionType, { description: "The caller's own access records, newest first." })
  accessRecords(@Args(() => AccessRecordListArgs) args: AccessRecordListArgs, @Ctx() context: CallContext) {
    const { state, legalBasis } = args;
    const filter = { duid: duidOf(context), meterPointId: null, state, legalBasis };
    return this.parts.lists.page(filter, args, callerOf(context).accountId);
  }

  @MayCall('admin', 'analyst')
  @Query(() => AccessRecordConnectionType, {
    description: 'The access records of all Data Users, newest first: for the back office.',
  })
  allAccessRecords(@Args(() => AccessRecordListArgs) args: AccessRecordListArgs, @Ctx() context: CallContext) {
    const { state, legalBasis } = args;
    const filter = { duid: null, meterPointId: null, state, legalBasis };
    return this.parts.lists.page(filter, args, callerOf(context).accountId);
  }

  @MayCall('data_user')
  @Mutation(() => AccessRecordRegistrationType, { description: 'Registers an access record.' })
  async registerAccessRecord(
    @Arg('input', () => AccessRecordInputType, { description: 'The record.' }) input: AccessRecordInputType,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      description: 'Makes a repeat give the same answer, for 24 hours.',
    })
    idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<AccessRecordRegistrationType> {
    const actor = actorOf(context);
    const idempotent = this.parts.idempotency.request(
      actor.accountId,
      'registerAccessRecord',
      idempotencyKey ?? null,
      input,
    );
    const [kept, now] = await Promise.all([this.parts.records.recallKept(idempotent), this.parts.clock.now()]);
    if (kept) return { accessToken: kept, replayed: true };
    refuse(registrationViolations(input, this.facts(actor, now)));
    const link = await this.parts.identities.vouchFor(input, actor.duid, context);
    const registered = await this.parts.records.register(actor, input, link, idempotent);
    return registered
      ? { accessToken: registered, replayed: false }
      : { accessToken: await this.parts.records.recall(idempotent), replayed: true };
  }

  @MayCall('data_user')
  @Mutation(() => AccessRecordReplacementType, {
    description: 'Replaces the content of an ACTIVE record; every version is kept.',
  })
  async replaceAccessRecord(
    @Arg('key', () => AccessKey, { description: 'The access key; it is kept.' }) key: string,
    @Arg('input', () => AccessRecordInputType, { description: 'The whole new content.' }) input: AccessRecordInputType,
    @Arg('ifVersions', () => [Int], { nullable: true, description: 'Only when the current version is one of these.' })
    ifVersions: number[] | null,
    @Ctx() context: CallContext,
  ): Promise<AccessRecordReplacementType> {
    const actor = actorOf(context);
    const [record, now] = await Promise.all([this.parts.records.byKey(key), this.parts.clock.now()]);
    const own = record?.row.duid === actor.duid ? record : null;
    // Another's record, or none, is judged by the reference in the input itself: the violations tell nothing of what it is linked to.
    const identityRecordRef = own ? own.row.identity_record_ref : (input.recordMetadata.identityRecordRef ?? null);
    refuse(registrationViolations(input, this.facts(actor, now, { identityRecordRef })));
    const replaced = await this.parts.records.replace(actor, key, input, ifVersions ?? null);
    if (!replaced) return refuseChange(await this.parts.records.byKey(key), actor.duid, input.processing.legalBasis);
    return { accessToken: { key, expiry: replaced.expiry }, version: replaced.version };
  }

  @MayCall('data_user', 'portal')
  @Mutation(() => AccessRecordRevocationType, {
    description:
      'Revokes an ACTIVE record; nothing is deleted. A portal withdraws consent, by the alias from its list.',
  })
  async revokeAccessRecord(
    @Arg('key', () => AccessKey, { description: 'The access key, or the alias of a portal.' }) key: string,
    @Arg('reason', () => RevocationReasonEnum, { nullable: true, description: 'Why the access ends.' })
    reason: RevocationReason | null,
    @Arg('ifVersions', () => [Int], { nullable: true, description: 'Only when the current version is one of these.' })
    ifVersions: number[] | null,
    @Ctx() context: CallContext,
  ): Promise<AccessRecordRevocationType> {
    const actor = actorOf(context);
    if (callerOf(context).role === 'portal') return this.withdrawByAlias(actor, key, reason, ifVersions);
    const revokedAt = await this.parts.records.revoke(actor, key, reason ?? null, ifVersions ?? null);
    return revokedAt ? { ak: key, revokedAt } : refuseChange(await this.parts.records.byKey(key), actor.duid);
  }

  @FieldResolver(() => AccessKey, {
    nullable: true,
    description: 'The access key, for its registrant only; an alias that lives one hour, for a portal.',
  })
  ak(@Root() record: StoredAccessRecord, @Ctx() context: CallContext): string {
    return disclosedKey(record, context, this.parts.records);
  }

  @FieldResolver(() => DataUserType, {
    nullable: true,
    description: 'The Data User that registered it: for callers who may read the directory.',
  })
  async dataUser(@Root() { row }: StoredAccessRecord, @Ctx() context: CallContext): Promise<DirectoryEntry | null> {
    requireAmong(DIRECTORY_READERS, callerOf(context));
    return row.duid === null ? null : this.parts.dataUsers.byDuid(row.duid);
  }

  @FieldResolver(() => IdentityRecordReference, {
    nullable: true,
    description: 'The linked Identity Record: for its own Data User only.',
  })
  identityRecord(@Root() { row }: StoredAccessRecord, @Ctx() context: CallContext): IdentityRecordReference | null {
    if (context.caller === null) throw new RegisterError('AUT001');
    if (!isOwner(context.caller, row.duid)) throw new RegisterError('PRM002');
    const linkedByOwner = row.identity_record_ref !== null && row.identity_record_id !== null;
    return linkedByOwner ? { id: row.identity_record_id as string } : null;
  }

  @FieldResolver(() => TransitionConnectionType, {
    description: 'Every state change, oldest first: for the owner, the customer and the back office.',
  })
  transitions(
    @Root() { row, isCustomers }: StoredAccessRecord,
    @Args(() => RecordHistoryArgs) page: RecordHistoryArgs,
    @Ctx() context: CallContext,
  ): Promise<TransitionConnectionType> {
    if (!isCustomers) mayReadHistory(row.duid, context);
    return this.parts.history.transitions(row.id, page);
  }

  @FieldResolver(() => VersionConnectionType, {
    description: 'Every version of the content, oldest first: for the owner and the back office.',
  })
  versions(
    @Root() { row }: StoredAccessRecord,
    @Args(() => RecordHistoryArgs) page: RecordHistoryArgs,
    @Ctx() context: CallContext,
  ): Promise<VersionConnectionType> {
    mayReadHistory(row.duid, context);
    return this.parts.history.versions(row.id, page);
  }

  private async withdrawByAlias(
    { accountId }: Actor,
    alias: string,
    reason: RevocationReason | null,
    ifVersions: number[] | null,
  ): Promise<AccessRecordRevocationType> {
    const { portals } = this.parts;
    const revokedAt = await portals.withdraw(accountId, alias, reason ?? 'customer-request', ifVersions ?? null);
    return revokedAt ? { ak: alias, revokedAt } : refuseAlias(await portals.stateOf(accountId, alias));
  }

  private facts({ duid }: Actor, now: Date, replaces?: { identityRecordRef: string | null }): RegistrationFacts {
    return { duid, production: this.parts.production, now, ...(replaces ? { replaces } : {}) };
  }
}

function actorOf(context: CallContext): Actor {
  return { accountId: callerOf(context).accountId, duid: duidOf(context) };
}

/** The account of an organisation that asks; null for a customer, and without a valid bearer token. */
function organisationOf({ caller }: CallContext): string | null {
  return caller === null || caller.role === 'customer' ? null : caller.accountId;
}

/** The access key of a record: given by the caller, or the caller's own. */
export function disclosedKey(
  record: StoredAccessRecord,
  { caller }: CallContext,
  records: AccessRecordRepository,
): string {
  if (record.givenKey !== null) return record.givenKey;
  if (caller === null) throw new RegisterError('AUT001');
  if (!isOwner(caller, record.row.duid) || caller.role !== 'data_user') throw new RegisterError('PRM002');
  return records.keyOf(record);
}

function mayReadHistory(duid: string | null, context: CallContext): void {
  const caller = callerOf(context);
  const { role } = caller;
  if (!isOwner(caller, duid) && role !== 'admin' && role !== 'analyst') throw new RegisterError('PRM002');
}
