import {
  type Connection,
  type PageRequest,
  connectionOf,
  cursorOf,
  cursorPosition,
  instantText,
} from '../../server/connection';
import type { Database } from '../../server/database';
import type { PerformanceReport } from '../domain/performance-report';

/** Which reports: all conditions hold, those that are null or left out do not count. */
export interface ReportFilter {
  readonly mpid?: string | null;
  /** Periods that end after it. */
  readonly from?: Date | null;
  /** Periods that begin before it. */
  readonly to?: Date | null;
}

type ListedReport = PerformanceReport & { readonly instant: string };

const reports = (ofSupplier: string): string => `
  select report_id as "reportId", mpid, period_start as "periodStart", period_end as "periodEnd",
    total_requests::float8 as "totalRequests", notifications_issued::float8 as "notificationsIssued",
    availability_pct as "availabilityPct", success_pct as "successPct", json_build_object('p50', p50, 'p95', p95, 'p99', p99) as "responseTimeMs",
    received_at as "receivedAt", ${instantText('period_start')} as instant
  from performance_report
  where (period_start, report_id) < ($1::timestamptz, $2::uuid) and ($4::timestamptz is null or period_end > $4)
    and ($5::timestamptz is null or period_start < $5) ${ofSupplier}
  order by period_start desc, report_id desc limit $3`;

/** Performance reports, the latest period first. */
export class PerformanceReportLists {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** A page of them. */
  async page({ mpid, from, to }: ReportFilter, page: PageRequest): Promise<Connection<PerformanceReport>> {
    const values: unknown[] = [...cursorPosition(page.after), page.first + 1, from ?? null, to ?? null];
    const statement =
      mpid == null
        ? { name: 'reports', text: reports(''), values }
        : { name: 'reports_of_supplier', text: reports('and mpid = $6'), values: [...values, mpid] };
    const { rows } = await this.database.pool.query<ListedReport>(statement);
    const cursor = ({ instant, reportId }: ListedReport) => cursorOf([instant, reportId]);
    return connectionOf(rows, page, cursor);
  }
}
