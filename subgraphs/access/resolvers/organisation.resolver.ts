import { Arg, Directive, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type {
  Organisation,
  OrganisationRepository,
  SupplierClient,
  SupplierSignInOption,
} from '../database/organisation.repository';
import { OrganisationType, SupplierClientType, SupplierSignInOptionType } from './organisation.types';

const MOST_ORGANISATIONS = 500;

/** Organisations as customers meet them: names, return URLs, suppliers to sign in at (2-decisions-a-b.md, sections 4 and 9). */
@Resolver()
export class OrganisationResolver {
  constructor(private readonly repository: OrganisationRepository) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => [OrganisationType], {
    nullable: 'items',
    description: 'Internal: organisations in the order asked for, null for unknown ones.',
  })
  organisations(
    @Arg('duids', () => [Duid], { description: 'Identifiers, at most 500.' }) duids: string[],
  ): Promise<(Organisation | null)[]> {
    if (duids.length > MOST_ORGANISATIONS)
      throw new RegisterError('VAL003', `duids must have at most ${MOST_ORGANISATIONS} entries`);
    return Promise.all(duids.map(async (duid) => (await this.repository.byDuid(duid)) ?? null));
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => SupplierClientType, {
    nullable: true,
    description: 'Internal: the client at a supplier; null when customers cannot sign in there.',
  })
  supplierClient(
    @Arg('mpid', () => String, { description: 'Market participant id.' }) mpid: string,
  ): Promise<SupplierClient | null> {
    return this.repository.supplierClient(mpid);
  }

  @MayCall('anyone')
  @Query(() => [SupplierSignInOptionType], { description: 'Suppliers at which customers can sign in, by name.' })
  supplierSignIns(): Promise<SupplierSignInOption[]> {
    return this.repository.suppliers();
  }
}
