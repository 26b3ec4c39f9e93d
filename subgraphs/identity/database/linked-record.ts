import type { IdentityRecord } from '../domain/identity-record';
import type { IdentityRecordRepository } from './identity-record.repository';
import type { ProvisionalRecordRepository } from './provisional-record.repository';

/** The Identity Record that an access record is known to be linked to, by its internal id; null for an unknown one. */
export type LinkedRecord = (id: string) => Promise<IdentityRecord | null>;

/**
 * An access record may be linked to it a moment before it is kept, or for as long as a kill has left it provisional. Who asks for a record
 * because `access` has named it may read it then, too. It is looked for once more where it may have gone between the two questions.
 */
export function linkedRecords(
  records: Pick<IdentityRecordRepository, 'byId'>,
  provisional: Pick<ProvisionalRecordRepository, 'byId'>,
): LinkedRecord {
  return async (id) => (await records.byId(id)) ?? (await provisional.byId(id)) ?? records.byId(id);
}
