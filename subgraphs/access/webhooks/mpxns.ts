import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import { grouped } from '../../delivery/grouped';
import { askSubgraph } from '../../server/service-question';
import type { SubgraphLink } from '../../server/subgraph-link';

/**
 * The MPxN of an Identity Record by its internal id; null once it is anonymised. Rejects for a record that cannot be opened, and while
 * `identity` is away ({@link isIdentityAway}).
 */
export type MpxnOfRecord = (identityRecordId: string) => Promise<string | null>;

interface KnownMpxn {
  readonly mpxn: string | null;
  readonly canBeOpened: boolean;
}

const MPXNS = `query MpxnsOfIdentityRecords($ids: [ID!]!) { identityRecordMpxns(ids: $ids) { mpxn canBeOpened } }`;
const GROUPS = { most: 200, atOnce: 1 };

/** Asks `identity`, which alone knows MPxNs, for those of all deliveries that are being assembled at once. Nothing is kept. */
export function mpxnsOfRecords(identity: SubgraphLink): MpxnOfRecord {
  const known = grouped(async (asked: readonly string[]) => {
    type Answer = { identityRecordMpxns: KnownMpxn[] };
    const origin = { transactionId: newIdentifier('tid'), clientAddress: '' };
    const ids = [...new Set(asked)];
    const { identityRecordMpxns } = await askSubgraph<Answer>(identity, 'access', MPXNS, { ids }, origin);
    const found = new Map(ids.map((id, index) => [id, identityRecordMpxns[index]]));
    return asked.map((id) => found.get(id));
  }, GROUPS);
  return async (id) => {
    const record = await known(id);
    if (record?.canBeOpened !== true) throw new Error('an identity record cannot be opened');
    return record.mpxn;
  };
}

/** Whether a failure says that `identity` cannot be asked, which passes; any other would be the same again. */
export function isIdentityAway(error: unknown): boolean {
  return error instanceof RegisterError && error.code === 'SYS002';
}
