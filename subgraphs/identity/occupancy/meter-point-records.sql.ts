/** Maximum records of a query. */
export const MAX_RECORDS = 500;

/**
 * A live record `r`: neither closed nor anonymised. One that is closing stays live until `access` has decided, because a rejected request
 * to anonymise it must change nothing.
 */
export const LIVE = 'r.anonymised_at is null and r.closed_at is null';

/** Applied before the limit, so that unverified records cannot displace a verified customer's. */
export const VERIFIED = 'r.is_verified is not false';
export const NEWEST_FIRST = 'r.created_at desc, r.ref desc';

/** Newest record of each Data User first, then the second newest of each, so that no Data User fills the list. */
export const BY_DATA_USER = `row_number() over (partition by r.duid order by ${NEWEST_FIRST}), ${NEWEST_FIRST}`;

/**
 * Ids of the live records that are read for the meter point $1, at most 500: consents of Interface B register any number. Lookups are
 * counted on the same records, because the customer reads them there.
 */
export const RECORDS_OF_METER_POINT = `
  select r.id from identity_record r
  where r.mpxn_index = $1 and ${LIVE}
  order by ${VERIFIED} desc, ${BY_DATA_USER} limit ${MAX_RECORDS}`;
