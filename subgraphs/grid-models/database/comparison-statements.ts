import type { ObjectChangeKind } from '../domain/object-changes';

/** The files of two versions that are not the same byte for byte: `$1` from, `$2` to. */
export const DIFFERENT_FILES = {
  name: 'different_files',
  text: `select f.file, f.number as "from", t.number as "to" from difference_model f
      join difference_model t on t.project_version = $2 and t.file = f.file
      join content fc on fc.project_version = $1 and fc.member = f.file and fc.view = 'rdf' and fc.encoding = 'identity'
      join content tc on tc.project_version = $2 and tc.member = f.file and tc.view = 'rdf' and tc.encoding = 'identity'
    where f.project_version = $1 and fc.sha256 <> tc.sha256`,
};

const sameItem = (one: string, other: string) =>
  `${one}.mrid_key = ${other}.mrid_key and ${one}.section = ${other}.section and ${one}.occurrence = ${other}.occurrence`;

/** An item of a model, looked for by its key in the index: whatever the planner takes the model for, it does not read all of it. */
const counterpart = (alias: string, columns: string, model: string, of: string) => `left join lateral (
    select ${columns} from difference_item same where same.model = ${model} and ${sameItem('same', of)} offset 0) ${alias} on true`;

/** How many items of two models are different: `$1` from, `$2` to. */
export const COMPARISON_COUNTS = {
  name: 'comparison_counts',
  text: `select count(*) filter (where i.model is null)::integer as added, count(*) filter (where o.model is null)::integer as removed,
      count(*) filter (where i.digest <> o.digest)::integer as changed
    from (select * from difference_item where model = $1) i full join (select * from difference_item where model = $2) o on ${sameItem('o', 'i')}`,
};

/** Attributes and associations of items: `$1` and `$2` their models and numbers. */
export const STATEMENTS_OF_ITEMS = {
  name: 'statements_of_items',
  text: `select found.* from unnest($1::integer[], $2::integer[]) wanted (model, number) cross join lateral (
      select i.model, i.number, i.statements from difference_item i
      where i.model = wanted.model and i.number = wanted.number offset 0) found`,
};

/** Class and name of objects, over the three files of a version: `$1` and `$2` versions and keys, each pair once or more often. */
export const OBJECTS_OF_VERSIONS = {
  name: 'objects_of_versions',
  text: `select found.* from unnest($1::uuid[], $2::text[]) wanted (version, key) cross join lateral (
      select project_version as version, mrid_key as key, type, name from object_change
      where project_version = wanted.version and mrid_key = wanted.key offset 0) found`,
};

const ORDERED = 'i.mrid_key, i.section, i.occurrence';

/** Items of one model in the order of an index after a key, each looked for in the other model: all of it is read from the index alone. */
const branch = (model: '$1' | '$2', other: '$1' | '$2', kind: string, condition: string) => `(
  select ${ORDERED}, ${kind} as kind from difference_item i
    ${counterpart('o', 'model, digest', other, 'i')}
  where i.model = ${model} and (${ORDERED}) > ($3, $4, $5::integer) and ${condition} order by ${ORDERED} limit $6)`;

const BRANCHES: Readonly<Record<ObjectChangeKind, string>> = {
  added: branch('$2', '$1', "'added'", 'o.model is null'),
  removed: branch('$1', '$2', "'removed'", 'o.model is null'),
  changed: branch('$1', '$2', "'changed'", 'o.digest <> i.digest'),
};

const NOT_ADDED = branch(
  '$1',
  '$2',
  "case when o.model is null then 'removed' else 'changed' end",
  '(o.model is null or o.digest <> i.digest)',
);

/** The differences of one file: `$1` from, `$2` to, `$3` to `$5` the key after which they begin, `$6` how many. */
export function differencesStatement(kind: ObjectChangeKind | null) {
  const rows = kind === null ? `${NOT_ADDED} union all ${BRANCHES.added}` : BRANCHES[kind];
  const side = (alias: string, model: string) => counterpart(alias, 'mrid, type, number', model, 'page');
  return {
    name: `comparison_${kind ?? 'all'}`,
    text: `select coalesce(b.mrid, a.mrid) as "mRID", coalesce(b.type, a.type) as type, page.kind, page.section, page.mrid_key as key,
        page.occurrence, a.number as before, b.number as after
      from (select * from (${rows}) found order by mrid_key, section, occurrence limit $6) page ${side('a', '$1')} ${side('b', '$2')}
      order by page.mrid_key, page.section, page.occurrence`,
  };
}
