import type { KeyHashes } from './register-keys';
import { DATA_KEYS, REGISTER_SCHEMAS } from './stored-tables';

/** A file with the rows of one table in the text format of PostgreSQL's COPY. */
export interface TableDump {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly file: string;
  readonly sha256: string;
}

/** The contents of a backup. The file is written last: a folder without it is not a complete backup. */
export interface Manifest {
  readonly format: 1;
  readonly takenAt: string;
  /** Migrations that had been applied to each schema. */
  readonly migrations: Readonly<Record<string, readonly string[]>>;
  /** A restore compares them: it needs the same keys. */
  readonly keys: KeyHashes;
  readonly tables: readonly TableDump[];
}

const SCHEMAS: readonly string[] = [...REGISTER_SCHEMAS, ...DATA_KEYS];
const TABLE = /^[a-z_][a-z0-9_]*$/;
/** A name as `quote_ident` returns it. */
const COLUMN = /^(?:[a-z_][a-z0-9_]*|"(?:[^"]|"")+")$/;

/**
 * Returns whether all names in a manifest are those of schemas, tables, columns and files of a backup. A restore puts them
 * into statements and paths, and who can write to the folder of backups can change them.
 */
export function hasOwnNames({ keys, tables }: Manifest): boolean {
  return Object.keys(keys).every((schema) => SCHEMAS.includes(schema)) && tables.every(isOwnTable);
}

function isOwnTable({ schema, table, columns, file }: TableDump): boolean {
  return (
    SCHEMAS.includes(schema) &&
    TABLE.test(table) &&
    columns.every((column) => COLUMN.test(column)) &&
    file === `${schema}.${table}.copy`
  );
}
