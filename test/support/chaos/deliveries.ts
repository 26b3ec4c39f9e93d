import { good, type RestClient } from '../rest-client';
import { until } from '../until';
import type { Receiver } from './receiver';

/** Webhooks of a Data User, the requests that their receiver received, and the deliveries in flight at each kill. */
export interface WatchedDeliveries {
  /**
   * Kills something; stores which deliveries the kill has left in flight: sent, but not recorded. Reads the pending ones before the
   * kill, too: one that is in flight can be repeated and recorded before they are read again.
   */
  noteInFlight(kill: () => Promise<void>): Promise<void>;
  /** Resolves when no due delivery is pending. */
  done(milliseconds?: number): Promise<void>;
  /**
   * Returns the deliveries that are neither delivered nor superseded by a later one of their record, and the events
   * without a delivery.
   */
  missing(): Promise<unknown[]>;
  /** Returns the deliveries that the receiver accepted more than once, except those in flight at a kill. */
  doubled(): string[];
  /** Returns the deliveries with two requests that differ in a byte. */
  changed(): string[];
}

type Rows = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;
type Named = { readonly wid: string; readonly eventId: string };

const UNWRITTEN = `select w.wid, d.event_id as "eventId" from access.delivery d
  join access.webhook w on w.id = d.endpoint_id where d.state = 'pending'`;

const DELIVERIES = `select e.type, d.event_id as "eventId", w.wid, d.state,
    exists (select from access.delivery later where later.endpoint_id = d.endpoint_id and later.subject = d.subject
      and later.sequence > d.sequence) or exists (select from access.access_record record where record.id = e.record_id
      and (record.state <> 'ACTIVE' or record.expiry is distinct from e.expiry)) as "isObsolete"
  from access.delivery d join access.event e on e.id = d.event_id join access.webhook w on w.id = d.endpoint_id`;

/** Each webhook gets its own `consent.expiring`; the other events go to all webhooks. */
const EVENTS_WITHOUT_DELIVERY = `select e.id, e.type from access.event e
  where (type = 'consent.expiring' and not exists
      (select from access.delivery d where d.event_id = e.id and d.endpoint_id = e.webhook_id))
    or (type in ('consent.withdrawal', 'tenancy.change') and duid = $2
      and (select count(*) from access.delivery d where d.event_id = e.id) <> $1)`;

const DUE = `select (count(*) + (select count(*) from access.fanout))::int as due from access.delivery
  where state = 'pending' and next_attempt_at <= register.register_now()`;

/** Subscribes to all events, once for each path of the receiver. */
export async function watchDeliveries(
  [dataUser, duid]: readonly [RestClient, string],
  receiver: Receiver,
  paths: readonly string[],
  rows: Rows,
): Promise<WatchedDeliveries> {
  const wids = new Map<string, string>();
  const inFlight = new Set<string>();
  for (const path of paths) {
    const webhook = { 'callback-url': `${receiver.url}${path}`, 'alert-email': 'alerts@larkhill.example' };
    wids.set(String(good(await dataUser('POST', '/v1/webhooks', webhook)).body['webhook'].wid), path);
  }
  const nameOf = ({ wid, eventId }: Named) => `${wids.get(wid)} ${eventId}`;
  const taken = () => receiver.received.filter(({ status }) => status === 204);
  return {
    async noteInFlight(kill) {
      const pending = () => until(() => rows<Named>(UNWRITTEN).catch(() => undefined));
      const before = await pending();
      await kill();
      const unwritten = [...before, ...(await pending())];
      const sent = new Set(receiver.received.filter(({ status }) => status !== 503).map(({ delivery }) => delivery));
      for (const name of unwritten.map(nameOf)) if (sent.has(name)) inFlight.add(name);
      for (const { torn, delivery } of receiver.received) if (torn) inFlight.add(delivery);
    },
    done: async (milliseconds = 60_000) => {
      await until(async () => (await rows<{ due: number }>(DUE))[0]?.due === 0 || undefined, milliseconds);
    },
    async missing() {
      const received = new Set(taken().map(({ delivery }) => delivery));
      const made = await rows<Named & { type: string; state: string; isObsolete: boolean }>(DELIVERIES);
      const own = made.filter(({ wid }) => wids.has(wid));
      const wrong = own.filter((each) => {
        if (each.state === 'delivered') return !received.has(nameOf(each));
        return !(each.state === 'superseded' && each.type === 'consent.expiring' && each.isObsolete);
      });
      return [...wrong, ...(await rows(EVENTS_WITHOUT_DELIVERY, [wids.size, duid]))];
    },
    doubled() {
      const times = new Map<string, number>();
      for (const { delivery } of taken()) times.set(delivery, (times.get(delivery) ?? 0) + 1);
      return [...times].flatMap(([delivery, count]) => (count > 1 && !inFlight.has(delivery) ? [delivery] : []));
    },
    changed() {
      const bodies = new Map<string, Set<string>>();
      for (const { delivery, bodyHash } of receiver.received) {
        bodies.set(delivery, (bodies.get(delivery) ?? new Set()).add(bodyHash));
      }
      return [...bodies].flatMap(([delivery, hashes]) => (hashes.size > 1 ? [delivery] : []));
    },
  };
}
