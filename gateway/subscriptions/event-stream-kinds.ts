import { EventLog } from '../../schema/generated/service-queries-to-access';
import { TariffEventAdmission, TariffEventLog } from '../../schema/generated/service-queries-to-tariffs';
import type { Caller } from '../../subgraphs/server/callers/caller';
import type { LogFilter, LogQuery } from './event-log';

/** Arguments of a subscription. */
export interface StreamArguments extends LogFilter {
  /** Cursor after which the subscription starts; null for new events only. */
  readonly after: string | null;
}

/**
 * A root field of Subscription. The gateway follows its log and executes a query per event, so that a selection may
 * cross subgraphs.
 */
export interface EventStreamKind {
  /** Subgraph that stores the log. */
  readonly subgraph: 'access' | 'tariffs';
  readonly log: LogQuery;
  /** Root field of Query that returns one event by its `id`. */
  readonly eventField: string;
  /**
   * Query of that subgraph that rejects a caller who may receive no events now. Undefined if the role of the caller
   * decides.
   */
  readonly admission?: string;
  /** Path of the argument with the types. */
  readonly typesPath: readonly string[];
  /** Returns the owner whose events a restricted caller receives; null for none. */
  ownerOf(caller: Caller): string | null;
  /** Reads the checked arguments of the root field. */
  argumentsOf(given: Readonly<Record<string, unknown>>): StreamArguments;
}

const registerEvents: EventStreamKind = {
  subgraph: 'access',
  log: EventLog as LogQuery, // the schema has checked the names of the types
  eventField: 'registerEvent',
  typesPath: ['types'],
  ownerOf: ({ duid }) => duid,
  argumentsOf: ({ after = null, types = null, duid = null }) =>
    ({ after, types, owner: duid }) as unknown as StreamArguments,
};

const tariffEvents: EventStreamKind = {
  subgraph: 'tariffs',
  log: TariffEventLog as LogQuery,
  admission: TariffEventAdmission.text,
  eventField: 'tariffEvent',
  typesPath: ['filter', 'types'],
  ownerOf: ({ mpid }) => mpid,
  argumentsOf({ after = null, filter }) {
    const { types = null, mpid = null } = (filter ?? {}) as Record<string, unknown>;
    return { after, types, owner: mpid } as unknown as StreamArguments;
  },
};

/** Kinds of event streams by root field of Subscription. */
export const EVENT_STREAMS: ReadonlyMap<string, EventStreamKind> = new Map([
  ['registerEvents', registerEvents],
  ['tariffEvents', tariffEvents],
]);
