import type { CallContext } from '../../subgraphs/server/caller';
import { RENEW_EVENT_ERA } from '../../subgraphs/server/event-era';
import { mpxnVault } from '../../subgraphs/tariffs/database/mpxn-vault';
import { ADMIN, ANALYST, supplierOf, trf } from '../support/tariff-graph';
import { type TariffEventRoom, tariffEventRoom } from '../support/tariff-event-room';
import { until } from '../support/until';

const PAGE = `query ($first: Int!, $after: String, $filter: TariffEventFilter) { tariffEvents(first: $first, after: $after, filter: $filter) {
  nodes { id cursor type at recordedAt mpid mpxn registrationId tariff { tariffId } supplier { mpid } deliveries { webhookId userId state attempts } }
  nextCursor } }`;
const ONE = 'query ($id: EventId!) { tariffEvent(id: $id) { id mpxn } }';
const FOLLOW = `query ($after: String, $first: Int!) { tariffEventLog(after: $after, first: $first) { cursor entries { id cursor type mpid } } }`;

let room: TariffEventRoom;
let next = 0;
beforeAll(async () => {
  room = await tariffEventRoom();
  await room.suppliers('FELL');
  await room.publish(20, {}, 'FELL');
});
afterAll(() => room?.close());

const freshMpxn = () => String(1_800_000_000 + ++next);
const SERVICE: CallContext = {
  caller: null,
  service: 'gateway',
  transactionId: 'tid_test',
  clientAddress: '127.0.0.1',
};

async function follow(after: string | null, first = 500) {
  const { data, errors } = await room.running.link.execute({ query: FOLLOW, variables: { after, first } }, SERVICE);
  if (errors) throw new Error(JSON.stringify(errors));
  return (data as ReturnType<typeof JSON.parse>).tariffEventLog;
}

/** Waits until all events are shown: transactions of other databases of the server hold the log back, too. */
const shown = () =>
  until(async () => {
    const { rowCount } = await room.owner.query(
      'select from event where (era, tx) >= (event_era(), pg_snapshot_xmin(pg_current_snapshot())) limit 1',
    );
    return rowCount === 0 ? true : undefined;
  });

describe('The event log of tariffs', () => {
  it('tells what happened, to whom it was told, and how far that came', async () => {
    const mpxn = freshMpxn();
    const { caller, userId } = await room.participant({ mpxns: [mpxn] });
    const { registrationId } = await room.consent(caller);
    const { webhookId } = await room.webhook(caller, '/log');
    await room.assign(mpxn, 1);
    await room.posts(1, '/log');
    await room.ask(
      'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }',
      { id: registrationId },
      caller,
    );
    await room.posts(2, '/log');
    await room.settled();
    await shown();
    const { tariffEvents } = await room.ask(PAGE, { first: 10 }, ADMIN);
    const deliveries = [{ webhookId, userId, state: 'DELIVERED', attempts: 1 }];
    const common = { mpid: 'LAPW', mpxn, supplier: { mpid: 'LAPW' }, deliveries };
    expect(tariffEvents.nodes).toMatchObject([
      { ...common, type: 'TARIFF_CHANGE', tariff: { tariffId: trf(1) }, registrationId: null },
      { ...common, type: 'CONSENT_REVOKED', tariff: null, registrationId },
    ]);
    const { tariffEvents: seen } = await room.ask(PAGE, { first: 10 }, ANALYST);
    expect(seen.nodes.map(({ mpxn: told }: { mpxn: string | null }) => told)).toEqual([null, null]);
  });

  it('is read in pages, by type and by supplier; a supplier reads its own only', async () => {
    const mpxns = [freshMpxn(), freshMpxn(), freshMpxn()];
    for (const mpxn of mpxns) await room.assign(mpxn, 2);
    await room.assign(freshMpxn(), 20, 0, 'FELL');
    await room.settled();
    await shown();
    const all = (await room.ask(PAGE, { first: 500 }, ADMIN)).tariffEvents.nodes;
    const paged: unknown[] = [];
    for (let after: string | null = ''; after !== null;) {
      const { nodes, nextCursor } = (await room.ask(PAGE, { first: 2, after }, ADMIN)).tariffEvents as {
        nodes: unknown[];
        nextCursor: string | null;
      };
      paged.push(...nodes);
      after = nextCursor;
    }
    expect(paged).toEqual(all);
    const read = async (filter: object, by = ADMIN) =>
      (await room.ask(PAGE, { first: 500, filter }, by)).tariffEvents.nodes;
    const ofFell = all.filter(({ mpid }: { mpid: string }) => mpid === 'FELL');
    expect(ofFell).toHaveLength(1);
    expect(await read({ mpid: 'FELL' })).toEqual(ofFell);
    expect(await read({}, supplierOf('FELL'))).toEqual(ofFell);
    expect(await read({ types: ['CONSENT_REVOKED'] })).toEqual(
      all.filter(({ type }: { type: string }) => type === 'CONSENT_REVOKED'),
    );
    expect(await read({ types: ['CONSENT_REVOKED', 'TARIFF_CHANGE', 'TARIFF_CHANGE'], mpid: 'LAPW' })).toEqual(
      all.filter(({ mpid }: { mpid: string }) => mpid === 'LAPW'),
    );
    expect(await room.refusal(PAGE, { first: 5, filter: { mpid: 'LAPW' } }, supplierOf('FELL'))).toBe('PRM002');
    const [own] = ofFell;
    expect((await room.ask(ONE, { id: own.id }, supplierOf('FELL'))).tariffEvent.mpxn).toMatch(/^\d{10}$/);
    expect((await room.ask(ONE, { id: own.id }, ANALYST)).tariffEvent.mpxn).toBeNull();
    expect(await room.refusal(ONE, { id: own.id }, supplierOf('LAPW'))).toBe('PRM002');
    for (const first of [0, 501]) expect(await room.refusal(PAGE, { first }, ADMIN)).toBe('VAL003 first');
    expect(await room.refusal(PAGE, { first: 5, after: 'none' }, ADMIN)).toBe('VAL001 after');
    expect(await room.refusal(FOLLOW, { first: 5 }, ADMIN)).toBe('PRM001');
  });

  it('shows nothing that comes after a transaction that is still under way: no cursor skips what is committed late', async () => {
    await room.settled();
    await shown();
    const { cursor } = await follow(null);
    const insert = `insert into event (type, occurred_at, mpid, mpxn_hash, tariff_id) values ('tariff.change', register_now(), 'LAPW', $1, $2)
      returning id`;
    const [lateMpxn, earlyMpxn] = [freshMpxn(), freshMpxn()];
    for (const mpxn of [lateMpxn, earlyMpxn]) await room.assign(mpxn, 3, 86_400);
    const hash = (mpxn: string) => mpxnVault(room.keys).hash(mpxn);
    const late = await room.owner.connect();
    await late.query('begin');
    const { rows: first } = await late.query<{ id: string }>(insert, [hash(lateMpxn), trf(3)]);
    const { rows: second } = await room.owner.query<{ id: string }>(insert, [hash(earlyMpxn), trf(3)]);
    expect((await follow(cursor)).entries).toEqual([]);
    expect((await room.ask(PAGE, { first: 5, after: cursor }, ADMIN)).tariffEvents.nodes).toEqual([]);
    await late.query('commit');
    late.release();
    await shown();
    const { entries } = await follow(cursor);
    expect(entries.map(({ id }: { id: string }) => id)).toEqual([first[0]?.id, second[0]?.id]);
    expect((await follow(entries[0].cursor)).entries).toEqual(entries.slice(1));
  });

  it('begins a new era where the database lives another life: no cursor of the former skips what happens then', async () => {
    await shown();
    const { cursor } = await follow(null);
    await room.owner.query('set search_path = tariffs, register; update event_timeline set timeline = timeline + 1');
    await room.owner.query(RENEW_EVENT_ERA('tariffs'));
    await room.assign(freshMpxn(), 4);
    await room.settled();
    await shown();
    expect((await follow(cursor)).entries).toHaveLength(1);
  });
});
