import { type Connection, type PageRequest, connectionOf, requirePageSize } from '../../server/connection';
import type { Database } from '../../server/database';
import { AFTER_POSITION, type EventPosition, IS_SETTLED, eventCursor, eventPosition } from '../../server/event-cursor';
import { type EventFollowing, type EventPage, LARGEST_EVENT_PAGE, eventFollowing } from '../../server/event-follow';
import type { TariffEventType } from '../domain/effects';
import type { MpxnVault } from './mpxn-vault';

/** Which events; null leaves a condition out. */
export interface TariffEventFilter {
  readonly mpid: string | null;
  readonly types: readonly TariffEventType[] | null;
}

/** What is needed to tell who may learn of an event. */
export interface TariffEventEntry {
  readonly id: string;
  readonly type: TariffEventType;
  /** The supplier at whose consents it is told. */
  readonly mpid: string;
}

interface EventRow extends EventPosition, TariffEventEntry {
  readonly occurredAt: Date;
  readonly recordedAt: Date;
  readonly tariffId: string | null;
  readonly consentId: string | null;
  readonly mpxnHash: Buffer | null;
  readonly mpxnSealed: Buffer | null;
}

/** An event as the graph reads it. */
export interface LoggedTariffEvent extends TariffEventEntry {
  readonly cursor: string;
  /** When it took effect. */
  readonly at: Date;
  readonly recordedAt: Date;
  readonly tariffId: string | null;
  readonly consentId: string | null;
  /** Opened when it is asked for; null of a cessation. */
  openMpxn(): string | null;
}

const withMpxn = (events: string): string => `
  select event.id, era, tx, position, type, occurred_at as "occurredAt", recorded_at as "recordedAt", mpid, tariff_id as "tariffId",
    consent_id as "consentId", event.mpxn_hash as "mpxnHash", mpxn_sealed as "mpxnSealed"
  from (${events}) event left join meter_point using (mpxn_hash)`;

const BY_ID = { name: 'tariff_event_by_id', text: withMpxn('select * from event where id = any($1)') };

const IN_ORDER = 'order by era, tx, position';

/** A statement for each filter, so that each keeps a plan of its own index; types are read each by itself. */
function pageStatement({ mpid, types }: TariffEventFilter) {
  const where = `${AFTER_POSITION} and ${IS_SETTLED} and ${mpid === null ? '$5::text is null' : 'mpid = $5'}`;
  const rows =
    types === null
      ? `select * from event where ${where} and $6::text[] is null ${IN_ORDER} limit $4`
      : `select event.* from unnest($6::text[]) wanted (wanted_type) cross join lateral (
          select * from event where type = wanted_type and ${where} ${IN_ORDER} limit $4) event ${IN_ORDER} limit $4`;
  const name = ['tariff_events', mpid && 'of_supplier', types && 'of_types'].filter(Boolean).join('_');
  return { name, text: `${withMpxn(rows)} ${IN_ORDER}` };
}

/** The event log of tariffs: one row for each fact, in the order in which transactions settle (architecture, decision 8). */
export class TariffEventLog {
  private readonly rowById: (id: string) => Promise<EventRow | undefined>;
  private readonly following: EventFollowing<TariffEventEntry>;

  constructor(
    private readonly database: Pick<Database, 'pool' | 'reads'>,
    private readonly mpxns: Pick<MpxnVault, 'open'>,
  ) {
    this.rowById = database.reads.byKey(BY_ID, (row: EventRow) => row.id, String);
    this.following = eventFollowing(database.reads, 'id, type, mpid');
  }

  /** An event by its id. */
  async byId(id: string): Promise<LoggedTariffEvent | null> {
    const row = await this.rowById(id);
    return row ? this.logged(row) : null;
  }

  /** A page of the log, oldest first: as a stream would bring it. */
  async page(filter: TariffEventFilter, page: PageRequest): Promise<Connection<LoggedTariffEvent>> {
    requirePageSize(page.first, LARGEST_EVENT_PAGE);
    const types = filter.types && [...new Set(filter.types)];
    const values = [...eventPosition(page.after), page.first + 1, filter.mpid, types];
    const { rows } = await this.database.pool.query<EventRow>({ ...pageStatement(filter), values });
    if (rows.length === 0 && page.after !== null) await this.following.requirePast(page.after);
    return connectionOf(rows, { ...page, after: page.after || null }, eventCursor, (row) => this.logged(row));
  }

  /** What followed a cursor, whoever it is for; without a cursor nothing but the cursor from now on. */
  follow(after: string | null, first: number): Promise<EventPage<TariffEventEntry>> {
    return this.following.follow(after, first);
  }

  private logged({ era, tx, position, occurredAt: at, mpxnHash: hash, mpxnSealed: sealed, ...row }: EventRow) {
    const openMpxn = () => (hash === null || sealed === null ? null : this.mpxns.open({ hash, sealed }));
    return { ...row, at, cursor: eventCursor({ era, tx, position }), openMpxn };
  }
}
