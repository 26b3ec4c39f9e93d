import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

/** A span, as a collector receives it: attributes by name. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

/** A collector of traces, for OTEL_EXPORTER_OTLP_ENDPOINT. */
export interface TraceCollector {
  readonly url: string;
  /** Returns the received spans, in order. */
  spans(): ReceivedSpan[];
  /** Returns all received bodies, unchanged. */
  received(): string;
  close(): void;
}

interface SentSpans {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[] }[];
}

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

/** Starts a collector on a free port. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(spansIn),
    received: () => bodies.join('\n'),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function spansIn(body: string): ReceivedSpan[] {
  const sent = (JSON.parse(body) as SentSpans).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans);
  return sent
    .flatMap(({ spans }) => spans)
    .map(({ name, traceId, attributes }) => ({
      name,
      traceId,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue])),
    }));
}
