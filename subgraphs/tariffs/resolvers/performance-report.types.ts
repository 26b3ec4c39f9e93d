import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { connectionType } from '../../server/connection.types';
import type * as domain from '../domain/performance-report';

@InputType('ResponseTimesInput', { description: 'Response times in milliseconds.' })
export class ResponseTimesInput implements domain.ResponseTimes {
  @Field(() => Int, { description: 'The median.' }) p50: number;
  @Field(() => Int, { description: 'What 95 of 100 are below.' }) p95: number;
  @Field(() => Int, { description: 'What 99 of 100 are below.' }) p99: number;
}

@InputType('PerformanceReportInput', { description: 'How the interface of a supplier performed in a period.' })
export class PerformanceReportInput implements domain.PerformanceReportInput {
  @Field(() => DateTime, { description: 'Beginning of the period.' }) periodStart: Date;
  @Field(() => DateTime, { description: 'End of the period.' }) periodEnd: Date;
  @Field(() => Float, { description: 'Requests that were made, a whole number.' }) totalRequests: number;
  @Field(() => Float, { description: 'Notifications that were sent, a whole number.' }) notificationsIssued: number;
  @Field(() => Float, { description: 'Percent of the time that it was available.' }) availabilityPct: number;
  @Field(() => Float, { description: 'Percent of the requests that succeeded.' }) successPct: number;
  @Field(() => ResponseTimesInput, { description: 'How long answers took.' }) responseTimeMs: ResponseTimesInput;
}

@ObjectType('SubmittedReport', { description: 'That a report was received.', simpleResolvers: true })
export class SubmittedReportPayload implements Pick<domain.PerformanceReport, 'reportId' | 'receivedAt'> {
  @Field(() => String, { description: 'Its identifier, a UUID.' }) reportId: string;
  @Field(() => DateTime, { description: 'When it was received.' }) receivedAt: Date;
}

@ObjectType('ResponseTimes', { description: 'Response times in milliseconds.', simpleResolvers: true })
export class ResponseTimesType implements domain.ResponseTimes {
  @Field(() => Int, { description: 'The median.' }) p50: number;
  @Field(() => Int, { description: 'What 95 of 100 are below.' }) p95: number;
  @Field(() => Int, { description: 'What 99 of 100 are below.' }) p99: number;
}

@ObjectType('PerformanceReport', {
  description: 'How the interface of a supplier performed in a period.',
  simpleResolvers: true,
})
export class PerformanceReportType implements Omit<domain.PerformanceReport, 'mpid'> {
  @Field(() => String, { description: 'Its identifier, a UUID.' }) reportId: string;
  @Field(() => DateTime, { description: 'Beginning of the period.' }) periodStart: Date;
  @Field(() => DateTime, { description: 'End of the period.' }) periodEnd: Date;
  @Field(() => Float, { description: 'Requests that were made, a whole number.' }) totalRequests: number;
  @Field(() => Float, { description: 'Notifications that were sent, a whole number.' }) notificationsIssued: number;
  @Field(() => Float, { description: 'Percent of the time that it was available.' }) availabilityPct: number;
  @Field(() => Float, { description: 'Percent of the requests that succeeded.' }) successPct: number;
  @Field(() => ResponseTimesType, { description: 'How long answers took.' }) responseTimeMs: ResponseTimesType;
  @Field(() => DateTime, { description: 'When it was received.' }) receivedAt: Date;
}

/** PerformanceReportConnection of the graph. */
export const PerformanceReportConnectionType = connectionType(
  'PerformanceReport',
  'A page of the performance reports, the latest period first.',
  () => PerformanceReportType,
);

@InputType('PerformanceReportFilter', { description: 'Which reports: all conditions hold.' })
export class PerformanceReportFilterInput {
  @Field(() => String, { nullable: true, description: 'Those of this supplier.' }) mpid?: string | null;
  @Field(() => DateTime, { nullable: true, description: 'Those of periods that end after this instant.' })
  from?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'Those of periods that begin before this instant.' })
  to?: Date | null;
}
