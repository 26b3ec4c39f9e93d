import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { MPXN_PROFILE, mpxnFault } from '../../../schema/mpxn';
import { refuse } from '../../../schema/register-error';
import { DateTime } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import type { Connection } from '../../server/connection';
import type { AppliedTariffs } from '../database/applied-tariffs';
import type { AssignmentRepository, Assigner } from '../database/assignment.repository';
import type { MpxnVault } from '../database/mpxn-vault';
import { cursorPage } from '../database/offset-page';
import type { StoredTariff } from '../database/stored-tariff';
import type { SupplierLists } from '../database/supplier-lists';
import type { TariffFacts } from '../database/tariff-facts';
import type { StoredStep, TariffSteps } from '../database/tariff-steps';
import type { Supplier } from '../domain/supplier';
import { ListArgs } from './offset-page.types';
import { visibleSupplier } from './own-supplier';
import { SupplierType } from './supplier.types';
import { TariffAssignmentConnectionType, TariffAssignmentType } from './tariff-assignment.types';
import { TariffType } from './tariff.types';

/** What assignments are read from. */
export interface AssignmentReads {
  readonly steps: TariffSteps;
  readonly applied: AppliedTariffs;
  readonly facts: TariffFacts;
  readonly suppliers: SupplierLists;
  readonly mpxns: MpxnVault;
}

const mpxnArgument = () => Arg('mpxn', () => String, { description: 'The MPxN.' });

/** Which tariff applies to an MPxN (3-decisions-c-d.md, D.1): suppliers maintain their own. */
@Resolver(() => TariffAssignmentType)
export class TariffAssignmentResolver {
  constructor(
    private readonly assignments: AssignmentRepository,
    private readonly reads: AssignmentReads,
  ) {}

  @MayCall('admin', 'supplier')
  @Query(() => TariffAssignmentConnectionType, {
    description: 'The assignments of an MPxN, the last one first; a supplier sees its own.',
  })
  async tariffAssignments(
    @mpxnArgument() mpxn: string,
    @Args() page: ListArgs,
    @Ctx() context: CallContext,
  ): Promise<Connection<StoredStep>> {
    requireMpxn(mpxn);
    return this.reads.steps.page(mpxn, (await this.assigner(context)).mpid, cursorPage(page));
  }

  @MayCall('admin', 'supplier')
  @Query(() => TariffType, {
    nullable: true,
    description:
      "The tariff that applies to an MPxN at an instant; null when none does, or when it is another supplier's.",
  })
  async appliedTariff(
    @mpxnArgument() mpxn: string,
    @Arg('at', () => DateTime, { nullable: true, description: 'When; now unless given.' }) at: Date | null,
    @Ctx() context: CallContext,
  ): Promise<StoredTariff | null> {
    requireMpxn(mpxn);
    const { mpid } = await this.assigner(context);
    const [applied] = await this.reads.applied.at([this.reads.mpxns.hash(mpxn)], at ?? null);
    if (applied === undefined || (mpid !== null && applied.mpid !== mpid)) return null;
    return this.reads.facts.byId(applied.tariffId);
  }

  @MayCall('admin', 'supplier')
  @Mutation(() => TariffAssignmentType, {
    description:
      'Assigns a tariff to an MPxN from an instant on, which must be before the end of its validity (VAL003). CNF001 when another tariff began ' +
      'to apply at it; one that has not begun gives way, that of another supplier to an admin only. A supplier may not begin in the past ' +
      "(CNF001) where another supplier's tariff applied then or since. PRM001 unless the supplier is active in the register.",
  })
  async assignTariff(
    @mpxnArgument() mpxn: string,
    @Arg('tariffId', () => String, { description: 'The tariff.' }) tariffId: string,
    @Arg('from', () => DateTime, { description: 'From when.' }) from: Date,
    @Ctx() context: CallContext,
  ): Promise<StoredStep> {
    requireMpxn(mpxn);
    return this.assignments.assign(mpxn, tariffId, from, await this.assigner(context));
  }

  @MayCall('admin', 'supplier')
  @Mutation(() => TariffAssignmentType, {
    description:
      'Ends the assignment of an MPxN: no tariff applies from the instant on. CNF001 when none of the supplier is assigned then; an admin ends ' +
      'that of any supplier. PRM001 unless the supplier is active in the register.',
  })
  async endTariffAssignment(
    @mpxnArgument() mpxn: string,
    @Arg('at', () => DateTime, { description: 'From when.' }) at: Date,
    @Ctx() context: CallContext,
  ): Promise<StoredStep> {
    requireMpxn(mpxn);
    return this.assignments.end(mpxn, at, await this.assigner(context));
  }

  @FieldResolver(() => DateTime, { description: 'From when.' })
  from(@Root() { validFrom }: StoredStep): Date {
    return validFrom;
  }

  @FieldResolver(() => TariffType, {
    nullable: true,
    description: 'The tariff, as it was assigned; null when the assignment before it ends.',
  })
  tariff(@Root() { tariffId }: StoredStep): Promise<StoredTariff | null> | null {
    return tariffId === null ? null : this.reads.facts.byId(tariffId);
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier.' })
  supplier(@Root() { mpid }: StoredStep): Promise<Supplier | null> {
    return this.reads.suppliers.byMpid(mpid);
  }

  private async assigner(context: CallContext): Promise<Assigner> {
    return {
      accountId: callerOf(context).accountId,
      mpid: await visibleSupplier(context, this.reads.suppliers, null),
    };
  }
}

/** VAL001 unless it is a meter point number of the profile. */
function requireMpxn(mpxn: string): void {
  const fault = mpxnFault(mpxn, MPXN_PROFILE);
  if (fault !== undefined) refuse([{ code: 'VAL001', path: ['mpxn'], message: fault }]);
}
