import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import type { Connection } from '../../server/connection';
import { consumerOf } from '../consumers/consumer-scope';
import type { ConsentLists, StoredConsent } from '../database/consent-lists';
import type { ConsentRepository, GivenConsent } from '../database/consent.repository';
import { cursorPage } from '../database/offset-page';
import type { RtiUserLists, StoredRtiUser } from '../database/rti-user-lists';
import type { StoredTariff } from '../database/stored-tariff';
import type { SupplierLists } from '../database/supplier-lists';
import type { TariffFacts } from '../database/tariff-facts';
import type { Supplier } from '../domain/supplier';
import { ListArgs } from './offset-page.types';
import { seesPersonalData, visibleSupplier } from './own-supplier';
import { RtiUserType } from './rti-user.types';
import { SupplierType } from './supplier.types';
import {
  GivenTariffConsentPayload,
  RevokedTariffConsentPayload,
  TariffConsentConnectionType,
  TariffConsentFilterInput,
  TariffConsentType,
} from './tariff-consent.types';
import { TariffType } from './tariff.types';
import { requireUuid } from './uuid-argument';

/** What consents are kept in and read from. */
export interface ConsentReads {
  readonly consents: ConsentRepository;
  readonly lists: ConsentLists;
  readonly suppliers: SupplierLists;
  readonly rtiUsers: RtiUserLists;
  readonly facts: TariffFacts;
}

/** What consumers share with RTI Users (3-decisions-c-d.md, D.1): it ends at once when the consent does. */
@Resolver(() => TariffConsentType)
export class TariffConsentResolver {
  constructor(private readonly reads: ConsentReads) {}

  @MayCall('consumer:tariff:read')
  @Query(() => [TariffType], {
    description:
      "The tariffs that apply now to the consumer's meter points, as far as the token names them and the consent covers them. RTI002 " +
      'without a live consent.',
  })
  async customerTariffs(@Ctx() context: CallContext): Promise<StoredTariff[]> {
    const tariffIds = await this.reads.consents.shared(consumerOf(context));
    const tariffs = await Promise.all(tariffIds.map((tariffId) => this.reads.facts.byId(tariffId)));
    return tariffs.filter((tariff) => tariff !== null);
  }

  @MayCall('consumer:consent:write')
  @Mutation(() => GivenTariffConsentPayload, {
    description:
      'Gives the RTI User a consent for the meter points of the token, or adds them to the one that is live. It covers a meter point until its assignment ends; given again, it covers it anew.',
  })
  giveTariffConsent(@Ctx() context: CallContext): Promise<GivenConsent> {
    return this.reads.consents.give(consumerOf(context));
  }

  @MayCall('consumer:consent:write', 'admin')
  @Mutation(() => RevokedTariffConsentPayload, {
    description:
      "Revokes a consent: nothing more is shared from now on. NTF005 when it is not the consumer's, or not live.",
  })
  async revokeTariffConsent(
    @Arg('registrationId', () => String, { description: 'The consent.' }) registrationId: string,
    @Ctx() context: CallContext,
  ): Promise<RevokedTariffConsentPayload> {
    const { consents } = this.reads;
    const consumer = callerOf(context).role === 'admin' ? null : consumerOf(context);
    requireUuid('registrationId', registrationId);
    await (consumer === null ? consents.revokeAny(registrationId) : consents.revokeOwn(registrationId, consumer));
    return { registrationId };
  }

  @MayCall('admin', 'analyst', 'supplier')
  @Query(() => TariffConsentConnectionType, {
    description: 'Consents, the last one given first; a supplier sees its own.',
  })
  async tariffConsents(
    @Args() page: ListArgs,
    @Arg('filter', () => TariffConsentFilterInput, { nullable: true, description: 'Which of them.' })
    filter: TariffConsentFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<Connection<StoredConsent>> {
    const mpid = await visibleSupplier(context, this.reads.suppliers, filter?.mpid);
    return this.reads.lists.page({ ...filter, mpid }, cursorPage(page));
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier.' })
  supplier(@Root() { mpid }: StoredConsent): Promise<Supplier | null> {
    return this.reads.suppliers.byMpid(mpid);
  }

  @FieldResolver(() => RtiUserType, { description: 'The RTI User.' })
  rtiUser(@Root() { userId }: StoredConsent): Promise<StoredRtiUser | null> {
    return this.reads.rtiUsers.byId(userId);
  }

  @FieldResolver(() => [String], {
    nullable: true,
    description: 'The MPxNs that it covers, for an admin and its own supplier only.',
  })
  mpxns(@Root() { registrationId, mpid }: StoredConsent, @Ctx() context: CallContext): Promise<string[]> | null {
    return seesPersonalData(context, mpid) ? this.reads.lists.mpxnsOf(registrationId) : null;
  }
}
