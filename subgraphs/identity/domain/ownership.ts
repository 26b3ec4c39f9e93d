import type { IdentityRecord } from './identity-record';

/** Only the Data User that created an Identity Record may read it (2-decisions-a-b.md, section 4). */
export function isOwnedBy(record: Pick<IdentityRecord, 'duid'>, duid: string): boolean {
  return record.duid === duid;
}
