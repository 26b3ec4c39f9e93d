import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime, Duid } from '../../../schema/scalars';
import type { AccountRole, Role } from '../../../schema/roles';
import { AccountRoleEnum } from './access-record.enums';

@ObjectType('IssuedBearerToken', { description: 'A bearer token.', simpleResolvers: true })
export class IssuedBearerTokenType {
  @Field(() => String, { description: 'The JWT for the Authorization header.' }) bearerToken: string;
  @Field(() => Int, { description: 'Lifetime in seconds.' }) expires: number;
}

@ObjectType('Viewer', { description: 'Whose token the request carries.', simpleResolvers: true })
export class ViewerType {
  @Field(() => ID, { description: 'Account.' }) accountId: string;
  @Field(() => AccountRoleEnum, { description: 'What the account is for.' }) role: AccountRole;
  @Field(() => Duid, { nullable: true, description: 'Data User of the account.' }) duid: string | null;
}

@Directive('@inaccessible')
@ObjectType('SupplierAdmission', {
  description: 'Internal: the supplier whose API key a request carries.',
  simpleResolvers: true,
})
export class SupplierAdmissionType {
  @Field(() => ID, { description: 'Account.' }) accountId: string;
  @Field(() => String, { description: 'Market participant id.' }) mpid: string;
  @Field(() => ID, { description: 'The key, by an id that is no secret.' }) keyId: string;
  @Field(() => Int, { nullable: true, description: 'Seconds until it may try again; null within the rate.' })
  retryAfter: number | null;
}

@Directive('@inaccessible')
@ObjectType('Admission', {
  description: 'Internal: whether an account is let in at this instant.',
  simpleResolvers: true,
})
export class AdmissionType {
  @Field(() => ID, { description: 'Account.' }) accountId: string;
  @Field(() => String, { description: 'Role.' }) role: Role;
  @Field(() => String, { nullable: true, description: 'Data User of the account.' }) duid: string | null;
  @Field(() => String, { nullable: true, description: 'Market participant id of a supplier.' }) mpid: string | null;
  @Field(() => String, { description: 'Status of the account.' }) status: string;
  @Field(() => DateTime, { description: "The register's clock: whether a token has expired is decided by it." })
  now: Date;
  @Field(() => Boolean, { description: 'Whether the request is within the rate of the account.' }) allowed: boolean;
  @Field(() => Int, { nullable: true, description: 'Seconds until it may try again.' }) retryAfter: number | null;
}
