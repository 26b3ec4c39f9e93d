import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** Stores the number of changed objects of each version by class, and guards chunks against transactions that began before the publication. */
export class ObjectClassCounts1790000000012 extends ForwardMigration {
  readonly statements = [
    'set local search_path = grid_models, register',
    COUNTS,
    FILL,
    GUARDS,
    CHUNKS,
    TEMPORARY_OBJECTS_LAST('grid_models'),
  ];
}

/** `type` is the class under which the objects are listed. Versions that the previous release publishes have no rows. */
const COUNTS = `
  create table object_class_count (
    project_version uuid not null,
    type text not null,
    kind text not null check (kind in ('added', 'removed', 'changed')),
    objects integer not null,
    primary key (project_version, type, kind)
  )`;

/** Counts before the foreign key is added, because that locks the table of versions until the end. */
const FILL = `
  insert into object_class_count (project_version, type, kind, objects)
  select c.project_version, coalesce(c.listed_type, c.type), c.kind, count(*)
  from object_change c join project_version v on v.id = c.project_version and v.version is not null
  group by c.project_version, coalesce(c.listed_type, c.type), c.kind`;

/** As for the other parts of a version (see migration 0001). */
const GUARDS = `
  alter table object_class_count add foreign key (project_version) references project_version on delete cascade;
  create trigger never_added after insert on object_class_count referencing new table as parts
    for each statement execute function guard_parts_of_versions();
  create trigger never_removed after delete on object_class_count referencing old table as parts
    for each statement execute function guard_parts_of_versions();
  create trigger never_changed before update on object_class_count for each row execute function refuse_change()`;

/**
 * Locks the row of the version before it is checked, as the guards of other parts do: a concurrent transaction cannot publish it before the
 * chunk is committed, and one whose snapshot is older than the publication fails to serialise.
 */
const CHUNKS = `
  create or replace function guard_chunk() returns trigger language plpgsql set search_path = grid_models as $$
    declare
      is_published boolean;
    begin
      select v.version is not null into is_published
        from project_version v join content c on c.project_version = v.id
        where c.number = case tg_op when 'INSERT' then new.content else old.content end
        for key share of v;
      if is_published or (tg_op = 'INSERT' and is_published is null) then
        raise exception 'a published version never changes' using errcode = 'restrict_violation';
      end if;
      return coalesce(new, old);
    end $$`;
