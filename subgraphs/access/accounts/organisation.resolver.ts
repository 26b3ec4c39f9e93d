import { Arg, Directive, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { Duid, Uri } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { AccountStatus } from './account';
import type * as stored from './organisation.repository';
import type {
  Organisation,
  OrganisationRepository,
  SupplierClient,
  SupplierSignInOption,
} from './organisation.repository';

@Directive('@inaccessible')
@ObjectType('Organisation', simple('Internal: an organisation with a DUID, for pages and mails.'))
class OrganisationType implements stored.Organisation {
  @Field(() => Duid, { description: 'Its identifier.' }) duid: string;
  @Field(() => String, { description: 'Its name, from its account.' }) displayName: string;
  @Field(() => String, { description: 'Status of its account.' }) status: AccountStatus;
  @Field(() => [Uri], { description: 'URLs to which the register may redirect customers.' }) returnUrls: string[];
  @Field(() => Boolean, { description: "Whether it may assert that it verified a customer's identity." })
  mayAssertVerified: boolean;
  @Field(
    () => String,
    nullable('Series of the valid bearer tokens of its account; null before their first revocation.'),
  )
  tokenSeries: string | null;
}

@Directive('@inaccessible')
@ObjectType('SupplierClient', simple("Internal: the register's OpenID Connect client at a supplier."))
class SupplierClientType implements stored.SupplierClient {
  @Field(() => String, { description: 'Market participant id of the supplier.' }) mpid: string;
  @Field(() => String, { description: 'Name of the supplier.' }) displayName: string;
  @Field(() => Uri, { description: "The supplier's issuer." }) issuer: string;
  @Field(() => String, { description: "Identifier of the register's client." }) clientId: string;
  @Field(() => String, { description: 'Secret of the client.' }) clientSecret: string;
}

@ObjectType('SupplierSignInOption', simple('A supplier at which customers can sign in.'))
class SupplierSignInOptionType implements stored.SupplierSignInOption {
  @Field(() => String, { description: 'Market participant id of the supplier.' }) mpid: string;
  @Field(() => String, { description: 'Name of the supplier.' }) displayName: string;
}

const MAX_ORGANISATIONS = 500;

/** Organisations as customers read them: names, return URLs, and suppliers at which they can sign in. */
@Resolver()
export class OrganisationResolver {
  constructor(private readonly repository: OrganisationRepository) {}

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Query(() => [OrganisationType], {
    nullable: 'items',
    description: 'Internal: organisations in the order of the argument, null for unknown ones.',
  })
  organisations(
    @Arg('duids', () => [Duid], { description: 'Identifiers, at most 500.' }) duids: string[],
  ): Promise<(Organisation | null)[]> {
    if (duids.length > MAX_ORGANISATIONS)
      throw new RegisterError('VAL003', `duids must have at most ${MAX_ORGANISATIONS} entries`);
    return Promise.all(duids.map(async (duid) => (await this.repository.byDuid(duid)) ?? null));
  }

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Query(
    () => SupplierClientType,
    nullable('Internal: the client at a supplier; null when customers cannot sign in there.'),
  )
  supplierClient(
    @Arg('mpid', () => String, { description: 'Market participant id.' }) mpid: string,
  ): Promise<SupplierClient | null> {
    return this.repository.supplierClient(mpid);
  }

  @MayCall('anyone', 'service:identity')
  @Query(() => [SupplierSignInOptionType], { description: 'Suppliers at which customers can sign in, by name.' })
  supplierSignIns(): Promise<SupplierSignInOption[]> {
    return this.repository.suppliers();
  }
}
