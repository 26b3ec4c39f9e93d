import type { DocumentNode } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { newIdentifier } from '../../schema/identifiers';
import { isErrorCode } from '../../schema/error-catalogue';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller } from '../../subgraphs/server/caller';
import type { AdHocRequest } from '../ad-hoc-operations';
import { admit } from '../audiences';
import type { Authentication, Identified } from '../authentication';
import { inTime } from '../deadline';
import type { Preparation } from '../graph-operation';
import type { FailureReport } from '../request-log';
import type { RequestFacts } from '../client/graph-client';
import { type CallerWatch, callerWatch } from './caller-watch';
import { type ConnectionEnd, STALLS_LOOKED_AT, TAKEN_WITHIN, isCredentialFault } from './connection-end';
import { eventAnswers } from './event-answers';
import { type EventFeed, eventFeed } from './event-feed';
import { type EventLog, type LogEntry, accountStandings, checkedLog, eventLog, supplierStandings } from './event-log';
import { openReader } from './event-reader';
import { type EventStream, SUPPLIER_NOT_ACTIVE, type StreamParts, eventStream } from './event-stream';
import { EVENT_STREAMS, type EventStreamKind, type StreamArguments } from './event-streams';
import { type Connection, type OpenConnections, openConnections } from './open-connections';
import { type StreamedOperation, operationReader } from './streamed-operations';
import { type SubscriptionMetrics, subscriptionMetrics } from './subscription-metrics';

/** A subscription that somebody wants to begin. */
export interface SubscriptionRequest {
  readonly streamed: StreamedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly facts: RequestFacts;
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
  letIn(facts: RequestFacts, connection: Connection): Promise<() => void>;
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
  const { preparation, callers, production } = parts;
  const access = preparation.supergraph.links.get('access');
  if (!access) throw new Error('subscriptions need a way to the subgraph access');
  const onFailure = (error: unknown) => parts.report(error, newIdentifier('tid'));
  const suppliers = supplierStandings(preparation.supergraph.links.get('tariffs'));
  const watch = callerWatch(accountStandings(access), suppliers, onFailure);
  const logs = followedLogs(parts, watch, onFailure);
  const metrics = subscriptionMetrics(parts.registry);
  const connections = openConnections(metrics, parts.rateLimitsOff ?? false);
  const open: OpenStreams = new Map();
  const services = { parts, logs, watch, metrics, open, answers: eventAnswers(parts.report, metrics) };
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
    async letIn(facts, connection) {
      const identified = await inTime(Promise.resolve(callers.identify(facts)));
      if (identified.fault) throw identified.fault;
      connection.countFor(callerIn(identified.context).accountId);
      return watched(identified, watch, (reason) => connection.end(reason));
    },
    close() {
      clearInterval(stalls);
      watch.close();
      for (const { feed } of logs.values()) feed.close();
      for (const end of open.values()) end('closing');
    },
  };
}

/** The logs that can be followed, each by one feed for all subscriptions to it. */
type FollowedLogs = ReadonlyMap<EventStreamKind, { readonly log: EventLog; readonly feed: EventFeed }>;

/** A log whose subgraph cannot be reached has no subscription in the schema either. */
function followedLogs(
  { preparation, logger }: SubscriptionParts,
  watch: CallerWatch,
  onFailure: (error: unknown) => void,
): FollowedLogs {
  const { links } = preparation.supergraph;
  return new Map(
    [...EVENT_STREAMS.values()].flatMap((kind) => {
      const keeper = links.get(kind.subgraph);
      if (!keeper) return [];
      const check =
        kind.subgraph === 'access' ? watch.check : () => Promise.all([watch.check(), watch.checkSuppliers()]);
      const log = checkedLog(eventLog(keeper, kind.reading), check);
      return [[kind, { log, feed: eventFeed({ log, onFailure: outageLog(logger, onFailure) }) }]] as const;
    }),
  );
}

/** Streams that are told, and how each is ended with its connection. */
type OpenStreams = Map<EventStream, (reason: ConnectionEnd) => void>;

/** What the steps of a subscription need. */
interface Services {
  readonly parts: SubscriptionParts;
  readonly logs: FollowedLogs;
  readonly watch: CallerWatch;
  readonly metrics: SubscriptionMetrics;
  readonly answers: ReturnType<typeof eventAnswers>;
  readonly open: OpenStreams;
}

/** The steps of a subscription, in order: who, whether, which events, from where; then its stream. */
async function begin(request: SubscriptionRequest, services: Services): Promise<EventStream> {
  const { streamed, variables, facts, connection } = request;
  const { parts, logs } = services;
  const { kind } = streamed.query;
  const followed = logs.get(kind);
  if (!followed) throw new RegisterError('SYS002');
  const identified = await parts.callers.identify(facts);
  const context = admit(streamed.audience, identified);
  const caller = callerIn(context);
  const wanted = streamed.argumentsOf(variables);
  const isFor = eventsFor(caller, kind, wanted);
  connection.countFor(caller.accountId);
  await mayFollow(kind, context, parts);
  const reader = await openReader({ ...followed, isFor, after: wanted.after });
  const answerTo = services.answers({ streamed, variables, context });
  const onFailure = (error: unknown) => parts.report(error, facts.transactionId);
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
    if (isCredentialFault(reason)) stream.fail(new RegisterError(reason));
    else void stream.return();
    connection.end(reason);
  };
  const notActive = () => stream.fail(new RegisterError('PRM001', SUPPLIER_NOT_ACTIVE));
  const unwatch = watched(identified, watch, end, notActive);
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

/** Roles that are told of every event; every other one is told of its own Data User's or supplier's. */
const TOLD_EVERYTHING: ReadonlySet<string> = new Set(['admin', 'analyst']);

/** Which events a subscription is for; PRM002 when it asks for another's. The graph decides again about each. */
function eventsFor(
  caller: Caller,
  kind: EventStreamKind,
  { types, owner }: StreamArguments,
): (entry: LogEntry) => boolean {
  const isToldEverything = TOLD_EVERYTHING.has(caller.role);
  const wanted = isToldEverything ? owner : kind.ownerOf(caller);
  if (!isToldEverything && (wanted === null || (owner !== null && owner !== wanted))) throw new RegisterError('PRM002');
  const ofTypes = types && new Set(types);
  return (entry) => (wanted === null || entry.owner === wanted) && (!ofTypes || ofTypes.has(entry.type));
}

/** Throws what its subgraph refuses a caller with who may follow nothing at this instant. */
async function mayFollow(
  { subgraph, admission }: EventStreamKind,
  context: CallContext,
  { preparation: { supergraph } }: SubscriptionParts,
): Promise<void> {
  if (admission === undefined) return;
  const result = await supergraph.links.get(subgraph)?.execute({ query: admission, fixed: true }, context);
  const [error] = result?.errors ?? [];
  const code = error?.extensions['code'];
  if (error) throw isErrorCode(code) ? new RegisterError(code, error.message) : error;
}

/** Callers that are no accounts: they have no token that could expire, and cannot subscribe. */
const NO_ACCOUNTS: ReadonlySet<string> = new Set(['customer', 'consumer']);

/**
 * Watches the connection of an account, also of a supplier let in by its API key.
 *
 * @param notActive ends what is told to a supplier as such; without it, its entry in the register does not matter
 */
function watched(
  { context: { caller }, expiresAt, supplierKeyId }: Identified,
  watch: CallerWatch,
  end: (reason: ConnectionEnd) => void,
  notActive?: () => void,
): () => void {
  if (!caller || NO_ACCOUNTS.has(caller.role)) return () => undefined;
  const { role, mpid } = caller;
  const supplier = notActive && role === 'supplier' && mpid !== null ? { supplier: { mpid, notActive } } : {};
  return watch.add({ caller, expiresAt: expiresAt ?? null, supplierKeyId: supplierKeyId ?? null, ...supplier, end });
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
