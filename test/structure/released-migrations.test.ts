import { createHash } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accessTables } from '../../subgraphs/access/tables.sql';
import { gridModelTables } from '../../subgraphs/grid-models/tables.sql';
import { identityTables } from '../../subgraphs/identity/tables.sql';
import { tariffTables } from '../../subgraphs/tariffs/tables.sql';
import released from './released-migrations.json';

const TABLES = {
  access: accessTables,
  identity: identityTables,
  'grid-models': gridModelTables,
  tariffs: tariffTables,
};

/** Returns the SHA-256 of all statements of a migration. */
async function digestOf(Migration: new () => MigrationInterface): Promise<string> {
  const hash = createHash('sha256');
  const query = async (statement: string, values?: unknown[]) => {
    hash.update(JSON.stringify([statement, values]));
    return []; // no rows
  };
  await new Migration().up({ query } as unknown as QueryRunner);
  return hash.digest('hex');
}

describe('released migrations', () => {
  it('are unchanged: a change of a table is a new migration, and a new line of released-migrations.json', async () => {
    const digests: Record<string, string> = {};
    for (const [subgraph, { migrations }] of Object.entries(TABLES)) {
      for (const migration of migrations) digests[`${subgraph}/${migration.name}`] = await digestOf(migration);
    }
    expect(digests).toEqual(released);
  });
});
