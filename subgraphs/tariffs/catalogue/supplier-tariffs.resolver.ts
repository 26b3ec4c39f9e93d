import { Arg, Args, FieldResolver, Resolver, Root } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { nullable } from '../../server/graph/decorator-options';
import type { ConnectionWithTotal } from '../../server/lists/connection';
import { type OffsetPage, cursorPage } from '../../server/lists/offset-page';
import { ListArgs, OffsetArgs } from '../../server/lists/offset-page.types';
import type { Supplier } from '../register-entries/supplier';
import { SupplierType } from '../register-entries/supplier.types';
import type { StoredTariff } from './stored-tariff';
import type { TariffFilter } from './tariff-conditions.sql';
import type { TariffQueries } from './tariff.queries';
import type { TariffListQueries } from './tariff-list.queries';
import { BOUND_RATES, TariffConnectionType, TariffFilterInput, TariffPageType, TariffType } from './tariff.types';

/** The tariffs of a supplier. */
@Resolver(() => SupplierType)
export class SupplierTariffResolver {
  constructor(
    private readonly lists: TariffListQueries,
    private readonly tariffQueries: TariffQueries,
  ) {}

  @FieldResolver(() => TariffType, nullable('One of its tariffs.'))
  async tariff(
    @Root() { mpid }: Supplier,
    @Arg('tariffId', () => String, { description: 'Its identifier.' }) tariffId: string,
  ): Promise<StoredTariff | null> {
    const tariff = await this.tariffQueries.byId(tariffId);
    return tariff?.mpid === mpid ? tariff : null;
  }

  @FieldResolver(() => TariffPageType, {
    description: 'A page of its tariffs, by number; empty if it is disabled or removed.',
  })
  async tariffPage(
    @Root() supplier: Supplier,
    @Arg('filter', () => TariffFilterInput, nullable('Selects entries of the list.')) filter: TariffFilterInput | null,
    @Args() request: OffsetArgs,
    @Arg('boundRates', () => Boolean, BOUND_RATES) boundRates: boolean,
  ): Promise<OffsetPage<StoredTariff>> {
    const page = await this.lists.page(ofSupplier(supplier, filter), request);
    return boundRates ? this.lists.withBoundRates(page) : page;
  }

  @FieldResolver(() => TariffConnectionType, {
    description: 'Its tariffs, the last modified first; none if it is disabled or removed.',
  })
  tariffs(
    @Root() supplier: Supplier,
    @Args() page: ListArgs,
    @Arg('filter', () => TariffFilterInput, nullable('Selects entries of the list.')) filter: TariffFilterInput | null,
  ): Promise<ConnectionWithTotal<StoredTariff>> {
    return this.lists.connection(ofSupplier(supplier, filter), cursorPage(page));
  }
}

/** Restricts a filter to a supplier. VAL003 if the filter names another one. */
function ofSupplier({ mpid }: Supplier, filter: TariffFilterInput | null): TariffFilter {
  if (filter?.mpid != null && filter.mpid !== mpid)
    throwViolations([{ code: 'VAL003', path: ['filter', 'mpid'], message: 'is another supplier' }]);
  return { ...filter, mpid };
}
