import { Arg, Directive, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { ACCOUNT_ROLES } from '../../../schema/roles';
import { DateTime, Duid, Uri } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { DataType } from '../../../schema/data-types';
import { DataUserStatusEnum } from './account.enums';
import type { AccountStatus } from './account';
import type { DataUserRepository, DirectoryEntry } from './data-user.repository';

@Directive('@key(fields: "duid")')
@ObjectType('DataUser', simple('The public directory entry of a Data User organisation.'))
export class DataUserType {
  @Field(() => Duid, { description: 'Its identifier.' }) duid: string;
  @Field(() => String, { description: 'Name of the organisation.' }) displayName: string;
  @Field(() => DataUserStatusEnum, { description: 'Status of the organisation.' }) status: AccountStatus;
  @Field(() => DateTime, { description: 'When it was onboarded.' }) registeredAt: Date;
  @Field(() => DateTime, nullable('Time of suspension.')) suspendedAt: Date | null;
  @Field(() => Uri, { description: 'Contact URL.' }) contactUrl: string;
  @Field(() => Uri, nullable('Its privacy notice.')) privacyUrl: string | null;
  @Field(() => [DataTypeEnum], { description: 'The data categories it handles.' }) dataTypesSupported: DataType[];
}

/** Roles that may read the directory: every role of an account, and customers. Consumers of a supplier have no such role. */
export const DIRECTORY_READERS = [...ACCOUNT_ROLES, 'customer'] as const;

/** The directory of Data Users (specification, GET /data-users/{duid}). */
@Resolver(() => DataUserType)
export class DataUserResolver {
  constructor(private readonly dataUsers: DataUserRepository) {}

  @MayCall(...DIRECTORY_READERS)
  @Query(() => DataUserType, nullable('A Data User by its identifier; null for a portal.'))
  dataUser(@Arg('duid', () => Duid, { description: 'Its identifier.' }) duid: string): Promise<DirectoryEntry | null> {
    return this.dataUsers.listed(duid);
  }
}
