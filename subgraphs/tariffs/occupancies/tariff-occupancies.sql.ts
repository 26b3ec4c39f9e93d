import type { KeyedSubgraph } from '../../server/occupancy-keys';

/** An occupancy starts where an assignment ends. Its keys are in a schema of their own, apart from the data that they decrypt. */
export const TARIFF_OCCUPANCIES: KeyedSubgraph = { tables: 'tariffs', keys: 'tariffs_keys', began: 'timestamptz' };

/** SQL: when an assignment takes effect: at its start, but never before it was recorded. */
export const STEP_COUNTS_FROM = 'greatest(valid_from, recorded_at)';

/** SQL: a lateral join `stored` with the MPxN of a meter point as stored for the occupancy of an instant, or encrypted directly. */
export const storedMpxn = (hash: string, at: string): string => `
  left join lateral (
    select point.mpxn_sealed as direct, kept.mpxn_sealed as encrypted, kept.key_id, key.wrapped
    from meter_point point
      left join occupancy_mpxn kept on kept.mpxn_hash = point.mpxn_hash and kept.began = occupancy_began(point.mpxn_hash, ${at})
      left join tariffs_keys.occupancy_key key on key.id = kept.key_id
    where point.mpxn_hash = ${hash}) stored on true`;

/** SQL: the columns of {@link storedMpxn}, as `StoredMpxn` in mpxn-cipher.repository.ts without the hash. */
export const STORED_MPXN_COLUMNS =
  'stored.direct, stored.encrypted, stored.key_id as "keyId", stored.wrapped as "wrappedKey"';

/**
 * SQL: the instant that selects the occupancy of an event: for a revocation, when the consent was granted for the MPxN; for a tariff that
 * ceased to apply, just before it did.
 */
export const INSTANT_OF_EVENT = `
  case when event.ceased_at is not null then event.ceased_at - interval '1 microsecond'
    when event.consent_id is null then event.occurred_at else coalesce((
    select covered_at from consent_meter_point point
    where point.consent_id = event.consent_id and point.mpxn_hash = event.mpxn_hash), event.occurred_at) end`;
