import { ADMIN, trf } from '../support/tariff-graph';
import { type TariffEventRoom, told, tariffEventRoom } from '../support/tariff-event-room';
import { until } from '../support/until';

const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';
const CUSTOMER = '{ customerTariffs { tariffId } }';
const PENDING = `select count(*)::int as count from delivery join webhook on webhook.id = endpoint_id
  where user_id = $1 and state = 'pending' and held > 0`;

let room: TariffEventRoom;
let next = 0;
beforeAll(async () => {
  room = await tariffEventRoom();
});
afterEach(() => room.moveClock(0));
afterAll(() => room?.close());

/** An RTI User with a consent and a webhook at a supplier of its own, which has a tariff. */
async function followingOwn(mpid: string) {
  const number = 100 + ++next;
  const [mpxn, path] = [String(1_800_000_000 + next), `/hook-${next}`];
  await room.suppliers(mpid);
  await room.publish(number, {}, mpid);
  const participant = await room.participant({ mpid, mpxns: [mpxn] });
  const { registrationId } = await room.consent(participant.caller);
  const webhook = await room.webhook(participant.caller, path);
  return { ...participant, mpid, number, mpxn, path, registrationId, webhook };
}

const heard = (path: string) =>
  told(room.receiver.received.filter((post) => post.path === path)).map(({ type }) => String(type));
const held = (userId: string) =>
  until(async () => ((await room.owner.query(PENDING, [userId])).rows[0].count > 0 ? true : undefined));
const metric = async (line: string): Promise<number> =>
  Number(new RegExp(`^${line} ([0-9.e+-]+)$`, 'm').exec(await room.metrics.metrics())?.[1]);
const WAITING = 'register_tariff_delivery_unattempted_seconds';
const COUNTED = (isHeld: boolean) => String.raw`register_tariff_event_delay_seconds_count\{held="${isHeld}"\}`;

describe.each(['SUSPENDED', 'DISABLED'])('A supplier that is %s', (status) => {
  it('shares nothing: what is due is told soon after it is active again, and counted as what was held', async () => {
    const { userId, caller, mpid, mpxn, number, path } = await followingOwn(`A${status.slice(0, 3)}`);
    await room.setStatus({ mpid }, status);
    await room.assign(mpxn, number, 0, mpid);
    await held(userId);
    expect(await room.refusal(CUSTOMER, {}, caller)).toBe('AUT001');
    await room.moveClock(300);
    expect([heard(path), await metric(WAITING)]).toEqual([[], 0]);
    const [before, others] = [await metric(COUNTED(true)), await metric(COUNTED(false))];
    await room.setStatus({ mpid }, 'ACTIVE');
    const [event] = told(await room.posts(1, path));
    expect(event).toMatchObject({ type: 'tariff.change', mpxn, tariff_id: trf(number) });
    expect([await metric(COUNTED(true)), await metric(COUNTED(false))]).toEqual([before + 1, others]);
  });

  it('does not keep back a revocation', async () => {
    const { mpid, path, registrationId } = await followingOwn(`B${status.slice(0, 3)}`);
    await room.setStatus({ mpid }, status);
    await room.ask(REVOKE, { id: registrationId }, ADMIN);
    await room.posts(1, path);
    expect(heard(path)).toEqual(['consent.revoked']);
  });

  it('that is removed then tells of its end and of the consents that end with it, and nothing else', async () => {
    const { userId, mpid, mpxn, number, path } = await followingOwn(`C${status.slice(0, 3)}`);
    await room.setStatus({ mpid }, status);
    await room.assign(mpxn, number, 0, mpid);
    await held(userId);
    await room.setStatus({ mpid }, 'REMOVED');
    await room.posts(2, path);
    await room.moveClock(700);
    await room.settled();
    expect(heard(path).toSorted()).toEqual(['consent.revoked', 'supplier.cessation']);
  });
});

describe('A delivery that waits for its first attempt though nobody is suspended', () => {
  it('is as old as the metric says, until it is attempted', async () => {
    const { userId, mpid, mpxn, number, path } = await followingOwn('WAIT');
    await room.setStatus({ mpid }, 'SUSPENDED');
    await room.assign(mpxn, number, 0, mpid);
    await held(userId);
    await room.owner.query('alter table supplier disable trigger resumed');
    await room.setStatus({ mpid }, 'ACTIVE');
    await room.owner.query('alter table supplier enable trigger resumed');
    await room.moveClock(300);
    expect(await metric(WAITING)).toBeGreaterThanOrEqual(300);
    expect(heard(path)).toEqual([]);
    await room.moveClock(900);
    await room.posts(1, path);
    await room.settled();
    expect(await metric(WAITING)).toBe(0);
  });
});
