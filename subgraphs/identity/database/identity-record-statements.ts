import { CLAIM_IDEMPOTENCY_KEY } from '../../server/idempotency';
import type { NamedStatement } from '../../server/short-reads';
import { COUNT_EXISTENCE_CHECK, COUNT_SHOWN_CONSENTS } from './identity-look.repository';

const ROW = `
  select r.id, r.ref as ir, r.duid, r.created_at as "createdAt", r.expressed_by as "expressedBy", r.email_index as "emailIndex",
    r.sealed, k.wrapped as "wrappedKey", r.anonymised_at as "anonymisedAt"
  from identity_record r left join identity_keys.data_key k on k.record_id = r.id`;

/** Identity Records by the keys that Data Users know. */
export const RECORDS_BY_REF: NamedStatement = { name: 'identity_records_by_ref', text: `${ROW} where r.ref = any($1)` };

/** Identity Records by their internal ids, as references from other subgraphs name them. */
export const RECORDS_BY_ID: NamedStatement = { name: 'identity_records_by_id', text: `${ROW} where r.id = any($1)` };

/** What `access` needs to link a record: no personal data, sealed or not. */
export const LINKS_BY_REF: NamedStatement = {
  name: 'identity_record_links_by_ref',
  text: `select ref, id, duid, meter_point_id as "meterPointId", anonymised_at is not null as anonymised,
      closing_at is not null as closing
    from identity_record where ref = any($1)`,
};

/** Counts the existence check of the Data User $2 on every live Identity Record of a meter point. */
export const CHECK_EXISTENCE: NamedStatement = {
  name: 'check_existence',
  text: `with live as (
      select id from identity_record where mpxn_index = $1 and anonymised_at is null and closing_at is null
    ) ${COUNT_EXISTENCE_CHECK}`,
};

/** Counts the lookup of consents by the Data User $2 on every live Identity Record of a meter point. */
export const SHOW_CONSENTS: NamedStatement = {
  name: 'show_consents',
  text: `with live as (
      select id from identity_record where mpxn_index = $1 and anonymised_at is null and closing_at is null
    ) ${COUNT_SHOWN_CONSENTS}`,
};

/**
 * Record, data key and idempotency key in one statement: all of them or none. Yields a row when the record was made, none when the
 * idempotency key was claimed before.
 */
export const REGISTER_RECORD: NamedStatement = {
  name: 'register_identity_record',
  text: `with ${CLAIM_IDEMPOTENCY_KEY},
  record as (
    insert into identity_record (id, ref, duid, mpxn_index, email_index, meter_point_id, expressed_by, form, sealed, is_verified)
    select $6, $7, $8, $9, $10, $11, $12, $13, $14, $16 where $3::bytea is null or exists (select from claim)
    returning id
  )
  insert into identity_keys.data_key (record_id, wrapped) select id, $15 from record returning record_id`,
};
