import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { ReturnedOnce } from '../../server/graph/checked-mutations';
import { DateTime, Duid, Uri } from '../../../schema/scalars';
import type { AccountRole } from '../../../schema/roles';
import type { DataType } from '../../../schema/data-types';
import type { TerminationProgress } from './termination.repository';
import type { AccountFilter, AccountInput, AccountStatus } from './account';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { AccountRoleEnum, DataUserStatusEnum } from './account.enums';
import { connectionType } from '../../server/lists/connection.types';

@ObjectType('Account', simple('An account of an organisation or person.'))
export class AccountType {
  @Field(() => ID, { description: 'Identifier; the user name of the sign-in.' }) accountId: string;
  @Field(() => AccountRoleEnum, { description: 'Role of the account.' }) role: AccountRole;
  @Field(() => String, { description: 'Name of the organisation or person.' }) displayName: string;
  @Field(() => DataUserStatusEnum, {
    description: 'Status; requests of a suspended or terminated account are rejected.',
  })
  status: AccountStatus;
  @Field(() => DateTime, { description: 'When it was onboarded.' }) registeredAt: Date;
  @Field(() => DateTime, nullable('Time of suspension.')) suspendedAt: Date | null;
  @Field(() => DateTime, nullable('Time from which the Data User may not assert `verified` of Identity Records.'))
  verificationWithdrawnAt: Date | null;
  @Field(() => Duid, nullable('Data Users and portals only.')) duid: string | null;
  @Field(() => String, nullable('Market participant id; suppliers only.')) mpid: string | null;
  @Field(() => Uri, nullable('Contact URL.')) contactUrl: string | null;
  @Field(() => Uri, nullable('Its privacy notice.')) privacyUrl: string | null;
  @Field(() => [DataTypeEnum], { description: 'The data categories it handles.' }) dataTypesSupported: DataType[];
  @Field(() => String, nullable("The communications operator's reference of the organisation."))
  organisationReference: string | null;
  @Field(() => [Uri], { description: 'URLs to which the register may redirect customers.' }) returnUrls: string[];
  @Field(() => Uri, nullable('OpenID Connect issuer; suppliers only.')) oauthIssuer: string | null;
  @Field(() => String, nullable('OpenID Connect client; suppliers only.')) oauthClientId: string | null;
}

@ObjectType('AccountTermination', {
  description:
    'Progress of storing that the access records of a terminated Data User are revoked. All of them read REVOKED from the termination on.',
  simpleResolvers: true,
})
export class AccountTerminationType implements TerminationProgress {
  @Field(() => DateTime, { description: 'When it was terminated.' }) at: Date;
  @Field(() => Int, { description: 'Records whose revocation is stored.' }) recordsRevoked: number;
  @Field(() => Int, { description: 'Records whose revocation is not yet stored.' }) recordsRemaining: number;
}

@ObjectType('AccountSecret', simple('A secret that is returned once.'))
export class AccountSecretType {
  @Field(() => AccountType, { description: 'The account.' }) account: AccountType;
  @ReturnedOnce()
  @Field(() => String, { description: 'The secret. It cannot be read later.' })
  secretKey: string;
}

@InputType('AccountInput', { description: 'An account to onboard.' })
export class AccountInputType implements AccountInput {
  @Field(() => AccountRoleEnum, { description: 'Role of the account.' }) role: AccountRole;
  @Field(() => String, { description: 'Name, at most 255 characters.' }) displayName: string;
  @Field(() => Uri, optional('Contact URL; required for Data Users and portals.')) contactUrl: string | null;
  @Field(() => Uri, optional('Its privacy notice; required for Data Users.')) privacyUrl: string | null;
  @Field(() => [DataTypeEnum], optional('The data categories it handles, each once.'))
  dataTypesSupported: DataType[] | null;
  @Field(() => String, optional("The communications operator's reference.")) organisationReference: string | null;
  @Field(() => [Uri], optional('URLs to which the register may redirect customers.')) returnUrls: string[] | null;
  @Field(() => String, optional('Market participant id; required for suppliers.')) mpid: string | null;
}

@InputType('AccountFilter', { description: 'Selects accounts: all stated conditions must hold.' })
export class AccountFilterType implements AccountFilter {
  @Field(() => String, optional('A part of the name, in any letter case, or a whole `accountId`, `duid` or `mpid`.'))
  text?: string | null;
  @Field(() => [ID], optional('Accounts with one of these values as `accountId`, `duid` or `mpid`.'))
  ids?: string[] | null;
}

/** A page of accounts. */
export const AccountConnectionType = connectionType('Account', 'A page of accounts, by identifier.', () => AccountType);
