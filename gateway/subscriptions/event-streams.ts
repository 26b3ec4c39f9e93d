import type { Caller } from '../../subgraphs/server/caller';

/** Which events a subscription asks for; null leaves a condition out. */
export interface StreamArguments {
  /** The place after which it begins; null for what happens from now on. */
  readonly after: string | null;
  readonly types: readonly string[] | null;
  /** Whose events, in the words of {@link EventStreamKind.ownerOf}. */
  readonly owner: string | null;
}

/** A root field of Subscription, as the gateway follows the log behind it (architecture, decision 9). */
export interface EventStreamKind {
  /** The subgraph that keeps the log. */
  readonly subgraph: 'access' | 'tariffs';
  /** Its query for what followed a cursor, with the answer at `log`. */
  readonly reading: string;
  /** The root field of Query that answers for a single event, by its `id`. */
  readonly eventField: string;
  /** A query of that subgraph that refuses a caller who may follow nothing at this instant, where it is not known from the caller alone. */
  readonly admission?: string;
  /** Whose events a caller is told who is not told all of them; null for nobody's. */
  ownerOf(caller: Caller): string | null;
  /** Of the checked arguments of the root field. */
  argumentsOf(given: Readonly<Record<string, unknown>>): StreamArguments;
}

const reading = (name: string, field: string, owner: string): string =>
  `query ${name}($after: String, $first: Int!) { log: ${field}(after: $after, first: $first) { cursor entries { id cursor type owner: ${owner} } } }`;

const registerEvents: EventStreamKind = {
  subgraph: 'access',
  reading: reading('EventLog', 'eventLog', 'duid'),
  eventField: 'registerEvent',
  ownerOf: ({ duid }) => duid,
  argumentsOf: ({ after = null, types = null, duid = null }) =>
    ({ after, types, owner: duid }) as unknown as StreamArguments,
};

const tariffEvents: EventStreamKind = {
  subgraph: 'tariffs',
  reading: reading('TariffEventLog', 'tariffEventLog', 'mpid'),
  admission: 'query TariffEventAdmission { tariffEvents(first: 1) { nextCursor } }',
  eventField: 'tariffEvent',
  ownerOf: ({ mpid }) => mpid,
  argumentsOf({ after = null, filter }) {
    const { types = null, mpid = null } = (filter ?? {}) as Record<string, unknown>;
    return { after, types, owner: mpid } as unknown as StreamArguments;
  },
};

/** Every subscription by the name of its root field. */
export const EVENT_STREAMS: ReadonlyMap<string, EventStreamKind> = new Map([
  ['registerEvents', registerEvents],
  ['tariffEvents', tariffEvents],
]);
