import { type Context, SpanStatusCode, context, propagation, trace } from '@opentelemetry/api';
import type * as Exporter from '@opentelemetry/exporter-trace-otlp-http';
import type * as Resources from '@opentelemetry/resources';
import type * as Sdk from '@opentelemetry/sdk-trace-node';
import { endsBefore } from '../graceful-stop';

let exporting = false;

/** Loads the exporter only when traces are exported: it is a sixth of the code that an operator's command loads. */
const libraries = () => ({
  ...(require('@opentelemetry/exporter-trace-otlp-http') as typeof Exporter),
  ...(require('@opentelemetry/resources') as typeof Resources),
  ...(require('@opentelemetry/sdk-trace-node') as typeof Sdk),
});

/** Time for the last export: an exporter whose collector is unavailable would retry for ten seconds. */
const LAST_EXPORT_MS = 1_000;

/**
 * Exports traces to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names. Returns a function that stops the export: spans that the collector
 * has not received within a second, or before `forced` aborts, are lost.
 */
export function exportTraces(serviceName: string): (forced: AbortSignal) => Promise<void> {
  const { BatchSpanProcessor, NodeTracerProvider, OTLPTraceExporter, resourceFromAttributes } = libraries();
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  exporting = true;
  return async (forced) => {
    exporting = false;
    const late = AbortSignal.any([forced, AbortSignal.timeout(LAST_EXPORT_MS)]);
    await endsBefore(late, provider.shutdown());
  };
}

/**
 * Runs a step in a span with the transaction id. Use route templates and operation names as span names, never values.
 * Without a collector, runs only the step.
 */
export function traced<Result>(name: string, transactionId: string, step: () => Promise<Result>): Promise<Result> {
  if (!exporting) return step();
  const tracer = trace.getTracer('central-data-access-register');
  return tracer.startActiveSpan(name, { attributes: { 'transaction-id': transactionId } }, async (span) => {
    try {
      return await step();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Returns the W3C Trace Context headers of a request to another service. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  if (exporting) propagation.inject(context.active(), headers);
  return headers;
}

/** Runs a step within the trace of the calling service. */
export function withinTrace<Result>(headers: object, step: () => Promise<Result>): Promise<Result> {
  if (!exporting) return step();
  const callerContext: Context = propagation.extract(context.active(), headers);
  return context.with(callerContext, step);
}
