import { Directive, Field, ObjectType } from 'type-graphql';
import { Duid, Uri } from '../../../schema/scalars';
import type * as stored from '../database/organisation.repository';
import type { AccountStatus } from '../domain/account';

@Directive('@inaccessible')
@ObjectType('Organisation', {
  description: 'Internal: an organisation with a DUID, as pages and mails name it.',
  simpleResolvers: true,
})
export class OrganisationType implements stored.Organisation {
  @Field(() => Duid, { description: 'Its identifier.' }) duid: string;
  @Field(() => String, { description: 'Its name, from its account.' }) displayName: string;
  @Field(() => String, { description: 'Status of its account.' }) status: AccountStatus;
  @Field(() => [Uri], { description: 'URLs to which customers may be sent back.' }) returnUrls: string[];
  @Field(() => Boolean, { description: "Whether it may assert that it verified a customer's identity." })
  mayAssertVerified: boolean;
}

@Directive('@inaccessible')
@ObjectType('SupplierClient', {
  description: "Internal: the register's OpenID Connect client at a supplier.",
  simpleResolvers: true,
})
export class SupplierClientType implements stored.SupplierClient {
  @Field(() => String, { description: 'Market participant id of the supplier.' }) mpid: string;
  @Field(() => String, { description: 'Name of the supplier.' }) displayName: string;
  @Field(() => Uri, { description: "The supplier's issuer." }) issuer: string;
  @Field(() => String, { description: "The register's client there." }) clientId: string;
  @Field(() => String, { description: 'Its secret.' }) clientSecret: string;
}

@ObjectType('SupplierSignInOption', {
  description: 'A supplier at which customers can sign in.',
  simpleResolvers: true,
})
export class SupplierSignInOptionType implements stored.SupplierSignInOption {
  @Field(() => String, { description: 'Market participant id of the supplier.' }) mpid: string;
  @Field(() => String, { description: 'Name of the supplier.' }) displayName: string;
}
