import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { nullable, simple } from '../../server/graph/decorator-options';
import { connectionType } from '../../server/lists/connection.types';
import type * as domain from './performance-report';

@ObjectType('ResponseTimes', simple('Response times in milliseconds.'))
@InputType('ResponseTimesInput', { description: 'Response times in milliseconds.' })
class ResponseTimesType implements domain.ResponseTimes {
  @Field(() => Int, { description: 'The median.' }) p50: number;
  @Field(() => Int, { description: 'The 95th percentile.' }) p95: number;
  @Field(() => Int, { description: 'The 99th percentile.' }) p99: number;
}

@InputType('PerformanceReportInput', { description: 'How the interface of a supplier performed in a period.' })
export class PerformanceReportInput implements domain.PerformanceReportInput {
  @Field(() => DateTime, { description: 'Beginning of the period.' }) periodStart: Date;
  @Field(() => DateTime, { description: 'End of the period.' }) periodEnd: Date;
  @Field(() => Float, { description: 'Requests, a whole number.' }) totalRequests: number;
  @Field(() => Float, { description: 'Notifications sent, a whole number.' }) notificationsIssued: number;
  @Field(() => Float, { description: 'Percent of the time that it was available.' }) availabilityPct: number;
  @Field(() => Float, { description: 'Percent of the requests that succeeded.' }) successPct: number;
  @Field(() => ResponseTimesType, { description: 'Response times.' }) responseTimeMs: ResponseTimesType;
}

@ObjectType('SubmittedReport', simple('The receipt of a report.'))
export class SubmittedReportPayload implements Pick<domain.PerformanceReport, 'reportId' | 'receivedAt'> {
  @Field(() => String, { description: 'Its identifier, a UUID.' }) reportId: string;
  @Field(() => DateTime, { description: 'When it was received.' }) receivedAt: Date;
}

@ObjectType('PerformanceReport', simple('How the interface of a supplier performed in a period.'))
export class PerformanceReportType implements Omit<domain.PerformanceReport, 'mpid'> {
  @Field(() => String, { description: 'Its identifier, a UUID.' }) reportId: string;
  @Field(() => DateTime, { description: 'Beginning of the period.' }) periodStart: Date;
  @Field(() => DateTime, { description: 'End of the period.' }) periodEnd: Date;
  @Field(() => Float, { description: 'Requests, a whole number.' }) totalRequests: number;
  @Field(() => Float, { description: 'Notifications sent, a whole number.' }) notificationsIssued: number;
  @Field(() => Float, { description: 'Percent of the time that it was available.' }) availabilityPct: number;
  @Field(() => Float, { description: 'Percent of the requests that succeeded.' }) successPct: number;
  @Field(() => ResponseTimesType, { description: 'Response times.' }) responseTimeMs: ResponseTimesType;
  @Field(() => DateTime, { description: 'When it was received.' }) receivedAt: Date;
}

export const PerformanceReportConnectionType = connectionType(
  'PerformanceReport',
  'A page of the performance reports, the latest period first.',
  () => PerformanceReportType,
);

@InputType('PerformanceReportFilter', { description: 'Selects reports: all conditions must hold.' })
export class PerformanceReportFilterInput {
  @Field(() => String, nullable('Of this supplier.')) mpid?: string | null;
  @Field(() => DateTime, nullable('For periods that end after this instant.')) from?: Date | null;
  @Field(() => DateTime, nullable('For periods that start before this instant.')) to?: Date | null;
}
