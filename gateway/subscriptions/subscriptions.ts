import type { DocumentNode } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { newIdentifier } from '../../schema/identifiers';
import { RegisterError } from '../../schema/register-error';
import { callerOf } from '../../subgraphs/server/callers/caller';
import type { AdHocRequest } from '../requests/graph-request';
import { admit } from '../callers/audiences';
import type { Authentication } from '../callers/authentication';
import { withDeadline } from '../requests/deadline';
import type { Preparation } from '../requests/prepared-operation';
import type { FailureReport } from '../requests/request-log';
import type { RequestMetadata } from '../client/graph-client';
import { type SessionRevalidator, sessionRevalidator } from './session-revalidator';
import { STALL_CHECK_INTERVAL_MS } from './connection-end';
import { eventResults } from './event-results';
import { accountQueries, supplierQueries } from './session-queries';
import { openReader } from './event-reader';
import { type EventStream, SUPPLIER_NOT_ACTIVE, type StreamDependencies, eventStream } from './event-stream';
import { type FollowedLogs, followedLogs } from './followed-logs';
import { OpenStreams, endStalled } from './open-streams';
import { type Connection, type OpenConnections, openConnections } from './open-connections';
import { filterFor, hasAccount, requireAdmission, revalidated } from './subscriber-access';
import { type StreamedOperation, operationParser } from './streamed-operations';
import { SubscriptionEnd } from './subscription-end';
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
      const caller = callerOf(identified.context);
      if (hasAccount(caller)) connection.countFor(caller.accountId);
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

/** Dependencies of the steps of a subscription. */
interface Services {
  readonly dependencies: SubscriptionDependencies;
  readonly logs: FollowedLogs;
  readonly revalidator: SessionRevalidator;
  readonly metrics: SubscriptionMetrics;
  readonly results: ReturnType<typeof eventResults>;
  readonly open: OpenStreams;
}

/** Steps of a subscription, in order: caller, permission, filter, revalidation, start cursor; then its stream. */
async function start(request: SubscriptionRequest, services: Services): Promise<EventStream> {
  const { streamed, variables, metadata, connection } = request;
  const { dependencies, logs } = services;
  const { kind, event } = streamed;
  const followed = logs.get(kind);
  if (!followed) throw new RegisterError('SYS002');
  const identified = await dependencies.callers.identify(metadata);
  const context = admit(streamed.audience, identified);
  const caller = callerOf(context);
  const requested = streamed.argumentsOf(variables);
  const filter = filterFor(caller, kind, requested);
  connection.countFor(caller.accountId);
  const end = new SubscriptionEnd(connection);
  const onInactive = () => end.fail(new RegisterError('PRM001', SUPPLIER_NOT_ACTIVE));
  const stopRevalidation = revalidated(identified, services.revalidator, end.withConnection, onInactive);
  try {
    // Each read of events after this check includes the caller in a check of its own.
    await services.revalidator.check();
    await requireAdmission(kind, context, dependencies.preparation.supergraph.links);
    const reader = await openReader({ ...followed, filter, after: requested.after });
    const resultOf = services.results({ event, variables, context });
    const onFailure = (error: unknown) => dependencies.report(error, metadata.transactionId);
    return opened({ reader, resultOf, onFailure, onEnd: stopRevalidation }, end, connection, services);
  } catch (error) {
    stopRevalidation();
    throw error;
  }
}

/** Creates the stream; its end releases everything that belongs to it. Throws the error that ended it while it started. */
function opened(
  dependencies: StreamDependencies,
  end: SubscriptionEnd,
  connection: Connection,
  { metrics, open }: Services,
): EventStream {
  const closed = metrics.opened(connection.transport);
  let leaveConnection: (() => void) | undefined;
  const onEnd = () => {
    open.delete(stream);
    leaveConnection?.();
    dependencies.onEnd();
    closed();
  };
  const stream = eventStream({ ...dependencies, onEnd });
  end.endsStream(stream);
  open.add(stream, end.withConnection);
  leaveConnection = connection.onEnd(() => void stream.return());
  return stream;
}
