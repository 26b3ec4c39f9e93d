import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { type CallContext, MayCall } from '../../server/callers/caller';
import type { RegisterClock } from '../../server/database/register-clock';
import { nullable } from '../../server/graph/decorator-options';
import type { Connection } from '../../server/lists/connection';
import { cursorPage } from '../../server/lists/offset-page';
import type { PerformanceReportRepository } from './performance-report.repository';
import type { SupplierQueries } from '../register-entries/supplier.queries';
import { type PerformanceReport, performanceReportViolations } from './performance-report';
import type { Supplier } from '../register-entries/supplier';
import { ListArgs } from '../../server/lists/offset-page.types';
import { ownSupplier, visibleSupplier } from '../register-entries/own-supplier.queries';
import {
  PerformanceReportConnectionType,
  PerformanceReportFilterInput,
  PerformanceReportInput,
  PerformanceReportType,
  SubmittedReportPayload,
} from './performance-report.types';
import { SupplierType } from '../register-entries/supplier.types';

/** Performance reports of suppliers (specification, POST /v1/report). */
@Resolver(() => PerformanceReportType)
export class PerformanceReportResolver {
  constructor(
    private readonly repository: PerformanceReportRepository,
    private readonly suppliers: SupplierQueries,
    private readonly clock: RegisterClock,
  ) {}

  @MayCall('admin', 'analyst', 'supplier')
  @Query(() => PerformanceReportConnectionType, {
    description: 'Performance reports, the latest period first; a supplier sees its own.',
  })
  async performanceReports(
    @Args() page: ListArgs,
    @Arg('filter', () => PerformanceReportFilterInput, nullable('Selects entries of the list.'))
    filter: PerformanceReportFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<Connection<PerformanceReport>> {
    const mpid = await visibleSupplier(context, this.suppliers, filter?.mpid);
    return this.repository.page({ ...filter, mpid }, cursorPage(page));
  }

  @MayCall('supplier')
  @Mutation(() => SubmittedReportPayload, {
    description:
      'Stores the report of a supplier; it replaces one for the same period. NTF002 if the supplier is unregistered, PRM001 if it is not active.',
  })
  async submitPerformanceReport(
    @Arg('input', () => PerformanceReportInput, { description: 'The report.' }) input: PerformanceReportInput,
    @Ctx() context: CallContext,
  ): Promise<SubmittedReportPayload> {
    throwViolations(performanceReportViolations(input, await this.clock.now()));
    return this.repository.submit(await ownSupplier(context, this.suppliers, 'NTF002'), input);
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier.' })
  supplier(@Root() { mpid }: PerformanceReport): Promise<Supplier | null> {
    return this.suppliers.byKey(mpid);
  }
}
