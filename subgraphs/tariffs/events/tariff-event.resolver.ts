import { Arg, Args, Ctx, Directive, FieldResolver, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { EventId } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import type { EventPage } from '../../server/event-log/event-follow';
import { nullable } from '../../server/graph/decorator-options';
import { followedByGateway } from '../../server/graph/subgraph-schema';
import type { Connection } from '../../server/lists/connection';
import type { StoredTariff } from '../catalogue/stored-tariff';
import type { TariffQueries } from '../catalogue/tariff.queries';
import { TariffType } from '../catalogue/tariff.types';
import { seesMeterPoints, visibleSupplier } from '../register-entries/own-supplier.queries';
import type { Supplier } from '../register-entries/supplier';
import type { SupplierQueries } from '../register-entries/supplier.queries';
import { SupplierType } from '../register-entries/supplier.types';
import type {
  LoggedTariffEvent,
  TariffEventDelivery,
  TariffEventEntry,
  TariffEventFilter,
  TariffEventQueries,
} from './tariff-event.queries';
import {
  TariffEventArgs,
  TariffEventConnectionType,
  TariffEventDeliveryType,
  TariffEventFilterInput,
  TariffEventLogPageType,
  TariffEventObject,
} from './tariff-event.types';

/** Reads behind {@link TariffEventResolver}. */
interface TariffEventDependencies {
  readonly events: TariffEventQueries;
  readonly suppliers: SupplierQueries;
  readonly tariffQueries: TariffQueries;
}

const READERS = ['admin', 'analyst', 'supplier'] as const;

const filterArgument = () => Arg('filter', () => TariffEventFilterInput, nullable('Selects events.'));

/** The event log of tariffs (decisions C/D, D.3). The back office reads all events, a supplier its own. */
@Resolver(() => TariffEventObject)
export class TariffEventResolver {
  constructor(private readonly dependencies: TariffEventDependencies) {}

  @MayCall(...READERS)
  @Query(() => TariffEventObject, nullable('An event of tariffs by its id.'))
  tariffEvent(
    @Arg('id', () => EventId, { description: 'Its id.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<LoggedTariffEvent | null> {
    return readableTariffEvent(this.dependencies, id, context);
  }

  @MayCall(...READERS)
  @Query(() => TariffEventConnectionType, {
    description: 'Events of tariffs, oldest first, in the order of a subscription. A supplier sees its own.',
  })
  async tariffEvents(
    @Args() { first, after }: TariffEventArgs,
    @filterArgument() filter: TariffEventFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<Connection<LoggedTariffEvent>> {
    return this.dependencies.events.page(await this.visible(filter, context), { first, after: after ?? null });
  }

  @MayCall(...READERS)
  @Subscription(() => TariffEventObject, {
    name: 'tariffEvents',
    subscribe: followedByGateway,
    description:
      'Every event of tariffs from now on, or after a cursor: missed events first, then new events, without gap or duplicate. PRM001 ends the ' +
      'subscription of a supplier that is no longer active; once active, the supplier can subscribe again after its last cursor.',
  })
  async tariffEventStream(
    @Arg('after', () => String, {
      nullable: true,
      description:
        'Cursor of the last event that the client has received. Empty: from the start of the log; absent: from now on.',
    })
    _after: string | null,
    @filterArgument() filter: TariffEventFilterInput | null,
    @Ctx() context: CallContext,
  ) {
    await this.visible(filter, context);
    return followedByGateway();
  }

  @MayCall('service:gateway')
  @Directive('@inaccessible')
  @Query(() => TariffEventLogPageType, {
    description: 'Internal: selected entries of the event log of tariffs after a cursor.',
  })
  tariffEventLog(
    @Arg('after', () => String, nullable('The cursor; empty: the start of the log; absent: only the present cursor.'))
    after: string | null,
    @Arg('first', () => Int, { description: 'Maximum number of entries, 1 to 500.' }) first: number,
    @filterArgument() filter: TariffEventFilterInput | null,
  ): Promise<EventPage<TariffEventEntry>> {
    return this.dependencies.events.follow(
      { mpid: filter?.mpid ?? null, types: filter?.types ?? null },
      after ?? null,
      first,
    );
  }

  @MayCall('service:gateway')
  @Directive('@inaccessible')
  @Query(() => [String], {
    description:
      'Internal: those of the given suppliers that are active, so that the gateway can end the subscriptions of the others.',
  })
  async activeSuppliers(
    @Arg('mpids', () => [String], { description: 'The suppliers.' }) mpids: string[],
  ): Promise<string[]> {
    const entries = await Promise.all(mpids.map((mpid) => this.dependencies.suppliers.byKey(mpid)));
    return entries.flatMap((entry) => (entry?.status === 'active' ? [entry.mpid] : []));
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier whose RTI Users receive the event.' })
  supplier(@Root() { mpid }: LoggedTariffEvent): Promise<Supplier | null> {
    return this.dependencies.suppliers.byKey(mpid);
  }

  @FieldResolver(() => TariffType, {
    nullable: true,
    description:
      'For TARIFF_CHANGE and TARIFF_UPDATE: the tariff that applies from the event on; null for a TARIFF_CHANGE after which none does.',
  })
  tariff(@Root() { tariffId }: LoggedTariffEvent): Promise<StoredTariff | null> | null {
    return tariffId === null ? null : this.dependencies.tariffQueries.byId(tariffId);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The MPxN; null unless the caller is the supplier, for SUPPLIER_CESSATION, and once the MPxN was erased after its occupancy ended.',
  })
  mpxn(@Root() event: LoggedTariffEvent, @Ctx() context: CallContext): string | null {
    return seesMeterPoints(context, event.mpid) ? event.decryptMpxn() : null;
  }

  @FieldResolver(() => String, nullable('For CONSENT_REVOKED: the registration of the consent.'))
  registrationId(@Root() { consentId }: LoggedTariffEvent): string | null {
    return consentId;
  }

  @FieldResolver(() => [TariffEventDeliveryType], { description: 'Its deliveries, one per webhook.' })
  deliveries(@Root() { id }: LoggedTariffEvent): Promise<readonly TariffEventDelivery[]> {
    return this.dependencies.events.deliveriesOf(id);
  }

  private async visible(filter: TariffEventFilterInput | null, context: CallContext): Promise<TariffEventFilter> {
    return {
      mpid: await visibleSupplier(context, this.dependencies.suppliers, filter?.mpid),
      types: filter?.types ?? null,
    };
  }
}

/**
 * Returns an event. Throws PRM001 if the caller's role may not read events or its supplier is not active, PRM002 for an event of another
 * supplier.
 */
export async function readableTariffEvent(
  { events, suppliers }: { readonly events: Pick<TariffEventQueries, 'byId'>; readonly suppliers: SupplierQueries },
  id: string,
  context: CallContext,
): Promise<LoggedTariffEvent | null> {
  const event = await events.byId(id);
  const { role } = callerOf(context);
  if (!READERS.some((reader) => reader === role)) throw new RegisterError('PRM001');
  await visibleSupplier(context, suppliers, event?.mpid);
  return event;
}
