import type { Logger } from 'pino';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';
import { type EventFeed, eventFeed } from './event-feed';
import { type EventLog, eventLog, revalidatingLog } from './event-log';
import { EVENT_STREAMS, type EventStreamKind } from './event-stream-kinds';
import type { SessionRevalidator } from './session-revalidator';

/** Followed logs, each with one feed for all its subscriptions. */
export type FollowedLogs = ReadonlyMap<EventStreamKind, { readonly log: EventLog; readonly feed: EventFeed }>;

/** Opens the log of every kind. Without the subgraph of a kind, the schema has no such subscription either. */
export function followedLogs(
  links: ReadonlyMap<string, SubgraphLink>,
  logger: Logger,
  revalidator: SessionRevalidator,
  onFailure: (error: unknown) => void,
): FollowedLogs {
  return new Map(
    [...EVENT_STREAMS.values()].flatMap((kind) => {
      const link = links.get(kind.subgraph);
      if (!link) return [];
      const check =
        kind.subgraph === 'access'
          ? revalidator.check
          : () => Promise.all([revalidator.check(), revalidator.checkSuppliers()]);
      const log = revalidatingLog(eventLog(link, kind.log), check);
      return [[kind, { log, feed: eventFeed({ log, onFailure: outageLog(logger, onFailure) }) }]] as const;
    }),
  );
}

/** Logs an outage here, because the failure report ignores errors with a catalogue code. */
function outageLog(logger: Logger, onFailure: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    logger.warn('event log unavailable: subscriptions wait');
    onFailure(error);
  };
}
