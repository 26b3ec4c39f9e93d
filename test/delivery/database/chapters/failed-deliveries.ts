import { Pool } from 'pg';
import { DeliveryHealthRepository } from '../../../../subgraphs/access/webhooks/delivery-health.repository';
import { sessionOptions } from '../../../../subgraphs/server/database/database';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
import { end, fanOutAll, putWebhook, register } from '../../../support/event-rows';

export function failedDeliveries(): void {
  let tables: AccessDatabase;
  let pool: Pool;
  beforeAll(async () => {
    tables = await accessDatabase();
    pool = new Pool(sessionOptions(tables.address));
  });
  afterAll(async () => {
    await pool.end();
    await tables.close();
  });

  /** Plans a delivery to each of the subscriptions of the Data User. */
  async function planned(): Promise<void> {
    await end(tables.application, await register(tables.application), 'withdrawn');
    await fanOutAll(tables.owner);
  }

  /** Sets columns of one delivery that was not changed before. */
  async function change(assignments: string): Promise<void> {
    await planned();
    await tables.owner.query(
      `update delivery set ${assignments} where (endpoint_id, event_id) = (
         select endpoint_id, event_id from delivery order by created_at desc, event_id desc limit 1)`,
    );
  }

  const attempt = (minutes: number, status: number | null, error: string | null) =>
    `jsonb_build_array(jsonb_build_object('at', register_now() - interval '${minutes} min', 'status', ${status}::int, 'durationMs', 5,
      'error', ${error === null ? 'null' : `'${error}'`}))`;
  const page = (first: number, after: string | null = null) =>
    new DeliveryHealthRepository({ pool }).failed({ first, after });

  it('are those that the figures count, newest first, with the last failure', async () => {
    await putWebhook(tables.application);
    const ended = (state: string, ago: string) => `state = '${state}', ended_at = register_now() - interval '${ago}'`;
    await change(`attempt = 1, attempts = ${attempt(300, 503, 'http-5xx')} || ${attempt(200, null, 'timeout')}`);
    await change('faults = 2');
    await change(`${ended('undelivered', '3 hours')}, attempt = 6, attempts = ${attempt(180, 500, 'http-5xx')}`);
    await change(`${ended('undelivered', '2 days')}, attempt = 6, attempts = ${attempt(2880, 500, 'http-5xx')}`);
    await change(
      `${ended('delivered', '5 min')}, attempt = 2, attempts = ${attempt(6, 404, 'http-4xx')} || ${attempt(5, 204, null)}`,
    );
    await change(`${ended('delivered', '5 min')}, attempt = 1, attempts = ${attempt(5, 204, null)}`);
    await planned();
    const { nodes } = await page(10);
    expect(
      nodes.map(({ status, lastFailure, duid }) => [status, lastFailure?.status, lastFailure?.error, duid]),
    ).toEqual([
      ['delivered', 404, 'http-4xx', DUID],
      ['undelivered', 500, 'http-5xx', DUID],
      ['pending', undefined, undefined, DUID],
      ['pending', null, 'timeout', DUID],
    ]);
    expect(nodes.map(({ nextAttemptAt }) => nextAttemptAt !== null)).toEqual([false, false, true, true]);
  });

  it('are listed page by page, also those of one event to several subscriptions', async () => {
    for (let count = 0; count < 4; count++) await putWebhook(tables.application);
    await planned();
    await tables.owner.query(`update delivery set attempt = 1 where state = 'pending'`);
    const all = (await page(50)).nodes.map(({ eventId, wid }) => `${eventId} ${wid}`);
    const listed: string[] = [];
    let after: string | null = null;
    do {
      const { nodes, nextCursor }: Awaited<ReturnType<typeof page>> = await page(2, after);
      listed.push(...nodes.map(({ eventId, wid }) => `${eventId} ${wid}`));
      after = nextCursor;
    } while (after !== null);
    expect(listed).toEqual(all);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(5);
  });

  it('put their subscription before those with more pending deliveries, since the list of subscriptions is limited', async () => {
    const [failed] = [await putWebhook(tables.application), await putWebhook(tables.application)];
    await planned();
    await tables.owner.query(
      `update delivery set state = 'undelivered', ended_at = register_now() where endpoint_id = $1`,
      [failed],
    );
    const { subscriptions } = await new DeliveryHealthRepository({ pool }).now();
    expect(subscriptions.find(({ webhookId }) => webhookId === failed)).toMatchObject({ pending: 0, undelivered: 1 });
    const undelivered = subscriptions.map((each) => each.undelivered);
    expect(undelivered).toEqual(undelivered.toSorted((one, other) => other - one));
    expect(undelivered.at(-1)).toBe(0);
  });

  it('are counted once for all concurrent readers of the figures', async () => {
    const health = new DeliveryHealthRepository({ pool });
    let statements = 0;
    const count = () => (statements += 1);
    const before = await health.now();
    pool.on('acquire', count);
    await Promise.all(Array.from({ length: 20 }, () => health.now()));
    pool.off('acquire', count);
    expect(statements).toBe(2);
    await planned();
    expect((await health.now()).pending).toBeGreaterThan(before.pending);
  });
}
