import type { Migration } from '../../server/migrate';
import { Accounts1790000000001 } from './migrations/0001-accounts';
import { AccessRecords1790000000002 } from './migrations/0002-access-records';

/** The migrations of `access`, in order. */
export const accessMigrations: readonly Migration[] = [Accounts1790000000001, AccessRecords1790000000002];
