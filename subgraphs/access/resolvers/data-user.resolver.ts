import { Arg, Query, Resolver } from 'type-graphql';
import { ACCOUNT_ROLES } from '../../../schema/roles';
import { Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type { DataUserRepository, DirectoryEntry } from '../database/data-user.repository';
import { DataUserType } from './data-user.types';

/** Who may read the directory: any role with a token (2-decisions-a-b.md, section 2); a consumer of a supplier has none of these roles. */
export const DIRECTORY_READERS = [...ACCOUNT_ROLES, 'customer'] as const;

/** The directory of Data Users (1-specification.md, GET /data-users/{duid}). */
@Resolver(() => DataUserType)
export class DataUserResolver {
  constructor(private readonly dataUsers: DataUserRepository) {}

  @MayCall(...DIRECTORY_READERS)
  @Query(() => DataUserType, { nullable: true, description: 'A Data User by its identifier; null for a portal.' })
  dataUser(@Arg('duid', () => Duid, { description: 'Its identifier.' }) duid: string): Promise<DirectoryEntry | null> {
    return this.dataUsers.listed(duid);
  }
}
