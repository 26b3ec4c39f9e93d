/**
 * Bytes of records after which a page ends. A service sends at most 15 MiB to another one; the rest is for absent fields, which a response
 * states as null, and for the record with which the page ends.
 */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** Versions of a record that a page selects, and the bytes of the largest: purpose and name of the controller have 755 characters. */
const [MAX_VERSIONS, MAX_VERSION_BYTES] = [100, 3_500];

/** PostgreSQL knows the size of a small document without reading it; its text is at most six times as long. */
const IS_SMALL = 'pg_column_compression(document) is null and pg_column_size(document) < 2048';
const BYTES = `case when ${IS_SMALL} then pg_column_size(document) else octet_length(document::text) end
  + least(version, ${MAX_VERSIONS}) * ${MAX_VERSION_BYTES}`;

/** A row of a page; it fits if the rows before it have fewer bytes than the maximum. */
export interface SizedRow {
  readonly fits: boolean;
}

/**
 * Common table expression `sized`: the rows of a page of access records, with {@link SizedRow}.
 *
 * @param page statement that selects at least `id`, `document` and `version`, in this order
 * @param order `order by` clause of the page
 */
export const sizedPage = (page: string, order: string): string => `sized as (
    select *, coalesce(sum(${BYTES}) over (${order} rows between unbounded preceding and 1 preceding), 0) < ${MAX_PAGE_BYTES} as fits
    from (${page}) page)`;

/** Selects the rows of {@link sizedPage} that fit, and the next one, which shows that there is another page. */
export const selectFitting = (order: string): string =>
  `select * from sized where fits or id = (select id from sized where not fits ${order} limit 1) ${order}`;
