import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { nullable } from '../../server/graph/decorator-options';
import type { Connection, ConnectionWithTotal } from '../../server/lists/connection';
import { VersionArgs } from '../../server/lists/connection.types';
import { type RateLimit, withinNetworkLimit } from '../../server/callers/rate-limits';
import { cursorPage } from '../../server/lists/offset-page';
import type { RatesSizes } from './rates-sizes.queries';
import type { StoredTariff } from './stored-tariff';
import type { SupplierQueries } from '../register-entries/supplier.queries';
import type { TariffQueries } from './tariff.queries';
import type { TariffListQueries } from './tariff-list.queries';
import type { PublicationOutcome, TariffRepository } from './tariff.repository';
import { publicationViolations } from './publication-rules';
import type { Supplier } from '../register-entries/supplier';
import type { TariffScheduleEntry, TariffVersion } from './tariff';
import { ListArgs } from '../../server/lists/offset-page.types';
import { writtenSupplier } from '../register-entries/own-supplier.queries';
import type { RegisterEntryStatus } from '../register-entries/register-entry-status';
import { RegisterEntryStatusEnum } from '../register-entries/register-entry.types';
import { SupplierType } from '../register-entries/supplier.types';
import { TariffScheduleEntryType } from '../rates/tariff-rates.types';
import { PublishedTariffPayload, TariffInput } from './tariff.inputs';
import {
  BOUND_RATES,
  TariffConnectionType,
  TariffFilterInput,
  TariffType,
  TariffVersionConnectionType,
} from './tariff.types';

/** Public lists of tariffs (specification, GET /v1/tariff/{mpid}), and their publication by suppliers. */
@Resolver(() => TariffType)
export class TariffResolver {
  constructor(
    private readonly lists: TariffListQueries,
    private readonly tariffQueries: TariffQueries,
    private readonly repository: TariffRepository,
    private readonly suppliers: SupplierQueries,
    private readonly lookups: RateLimit,
  ) {}

  @MayCall('public')
  @Query(() => TariffConnectionType, {
    description:
      'The tariffs of all suppliers except disabled and removed ones, the last modified first. LIM002 if the network exceeds its limit.',
  })
  async tariffs(
    @Args() page: ListArgs,
    @Arg('filter', () => TariffFilterInput, nullable('Selects entries of the list.')) filter: TariffFilterInput | null,
    @Arg('boundRates', () => Boolean, BOUND_RATES) boundRates: boolean,
    @Ctx() context: CallContext,
  ): Promise<ConnectionWithTotal<StoredTariff>> {
    await withinNetworkLimit(this.lookups, context);
    return this.lists.connection({ ...filter }, cursorPage(page), boundRates);
  }

  @MayCall('public')
  @Query(() => TariffType, nullable('A tariff by its identifier. LIM002 if the network exceeds its limit.'))
  async tariff(
    @Arg('tariffId', () => String, { description: 'Its identifier.' }) tariffId: string,
    @Ctx() context: CallContext,
  ): Promise<StoredTariff | null> {
    await withinNetworkLimit(this.lookups, context);
    return this.tariffQueries.byId(tariffId);
  }

  @MayCall('admin', 'supplier')
  @Mutation(() => PublishedTariffPayload, {
    description:
      'Publishes a tariff, corrects its description, or sets or moves `validTo` and `sellableTo`, neither from nor into the past (CNF005). ' +
      'CNF005 if another field differs: a change of price or time needs a new tariff. ' +
      'A supplier must be active in the register (PRM001) and publishes its own; an admin names the supplier.',
  })
  async publishTariff(
    @Arg('input', () => TariffInput, { description: 'The tariff.' }) { mpid, ...tariff }: TariffInput,
    @Ctx() context: CallContext,
  ): Promise<PublicationOutcome> {
    const publisher = await writtenSupplier(context, this.suppliers, mpid);
    throwViolations(await publicationViolations(tariff, () => this.repository.storedViolations(tariff, publisher)));
    const { accountId, role } = callerOf(context);
    return this.repository.publish({ tariff, mpid: publisher, accountId, byAdmin: role === 'admin' });
  }
}

/** Fields of a tariff that need further reads. */
@Resolver(() => TariffType)
export class TariffFieldResolver {
  constructor(
    private readonly tariffQueries: TariffQueries,
    private readonly suppliers: SupplierQueries,
    private readonly ratesSizes: RatesSizes,
  ) {}

  @FieldResolver(() => [TariffScheduleEntryType], {
    description:
      'Its prices by time: the first entry that matches a day decides. A request may read 384 KiB of storage over all its tariffs, or those of ' +
      'one tariff (VAL003); over all tariffs of `customerTariffs` 2 MiB.',
  })
  rates(
    @Root() tariff: StoredTariff,
    @Ctx() context: CallContext,
  ): TariffScheduleEntry[] | Promise<TariffScheduleEntry[]> {
    const read = () => this.tariffQueries.rates(tariff);
    const admission = this.ratesSizes.admit(context, tariff);
    return admission === undefined ? read() : admission.then(read);
  }

  @FieldResolver(() => SupplierType, { description: 'Its supplier.' })
  supplier(@Root() { mpid }: StoredTariff): Promise<Supplier | null> {
    return this.suppliers.byKey(mpid);
  }

  @FieldResolver(() => RegisterEntryStatusEnum, {
    nullable: true,
    description:
      'Status of its supplier; null while that is active. Tariffs of disabled and removed suppliers are not listed.',
  })
  async supplierStatus(@Root() { mpid }: StoredTariff): Promise<RegisterEntryStatus | null> {
    const status = (await this.suppliers.byKey(mpid))?.status ?? null;
    return status === 'active' ? null : status;
  }

  @FieldResolver(() => TariffType, nullable('The tariff that it replaces.'))
  replaces(@Root() { replaces }: StoredTariff): Promise<StoredTariff | null> | null {
    return replaces === null ? null : this.tariffQueries.byId(replaces);
  }

  @FieldResolver(() => TariffType, nullable('The tariff that replaces it: its MPxNs move when that one becomes valid.'))
  replacedBy(@Root() { tariffId }: StoredTariff): Promise<StoredTariff | null> {
    return this.tariffQueries.replacing(tariffId);
  }

  @FieldResolver(() => TariffVersionConnectionType, { description: 'Every version of its descriptive fields.' })
  versions(
    @Root() { tariffId }: StoredTariff,
    @Args(() => VersionArgs) page: VersionArgs,
  ): Promise<Connection<TariffVersion>> {
    return this.tariffQueries.versions(tariffId, page);
  }
}
