import type { DocumentNode } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { newIdentifier } from '../../schema/identifiers';
import { RegisterError } from '../../schema/register-error';
import { callerOf } from '../../subgraphs/server/callers/caller';
import type { AdHocRequest } from '../requests/graph-request';
import { admit } from '../callers/audiences';
import type { Authentication, Identification } from '../callers/authentication';
import { withDeadline } from '../requests/deadline';
import type { Preparation } from '../requests/prepared-operation';
import type { FailureReport } from '../requests/request-log';
import type { RequestMetadata } from '../client/graph-client';
import { type SessionRevalidator, sessionRevalidator } from './session-revalidator';
import {
  type ConnectionEnd,
  STALL_CHECK_INTERVAL_MS,
  SLOW_CLIENT_TIMEOUT_MS,
  isCredentialError,
} from './connection-end';
import { eventResults } from './event-results';
import { accountQueries, supplierQueries } from './session-queries';
import { openReader } from './event-reader';
import { type EventStream, SUPPLIER_NOT_ACTIVE, type StreamDependencies, eventStream } from './event-stream';
import { type FollowedLogs, followedLogs } from './followed-logs';
import { type Connection, type OpenConnections, openConnections } from './open-connections';
import { filterFor, requireAdmission, revalidated } from './subscriber-access';
import { type StreamedOperation, operationParser } from './streamed-operations';
import { type SubscriptionMetrics, subscriptionMetrics } from './subscription-metrics';

/** A client's request to start a subscription. */
interface SubscriptionRequest {
  readonly streamed: StreamedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly metadata: RequestMetadata;
  readonly connection: Connection;
}

/** Subscriptions of this gateway. */
export interface Subscriptions {
  /** Counts a connection; throws LIM002 if its client network has too many. The register calls `end` to end it. */
  connect: OpenConnections['open'];
  /** Parses an operation: a subscription that is ready to start, or the document of another operation. */
  parse(request: AdHocRequest): { readonly streamed?: StreamedOperation; readonly document: DocumentNode };
  /** Starts a subscription; throws the error that rejects it. */
  start(request: SubscriptionRequest): Promise<EventStream>;
  /**
   * Identifies the caller of a WebSocket, counts the connection for its account and revalidates it until the returned
   * function is called.
   */
  admitConnection(metadata: RequestMetadata, connection: Connection): Promise<() => void>;
  close(): void;
}

/** Dependencies and settings of subscriptions. */
interface SubscriptionDependencies {
  readonly preparation: Preparation;
  readonly callers: Authentication;
  readonly production: boolean;
  readonly rateLimitsOff?: boolean | undefined;
  readonly logger: Logger;
  readonly report: FailureReport;
  readonly registry: Registry;
}

/**
 * READ FIRST: serves subscriptions; the function `start` lists the steps of one in order. The gateway follows the event
 * logs of the subgraphs and executes a query for each event.
 */
export function subscriptions(dependencies: SubscriptionDependencies): Subscriptions {
  const { preparation, callers, production } = dependencies;
  const access = preparation.supergraph.links.get('access');
  if (!access) throw new Error('subscriptions need a link to the subgraph access');
  const onFailure = (error: unknown) => dependencies.report(error, newIdentifier('tid'));
  const suppliers = supplierQueries(preparation.supergraph.links.get('tariffs'));
  const revalidator = sessionRevalidator(accountQueries(access), suppliers, onFailure);
  const logs = followedLogs(preparation.supergraph.links, dependencies.logger, revalidator, onFailure);
  const metrics = subscriptionMetrics(dependencies.registry);
  const connections = openConnections(metrics, dependencies.rateLimitsOff ?? false);
  const open = new OpenStreams();
  const results = eventResults(dependencies.report, metrics);
  const services = { dependencies, logs, revalidator, metrics, open, results };
  const parseOperation = operationParser(preparation, production);
  const stalls = setInterval(() => endStalled(open), STALL_CHECK_INTERVAL_MS).unref();
  return {
    connect: connections.open,
    parse(request) {
      const parsed = parseOperation(request);
      return parsed.kind === 'single' ? parsed : { streamed: parsed.streamed, document: parsed.streamed.document };
    },
    start(request) {
      const starting = start(request, services);
      return withDeadline(starting).catch((error: unknown) => {
        starting.then(
          (late) => late.return(),
          () => undefined, // the caller receives this error already
        );
        throw error;
      });
    },
    async admitConnection(metadata, connection) {
      const identified = await withDeadline(Promise.resolve(callers.identify(metadata)));
      if (identified.error) throw identified.error;
      connection.countFor(callerOf(identified.context).accountId);
      return revalidated(identified, revalidator, (reason) => connection.end(reason));
    },
    close() {
      clearInterval(stalls);
      revalidator.close();
      for (const { feed } of logs.values()) feed.close();
      open.close();
    },
  };
}

/** Open streams, with the function that ends each together with its connection. */
class OpenStreams extends Map<EventStream, (reason: ConnectionEnd) => void> {
  private isClosed = false;

  /** Adds a stream. After the close it ends at once: it started before. */
  add(stream: EventStream, end: (reason: ConnectionEnd) => void): void {
    this.set(stream, end);
    if (this.isClosed) end('closing');
  }

  /** Ends all streams. */
  close(): void {
    this.isClosed = true;
    for (const end of this.values()) end('closing');
  }
}

/** Dependencies of the steps of a subscription. */
interface Services {
  readonly dependencies: SubscriptionDependencies;
  readonly logs: FollowedLogs;
  readonly revalidator: SessionRevalidator;
  readonly metrics: SubscriptionMetrics;
  readonly results: ReturnType<typeof eventResults>;
  readonly open: OpenStreams;
}

/** Steps of a subscription, in order: caller, permission, filter, start cursor; then its stream. */
async function start(request: SubscriptionRequest, services: Services): Promise<EventStream> {
  const { streamed, variables, metadata, connection } = request;
  const { dependencies, logs } = services;
  const { kind } = streamed.query;
  const followed = logs.get(kind);
  if (!followed) throw new RegisterError('SYS002');
  const identified = await dependencies.callers.identify(metadata);
  const context = admit(streamed.audience, identified);
  const caller = callerOf(context);
  const requested = streamed.argumentsOf(variables);
  const filter = filterFor(caller, kind, requested);
  connection.countFor(caller.accountId);
  await requireAdmission(kind, context, dependencies.preparation.supergraph.links);
  const reader = await openReader({ ...followed, filter, after: requested.after });
  const resultOf = services.results({ streamed, variables, context });
  const onFailure = (error: unknown) => dependencies.report(error, metadata.transactionId);
  return opened({ reader, resultOf, onFailure }, identified, connection, services);
}

/** Creates the stream; its end releases everything that belongs to it. */
function opened(
  dependencies: Omit<StreamDependencies, 'onEnd'>,
  identified: Identification,
  connection: Connection,
  { revalidator, metrics, open }: Services,
): EventStream {
  const closed = metrics.opened(connection.transport);
  const end = (reason: ConnectionEnd) => {
    if (isCredentialError(reason)) stream.fail(new RegisterError(reason));
    else void stream.return();
    connection.end(reason);
  };
  const onInactive = () => stream.fail(new RegisterError('PRM001', SUPPLIER_NOT_ACTIVE));
  const stopRevalidation = revalidated(identified, revalidator, end, onInactive);
  const onEnd = () => {
    open.delete(stream);
    leaveConnection?.();
    stopRevalidation();
    closed();
  };
  const stream = eventStream({ ...dependencies, onEnd });
  open.add(stream, end);
  const leaveConnection = connection.onClosed(() => void stream.return());
  return stream;
}

function endStalled(open: OpenStreams): void {
  for (const [stream, end] of open) {
    if (stream.stalledMs() > SLOW_CLIENT_TIMEOUT_MS) end('too-slow');
  }
}
