import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime, Duid, JsonObject, Uri } from '../../../schema/scalars';
import type { AccountRole } from '../../../schema/roles';
import type { DataType } from '../domain/access-record';
import type { TerminationProgress } from '../database/termination.repository';
import type { AccountInput, AccountStatus } from '../domain/account';
import { DataTypeEnum } from '../../server/data-type.enums';
import { AccountRoleEnum, DataUserStatusEnum } from './access-record.enums';
import { PageInfoType } from '../../server/page-info.types';

@ObjectType('Account', { description: 'Who may use the register, and as what.', simpleResolvers: true })
export class AccountType {
  @Field(() => ID, { description: 'Identifier; the user name of the sign-in.' }) accountId: string;
  @Field(() => AccountRoleEnum, { description: 'What the account is for.' }) role: AccountRole;
  @Field(() => String, { description: 'Name of the organisation or person.' }) displayName: string;
  @Field(() => DataUserStatusEnum, { description: 'Whether it is let in.' }) status: AccountStatus;
  @Field(() => DateTime, { description: 'When it was onboarded.' }) registeredAt: Date;
  @Field(() => DateTime, { nullable: true, description: 'Since when it is suspended.' }) suspendedAt: Date | null;
  @Field(() => DateTime, {
    nullable: true,
    description: 'Since when it may not assert `verified` of Identity Records any more; Data Users only.',
  })
  verificationWithdrawnAt: Date | null;
  @Field(() => Duid, { nullable: true, description: 'Data Users and portals only.' }) duid: string | null;
  @Field(() => String, { nullable: true, description: 'Market participant id; suppliers only.' }) mpid: string | null;
  @Field(() => Uri, { nullable: true, description: 'Where to reach it.' }) contactUrl: string | null;
  @Field(() => Uri, { nullable: true, description: 'Its privacy notice.' }) privacyUrl: string | null;
  @Field(() => [DataTypeEnum], { description: 'The data categories it handles.' }) dataTypesSupported: DataType[];
  @Field(() => String, { nullable: true, description: "The communications operator's reference of the organisation." })
  organisationReference: string | null;
  @Field(() => [Uri], { description: 'URLs to which customers may be sent back.' }) returnUrls: string[];
  @Field(() => Uri, { nullable: true, description: 'OpenID Connect issuer; suppliers only.' }) oauthIssuer:
    string | null;
  @Field(() => String, { nullable: true, description: 'OpenID Connect client; suppliers only.' }) oauthClientId:
    string | null;
}

@ObjectType('AccountTermination', {
  description:
    'How far the access records of a terminated Data User are written down as revoked; all read REVOKED from the start.',
  simpleResolvers: true,
})
export class AccountTerminationType implements TerminationProgress {
  @Field(() => DateTime, { description: 'When it was terminated.' }) at: Date;
  @Field(() => Int, { description: 'Records that are written down.' }) recordsRevoked: number;
  @Field(() => Int, { description: 'Records that are still to be.' }) recordsRemaining: number;
}

@ObjectType('AccountSecret', { description: 'A secret, shown once.', simpleResolvers: true })
export class AccountSecretType {
  @Field(() => AccountType, { description: 'The account.' }) account: AccountType;
  @Field(() => String, { description: 'The secret. It cannot be retrieved later.' }) secretKey: string;
}

@InputType('AccountInput', { description: 'An account to onboard.' })
export class AccountInputType implements AccountInput {
  @Field(() => AccountRoleEnum, { description: 'What the account is for.' }) role: AccountRole;
  @Field(() => String, { description: 'Name, at most 255 characters.' }) displayName: string;
  @Field(() => Uri, {
    nullable: true,
    defaultValue: null,
    description: 'Where to reach it; required for Data Users and portals.',
  })
  contactUrl: string | null;
  @Field(() => Uri, {
    nullable: true,
    defaultValue: null,
    description: 'Its privacy notice; required for Data Users.',
  })
  privacyUrl: string | null;
  @Field(() => [DataTypeEnum], {
    nullable: true,
    defaultValue: null,
    description: 'The data categories it handles, each once.',
  })
  dataTypesSupported: DataType[] | null;
  @Field(() => String, { nullable: true, defaultValue: null, description: "The communications operator's reference." })
  organisationReference: string | null;
  @Field(() => [Uri], { nullable: true, defaultValue: null, description: 'URLs to which customers may be sent back.' })
  returnUrls: string[] | null;
  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'Market participant id; required for suppliers.',
  })
  mpid: string | null;
}

@ObjectType('AuditEntry', { description: 'Who did what to whom.', simpleResolvers: true })
export class AuditEntryType {
  @Field(() => ID, { description: 'Number.' }) id: string;
  @Field(() => DateTime, { description: 'When.' }) at: Date;
  @Field(() => String, { description: 'Account that acted.' }) actor: string;
  @Field(() => String, { description: 'What was done.' }) action: string;
  @Field(() => String, { description: 'To what.' }) subject: string;
  @Field(() => JsonObject, { description: 'Particulars; never a secret.' }) detail: Record<string, unknown>;
}

@ObjectType('AuditEntryEdge', { description: 'An entry of the audit in a list.', simpleResolvers: true })
class AuditEntryEdgeType {
  @Field(() => String, { description: 'Where the entry stands.' }) cursor: string;
  @Field(() => AuditEntryType, { description: 'The entry.' }) node: AuditEntryType;
}

@ObjectType('AuditEntryConnection', { description: 'A page of the audit, newest first.', simpleResolvers: true })
export class AuditEntryConnectionType {
  @Field(() => [AuditEntryEdgeType], { description: 'Entries with their cursors.' }) edges: AuditEntryEdgeType[];
  @Field(() => [AuditEntryType], { description: 'Entries.' }) nodes: AuditEntryType[];
  @Field(() => PageInfoType, { description: 'Where the page ends.' }) pageInfo: PageInfoType;
}

@ObjectType('AccountEdge', { description: 'An account in a list.', simpleResolvers: true })
class AccountEdgeType {
  @Field(() => String, { description: 'Where the entry stands.' }) cursor: string;
  @Field(() => AccountType, { description: 'The account.' }) node: AccountType;
}

@ObjectType('AccountConnection', { description: 'A page of accounts, by identifier.', simpleResolvers: true })
export class AccountConnectionType {
  @Field(() => [AccountEdgeType], { description: 'Entries with their cursors.' }) edges: AccountEdgeType[];
  @Field(() => [AccountType], { description: 'Entries.' }) nodes: AccountType[];
  @Field(() => PageInfoType, { description: 'Where the page ends.' }) pageInfo: PageInfoType;
  @Field(() => Int, { description: 'Accounts in all.' }) totalCount: number;
}
