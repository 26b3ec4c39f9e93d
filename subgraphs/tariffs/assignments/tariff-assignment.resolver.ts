import { Arg, Args, Ctx, Field, FieldResolver, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { Connection } from '../../server/lists/connection';
import { connectionType } from '../../server/lists/connection.types';
import { cursorPage } from '../../server/lists/offset-page';
import { ListArgs } from '../../server/lists/offset-page.types';
import type { StoredTariff } from '../catalogue/stored-tariff';
import type { TariffQueries } from '../catalogue/tariff.queries';
import { TariffType } from '../catalogue/tariff.types';
import { requireMpxn } from '../arguments';
import { visibleSupplier } from '../register-entries/own-supplier.queries';
import type { Supplier } from '../register-entries/supplier';
import type { SupplierQueries } from '../register-entries/supplier.queries';
import { SupplierType } from '../register-entries/supplier.types';
import type { AssignmentQueries, StoredAssignment } from './assignment.queries';
import type { AssignmentRepository, Assigner } from './assignment.repository';

@ObjectType('TariffAssignment', simple('The tariff assigned to an MPxN from an instant on, until the next assignment.'))
class TariffAssignmentType implements Pick<StoredAssignment, 'mpxn' | 'recordedAt'> {
  @Field(() => String, { description: 'The MPxN.' }) mpxn: string;
  @Field(() => DateTime, { description: 'When the assignment was recorded.' }) recordedAt: Date;
}

const TariffAssignmentConnectionType = connectionType(
  'TariffAssignment',
  'A page of the assignments of an MPxN, the last one first.',
  () => TariffAssignmentType,
);

/** Reads and writes behind {@link TariffAssignmentResolver}. */
interface AssignmentDependencies {
  readonly assignments: AssignmentRepository;
  readonly queries: AssignmentQueries;
  readonly tariffQueries: TariffQueries;
  readonly suppliers: SupplierQueries;
}

const mpxnArgument = () => Arg('mpxn', () => String, { description: 'The MPxN.' });

/** The assignments of tariffs to MPxNs. Each supplier maintains its own (decisions C/D, D.1). */
@Resolver(() => TariffAssignmentType)
export class TariffAssignmentResolver {
  constructor(private readonly dependencies: AssignmentDependencies) {}

  @MayCall('admin', 'supplier')
  @Query(() => TariffAssignmentConnectionType, {
    description: 'The assignments of an MPxN, the last one first; a supplier sees its own.',
  })
  async tariffAssignments(
    @mpxnArgument() mpxn: string,
    @Args() page: ListArgs,
    @Ctx() context: CallContext,
  ): Promise<Connection<StoredAssignment>> {
    requireMpxn(mpxn);
    return this.dependencies.queries.page(mpxn, (await this.assigner(context)).mpid, cursorPage(page));
  }

  @MayCall('admin', 'supplier')
  @Query(
    () => TariffType,
    nullable("The tariff that applies to an MPxN at an instant; null if none does, or if it is another supplier's."),
  )
  async appliedTariff(
    @mpxnArgument() mpxn: string,
    @Arg('at', () => DateTime, nullable('The instant; absent: now.')) at: Date | null,
    @Ctx() context: CallContext,
  ): Promise<StoredTariff | null> {
    requireMpxn(mpxn);
    const { mpid } = await this.assigner(context);
    const applied = await this.dependencies.queries.applied(mpxn, at ?? null);
    if (applied === undefined || (mpid !== null && applied.mpid !== mpid)) return null;
    return this.dependencies.tariffQueries.byId(applied.tariffId);
  }

  @MayCall('admin', 'supplier')
  @Mutation(() => TariffAssignmentType, {
    description:
      'Assigns a tariff to an MPxN from an instant on, which must be before the end of its validity (VAL003); before its validity no tariff ' +
      'applies. It replaces an assignment that ' +
      'would start at the same instant; CNF001 if that one has already started, or if a supplier would replace an assignment of another ' +
      'supplier. It follows the end of a former assignment at the same instant: the end remains, for the former occupant. ' +
      "CNF001 also if a supplier assigns in the past although another supplier's tariff applied then or since. PRM001 unless the " +
      'supplier is active in the register.',
  })
  async assignTariff(
    @mpxnArgument() mpxn: string,
    @Arg('tariffId', () => String, { description: 'The tariff.' }) tariffId: string,
    @Arg('from', () => DateTime, { description: 'When the assignment starts.' }) from: Date,
    @Arg('withdrawsEnd', () => Boolean, {
      defaultValue: false,
      description:
        "Whether the assignment withdraws the planned end of the supplier's former one at the same instant, so that the occupancy continues; " +
        'CNF001 if the end has taken effect.',
    })
    withdrawsEnd: boolean,
    @Ctx() context: CallContext,
  ): Promise<StoredAssignment> {
    requireMpxn(mpxn);
    const tariff = { tariffId, validFrom: from, withdrawsEnd };
    return this.dependencies.assignments.assign(mpxn, tariff, await this.assigner(context));
  }

  @MayCall('admin', 'supplier')
  @Mutation(() => TariffAssignmentType, {
    description:
      "Ends the assignment of an MPxN and its occupancy: no tariff applies from the instant on, until the next assignment. It replaces the supplier's " +
      'assignment that would start at the same instant, and its planned end of the same assignment at a later instant: the end moves. CNF001 after ' +
      'an earlier end: to move a planned end to a later instant, first withdraw it by `assignTariff` with `withdrawsEnd: true` at its instant. It has no effect on the tariff while the newest assignment at its instant is another ' +
      "supplier's; it still ends the consents at its own supplier, which may also record it afterwards, at the start of the other supplier's " +
      'assignment. CNF001 if no ' +
      'tariff of the supplier is assigned then, or if the instant is in the past and another assignment has started since; an admin may ' +
      'end the assignment of any supplier: it withdraws a planned start at the instant and ends the tariff that would continue. PRM001 unless the supplier is active in the register.',
  })
  async endTariffAssignment(
    @mpxnArgument() mpxn: string,
    @Arg('at', () => DateTime, { description: 'When the assignment ends.' }) at: Date,
    @Ctx() context: CallContext,
  ): Promise<StoredAssignment> {
    requireMpxn(mpxn);
    return this.dependencies.assignments.end(mpxn, at, await this.assigner(context));
  }

  @FieldResolver(() => DateTime, { description: 'When the assignment starts.' })
  from(@Root() { validFrom }: StoredAssignment): Date {
    return validFrom;
  }

  @FieldResolver(
    () => TariffType,
    nullable('The tariff as assigned, without its replacements; null for the end of an assignment.'),
  )
  tariff(@Root() { tariffId }: StoredAssignment): Promise<StoredTariff | null> | null {
    return tariffId === null ? null : this.dependencies.tariffQueries.byId(tariffId);
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier.' })
  supplier(@Root() { mpid }: StoredAssignment): Promise<Supplier | null> {
    return this.dependencies.suppliers.byKey(mpid);
  }

  private async assigner(context: CallContext): Promise<Assigner> {
    return {
      accountId: callerOf(context).accountId,
      mpid: await visibleSupplier(context, this.dependencies.suppliers, null),
    };
  }
}
