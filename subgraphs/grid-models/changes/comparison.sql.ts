import { UNKNOWN_CLASS } from '../rdf/difference-model';
import type { ObjectChangeKind } from './object-changes';

/** Files whose bytes differ between two versions: `$1` from, `$2` to. */
export const DIFFERENT_FILES = {
  name: 'different_files',
  text: `select f.file, f.number as "from", t.number as "to" from difference_model f
      join difference_model t on t.project_version = $2 and t.file = f.file
      join content fc on fc.project_version = $1 and fc.member = f.file and fc.view = 'rdf' and fc.encoding = 'identity'
      join content tc on tc.project_version = $2 and tc.member = f.file and tc.view = 'rdf' and tc.encoding = 'identity'
    where f.project_version = $1 and fc.sha256 <> tc.sha256`,
};

/**
 * The digests of the items of one object in one section, in an order of their own, so that two files with the same items in another order
 * have the same groups. The index of items supplies the rows in the order of the groups: only one group is in memory at a time.
 */
const GROUP = `mrid_key, section, string_agg(digest, ''::bytea order by digest) as digests`;
const groupsOf = (model: string) =>
  `select ${GROUP} from difference_item where model = ${model} group by mrid_key, section`;

/**
 * Joins the group of a model by its key. `lateral … offset 0` forces an index lookup: the columns have no statistics (see migration 0001).
 */
const counterpart = (alias: string, model: string, of: string) => `left join lateral (
    select string_agg(digest, ''::bytea order by digest) as digests from difference_item
    where model = ${model} and mrid_key = ${of}.mrid_key and section = ${of}.section offset 0) ${alias} on true`;

/** What a group states, regardless of how many items state it: classes, form and statements; null if nothing. See `itemChanges`. */
const contents = (model: string, group: string) => `(
    select array_agg(distinct entry collate "C" order by entry collate "C") from (
      select type, is_object, statements from difference_item
      where model = ${model} and mrid_key = ${group}.mrid_key and section = ${group}.section offset 0) item
    cross join lateral (
      select 'class ' || type where type <> '${UNKNOWN_CLASS}' union all select 'whole' where is_object
      union all select case s ->> 1 when 'association' then '>' || (s ->> 0) || ' ' || lower(s ->> 2)
        else '=' || (s ->> 0) || ' ' || (s ->> 2) end from jsonb_array_elements(statements) s) stated (entry))`;

/** Whether two groups differ. `case` limits the comparison of contents to groups in both models with different digests. */
const DIFFERS = `case when (i.digests = o.digests) is not false then false
    else ${contents('$1', 'i')} is distinct from ${contents('$2', 'i')} end`;

/** Counts the groups that differ between two models: `$1` from, `$2` to. */
export const COMPARISON_COUNTS = {
  name: 'comparison_counts',
  text: `select count(*) filter (where i.digests is null)::integer as added, count(*) filter (where o.digests is null)::integer as removed,
      count(*) filter (where ${DIFFERS})::integer as changed
    from (${groupsOf('$1')}) i full join (${groupsOf('$2')}) o on o.mrid_key = i.mrid_key and o.section = i.section`,
};

/** Items of groups, in the order of the file: `$1` models, `$2` sections, `$3` keys. */
export const ITEMS_OF_GROUPS = {
  name: 'items_of_groups',
  text: `select found.* from unnest($1::integer[], $2::text[], $3::text[]) wanted (model, section, key) cross join lateral (
      select i.model, i.section, i.mrid_key as key, i.number, i.mrid as "mRID", i.type, i.is_object as "isObject", i.statements
      from difference_item i
      where i.model = wanted.model and i.mrid_key = wanted.key and i.section = wanted.section offset 0) found
    order by found.number`,
};

/** Class and name of objects, over the three files of a version: `$1` versions, `$2` keys; a pair may repeat. */
export const OBJECTS_OF_VERSIONS = {
  name: 'objects_of_versions',
  text: `select found.* from unnest($1::uuid[], $2::text[]) wanted (version, key) cross join lateral (
      select project_version as version, mrid_key as key, type, name from object_change
      where project_version = wanted.version and mrid_key = wanted.key offset 0) found`,
};

const ORDERED = 'i.mrid_key, i.section';

/** Groups of one model after a key, in index order, each joined to the same group of the other model. */
const branch = (model: '$1' | '$2', other: '$1' | '$2', kind: string, condition: string) => `(
  select ${ORDERED}, ${kind} as kind from (
      select ${GROUP} from difference_item where model = ${model} and (mrid_key, section) > ($3, $4)
      group by mrid_key, section order by mrid_key, section offset 0) i
    ${counterpart('o', other, 'i')}
  where ${condition} order by ${ORDERED} limit $5)`;

const BRANCHES: Readonly<Record<ObjectChangeKind, string>> = {
  added: branch('$2', '$1', "'added'", 'o.digests is null'),
  removed: branch('$1', '$2', "'removed'", 'o.digests is null'),
  changed: branch('$1', '$2', "'changed'", DIFFERS),
};

const NOT_ADDED = branch(
  '$1',
  '$2',
  "case when o.digests is null then 'removed' else 'changed' end",
  `(o.digests is null or ${DIFFERS})`,
);

/** The first item of a group in a model. */
const firstItem = (alias: string, model: string) => `left join lateral (
    select mrid, type from difference_item where model = ${model} and mrid_key = page.mrid_key and section = page.section
    order by occurrence limit 1) ${alias} on true`;

/** The differences of one file: `$1` from, `$2` to, `$3` and `$4` the key after which the page starts, `$5` page size. */
export function differencesStatement(kind: ObjectChangeKind | null) {
  const rows = kind === null ? `${NOT_ADDED} union all ${BRANCHES.added}` : BRANCHES[kind];
  return {
    name: `comparison_${kind ?? 'all'}`,
    text: `select coalesce(b.mrid, a.mrid) as "mRID", coalesce(b.type, a.type) as type, page.kind, page.section, page.mrid_key as key
      from (select * from (${rows}) found order by mrid_key, section limit $5) page
        ${firstItem('a', '$1')} ${firstItem('b', '$2')}
      order by page.mrid_key, page.section`,
  };
}
