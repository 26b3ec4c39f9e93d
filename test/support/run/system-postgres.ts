/** Where Debian has the programs of PostgreSQL 15. */
export const SYSTEM_POSTGRES = '/usr/lib/postgresql/15/bin';
