import { RegisterError } from '../../../schema/register-error';
import { batched } from '../../server/database/batched';
import {
  MpxnsOfIdentityRecords,
  SourceReferenceOfChange as SourceReferenceQuery,
} from '../../../schema/generated/service-queries-to-identity';
import { ofThisService, querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';

/**
 * Returns the MPxN of an Identity Record by its internal id; null once it is anonymised. Throws if the record cannot be decrypted, and
 * while `identity` is unavailable ({@link isIdentityUnavailable}).
 */
export type MpxnOfRecord = (identityRecordId: string) => Promise<string | null>;

/** Records per query, and concurrent queries. */
const BATCHES = { maxSize: 200, concurrency: 1 };

/** Returns a batched query to `identity`, which alone stores MPxNs. Caches nothing. */
export function mpxnsOfRecords(identity: SubgraphLink): MpxnOfRecord {
  const recordOf = batched(async (requested: readonly string[]) => {
    const ids = [...new Set(requested)];
    const { identityRecordMpxns } = await querySubgraph(
      identity,
      'access',
      MpxnsOfIdentityRecords,
      { ids },
      ofThisService(),
    );
    const records = new Map(ids.map((id, index) => [id, identityRecordMpxns[index]]));
    return requested.map((id) => records.get(id));
  }, BATCHES);
  return async (id) => {
    const record = await recordOf(id);
    if (record?.canBeOpened !== true) throw new Error('an Identity Record cannot be decrypted');
    return record.mpxn;
  };
}

/**
 * Returns the source reference of a Change of Tenancy; null once `identity` has erased it. Throws if it cannot be decrypted, and while
 * `identity` is unavailable ({@link isIdentityUnavailable}).
 */
export type SourceReferenceOfChange = (changeId: string) => Promise<string | null>;

/** Returns a query to `identity`, which alone stores source references. */
export function sourceReferencesOfChanges(identity: SubgraphLink): SourceReferenceOfChange {
  return async (id) =>
    (await querySubgraph(identity, 'access', SourceReferenceQuery, { id }, ofThisService()))
      .changeOfTenancySourceReference;
}

/** Whether a failure is temporary because `identity` is unavailable; any other failure is permanent. */
export function isIdentityUnavailable(error: unknown): boolean {
  return error instanceof RegisterError && error.code === 'SYS002';
}
