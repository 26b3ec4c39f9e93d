import { Directive, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime, Duid } from '../../../schema/scalars';
import type { AccountRole, Role } from '../../../schema/roles';
import { nullable, simple } from '../../server/graph/decorator-options';
import { AccountRoleEnum } from './account.enums';

@ObjectType('IssuedBearerToken', simple('A bearer token.'))
export class IssuedBearerTokenType {
  @Field(() => String, { description: 'The JWT for the Authorization header.' }) bearerToken: string;
  @Field(() => Int, { description: 'Lifetime in seconds.' }) expires: number;
}

@ObjectType('Viewer', simple('The account of the token.'))
export class ViewerType {
  @Field(() => ID, { description: 'Account.' }) accountId: string;
  @Field(() => AccountRoleEnum, { description: 'Role of the account.' }) role: AccountRole;
  @Field(() => Duid, nullable('Data User of the account.')) duid: string | null;
}

@Directive('@inaccessible')
@ObjectType('SupplierAdmission', simple('Internal: the supplier whose API key a request contains.'))
export class SupplierAdmissionType {
  @Field(() => ID, { description: 'Account.' }) accountId: string;
  @Field(() => String, { description: 'Market participant id.' }) mpid: string;
  @Field(() => ID, { description: 'Id of the key; it is not a secret.' }) keyId: string;
  @Field(() => Int, nullable('Seconds until the next request is allowed; null within the rate limit.'))
  retryAfter: number | null;
}

@Directive('@inaccessible')
@InputType('AccountTokenInput', { description: 'Internal: claims of a bearer token whose signature is verified.' })
export class AccountTokenInput {
  @Field(
    () => String,
    nullable('Series of the tokens of the account at the sign-in; null before the first revocation.'),
  )
  series?: string | null;
  @Field(() => DateTime, { description: 'Start of its validity.' }) validFrom: Date;
  @Field(() => DateTime, { description: 'End of its validity.' }) expiresAt: Date;
}

/** The fields `status`, `tokenSeries` and `now` serve gateways of an earlier release. */
@Directive('@inaccessible')
@ObjectType('Admission', simple('Internal: admission of a request by an account.'))
export class AdmissionType {
  @Field(() => ID, { description: 'Account.' }) accountId: string;
  @Field(() => String, { description: 'Role.' }) role: Role;
  @Field(() => String, nullable('Data User of the account.')) duid: string | null;
  @Field(() => String, nullable('Market participant id of a supplier.')) mpid: string | null;
  @Field(() => String, { description: 'Status of the account.' }) status: string;
  @Field(() => String, nullable('Series of its valid bearer tokens; null before the first revocation.'))
  tokenSeries: string | null;
  @Field(() => DateTime, { description: "Time of the register's clock, which decides whether a token has expired." })
  now: Date;
  @Field(() => Boolean, { description: 'Whether the request is within the rate limit of the account.' })
  allowed: boolean;
  @Field(() => Int, nullable('Seconds until the next request is allowed.')) retryAfter: number | null;
}
