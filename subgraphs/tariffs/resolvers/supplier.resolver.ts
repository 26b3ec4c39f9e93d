import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { RegisterError, refuse } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import type { CountedConnection } from '../../server/connection';
import { type RateLimit, withinNetworkLimit } from '../../server/rate-limits';
import { type OffsetPage, cursorPage } from '../database/offset-page';
import type { StoredTariff } from '../database/stored-tariff';
import type { SupplierLists } from '../database/supplier-lists';
import type { SupplierRepository } from '../database/supplier.repository';
import type { TariffFacts } from '../database/tariff-facts';
import type { TariffLists } from '../database/tariff-lists';
import type { TariffFilter } from '../database/tariff-conditions';
import { type RegisterEntryStatus, statusesOf } from '../domain/register-entry-status';
import { type Supplier, supplierViolations } from '../domain/supplier';
import { ListArgs, OffsetArgs } from './offset-page.types';
import { ownSupplier } from './own-supplier';
import {
  SavedSupplierPayload,
  SupplierConnectionType,
  SupplierFilterInput,
  SupplierInput,
  SupplierPageType,
  SupplierType,
} from './supplier.types';
import { RegisterEntryStatusEnum } from './tariff.enums';
import { TariffConnectionType, TariffFilterInput, TariffPageType, TariffType } from './tariff.types';

/** The public register of suppliers (1-specification.md, GET /v1/suppliers), and how admins keep it. */
@Resolver(() => SupplierType)
export class SupplierResolver {
  constructor(
    private readonly lists: SupplierLists,
    private readonly repository: SupplierRepository,
    private readonly lookups: RateLimit,
    private readonly production: boolean,
  ) {}

  @MayCall('public')
  @Query(() => SupplierPageType, {
    description: 'A page of the suppliers, by number. LIM002 when a network asks too often.',
  })
  async supplierPage(
    @Arg('active', () => Boolean, {
      nullable: true,
      description: 'true: only active ones; false: only others; absent: all.',
    })
    active: boolean | null,
    @Args() page: OffsetArgs,
    @Ctx() context: CallContext,
  ): Promise<OffsetPage<Supplier>> {
    await withinNetworkLimit(this.lookups, context);
    return this.lists.page(statusesOf(active), page);
  }

  @MayCall('public')
  @Query(() => SupplierConnectionType, { description: 'The suppliers, by mpid. LIM002 when a network asks too often.' })
  async suppliers(
    @Args() page: ListArgs,
    @Arg('filter', () => SupplierFilterInput, { nullable: true, description: 'Which of them.' })
    filter: SupplierFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<CountedConnection<Supplier>> {
    await withinNetworkLimit(this.lookups, context);
    return this.lists.connection(filter?.status ?? null, cursorPage(page));
  }

  @MayCall('public')
  @Query(() => SupplierType, {
    nullable: true,
    description: 'A supplier by its market participant id. LIM002 when a network asks too often.',
  })
  async supplier(
    @Arg('mpid', () => String, { description: 'Its market participant id.' }) mpid: string,
    @Ctx() context: CallContext,
  ): Promise<Supplier | null> {
    await withinNetworkLimit(this.lookups, context);
    return this.lists.byMpid(mpid);
  }

  @MayCall('admin')
  @Mutation(() => SavedSupplierPayload, {
    description: 'Makes or corrects the entry of a supplier. CNF001 when it was removed.',
  })
  saveSupplier(
    @Arg('input', () => SupplierInput, { description: 'The entry.' }) input: SupplierInput,
  ): Promise<SavedSupplierPayload> {
    refuse(supplierViolations(input, { production: this.production }));
    return this.repository.save(input);
  }

  @MayCall('admin')
  @Mutation(() => SupplierType, {
    description: 'Sets the status of a supplier. NTF002 without one, CNF001 where its status does not lead there.',
  })
  async setSupplierStatus(
    @Arg('mpid', () => String, { description: 'Its market participant id.' }) mpid: string,
    @Arg('status', () => RegisterEntryStatusEnum, { description: 'The status.' }) status: RegisterEntryStatus,
    @Ctx() context: CallContext,
  ): Promise<Supplier> {
    await this.repository.setStatus(mpid, status, callerOf(context).accountId);
    const supplier = await this.lists.byMpid(mpid);
    if (supplier === null) throw new RegisterError('NTF002');
    return supplier;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "Issuer of its consumers' tokens; null to all but an admin and the supplier itself, which must be active (PRM001).",
  })
  async issuer(@Root() { mpid, issuer }: Supplier, @Ctx() context: CallContext): Promise<string | null> {
    return (await this.seesAll(context, mpid)) ? issuer : null;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Audience of these tokens; null to all but an admin and the supplier itself, which must be active (PRM001).',
  })
  async audience(@Root() { mpid, audience }: Supplier, @Ctx() context: CallContext): Promise<string | null> {
    return (await this.seesAll(context, mpid)) ? audience : null;
  }

  private async seesAll(context: CallContext, mpid: string): Promise<boolean> {
    const { caller } = context;
    if (caller?.role !== 'supplier' || caller.mpid !== mpid) return caller?.role === 'admin';
    return (await ownSupplier(context, this.lists)) === mpid;
  }
}

/** The tariffs of a supplier. */
@Resolver(() => SupplierType)
export class SupplierTariffResolver {
  constructor(
    private readonly lists: TariffLists,
    private readonly facts: TariffFacts,
  ) {}

  @FieldResolver(() => TariffType, { nullable: true, description: 'One of its tariffs.' })
  async tariff(
    @Root() { mpid }: Supplier,
    @Arg('tariffId', () => String, { description: 'Its identifier.' }) tariffId: string,
  ): Promise<StoredTariff | null> {
    const tariff = await this.facts.byId(tariffId);
    return tariff?.mpid === mpid ? tariff : null;
  }

  @FieldResolver(() => TariffPageType, { description: 'A page of its tariffs, by number.' })
  tariffPage(
    @Root() supplier: Supplier,
    @Arg('filter', () => TariffFilterInput, { nullable: true, description: 'Which of them.' })
    filter: TariffFilterInput | null,
    @Args() page: OffsetArgs,
  ): Promise<OffsetPage<StoredTariff>> {
    return this.lists.page(ofSupplier(supplier, filter), page);
  }

  @FieldResolver(() => TariffConnectionType, { description: 'Its tariffs, the last modified first.' })
  tariffs(
    @Root() supplier: Supplier,
    @Args() page: ListArgs,
    @Arg('filter', () => TariffFilterInput, { nullable: true, description: 'Which of them.' })
    filter: TariffFilterInput | null,
  ): Promise<CountedConnection<StoredTariff>> {
    return this.lists.connection(ofSupplier(supplier, filter), cursorPage(page));
  }
}

/** VAL003 when the filter names another supplier. */
function ofSupplier({ mpid }: Supplier, filter: TariffFilterInput | null): TariffFilter {
  if (filter?.mpid != null && filter.mpid !== mpid)
    refuse([{ code: 'VAL003', path: ['filter', 'mpid'], message: 'is another supplier' }]);
  return { ...filter, mpid };
}
