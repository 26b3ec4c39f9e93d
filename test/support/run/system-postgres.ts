/** Folder of the programs of PostgreSQL 15 on Debian. */
export const SYSTEM_POSTGRES = '/usr/lib/postgresql/15/bin';
