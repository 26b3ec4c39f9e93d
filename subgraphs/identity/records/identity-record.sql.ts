import { claimIdempotencyKey } from '../../server/idempotency';
import type { NamedStatement } from '../../server/database/short-reads';
import { RECORDS_OF_METER_POINT } from '../occupancy/meter-point-records.sql';
import { COUNT_EXISTENCE_CHECK, COUNT_SHOWN_CONSENTS } from '../lookups/identity-lookup.repository';

const ROW = `
  select r.id, r.ref as ir, r.duid, r.created_at as "createdAt", r.expressed_by as "expressedBy", r.email_index as "emailIndex",
    r.sealed, k.wrapped as "wrappedKey", r.anonymised_at as "anonymisedAt"
  from identity_record r left join identity_keys.data_key k on k.record_id = r.id`;

/** Identity Records by their keys. */
export const RECORDS_BY_REF: NamedStatement = { name: 'identity_records_by_ref', text: `${ROW} where r.ref = any($1)` };

/** Identity Records by internal id, for references from other subgraphs. */
export const RECORDS_BY_ID: NamedStatement = { name: 'identity_records_by_id', text: `${ROW} where r.id = any($1)` };

/** Live Identity Records of the Data User $1, by the blind index of the MPxN ($2), of the e-mail address ($3), or of both. */
export const OWN_RECORDS: NamedStatement = {
  name: 'own_identity_records',
  text: `${ROW} where r.duid = $1 and r.anonymised_at is null and r.closed_at is null
    and ($2::bytea is null or r.mpxn_index = $2) and ($3::bytea is null or r.email_index = $3)
    order by r.created_at desc, r.ref desc limit 500`,
};

/** Fields that `access` needs to link a record: no personal data, not even encrypted. */
export const LINKS_BY_REF: NamedStatement = {
  name: 'identity_record_links_by_ref',
  text: `select ref, id, duid, meter_point_id as "meterPointId", anonymised_at is not null as anonymised,
      closing_at is not null as closing
    from identity_record where ref = any($1)`,
};

/** Counts the existence check of the Data User $2 on the live Identity Records of a meter point, at most 500. */
export const CHECK_EXISTENCE: NamedStatement = {
  name: 'check_existence',
  text: `with live as (${RECORDS_OF_METER_POINT}) ${COUNT_EXISTENCE_CHECK}`,
};

/** Counts the lookup of consents by the Data User $2 on the same records. */
export const SHOW_CONSENTS: NamedStatement = {
  name: 'show_consents',
  text: `with live as (${RECORDS_OF_METER_POINT}) ${COUNT_SHOWN_CONSENTS}`,
};

/**
 * Inserts record, data key and idempotency key in one statement. Returns a row if the record is new, none if the idempotency key was
 * claimed before.
 */
export const REGISTER_RECORD: NamedStatement = {
  name: 'register_identity_record',
  text: `with ${claimIdempotencyKey('24 hours', '$6')},
  record as (
    insert into identity_record (id, ref, duid, mpxn_index, email_index, meter_point_id, expressed_by, form, sealed, is_verified)
    select $6, $7, $8, $9, $10, $11, $12, $13, $14, $16 where $3::bytea is null or exists (select from claim)
    returning id
  )
  insert into identity_keys.data_key (record_id, wrapped) select id, $15 from record returning record_id`,
};
