import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { DateTime } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import { writtenSupplier } from '../register-entries/own-supplier.queries';
import type { SupplierQueries } from '../register-entries/supplier.queries';
import { type AppendedPrice, appendedPriceViolations } from './appended-price';
import type { AppendedPriceRepository, AppendingOutcome } from './appended-prices.repository';

@InputType('AppendedPriceInput', { description: 'The price of a half-hour.' })
class AppendedPriceInput implements AppendedPrice {
  @Field(() => DateTime, { description: 'Start of the half-hour: a whole half-hour.' }) from: Date;
  @Field(() => String, { description: 'Pounds for a kWh: a decimal string with 2 to 5 places.' }) unitPrice: string;
}

@InputType('AppendTariffPricesInput', { description: 'Prices of a dynamic tariff by half-hour.' })
class AppendTariffPricesInput {
  @Field(() => String, nullable('The supplier; required of an admin.')) mpid?: string | null;
  @Field(() => String, { description: 'The tariff.' }) tariffId: string;
  @Field(() => [AppendedPriceInput], { description: 'The prices of a day: 1 to 50.' }) prices: AppendedPriceInput[];
}

@ObjectType('AppendedTariffPrices', simple('The result of appending prices.'))
class AppendedTariffPricesPayload implements AppendingOutcome {
  @Field(() => Int, { description: 'Prices of half-hours that had none.' }) added: number;
  @Field(() => Int, { description: 'Prices that replaced another one.' }) changed: number;
}

/** Appends prices to dynamic tariffs. */
@Resolver()
export class AppendedPriceResolver {
  constructor(
    private readonly repository: AppendedPriceRepository,
    private readonly suppliers: SupplierQueries,
  ) {}

  @MayCall('admin', 'supplier')
  @Mutation(() => AppendedTariffPricesPayload, {
    description:
      'Appends prices of half-hours to a dynamic tariff; they precede its rates. CNF005 for a half-hour that has started, unless it has the ' +
      'price already: a repeated call changes nothing. A supplier must be active in the register (PRM001); an admin names the supplier, ' +
      'which must not be removed (CNF001).',
  })
  async appendTariffPrices(
    @Arg('input', () => AppendTariffPricesInput, { description: 'The prices.' })
    { mpid, tariffId, prices }: AppendTariffPricesInput,
    @Ctx() context: CallContext,
  ): Promise<AppendingOutcome> {
    const supplier = await writtenSupplier(context, this.suppliers, mpid);
    throwViolations(appendedPriceViolations(prices));
    const { accountId, role } = callerOf(context);
    return this.repository.append({ tariffId, mpid: supplier, prices, accountId, byAdmin: role === 'admin' });
  }
}
