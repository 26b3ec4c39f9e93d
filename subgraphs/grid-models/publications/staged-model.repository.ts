import type { Pool } from 'pg';
import {
  type CimFile,
  type DifferenceItem,
  type DifferenceModelHeader,
  type DifferenceSection,
  UNKNOWN_CLASS,
} from '../rdf/difference-model';
import { type FiledItem, NAME_ATTRIBUTE, type ObjectChange } from '../changes/object-changes';
import { STAGE_LOCATIONS } from '../locations/location.sql';

/** A model of a staged version, with its header and the size of its sections. */
interface StagedModel {
  readonly file: CimFile;
  readonly header: DifferenceModelHeader;
  readonly counts: Readonly<Record<DifferenceSection, { readonly items: number; readonly statements: number } | null>>;
}

/** An item with its position in the file. */
export interface StagedItem {
  /** From 1, over both sections. */
  readonly number: number;
  readonly section: DifferenceSection;
  /** Position among the items of this mRID in the section, from 1. */
  readonly occurrence: number;
  readonly name: string | null;
  readonly item: DifferenceItem;
  /** Digest of class, form and statements, in hexadecimal. */
  readonly digest: string;
}

/** A precondition with its position in the file, from 1. */
export interface StagedPrecondition {
  readonly number: number;
  readonly item: DifferenceItem;
}

/** Number of items of a class in a section, and of their statements. */
export interface ClassCount {
  readonly section: DifferenceSection;
  readonly type: string;
  items: number;
  statements: number;
}

/** An object with its items. */
interface StagedObject {
  /** Without statements other than the name. */
  readonly items: readonly FiledItem[];
  /** Names of the attributes and associations of its items of unknown class. */
  readonly names: readonly string[];
}

/** A change to store, with the class that the attributes of an object of unknown class suggest. */
interface StagedChange extends Omit<ObjectChange, 'values'> {
  readonly proposedType: string | null;
}

/** A page of objects with all their items, ordered by `mrid_key`. */
interface ObjectPage {
  readonly objects: readonly StagedObject[];
  /** Key after which the next page starts; undefined at the end. */
  readonly next: string | undefined;
}

/** Stages the rows of models. Each statement is a separate, short transaction. */
export class StagedModelRepository {
  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  /** Adds a model to a staged version. Returns its number. */
  async addModel(version: string, { file, header, counts }: StagedModel): Promise<number> {
    const { rows } = await this.pool.query<{ number: number }>(INSERT_MODEL, [
      ...[version, file, header.mRID, header.created, header.scenarioTime, header.modelingAuthoritySet],
      ...[header.profile, header.description, header.version, header.dependentOn, header.supersedes],
      ...[counts.forward?.items, counts.forward?.statements, counts.reverse?.items, counts.reverse?.statements],
    ]);
    return (rows[0] as { number: number }).number;
  }

  /** Adds items, and their statements to the index by name and value. */
  async addItems(model: number, items: readonly StagedItem[]): Promise<void> {
    const records = items.map(({ number, section, occurrence, name, item, digest }) => ({
      ...{ number, section, occurrence, name, digest },
      ...recordOf(item),
    }));
    await this.pool.query(INSERT_ITEMS, [model, JSON.stringify(records)]);
  }

  async addPreconditions(model: number, preconditions: readonly StagedPrecondition[]): Promise<void> {
    if (preconditions.length === 0) return;
    const records = preconditions.map(({ number, item }) => ({ number, ...recordOf(item) }));
    await this.pool.query(INSERT_PRECONDITIONS, [model, JSON.stringify(records)]);
  }

  async addClassCounts(model: number, counts: readonly ClassCount[]): Promise<void> {
    await this.pool.query(INSERT_CLASS_COUNTS, [model, JSON.stringify(counts)]);
  }

  /** Returns the next objects after a key, with all their items. */
  async objectsAfter(models: readonly number[], after: string): Promise<ObjectPage> {
    const { rows } = await this.pool.query<ObjectRow>(OBJECTS_AFTER, [models, after, OBJECTS_PER_PAGE]);
    const objects = new Map<string, { items: FiledItem[]; names: string[] }>();
    for (const { file, section, mridKey, mRID, type, isObject, name, names } of rows) {
      const statements = name === null ? [] : [{ name: NAME_ATTRIBUTE, kind: 'text' as const, value: name }];
      const item = { file, section, item: { mRID, type, isObject, statements } };
      const others = objects.get(mridKey);
      if (others) {
        others.items.push(item);
        others.names.push(...names);
      } else objects.set(mridKey, { items: [item], names: [...names] });
    }
    return { objects: [...objects.values()], next: rows.at(-1)?.mridKey };
  }

  /**
   * Adds changes. An object that is only described, not whole, is changed instead of added if the base model (or null) has anything of it.
   * An object of unknown class is listed under its class in the base model, or else the proposed one.
   */
  async addObjectChanges(version: string, base: number | null, changes: readonly StagedChange[]): Promise<void> {
    const records = changes.map(({ mRID: mrid, type, kind, isWhole, name, files, proposedType }) => ({
      ...{ mrid, type, kind, is_whole: isWhole, name, files, proposed_type: proposedType },
    }));
    await this.pool.query(INSERT_OBJECT_CHANGES, [version, JSON.stringify(records), base]);
  }

  /** Counts the staged changes of a version by class. Must be called once, after the last of them. */
  async addObjectClassCounts(version: string): Promise<void> {
    await this.pool.query(INSERT_OBJECT_CLASS_COUNTS, [version]);
  }

  /**
   * Adds the locations that the next objects of a model after a key describe; of points without a location, that of the base model (or null).
   * Returns the key to continue with, null at the end.
   */
  async addLocations(version: string, base: number | null, model: number, after: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ next: string | null }>(STAGE_LOCATIONS, [
      ...[version, model, after, OBJECTS_PER_PAGE, base],
    ]);
    return rows[0]?.next ?? null;
  }
}

/** Returns the columns that items and preconditions share. */
function recordOf({ mRID, type, isObject, statements }: DifferenceItem) {
  return {
    ...{ mrid: mRID, type, is_object: isObject },
    statements: statements.map(({ name, kind, value }) => [name, kind, value]),
  };
}

/** A row of {@link StagedModelRepository.objectsAfter}. */
interface ObjectRow {
  readonly file: CimFile;
  readonly section: DifferenceSection;
  readonly mridKey: string;
  readonly mRID: string;
  readonly type: string;
  readonly isObject: boolean;
  readonly name: string | null;
  readonly names: readonly string[];
}

const OBJECTS_PER_PAGE = 2000;

const INSERT_MODEL = `
  with model as (
    insert into difference_model (project_version, file, mrid, created, scenario_time, modeling_authority_set, profile, description,
      model_version, dependent_on, supersedes, forward_items, forward_statements, reverse_items, reverse_statements)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) returning number, dependent_on),
  dependencies as (
    insert into model_dependency (model, mrid_key)
    select distinct model.number, lower(mrid) from model, unnest(model.dependent_on) as mrid)
  select number from model`;

const INSERT_ITEMS = `
  with given as materialized (
    select * from jsonb_to_recordset($2::jsonb) as given (number integer, section text, occurrence integer, mrid text, type text,
      is_object boolean, name text, statements jsonb, digest text)),
  items as (
    insert into difference_item (model, number, section, mrid, occurrence, type, is_object, name, statements, digest)
    select $1::integer, number, section, mrid, occurrence, type, is_object, name, statements, decode(digest, 'hex') from given)
  insert into item_statement (model, name, statement_hash, item)
  select distinct $1::integer, statement ->> 0, hashtext((statement ->> 0) || ' ' || statement_key(statement ->> 2)), number
  from given, jsonb_array_elements(statements) as statement`;

const INSERT_PRECONDITIONS = `
  insert into model_precondition (model, number, mrid, type, is_object, statements)
  select $1, number, mrid, type, is_object, statements
  from jsonb_to_recordset($2::jsonb) as given (number integer, mrid text, type text, is_object boolean, statements jsonb)`;

const INSERT_CLASS_COUNTS = `
  insert into class_count (model, section, type, items, statements)
  select $1, section, type, items, statements
  from jsonb_to_recordset($2::jsonb) as given (section text, type text, items integer, statements integer)`;

const INSERT_OBJECT_CLASS_COUNTS = `
  insert into object_class_count (project_version, type, kind, objects)
  select project_version, coalesce(listed_type, type), kind, count(*)
  from object_change where project_version = $1 group by project_version, coalesce(listed_type, type), kind`;

/** All items, in any of the models, of the objects up to the last one of the page. */
const OBJECTS_AFTER = `
  with model as (
    select number, position from unnest($1::integer[]) with ordinality as given (number, position)),
  last_of_page as (
    select max(mrid_key) as mrid_key from (
      select next.mrid_key from model cross join lateral (
        select mrid_key from difference_item where model = model.number and mrid_key > $2 order by mrid_key limit $3) next
      order by next.mrid_key limit $3) page)
  select m.file, i.section, i.mrid_key as "mridKey", i.mrid as "mRID", i.type, i.is_object as "isObject", i.name,
    case when i.type = '${UNKNOWN_CLASS}'
      then array(select distinct statement ->> 0 from jsonb_array_elements(i.statements) statement) else '{}' end as names
  from model join difference_model m on m.number = model.number
  join difference_item i on i.model = model.number and i.mrid_key > $2 and i.mrid_key <= (select mrid_key from last_of_page)
  order by i.mrid_key, model.position, i.number`;

/** `offset 0` forces an index lookup per object: the columns have no statistics (see migration 0001). */
const INSERT_OBJECT_CHANGES = `
  insert into object_change (project_version, mrid_key, mrid, type, kind, name, files, listed_type)
  select $1, lower(mrid), mrid, type, case when kind = 'added' and not is_whole
      and exists (select from base_item where base = $3 and mrid_key = lower(given.mrid) offset 0) then 'changed' else kind end, name, files,
    case when type = '${UNKNOWN_CLASS}' then coalesce((
      select i.type from base_item i where i.base = $3 and i.mrid_key = lower(given.mrid) and i.type <> '${UNKNOWN_CLASS}'
      order by not i.is_object, array_position('{EQ,SC,GL}', i.file), i.number limit 1 offset 0), proposed_type) end
  from jsonb_to_recordset($2::jsonb)
    as given (mrid text, type text, kind text, is_whole boolean, name text, files text[], proposed_type text)`;
