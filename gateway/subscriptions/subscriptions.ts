import type { DocumentNode } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { newIdentifier } from '../../schema/identifiers';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller } from '../../subgraphs/server/caller';
import type { AdHocRequest } from '../ad-hoc-operations';
import { admit } from '../audiences';
import type { Authentication, Identified } from '../authentication';
import { inTime } from '../deadline';
import type { Preparation } from '../graph-operation';
import type { FailureReport } from '../request-log';
import type { RequestOrigin } from '../request-origin';
import { type CallerWatch, callerWatch } from './caller-watch';
import { type ConnectionEnd, STALLS_LOOKED_AT, TAKEN_WITHIN } from './connection-end';
import { eventAnswers } from './event-answers';
import { type EventFeed, eventFeed } from './event-feed';
import { type EventLog, type LogEntry, checkedLog, eventLog } from './event-log';
import { openReader } from './event-reader';
import { type EventStream, type StreamParts, eventStream } from './event-stream';
import { type Connection, type OpenConnections, openConnections } from './open-connections';
import { type StreamArguments, type StreamedOperation, operationReader } from './streamed-operations';
import { type SubscriptionMetrics, subscriptionMetrics } from './subscription-metrics';

/** A subscription that somebody wants to begin. */
export interface SubscriptionRequest {
  readonly streamed: StreamedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly origin: RequestOrigin;
  readonly connection: Connection;
}

/** Subscriptions of this gateway (architecture, decision 9). */
export interface Subscriptions {
  /** Counts a connection; throws when its address has too many. `end` is how the register ends it. */
  connect: OpenConnections['open'];
  /** What an operation is: the subscription, ready to begin, or the document of one that is answered once. */
  read(request: AdHocRequest): { readonly streamed?: StreamedOperation; readonly document: DocumentNode };
  /** Begins a subscription; throws what refuses it. */
  begin(request: SubscriptionRequest): Promise<EventStream>;
  /** Lets a connection in for longer than one request, and watches it; answers how to stop watching. */
  letIn(origin: RequestOrigin, connection: Connection): Promise<() => void>;
  close(): void;
}

/** What subscriptions are served with. */
export interface SubscriptionParts {
  readonly preparation: Preparation;
  readonly callers: Authentication;
  readonly production: boolean;
  readonly rateLimitsOff?: boolean | undefined;
  readonly logger: Logger;
  readonly report: FailureReport;
  readonly registry: Registry;
}

/** READ FIRST: how subscriptions are served; `begin` has the steps of one in their order. */
export function subscriptions(parts: SubscriptionParts): Subscriptions {
  const { preparation, callers, production, logger } = parts;
  const access = preparation.supergraph.links.get('access');
  if (!access) throw new Error('subscriptions need a way to the subgraph access');
  const answered = eventLog(access);
  const onFailure = (error: unknown) => parts.report(error, newIdentifier('tid'));
  const watch = callerWatch(answered, onFailure);
  const log = checkedLog(answered, watch.check);
  const feed = eventFeed({ log, onFailure: outageLog(logger, onFailure) });
  const metrics = subscriptionMetrics(parts.registry);
  const connections = openConnections(metrics, parts.rateLimitsOff ?? false);
  const open: OpenStreams = new Map();
  const services = { parts, log, watch, feed, metrics, open, answers: eventAnswers(parts.report, metrics) };
  const readOperation = operationReader(preparation, production);
  const stalls = setInterval(() => endStalled(open), STALLS_LOOKED_AT).unref();
  return {
    connect: connections.open,
    read(request) {
      const read = readOperation(request);
      return read.kind === 'single' ? read : { streamed: read.streamed, document: read.streamed.document };
    },
    begin(request) {
      const beginning = begin(request, services);
      return inTime(beginning).catch((error: unknown) => {
        beginning.then(
          (late) => late.return(),
          () => undefined, // this is the error that is thrown
        );
        throw error;
      });
    },
    async letIn(origin, connection) {
      const identified = await inTime(Promise.resolve(callers.identify(origin)));
      if (identified.fault) throw identified.fault;
      connection.countFor(callerIn(identified.context).accountId);
      return watched(identified, watch, (reason) => connection.end(reason));
    },
    close() {
      clearInterval(stalls);
      watch.close();
      feed.close();
      for (const end of open.values()) end('closing');
    },
  };
}

/** Streams that are told, and how each is ended with its connection. */
type OpenStreams = Map<EventStream, (reason: ConnectionEnd) => void>;

/** What the steps of a subscription need. */
interface Services {
  readonly parts: SubscriptionParts;
  readonly log: EventLog;
  readonly watch: CallerWatch;
  readonly feed: EventFeed;
  readonly metrics: SubscriptionMetrics;
  readonly answers: ReturnType<typeof eventAnswers>;
  readonly open: OpenStreams;
}

/** The steps of a subscription, in order: who, whether, which events, from where; then its stream. */
async function begin(request: SubscriptionRequest, services: Services): Promise<EventStream> {
  const { streamed, variables, origin, connection } = request;
  const { parts, log, feed } = services;
  const identified = await parts.callers.identify(origin);
  const context = admit(streamed.audience, identified);
  const caller = callerIn(context);
  const wanted = streamed.argumentsOf(variables);
  const isFor = eventsFor(caller, wanted);
  connection.countFor(caller.accountId);
  const reader = await openReader({ feed, log, isFor, after: wanted.after });
  const answerTo = services.answers({ streamed, variables, context });
  const onFailure = (error: unknown) => parts.report(error, origin.transactionId);
  return opened({ reader, answerTo, onFailure }, identified, connection, services);
}

/** Makes the stream, and ends it with everything that belongs to it. */
function opened(
  parts: Omit<StreamParts, 'onEnd'>,
  identified: Identified,
  connection: Connection,
  { watch, metrics, open }: Services,
): EventStream {
  const measured = metrics.begin(connection.transport);
  const end = (reason: ConnectionEnd) => {
    if (reason === 'AUT001' || reason === 'AUT002') stream.fail(new RegisterError(reason));
    else void stream.return();
    connection.end(reason);
  };
  const unwatch = watched(identified, watch, end);
  const onEnd = () => {
    open.delete(stream);
    unwatch();
    measured();
  };
  const stream = eventStream({ ...parts, onEnd });
  open.set(stream, end);
  return stream;
}

function callerIn({ caller }: CallContext): Caller {
  if (!caller) throw new RegisterError('AUT001');
  return caller;
}

/** Roles that are told of every event; every other one is told of its own Data User's. */
const TOLD_EVERYTHING: ReadonlySet<string> = new Set(['admin', 'analyst']);

/** Which events a subscription is for; PRM002 when it asks for another Data User's. The graph decides again about each. */
function eventsFor(caller: Caller, { types, duid }: StreamArguments): (entry: LogEntry) => boolean {
  const wanted = TOLD_EVERYTHING.has(caller.role) ? duid : caller.duid;
  if (!TOLD_EVERYTHING.has(caller.role) && (wanted === null || (duid !== null && duid !== wanted)))
    throw new RegisterError('PRM002');
  const ofTypes = types && new Set(types);
  return (entry) => (wanted === null || entry.duid === wanted) && (!ofTypes || ofTypes.has(entry.type));
}

/** Watches the connection of an account; that of a customer has no token that could expire, and cannot subscribe. */
function watched(
  { context: { caller }, expiresAt }: Identified,
  watch: CallerWatch,
  end: (reason: ConnectionEnd) => void,
): () => void {
  return caller && expiresAt ? watch.add({ caller, expiresAt, end }) : () => undefined;
}

function endStalled(open: OpenStreams): void {
  for (const [stream, end] of open) {
    if (stream.stalledFor() > TAKEN_WITHIN) end('too-slow');
  }
}

/** An outage is a failure of the catalogue, of which the report says nothing. */
function outageLog(logger: Logger, onFailure: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    logger.warn('the event log cannot be read: subscriptions wait');
    onFailure(error);
  };
}
