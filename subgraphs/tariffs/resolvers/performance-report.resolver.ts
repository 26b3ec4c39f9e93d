import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { type CallContext, MayCall } from '../../server/caller';
import type { Connection } from '../../server/connection';
import { cursorPage } from '../database/offset-page';
import type { PerformanceReportLists } from '../database/performance-report-lists';
import type { PerformanceReportRepository } from '../database/performance-report.repository';
import type { SupplierLists } from '../database/supplier-lists';
import { type PerformanceReport, performanceReportViolations } from '../domain/performance-report';
import type { Supplier } from '../domain/supplier';
import { ListArgs } from './offset-page.types';
import { ownSupplier, visibleSupplier } from './own-supplier';
import {
  PerformanceReportConnectionType,
  PerformanceReportFilterInput,
  PerformanceReportInput,
  PerformanceReportType,
  SubmittedReportPayload,
} from './performance-report.types';
import { SupplierType } from './supplier.types';

/** Performance reports of suppliers (1-specification.md, POST /v1/report). */
@Resolver(() => PerformanceReportType)
export class PerformanceReportResolver {
  constructor(
    private readonly repository: PerformanceReportRepository,
    private readonly lists: PerformanceReportLists,
    private readonly suppliers: SupplierLists,
  ) {}

  @MayCall('admin', 'analyst', 'supplier')
  @Query(() => PerformanceReportConnectionType, {
    description: 'Performance reports, the latest period first; a supplier sees its own.',
  })
  async performanceReports(
    @Args() page: ListArgs,
    @Arg('filter', () => PerformanceReportFilterInput, { nullable: true, description: 'Which of them.' })
    filter: PerformanceReportFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<Connection<PerformanceReport>> {
    const mpid = await visibleSupplier(context, this.suppliers, filter?.mpid);
    return this.lists.page({ ...filter, mpid }, cursorPage(page));
  }

  @MayCall('supplier')
  @Mutation(() => SubmittedReportPayload, {
    description:
      'Takes the report of a supplier; one of the same period is replaced. NTF002 when it is not in the register, PRM001 unless it is active ' +
      'there.',
  })
  async submitPerformanceReport(
    @Arg('input', () => PerformanceReportInput, { description: 'The report.' }) input: PerformanceReportInput,
    @Ctx() context: CallContext,
  ): Promise<SubmittedReportPayload> {
    refuse(performanceReportViolations(input));
    return this.repository.submit(await ownSupplier(context, this.suppliers, 'NTF002'), input);
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier.' })
  supplier(@Root() { mpid }: PerformanceReport): Promise<Supplier | null> {
    return this.suppliers.byMpid(mpid);
  }
}
