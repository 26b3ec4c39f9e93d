/**
 * Bytes of records after which a page ends. A service sends at most 15 MiB to another one; the rest is for absent fields, which a response
 * states as null, and for the record with which the page ends.
 */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** Versions of a record that a page selects, and the bytes of the largest: purpose and name of the controller have 755 characters. */
const [MAX_VERSIONS, MAX_VERSION_BYTES] = [100, 3_500];

/** PostgreSQL knows the size of a document that is not compressed without reading it; in a row it is decompressed. */
const STORED_BYTES = 'pg_column_size(document)';
const BYTES = `case when pg_column_compression(document) is null then ${STORED_BYTES} else pg_column_size(row(document)) end`;

/** The text of a document is at most six times as long as the document, so that of a small one needs no measurement. */
const TEXT_BYTES = `case when pg_column_compression(document) is null and ${STORED_BYTES} < 2048 then ${STORED_BYTES}
  else octet_length(document::text) end`;

const fits = (bytes: string, order: string, maxBytes: string): string =>
  `coalesce(sum(${bytes}) over (${order} rows between unbounded preceding and 1 preceding), 0) < ${maxBytes}`;

/** A row of a page; it fits if the rows before it have fewer bytes than the maximum. */
export interface SizedRow {
  readonly fits: boolean;
}

/**
 * Common table expression `sized`: the rows of a page of access records, with {@link SizedRow}. Only the first documents that together have
 * the maximum of bytes become text: to measure a document takes a third of the time.
 *
 * @param page statement that selects at least `id`, `document` and `version`, in this order
 * @param order `order by` clause of the page
 * @param withVersions SQL condition: whether the caller reads the versions of each record, too
 * @param maxBytes SQL: the maximum of bytes
 */
export const sizedPage = (
  page: string,
  order: string,
  withVersions: string,
  maxBytes = String(MAX_PAGE_BYTES),
): string => `sized as (
    select *, is_short and ${fits(
      `case when is_short then ${TEXT_BYTES} + case when ${withVersions} then least(version, ${MAX_VERSIONS}) * ${MAX_VERSION_BYTES} else 0 end end`,
      order,
      maxBytes,
    )} as fits
    from (select *, ${fits(BYTES, order, maxBytes)} as is_short from (${page}) page) measured)`;

/** Selects the rows of {@link sizedPage} that fit, and the next one, which shows that there is another page. */
export const selectFitting = (order: string): string =>
  `select * from sized where fits or id = (select id from sized where not fits ${order} limit 1) ${order}`;
