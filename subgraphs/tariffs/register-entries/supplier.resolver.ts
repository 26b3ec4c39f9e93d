import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { MPID_PATTERN } from '../../../schema/identifiers';
import { throwViolations } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { nullable } from '../../server/graph/decorator-options';
import { type ConnectionWithTotal, selectionViolations } from '../../server/lists/connection';
import { type RateLimit, withinNetworkLimit } from '../../server/callers/rate-limits';
import { type OffsetPage, cursorPage } from '../../server/lists/offset-page';
import type { SupplierQueries } from './supplier.queries';
import type { RegisterEntryRepository } from './register-entry.repository';
import { type RegisterEntryStatus, statusesOf } from './register-entry-status';
import { type Supplier, supplierViolations } from './supplier';
import { ListArgs, OffsetArgs } from '../../server/lists/offset-page.types';
import type { WebUrlPolicy } from '../../server/web-address';
import { ownSupplier } from './own-supplier.queries';
import {
  SavedSupplierPayload,
  SupplierConnectionType,
  SupplierFilterInput,
  SupplierInput,
  SupplierPageType,
  SupplierType,
} from './supplier.types';
import { RegisterEntryStatusEnum } from './register-entry.types';

/** The public register of suppliers (specification, GET /v1/suppliers) and its administration. */
@Resolver(() => SupplierType)
export class SupplierResolver {
  constructor(
    private readonly entries: SupplierQueries,
    private readonly repository: RegisterEntryRepository<Supplier>,
    private readonly lookups: RateLimit,
    private readonly urlPolicy: WebUrlPolicy,
  ) {}

  @MayCall('public')
  @Query(() => SupplierPageType, {
    description: 'A page of the suppliers, by number. LIM002 if the network exceeds its limit.',
  })
  async supplierPage(
    @Arg('active', () => Boolean, nullable('true: only active entries; false: all others; absent: every entry.'))
    active: boolean | null,
    @Args() page: OffsetArgs,
    @Ctx() context: CallContext,
  ): Promise<OffsetPage<Supplier>> {
    await withinNetworkLimit(this.lookups, context);
    return this.entries.page(statusesOf(active), page);
  }

  @MayCall('public')
  @Query(() => SupplierConnectionType, {
    description: 'The suppliers, by mpid. LIM002 if the network exceeds its limit.',
  })
  async suppliers(
    @Args() page: ListArgs,
    @Arg('filter', () => SupplierFilterInput, nullable('Selects entries of the list.'))
    filter: SupplierFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<ConnectionWithTotal<Supplier>> {
    await withinNetworkLimit(this.lookups, context);
    const statuses = filter?.status ?? null;
    return this.entries.connection(statuses, cursorPage(page, selectionViolations(statuses, ['filter', 'status'])));
  }

  @MayCall('public')
  @Query(
    () => SupplierType,
    nullable('A supplier by its market participant id. LIM002 if the network exceeds its limit.'),
  )
  async supplier(
    @Arg('mpid', () => String, { description: 'Its market participant id.' }) mpid: string,
    @Ctx() context: CallContext,
  ): Promise<Supplier | null> {
    await withinNetworkLimit(this.lookups, context);
    return this.entries.byKey(mpid);
  }

  @MayCall('admin')
  @Mutation(() => SavedSupplierPayload, {
    description:
      'Creates or corrects the entry of a supplier. CNF001 if it is removed. Another issuer, and null instead of one, revokes the consents of ' +
      'the supplier: its consumers, whom only the former issuer names, could not withdraw them. An absent issuer and audience remain.',
  })
  async saveSupplier(
    @Arg('input', () => SupplierInput, { description: 'The entry.' }) input: SupplierInput,
    @Ctx() context: CallContext,
  ): Promise<SavedSupplierPayload> {
    const stored = MPID_PATTERN.test(input.mpid) ? await this.entries.byKey(input.mpid) : null;
    throwViolations(supplierViolations(input, this.urlPolicy, stored));
    const { entry, isNew } = await this.repository.upsert({ ...input }, callerOf(context).accountId);
    return { supplier: entry, isNew };
  }

  @MayCall('admin')
  @Mutation(() => SupplierType, {
    description:
      'Sets the status of a supplier. NTF002 if it is unregistered, CNF001 if its current status does not allow the change.',
  })
  setSupplierStatus(
    @Arg('mpid', () => String, { description: 'Its market participant id.' }) mpid: string,
    @Arg('status', () => RegisterEntryStatusEnum, { description: 'The status.' }) status: RegisterEntryStatus,
    @Ctx() context: CallContext,
  ): Promise<Supplier> {
    return this.repository.setStatus(mpid, status, callerOf(context).accountId);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "Issuer of its consumers' tokens; null unless the caller is an admin or the supplier itself, which must be active (PRM001).",
  })
  async issuer(@Root() { mpid, issuer }: Supplier, @Ctx() context: CallContext): Promise<string | null> {
    return (await this.mayReadAll(context, mpid)) ? issuer : null;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Audience of these tokens; null unless the caller is an admin or the supplier itself, which must be active (PRM001).',
  })
  async audience(@Root() { mpid, audience }: Supplier, @Ctx() context: CallContext): Promise<string | null> {
    return (await this.mayReadAll(context, mpid)) ? audience : null;
  }

  private async mayReadAll(context: CallContext, mpid: string): Promise<boolean> {
    const { caller } = context;
    if (caller?.role !== 'supplier' || caller.mpid !== mpid) return caller?.role === 'admin';
    return (await ownSupplier(context, this.entries)) === mpid;
  }
}
