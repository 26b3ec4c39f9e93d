import { DatabaseError, type Pool } from 'pg';
import { RegisterError } from '../../../schema/register-error';
import type { Connection, PageRequest } from '../../server/lists/connection';
import { newestFirst } from '../../server/lists/paged-list';
import { onlyRow } from '../../server/database/transaction';
import type { PerformanceReport, PerformanceReportInput } from './performance-report';

/** A filter of reports: all conditions must hold; null and absent ones are ignored. */
interface ReportFilter {
  readonly mpid?: string | null;
  /** Selects periods that end after it. */
  readonly from?: Date | null;
  /** Selects periods that start before it. */
  readonly to?: Date | null;
}

/** A report for the same period replaces the stored one, under its identifier. */
const SUBMIT = `
  insert into performance_report (mpid, period_start, period_end, total_requests, notifications_issued, availability_pct,
    success_pct, p50, p95, p99)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  on conflict (mpid, period_start, period_end) do update
    set (total_requests, notifications_issued, availability_pct, success_pct, p50, p95, p99, received_at) =
      (excluded.total_requests, excluded.notifications_issued, excluded.availability_pct, excluded.success_pct, excluded.p50,
        excluded.p95, excluded.p99, excluded.received_at)
  returning report_id as "reportId", received_at as "receivedAt"`;

type ReportReceipt = Pick<PerformanceReport, 'reportId' | 'receivedAt'>;

const REPORTS = {
  name: 'reports',
  columns: `report_id as "reportId", mpid, period_start as "periodStart", period_end as "periodEnd",
    total_requests::float8 as "totalRequests", notifications_issued::float8 as "notificationsIssued",
    availability_pct as "availabilityPct", success_pct as "successPct", json_build_object('p50', p50, 'p95', p95, 'p99', p99) as "responseTimeMs",
    received_at as "receivedAt"`,
  from: 'performance_report',
  where: '($1::timestamptz is null or period_end > $1) and ($2::timestamptz is null or period_start < $2)',
  instant: 'period_start',
  id: 'report_id',
};

const OF_SUPPLIER = { ...REPORTS, name: 'reports_of_supplier', where: `${REPORTS.where} and mpid = $3` };

/** Stores and lists the performance reports of suppliers (decisions C/D, D.2). */
export class PerformanceReportRepository {
  constructor(private readonly pool: Pool) {}

  /** Stores a report of a supplier. NTF002 if the supplier is unregistered. */
  async submit(mpid: string, report: PerformanceReportInput): Promise<ReportReceipt> {
    const { periodStart, periodEnd, totalRequests, notificationsIssued, availabilityPct, successPct } = report;
    const { p50, p95, p99 } = report.responseTimeMs;
    const values = [mpid, periodStart, periodEnd, totalRequests, notificationsIssued, availabilityPct, successPct];
    return onlyRow(
      await this.pool.query<ReportReceipt>(SUBMIT, [...values, p50, p95, p99]).catch(rejectUnknownSupplier),
    );
  }

  /** Returns the page after a cursor, the latest period first. */
  page({ mpid, from, to }: ReportFilter, page: PageRequest): Promise<Connection<PerformanceReport>> {
    const values = [from ?? null, to ?? null];
    const nodeOf = (row: PerformanceReport) => row;
    if (mpid == null) return newestFirst(this.pool, REPORTS, values, page, nodeOf);
    return newestFirst(this.pool, OF_SUPPLIER, [...values, mpid], page, nodeOf);
  }
}

function rejectUnknownSupplier(error: unknown): never {
  if (error instanceof DatabaseError && error.constraint === 'performance_report_mpid_fkey')
    throw new RegisterError('NTF002');
  throw error;
}
