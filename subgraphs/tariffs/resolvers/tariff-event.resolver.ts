import { Arg, Args, Ctx, Directive, FieldResolver, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { EventId } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import type { Connection } from '../../server/connection';
import type { EventPage } from '../../server/event-follow';
import { followedByGateway } from '../../server/subgraph-schema';
import type { TariffEventDelivery } from '../database/event-deliveries';
import type { StoredTariff } from '../database/stored-tariff';
import type { SupplierLists } from '../database/supplier-lists';
import type {
  LoggedTariffEvent,
  TariffEventEntry,
  TariffEventFilter,
  TariffEventLog,
} from '../database/tariff-event-log';
import type { TariffFacts } from '../database/tariff-facts';
import type { Supplier } from '../domain/supplier';
import { type SupplierEntries, seesPersonalData, visibleSupplier } from './own-supplier';
import { SupplierType } from './supplier.types';
import {
  TariffEventArgs,
  TariffEventConnectionType,
  TariffEventDeliveryType,
  TariffEventFilterInput,
  TariffEventLogPageType,
  TariffEventObject,
} from './tariff-event.types';
import { TariffType } from './tariff.types';

/** What events are read from. */
export interface TariffEventReads {
  readonly log: TariffEventLog;
  readonly deliveries: (eventId: string) => Promise<readonly TariffEventDelivery[]>;
  readonly suppliers: SupplierLists;
  readonly facts: TariffFacts;
}

const READERS = ['admin', 'analyst', 'supplier'] as const;

const filterArgument = () =>
  Arg('filter', () => TariffEventFilterInput, { nullable: true, description: 'Which of them.' });

/** The event log of tariffs (3-decisions-c-d.md, D.3): all of it for the back office, its own events for a supplier. */
@Resolver(() => TariffEventObject)
export class TariffEventResolver {
  constructor(private readonly reads: TariffEventReads) {}

  @MayCall(...READERS)
  @Query(() => TariffEventObject, { nullable: true, description: 'An event of tariffs by its id.' })
  tariffEvent(
    @Arg('id', () => EventId, { description: 'Its id.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<LoggedTariffEvent | null> {
    return readableTariffEvent(this.reads, id, context);
  }

  @MayCall(...READERS)
  @Query(() => TariffEventConnectionType, {
    description: 'Events of tariffs, oldest first: as a subscription brings them. A supplier sees its own.',
  })
  async tariffEvents(
    @Args() { first, after }: TariffEventArgs,
    @filterArgument() filter: TariffEventFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<Connection<LoggedTariffEvent>> {
    return this.reads.log.page(await this.visible(filter, context), { first, after: after ?? null });
  }

  @MayCall(...READERS)
  @Subscription(() => TariffEventObject, {
    name: 'tariffEvents',
    subscribe: followedByGateway,
    description:
      'Every event of tariffs from now on, or from a cursor: what was missed comes first, then what happens, without gap or duplicate. ' +
      'PRM001 ends it for a supplier that is not active any more: it begins again after the last cursor once it is.',
  })
  async tariffEventStream(
    @Arg('after', () => String, {
      nullable: true,
      description:
        'Cursor of the last event that was received: what followed it comes first. Empty: from the beginning of the log. Left out: from now on.',
    })
    _after: string | null,
    @filterArgument() filter: TariffEventFilterInput | null,
    @Ctx() context: CallContext,
  ) {
    await this.visible(filter, context);
    return followedByGateway();
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => TariffEventLogPageType, {
    description: 'Internal: what followed a cursor in the event log of tariffs, whoever it is for.',
  })
  tariffEventLog(
    @Arg('after', () => String, {
      nullable: true,
      description: 'The cursor; empty: the beginning of the log. Nothing but the present one without it.',
    })
    after: string | null,
    @Arg('first', () => Int, { description: 'Entries at most, 1 to 500.' }) first: number,
  ): Promise<EventPage<TariffEventEntry>> {
    return this.reads.log.follow(after ?? null, first);
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => [String], {
    description: 'Internal: which of some suppliers are active, so that what is told to the others may end.',
  })
  async activeSuppliers(
    @Arg('mpids', () => [String], { description: 'The suppliers.' }) mpids: string[],
  ): Promise<string[]> {
    const entries = await Promise.all(mpids.map((mpid) => this.reads.suppliers.byMpid(mpid)));
    return entries.flatMap((entry) => (entry?.status === 'active' ? [entry.mpid] : []));
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier at whose consents it is told.' })
  supplier(@Root() { mpid }: LoggedTariffEvent): Promise<Supplier | null> {
    return this.reads.suppliers.byMpid(mpid);
  }

  @FieldResolver(() => TariffType, {
    nullable: true,
    description: 'For TARIFF_CHANGE and TARIFF_UPDATE: the tariff that applies from then on.',
  })
  tariff(@Root() { tariffId }: LoggedTariffEvent): Promise<StoredTariff | null> | null {
    return tariffId === null ? null : this.reads.facts.byId(tariffId);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'The MPxN, for an admin and its own supplier only; null for SUPPLIER_CESSATION.',
  })
  mpxn(@Root() event: LoggedTariffEvent, @Ctx() context: CallContext): string | null {
    return seesPersonalData(context, event.mpid) ? event.openMpxn() : null;
  }

  @FieldResolver(() => String, { nullable: true, description: 'For CONSENT_REVOKED: the registration of the consent.' })
  registrationId(@Root() { consentId }: LoggedTariffEvent): string | null {
    return consentId;
  }

  @FieldResolver(() => [TariffEventDeliveryType], { description: 'How far it came at each webhook.' })
  deliveries(@Root() { id }: LoggedTariffEvent): Promise<readonly TariffEventDelivery[]> {
    return this.reads.deliveries(id);
  }

  private async visible(filter: TariffEventFilterInput | null, context: CallContext): Promise<TariffEventFilter> {
    return { mpid: await visibleSupplier(context, this.reads.suppliers, filter?.mpid), types: filter?.types ?? null };
  }
}

/** An event for those who may read it: PRM001 to a supplier that is not active, PRM002 when it is another supplier's. */
export async function readableTariffEvent(
  { log, suppliers }: { readonly log: Pick<TariffEventLog, 'byId'>; readonly suppliers: SupplierEntries },
  id: string,
  context: CallContext,
): Promise<LoggedTariffEvent | null> {
  const event = await log.byId(id);
  const { role } = callerOf(context);
  if (!READERS.some((reader) => reader === role)) throw new RegisterError('PRM001');
  await visibleSupplier(context, suppliers, event?.mpid);
  return event;
}
