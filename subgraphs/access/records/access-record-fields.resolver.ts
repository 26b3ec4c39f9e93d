import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { AccessKey } from '../../../schema/scalars';
import { type CallContext, callerOf, requireAmong } from '../../server/callers/caller';
import { nullable } from '../../server/graph/decorator-options';
import type { Connection } from '../../server/lists/connection';
import { HistoryArgs, VersionArgs } from '../../server/lists/connection.types';
import type { DirectoryEntry } from '../accounts/data-user.repository';
import { DIRECTORY_READERS, DataUserType } from '../accounts/data-user.resolver';
import type { AccessDependencies } from '../dependencies';
import { isOwner } from './access-record';
import { AccessEventType, AccessRecordType, IdentityRecordReference, RecordMetadataType } from './access-record.types';
import type { Transition, Version } from './record-history.queries';
import { TransitionConnectionType, VersionConnectionType } from './record-history.types';
import type { AccessRecordRepository } from './access-record.repository';
import type { StoredAccessRecord } from './stored-access-record.queries';

/** Fields of an access record that depend on the caller, or are read only if selected. */
@Resolver(() => AccessRecordType)
export class AccessRecordFieldsResolver {
  constructor(private readonly dependencies: Pick<AccessDependencies, 'records' | 'dataUsers' | 'history'>) {}

  @FieldResolver(
    () => AccessKey,
    nullable('The access key, for its registrant only. Portals receive an alias that expires after one hour.'),
  )
  ak(@Root() record: StoredAccessRecord, @Ctx() context: CallContext): string {
    return disclosedKey(record, context, this.dependencies.records);
  }

  @FieldResolver(
    () => DataUserType,
    nullable('The Data User that registered it: for callers who may read the directory.'),
  )
  async dataUser(@Root() { row }: StoredAccessRecord, @Ctx() context: CallContext): Promise<DirectoryEntry | null> {
    requireAmong(DIRECTORY_READERS, callerOf(context));
    return row.duid === null ? null : this.dependencies.dataUsers.byDuid(row.duid);
  }

  @FieldResolver(
    () => IdentityRecordReference,
    nullable('The linked Identity Record, for its own Data User only; null if a re-identification linked it.'),
  )
  identityRecord(@Root() { row }: StoredAccessRecord, @Ctx() context: CallContext): IdentityRecordReference | null {
    if (context.caller === null) throw new RegisterError('AUT001');
    if (!isOwner(context.caller, row.duid)) throw new RegisterError('PRM002');
    const isLinkedByOwner = row.identity_record_ref !== null && row.identity_record_id !== null;
    return isLinkedByOwner ? { id: row.identity_record_id as string } : null;
  }

  @FieldResolver(
    () => TransitionConnectionType,
    nullable('Every state change, oldest first: for the owner, the customer and the back office.'),
  )
  transitions(
    @Root() { row, customerSince }: StoredAccessRecord,
    @Args(() => HistoryArgs) page: HistoryArgs,
    @Ctx() context: CallContext,
  ): Promise<Connection<Transition>> {
    if (customerSince === null) mayReadHistory(row.duid, context);
    return this.dependencies.history.transitions(row.id, page);
  }

  @FieldResolver(() => VersionConnectionType, {
    nullable: true,
    description:
      'Every version of the content: for the owner and the back office. For the customer: those that applied during the occupancy.',
  })
  versions(
    @Root() { row, customerSince }: StoredAccessRecord,
    @Args(() => VersionArgs) page: VersionArgs,
    @Ctx() context: CallContext,
  ): Promise<Connection<Version>> {
    if (customerSince === null) mayReadHistory(row.duid, context);
    return this.dependencies.history.versions(row.id, { ...page, since: customerSince });
  }
}

/** The record identifier, which is the access key. */
@Resolver(() => RecordMetadataType)
export class RecordMetadataResolver {
  constructor(private readonly records: AccessRecordRepository) {}

  @FieldResolver(() => AccessKey, nullable('The access key: for its registrant, and for a caller that supplied it.'))
  recordIdentifier(@Root() { record }: { record: StoredAccessRecord }, @Ctx() context: CallContext): string {
    return disclosedKey(record, context, this.records);
  }
}

/** The Data User's reference to its customer; it is decrypted only if selected. */
@Resolver(() => AccessEventType)
export class AccessEventResolver {
  constructor(private readonly records: Pick<AccessRecordRepository, 'referenceOf'>) {}

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The Controller's internal reference; null after the customer was anonymised. In lists only the Data User of the record reads it, and the customer to whose verified Identity Record it is linked: no customer for a consent of Interface B. In a verification it is null for a consent of Interface B, except for its Data User.",
  })
  controllerReference(
    @Root() { record }: { record: StoredAccessRecord },
    @Ctx() { caller }: CallContext,
  ): Promise<string | null> | string | null {
    const { is_legacy: isLegacy, duid } = record.row;
    const isShown = !isLegacy || (caller !== null && isOwner(caller, duid));
    return isShown ? this.records.referenceOf(record) : null;
  }
}

/**
 * Returns the access key or alias with which the caller addressed the record, else the access key for its owner. Throws AUT001 without a
 * caller, PRM002 for a caller that is not the owner.
 */
function disclosedKey(record: StoredAccessRecord, { caller }: CallContext, records: AccessRecordRepository): string {
  if (record.suppliedKey !== null) return record.suppliedKey;
  if (caller === null) throw new RegisterError('AUT001');
  if (!isOwner(caller, record.row.duid) || caller.role !== 'data_user') throw new RegisterError('PRM002');
  return records.keyOf(record);
}

function mayReadHistory(duid: string | null, context: CallContext): void {
  const caller = callerOf(context);
  const { role } = caller;
  if (!isOwner(caller, duid) && role !== 'admin' && role !== 'analyst') throw new RegisterError('PRM002');
}
