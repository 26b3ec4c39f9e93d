import type { Pool } from 'pg';
import { addAuditEntry, fingerprintOf } from '../../server/audit/audit.repository';
import { destroyDueKeys, eraseKeys } from '../../server/occupancy-keys';
import { requireEqualClocks } from '../../server/database/register-clock';
import { type Session, inTransaction } from '../../server/database/transaction';
import { lockMpxn } from '../assignments/assignments.sql';
import type { MpxnCipher } from './mpxn-cipher.repository';
import { reencrypt } from './mpxn-storage.repository';
import { STEP_COUNTS_FROM, TARIFF_OCCUPANCIES } from './tariff-occupancies.sql';

/** Ended occupancies of an MPxN that still had a key. */
export interface ErasedOccupancies {
  readonly erased: number;
  /** Occupancies that are retained for now because of a live or recently revoked consent. */
  readonly retained: number;
}

/** Days after which no delivery of a revocation is attempted any more: the retries span 72 hours. */
const REVOCATION_RETENTION_DAYS = 4;

/** Ended occupancies, and whether a consent granted in each is live, or its revocation may still be delivered. */
const ENDED = `
  select id, exists (
      select from consent_meter_point point join tariff_consent consent on consent.id = point.consent_id
      where point.mpxn_hash = $1 and occupancy_began($1, covered_at) = key.began
        and (revoked_at is null or revoked_at > register_now() - interval '${REVOCATION_RETENTION_DAYS} days')) as "isNeeded"
  from tariffs_keys.occupancy_key key
  where premises = $1 and exists (
    select from tariff_step where mpxn_hash = $1 and withdrawn_at is null and tariff_id is null
      and ${STEP_COUNTS_FROM} > key.began and ${STEP_COUNTS_FROM} <= register_now() and ends_assignment(tariff_step))`;

/** Returns the ids of the keys of an MPxN. */
async function keysOf(session: Session, hash: Buffer): Promise<string[]> {
  const text = 'select id from tariffs_keys.occupancy_key where premises = $1';
  return (await session.query<{ id: string }>(text, [hash])).rows.map(({ id }) => id);
}

/** Erases MPxNs at a customer's request, before the retention of 13 months ends (decisions A/B, 12). */
export class OccupancyErasureRepository {
  constructor(
    private readonly pool: Pool,
    private readonly cipher: MpxnCipher,
  ) {}

  /** Erases the ended occupancies of an MPxN that no consent needs; the audit names the admin. Leaves the present occupancy unchanged. */
  erase(mpxn: string, actor: string): Promise<ErasedOccupancies> {
    const hash = this.cipher.hash(mpxn);
    return inTransaction(this.pool, async (session) => {
      await lockMpxn(session, hash);
      await requireEqualClocks(session); // to a clock that is ahead, a planned end has ended the present occupancy
      await reencrypt(session, this.cipher, [hash]);
      await destroyDueKeys(session, TARIFF_OCCUPANCIES, await keysOf(session, hash));
      const { rows } = await session.query<{ id: string; isNeeded: boolean }>(ENDED, [hash]);
      const erasable = rows.filter(({ isNeeded }) => !isNeeded).map(({ id }) => id);
      const erased = await eraseKeys(session, TARIFF_OCCUPANCIES, erasable, actor);
      const detail = { erased, retained: rows.length - erased };
      const subject = fingerprintOf(hash);
      if (erased > 0) await addAuditEntry(session, { actor, action: 'erase-ended-occupancies', subject, detail });
      return detail;
    });
  }
}
