import type { Migration } from '../../server/migrate';
import { IdentityRecords1790000000001 } from './migrations/0001-identity-records';

/** The migrations of `identity`, in order. */
export const identityMigrations: readonly Migration[] = [IdentityRecords1790000000001];
