import type { ConsentEnd } from '../consents/consent';

/** SQL: when the change `$2` became due. A date of JavaScript would be up to a millisecond earlier. */
const DUE_AT = '(select due_at from tariff_effect where id = $2)';

/** Revokes live consents of a party, in the order of their ids, until `$3` MPxNs or more are affected. */
const revokeConsents = (column: 'mpid' | 'user_id', by: ConsentEnd, condition = 'true') => ({
  name: `revoke_consents_${by}`,
  text: `with live as (
      select id from tariff_consent where ${column} = $1 and revoked_at is null and ${condition} order by id limit $3 for update),
    counted as (
      select id, sum(mpxns) over (order by id) - mpxns as mpxns_before from (
        select id, (select count(*) from (select from consent_meter_point where consent_id = live.id limit $3) point) as mpxns
        from live) live)
    update tariff_consent consent set revoked_at = ${DUE_AT}, revoked_by = '${by}' from counted
    where consent.id = counted.id and mpxns_before < $3`,
});
/** Ends consents of a removed supplier. */
export const REVOKE_OF_SUPPLIER = revokeConsents('mpid', 'supplier_removed');
/** Ends consents of a removed RTI User. */
export const REVOKE_OF_RTI_USER = revokeConsents('user_id', 'rti_user_removed');
/**
 * Ends consents that were given under a former issuer. A consent of an earlier release has no issuer; the clock decides whether it was granted
 * before the change. For all others the clock, which may be set back, is irrelevant: the change and every grant lock the supplier.
 */
export const REVOKE_OF_FORMER_ISSUER = revokeConsents(
  'mpid',
  'issuer_changed',
  `case when issuer is null then given_at <= ${DUE_AT} else issuer is distinct from (select issuer from supplier where mpid = $1) end`,
);

/**
 * MPxNs of revoked consents without an event of the revocation: change by change, each after its progress key. A consent that was revoked
 * while the clock was ahead ends when its change was corrected.
 */
export const REVOKED_MPXNS = {
  name: 'mpxns_of_revocations',
  text: `select effect.id as "changeId", least(consent.revoked_at, effect.due_at) as "revokedAt", consent.mpid, point.mpxn_hash as "mpxnHash",
      consent.id as "consentId"
    from unnest($1::bigint[]) with ordinality as batch (id, number) join tariff_effect effect using (id)
      join tariff_consent consent on consent.id = effect.consent_id
      cross join lateral (
        select mpxn_hash from consent_meter_point
        where consent_id = consent.id and mpxn_hash > coalesce(effect.reached, '') order by mpxn_hash limit $2) point
    order by batch.number, point.mpxn_hash limit $2`,
};

/** Inserts events in the order of the MPxNs, as every writer of events does, to avoid deadlocks. */
export const PUBLISH_REVOCATIONS = {
  name: 'publish_revocations',
  text: `insert into event (type, occurred_at, mpid, mpxn_hash, consent_id)
    select 'consent.revoked', * from unnest($1::timestamptz[], $2::text[], $3::bytea[], $4::uuid[])
      as revoked (occurred_at, mpid, mpxn_hash, consent_id)
    order by revoked.mpxn_hash, revoked.consent_id`,
};
