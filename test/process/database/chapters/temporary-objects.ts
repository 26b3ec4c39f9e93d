import { Client } from 'pg';
import { sessionOptions } from '../../../../subgraphs/server/database/database';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { type AccessDatabase, accessDatabase, insertRecord } from '../../../support/access-database';
import { differenceModelXml, gridArchive, lineSegment } from '../../../support/grid-archives';
import { type GridDatabase, gridDatabase } from '../../../support/grid-database';
import { migratedDatabase } from '../../../support/postgres';

/**
 * Selects the functions that search temporary objects before all others, among those that have a search path or run as the
 * owner: since PostgreSQL 18 that includes deferred triggers of a statement of the owner.
 */
const OPEN_FUNCTIONS = `
  select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = pronamespace
  where nspname <> 'pg_catalog' and nspname <> 'information_schema'
    and (prosecdef or exists (select from unnest(proconfig) setting where setting like 'search_path=%')
      or exists (select from pg_trigger where tgfoid = p.oid and tgdeferrable))
    and not exists (select from unnest(proconfig) setting where setting like 'search_path=%, pg_temp')
  order by name`;

/** A type that runs code of the login wherever a statement names `uuid` and searches temporary objects first. */
const TEMPORARY_UUID = `
  create function pg_temp.reveal(value pg_catalog.uuid) returns boolean language plpgsql as
    $$ begin raise exception 'evaluated as %', current_user; end $$;
  create domain pg_temp.uuid as pg_catalog.uuid check (pg_temp.reveal(value))`;

/** A login may create temporary objects. No function of another owner uses them. */
export function temporaryObjects(): void {
  describe('In the subgraph access', () => {
    let database: AccessDatabase;
    beforeAll(async () => {
      database = await accessDatabase();
    });
    afterAll(() => database?.close());

    it('a temporary type runs no code of the login as the owner', async () => {
      const { application } = database;
      const id = await insertRecord(application, 'ACTIVE');
      await application.query('begin');
      await application.query(TEMPORARY_UUID);
      const destroy =
        'select access.destroy_references(array(select identity_record_id from access_record where id = $1))';
      const destroyed = application.query(destroy, [id]);
      await expect(destroyed.finally(() => application.query('rollback'))).resolves.toMatchObject({ rowCount: 1 });
    });
  });

  describe('In the subgraph grid-models', () => {
    let grid: GridDatabase;
    let application: Client;
    beforeAll(async () => {
      grid = await gridDatabase();
      await grid.published(await gridArchive({ EQ: differenceModelXml('EQ', { forward: lineSegment('A', 'One') }) }));
      application = new Client(sessionOptions(databaseAddress(grid.url, 'grid_models', grid.key)));
      await application.connect();
    });
    afterAll(async () => {
      await application?.end();
      await grid?.close();
    });

    it.each(['difference_item', 'object_change', 'content_chunk', 'class_count'])(
      'a temporary table of versions permits no change of the rows of a published one in %s',
      async (table) => {
        const before = await grid.rows();
        await application.query('create temp table project_version (id uuid, version int)');
        const deleted = application.query(`delete from grid_models.${table}`);
        await expect(deleted.finally(() => application.query('discard temp'))).rejects.toThrow(/never changes/);
        expect(await grid.rows()).toEqual(before);
      },
    );
  });

  it('are searched last by every function of the owner and every function with a search path', async () => {
    const database = await migratedDatabase();
    const session = new Client({ connectionString: database.url });
    try {
      await session.connect();
      expect((await session.query(OPEN_FUNCTIONS)).rows.map(({ name }) => name as string)).toEqual([]);
    } finally {
      await session.end();
      await database.drop();
    }
  });
}
