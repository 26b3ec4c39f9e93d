import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { DateTime } from '../../../schema/scalars';
import type { CallContext } from '../../server/callers/caller';
import type { JsonText } from '../../server/graph/json-text';
import { listWriter } from '../../server/graph/list-writer';
import { textFieldsOf } from '../../server/graph/text-fields';
import type { AppendedPrice } from '../appended-prices/appended-price';
import type { AppendedPriceRepository } from '../appended-prices/appended-prices.repository';
import { unitPricesOf } from '../rates/money';
import type { PriceSeries } from '../rates/price-series.flow';
import { type IntervalPrice, halfHourPrices, intervalPrices, priceRangeViolations } from '../rates/prices';
import type { PricedTariff } from '../rates/rate-intervals';
import { HalfHourPriceType, PriceIntervalType } from '../rates/tariff-rates.types';
import type { StoredTariff } from './stored-tariff';
import type { TariffQueries } from './tariff.queries';
import { TariffType } from './tariff.types';

/** Fields whose lists may have 17,568 entries: for clients they are written as text. */
export const PRICE_FIELDS = ['Tariff.prices', 'Tariff.priceIntervals'] as const;

type PriceList = IntervalPrice[] | JsonText;

interface PriceRequest {
  readonly from: Date;
  readonly to: Date;
  readonly pricesOf: typeof halfHourPrices;
}

/** Prices of a tariff over time, and its standing charge, with and without VAT. */
@Resolver(() => TariffType)
export class TariffPriceResolver {
  constructor(
    private readonly tariffQueries: TariffQueries,
    private readonly appended: AppendedPriceRepository,
    private readonly series: PriceSeries,
  ) {}

  @FieldResolver(() => String, { description: 'Pounds a day with VAT, a decimal string.' })
  standingChargeIncludingVat(@Root() tariff: StoredTariff): string {
    return unitPricesOf(tariff.standingCharge, tariff).includingVat;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Pounds a day without VAT, a decimal string; null if the tariff does not state the rate of VAT.',
  })
  standingChargeExcludingVat(@Root() tariff: StoredTariff): string | null {
    return unitPricesOf(tariff.standingCharge, tariff).excludingVat;
  }

  @FieldResolver(() => [HalfHourPriceType], {
    description:
      'Its prices by half-hour: from and to on whole half-hours, at most 366 days apart (VAL003). A half-hour in which the price changes is ' +
      'given in its exact parts. Half-hours outside its validity are omitted.',
  })
  prices(
    @Root() tariff: StoredTariff,
    @Arg('from', () => DateTime, { description: 'From when.' }) from: Date,
    @Arg('to', () => DateTime, { description: 'Until when, exclusive.' }) to: Date,
    @Ctx() context: CallContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PriceList> {
    throwViolations(priceRangeViolations(from, to, 'half-hour'));
    return this.listOf(tariff, { from, to, pricesOf: halfHourPrices }, context, info);
  }

  @FieldResolver(() => [PriceIntervalType], {
    description:
      'Its prices as exact intervals, from one change of the rate to the next: from and to on whole minutes, at most 366 days apart (VAL003). ' +
      'Periods outside its validity are omitted.',
  })
  priceIntervals(
    @Root() tariff: StoredTariff,
    @Arg('from', () => DateTime, { description: 'From when.' }) from: Date,
    @Arg('to', () => DateTime, { description: 'Until when, exclusive.' }) to: Date,
    @Ctx() context: CallContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PriceList> {
    throwViolations(priceRangeViolations(from, to, 'minute'));
    return this.listOf(tariff, { from, to, pricesOf: intervalPrices }, context, info);
  }

  /** Returns prices as a text if the operation's caller accepts one. */
  private async listOf(
    tariff: StoredTariff,
    { from, to, pricesOf }: PriceRequest,
    context: CallContext,
    info: GraphQLResolveInfo,
  ): Promise<PriceList> {
    const seriesOf = async () => pricesOf(await this.priced(tariff), from, to, await this.appendedTo(tariff, from, to));
    const fields = textFieldsOf(info);
    if (fields === undefined) return this.series.values(context, await seriesOf());
    // Rates and VAT of a tariff never change; `last_modified` grows with each other change of its prices.
    const state = [tariff.tariffId, tariff.lastModified.getTime(), tariff.validTo?.getTime()];
    const key = JSON.stringify([info.fieldName, ...state, from.getTime(), to.getTime(), fields]);
    return this.series.text(context, key, seriesOf, listWriter(fields));
  }

  private appendedTo({ tariffId, tariffType }: StoredTariff, from: Date, to: Date): Promise<AppendedPrice[]> {
    return tariffType === 'dynamic' ? this.appended.between(tariffId, from, to) : Promise.resolve([]);
  }

  private async priced(tariff: StoredTariff): Promise<PricedTariff> {
    return { ...tariff, rates: await this.tariffQueries.rates(tariff.tariffId) };
  }
}
