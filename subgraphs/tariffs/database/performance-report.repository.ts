import { DatabaseError, type Pool } from 'pg';
import { RegisterError } from '../../../schema/register-error';
import type { PerformanceReport, PerformanceReportInput } from '../domain/performance-report';

/** Another report of the same period takes the place of the former one, and keeps its identifier. */
const SUBMIT = `
  insert into performance_report as kept (mpid, period_start, period_end, total_requests, notifications_issued, availability_pct,
    success_pct, p50, p95, p99)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  on conflict (mpid, period_start, period_end) do update
    set (total_requests, notifications_issued, availability_pct, success_pct, p50, p95, p99, received_at) =
      (excluded.total_requests, excluded.notifications_issued, excluded.availability_pct, excluded.success_pct, excluded.p50,
        excluded.p95, excluded.p99, excluded.received_at)
  returning report_id as "reportId", received_at as "receivedAt"`;

/** Performance reports, as suppliers submit them (3-decisions-c-d.md, D.2). */
export class PerformanceReportRepository {
  constructor(private readonly pool: Pool) {}

  /** Keeps a report of a supplier; NTF002 when the supplier is not in the register. */
  async submit(
    mpid: string,
    report: PerformanceReportInput,
  ): Promise<Pick<PerformanceReport, 'reportId' | 'receivedAt'>> {
    const { periodStart, periodEnd, totalRequests, notificationsIssued, availabilityPct, successPct } = report;
    const { p50, p95, p99 } = report.responseTimeMs;
    const values = [mpid, periodStart, periodEnd, totalRequests, notificationsIssued, availabilityPct, successPct];
    const { rows } = await this.pool
      .query<Pick<PerformanceReport, 'reportId' | 'receivedAt'>>(SUBMIT, [...values, p50, p95, p99])
      .catch(refuseUnknownSupplier);
    return rows[0] as Pick<PerformanceReport, 'reportId' | 'receivedAt'>;
  }
}

function refuseUnknownSupplier(error: unknown): never {
  if (error instanceof DatabaseError && error.constraint === 'performance_report_mpid_fkey')
    throw new RegisterError('NTF002');
  throw error;
}
