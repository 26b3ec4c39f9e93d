import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { DateTime } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import type { CountedConnection } from '../../server/connection';
import { type RateLimit, withinNetworkLimit } from '../../server/rate-limits';
import { cursorPage } from '../database/offset-page';
import type { StoredTariff } from '../database/stored-tariff';
import type { SupplierLists } from '../database/supplier-lists';
import type { TariffFacts } from '../database/tariff-facts';
import type { TariffLists } from '../database/tariff-lists';
import type { PublicationOutcome, TariffRepository } from '../database/tariff.repository';
import { type HalfHourPrice, halfHourPrices, priceRangeViolations } from '../domain/prices';
import { publicationViolations } from '../domain/publication-rules';
import type { Supplier } from '../domain/supplier';
import type { TariffScheduleEntry, TariffVersion } from '../domain/tariff';
import { ListArgs } from './offset-page.types';
import { type SupplierEntries, writtenSupplier } from './own-supplier';
import { requireHalfHours } from './price-allowance';
import { SupplierType } from './supplier.types';
import { HalfHourPriceType } from './tariff-price.types';
import { TariffScheduleEntryType } from './tariff-rates.types';
import { PublishedTariffPayload, TariffInput } from './tariff.inputs';
import { TariffConnectionType, TariffFilterInput, TariffType, TariffVersionType } from './tariff.types';

/** Tariffs as anybody may read them (1-specification.md, GET /v1/tariff/{mpid}), and how suppliers publish them. */
@Resolver(() => TariffType)
export class TariffResolver {
  constructor(
    private readonly lists: TariffLists,
    private readonly facts: TariffFacts,
    private readonly repository: TariffRepository,
    private readonly suppliers: SupplierEntries,
    private readonly lookups: RateLimit,
  ) {}

  @MayCall('public')
  @Query(() => TariffConnectionType, {
    description: 'The tariffs of all suppliers, the last modified first. LIM002 when a network asks too often.',
  })
  async tariffs(
    @Args() page: ListArgs,
    @Arg('filter', () => TariffFilterInput, { nullable: true, description: 'Which of them.' })
    filter: TariffFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<CountedConnection<StoredTariff>> {
    await withinNetworkLimit(this.lookups, context);
    return this.lists.connection({ ...filter }, cursorPage(page));
  }

  @MayCall('public')
  @Query(() => TariffType, {
    nullable: true,
    description: 'A tariff by its identifier. LIM002 when a network asks too often.',
  })
  async tariff(
    @Arg('tariffId', () => String, { description: 'Its identifier.' }) tariffId: string,
    @Ctx() context: CallContext,
  ): Promise<StoredTariff | null> {
    await withinNetworkLimit(this.lookups, context);
    return this.facts.byId(tariffId);
  }

  @MayCall('admin', 'supplier')
  @Mutation(() => PublishedTariffPayload, {
    description:
      'Publishes a tariff, or corrects what is said of one. CNF005 when anything else differs: a change of price or time needs a new tariff. ' +
      'A supplier must be active in the register (PRM001) and publishes its own; an admin names the supplier.',
  })
  async publishTariff(
    @Arg('input', () => TariffInput, { description: 'The tariff.' }) { mpid, ...tariff }: TariffInput,
    @Ctx() context: CallContext,
  ): Promise<PublicationOutcome> {
    const publisher = await writtenSupplier(context, this.suppliers, mpid);
    refuse(publicationViolations(tariff));
    return this.repository.publish({ tariff, mpid: publisher, accountId: callerOf(context).accountId });
  }
}

/** What belongs to a tariff, read when it is asked for. */
@Resolver(() => TariffType)
export class TariffFieldResolver {
  constructor(
    private readonly facts: TariffFacts,
    private readonly supplierLists: SupplierLists,
  ) {}

  @FieldResolver(() => [TariffScheduleEntryType], {
    description: 'What it costs when: the first entry that fits decides.',
  })
  rates(@Root() { tariffId }: StoredTariff): Promise<TariffScheduleEntry[]> {
    return this.facts.rates(tariffId);
  }

  @FieldResolver(() => SupplierType, { description: 'Its supplier.' })
  supplier(@Root() { mpid }: StoredTariff): Promise<Supplier | null> {
    return this.supplierLists.byMpid(mpid);
  }

  @FieldResolver(() => TariffType, { nullable: true, description: 'The tariff that it replaces.' })
  replaces(@Root() { replaces }: StoredTariff): Promise<StoredTariff | null> | null {
    return replaces === null ? null : this.facts.byId(replaces);
  }

  @FieldResolver(() => TariffType, {
    nullable: true,
    description: 'The tariff that replaces it: its MPxNs follow when that one becomes valid.',
  })
  replacedBy(@Root() { tariffId }: StoredTariff): Promise<StoredTariff | null> {
    return this.facts.replacing(tariffId);
  }

  @FieldResolver(() => [TariffVersionType], { description: 'Every version, the present one first.' })
  versions(@Root() { tariffId }: StoredTariff): Promise<readonly TariffVersion[]> {
    return this.facts.versions(tariffId);
  }

  @FieldResolver(() => [HalfHourPriceType], {
    description:
      'What energy costs, half-hour by half-hour: from and to on whole half-hours (VAL003), at most 366 days apart. Half-hours outside its ' +
      'validity are left out.',
  })
  async prices(
    @Root() tariff: StoredTariff,
    @Arg('from', () => DateTime, { description: 'From when.' }) from: Date,
    @Arg('to', () => DateTime, { description: 'Until when, not included.' }) to: Date,
    @Ctx() context: CallContext,
  ): Promise<HalfHourPrice[]> {
    refuse(priceRangeViolations(from, to));
    requireHalfHours(context, from, to);
    return halfHourPrices({ ...tariff, rates: await this.facts.rates(tariff.tariffId) }, from, to);
  }
}
