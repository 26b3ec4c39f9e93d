import type { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';
import { fillListedTypes } from '../../subgraphs/grid-models/migrations/0009-listed-order';

/** Clears the listed classes of all objects, as if a previous release had published them. */
export async function clearListedTypes(owner: Pool): Promise<void> {
  await owner.query(`alter table object_change disable trigger never_changed;
    update object_change set listed_type = null;
    alter table object_change enable trigger never_changed`);
}

/** Fills the listed classes as migration 0009 does. */
export function fillListedTypesOf(owner: Pool): Promise<void> {
  const query = async (statement: string, values?: unknown[]) => (await owner.query(statement, values)).rows;
  return fillListedTypes({ query } as Pick<QueryRunner, 'query'>);
}
