import { isInFuture } from '../../../schema/future-date';
import type { Violation } from '../../../schema/register-error';

/** Response times: whole milliseconds, p50 ≤ p95 ≤ p99. */
export interface ResponseTimes {
  p50: number;
  p95: number;
  p99: number;
}

/** A supplier's report on its service in a period (decisions C/D, D.2). A later report for the same period replaces it. */
export interface PerformanceReportInput {
  periodStart: Date;
  periodEnd: Date;
  totalRequests: number;
  notificationsIssued: number;
  /** Percent, 0 to 100. */
  availabilityPct: number;
  /** Percent, 0 to 100. */
  successPct: number;
  responseTimeMs: ResponseTimes;
}

/** A report as received. */
export interface PerformanceReport extends PerformanceReportInput {
  /** A UUID. */
  reportId: string;
  mpid: string;
  receivedAt: Date;
}

const COUNTS = ['totalRequests', 'notificationsIssued'] as const;
const PERCENTAGES = ['availabilityPct', 'successPct'] as const;
const PERCENTILES = ['p50', 'p95', 'p99'] as const;

/** Returns all violations of a report (VAL003). */
export function performanceReportViolations(report: PerformanceReportInput, now: Date): Violation[] {
  const violations: Violation[] = [];
  const add = (path: string[], message: string) => violations.push({ code: 'VAL003', path, message });
  if (report.periodEnd.getTime() <= report.periodStart.getTime())
    add(['periodEnd'], 'must be after the beginning of the period');
  else if (isInFuture(report.periodEnd, now)) add(['periodEnd'], 'must not be in the future');
  for (const field of COUNTS) if (!isCount(report[field])) add([field], 'must be a whole number, 0 or more');
  for (const field of PERCENTAGES) if (!(report[field] >= 0 && report[field] <= 100)) add([field], 'must be 0 to 100');
  PERCENTILES.forEach((field, index) => {
    const value = report.responseTimeMs[field];
    const below = PERCENTILES[index - 1];
    if (!isCount(value)) add(['responseTimeMs', field], 'must be a whole number, 0 or more');
    else if (below !== undefined && value < report.responseTimeMs[below])
      add(['responseTimeMs', field], `must not be less than ${below}`);
  });
  return violations;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
