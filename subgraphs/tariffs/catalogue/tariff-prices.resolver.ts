import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { DateTime } from '../../../schema/scalars';
import type { CallContext } from '../../server/callers/caller';
import { nullable } from '../../server/graph/decorator-options';
import type { JsonText } from '../../server/graph/json-text';
import { textFieldsOf } from '../../server/graph/text-fields';
import { appendedPricesFrom } from '../appended-prices/appended-price';
import type { AppendedPriceRepository } from '../appended-prices/appended-prices.repository';
import { unitPricesOf } from '../rates/money';
import type { PriceSeries } from '../rates/price-series.flow';
import type { PriceListRequest } from '../rates/price-list.worker';
import { type IntervalPrice, SERIES, priceRangeViolations } from '../rates/prices';
import { HalfHourPriceType, PriceIntervalType } from '../rates/tariff-rates.types';
import type { RatesSizes } from './rates-sizes.queries';
import type { StoredTariff } from './stored-tariff';
import type { TariffQueries } from './tariff.queries';
import { TariffType } from './tariff.types';

/** Fields whose lists may have 17,568 entries: for clients they are written as text. */
export const PRICE_FIELDS = ['Tariff.prices', 'Tariff.priceIntervals'] as const;

type PriceList = IntervalPrice[] | JsonText;

type PriceRequest = Pick<PriceListRequest, 'series' | 'from' | 'to'>;

/** Prices of a tariff over time, and its standing charge, with and without VAT. */
@Resolver(() => TariffType)
export class TariffPriceResolver {
  constructor(
    private readonly tariffQueries: TariffQueries,
    private readonly appended: AppendedPriceRepository,
    private readonly series: PriceSeries,
    private readonly ratesSizes: RatesSizes,
  ) {}

  @FieldResolver(() => String, { description: 'Pounds a day with VAT, a decimal string.' })
  standingChargeIncludingVat(@Root() tariff: StoredTariff): string {
    return unitPricesOf(tariff.standingCharge, tariff).includingVat;
  }

  @FieldResolver(
    () => String,
    nullable('Pounds a day without VAT, a decimal string; null if the tariff does not state the rate of VAT.'),
  )
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
    return this.listOf(tariff, { series: 'prices', from, to }, context, info);
  }

  @FieldResolver(() => [PriceIntervalType], {
    description:
      'Its prices as exact intervals, from one entry of the rates to the next: from and to on whole minutes, at most 366 days apart (VAL003). ' +
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
    return this.listOf(tariff, { series: 'priceIntervals', from, to }, context, info);
  }

  /** Returns prices as a text if the operation's caller accepts one. */
  private async listOf(
    tariff: StoredTariff,
    request: PriceRequest,
    context: CallContext,
    info: GraphQLResolveInfo,
  ): Promise<PriceList> {
    const { series, from, to } = request;
    const fields = textFieldsOf(info);
    if (fields === undefined) {
      await this.ratesSizes.admit(context, tariff);
      const priced = { ...tariff, rates: await this.tariffQueries.rates(tariff) };
      const appended = appendedPricesFrom(await this.appendedTo(tariff, request));
      return this.series.values(context, SERIES[series](priced, from, to, appended));
    }
    // Rates and VAT of a tariff never change; `last_modified` grows with each other change of its prices.
    const { tariffId, lastModified, vatIncluded, vatRate, validFrom, validTo } = tariff;
    const state = [tariffId, lastModified.getTime(), validTo?.getTime()];
    const key = JSON.stringify([series, ...state, from.getTime(), to.getTime(), fields]);
    if (!this.series.has(key)) await this.ratesSizes.admit(context, tariff);
    return this.series.text(context, key, async () => {
      const [ratesJson, appendedJson] = await Promise.all([
        this.tariffQueries.ratesJson(tariff),
        this.appendedTo(tariff, request),
      ]);
      return { ...request, tariff: { vatIncluded, vatRate, validFrom, validTo }, ratesJson, appendedJson, fields };
    });
  }

  private appendedTo({ tariffId, tariffType }: StoredTariff, { from, to }: PriceRequest): Promise<string> {
    return tariffType === 'dynamic' ? this.appended.jsonBetween(tariffId, from, to) : Promise.resolve('[]');
  }
}
