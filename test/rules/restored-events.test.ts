import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { restore } from '../../backup/restore';
import { takeBackup } from '../../backup/take-backup';
import { sandboxKeyVariables } from '../../sandbox/keys';
import { type DataUser, newCustomer, newDataUser } from '../support/customers';
import { putWebhook } from '../support/event-rows';
import { type Graph, graphAs } from '../support/graph';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { type TestRegister, startTestRegister } from '../support/register';
import { restorePlan } from '../support/restore-plan';
import { until } from '../support/until';

const EVENTS = `query ($after: String) {
  registerEvents(after: $after, first: 500) { nodes { id cursor type accessRecord { id } } } }`;

interface Told {
  readonly id: string;
  readonly cursor: string;
  readonly type: string;
}

let register: TestRegister;
let dataUser: DataUser;
let suspended: DataUser;
let keyVariables: Record<string, string>;
let root: string;
let database: FreshDatabase;
let sessions: Client[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'register-backup-'));
  register = await startTestRegister('one process');
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  suspended = await newDataUser(register, 'https://fernhollow.example/back');
  keyVariables = await sandboxKeyVariables(register.dataDir);
  database = await freshDatabase();
});
afterAll(async () => {
  await Promise.all(sessions.map((session) => session.end()));
  await register?.close();
  await database?.drop();
  await rm(root, { recursive: true, force: true });
});

async function ownerOf(connectionString: string): Promise<Client> {
  const session = new Client({ connectionString, options: '-c search_path=access,register' });
  sessions = [...sessions, session];
  await session.connect();
  return session;
}

async function followed(graph: Graph, after: string | null): Promise<Told[]> {
  const { nodes } = (await graph(EVENTS, { after })).data.registerEvents;
  return nodes.length === 0 ? [] : [...nodes, ...(await followed(graph, nodes.at(-1).cursor))];
}

describe('The event log of a restored register', () => {
  it('goes on after every cursor that was ever given, also one of what was lost', async () => {
    const source = await ownerOf(register.databaseUrl);
    const webhook = await putWebhook(source, { duid: suspended.duid });
    await source.query(`update account set status = 'suspended', suspended_at = register_now() where duid = $1`, [
      suspended.duid,
    ]);
    await source.query(
      `insert into event (type, duid, webhook_id) select 'webhook.test', $1, $2 from generate_series(1, 3)`,
      [suspended.duid, webhook],
    ); // these wait, since their Data User is suspended
    const before = await graphAs(register, 'admin');
    const kept = await until(async () => {
      const events = await followed(before, null);
      return events.filter(({ type }) => type === 'WEBHOOK_TEST').length === 3 ? events : undefined;
    });
    await takeBackup(register.databaseUrl, root, 7);
    await newCustomer(dataUser);
    const lost = await until(async () => (await followed(before, kept.at(-1)?.cursor ?? null)).at(-1));

    await restore(restorePlan(root, database.url, keyVariables));
    const target = await ownerOf(database.url);
    const { rows: ahead } = await target.query('select from event where era >= event_era()');
    expect(ahead).toEqual([]);
    const { rows: planned } = await target.query(
      `select state, count(*)::int from delivery where endpoint_id = $1 group by state`,
      [webhook],
    );
    expect(planned).toEqual([{ state: 'pending', count: 3 }]); // as they were, none planned anew
    const { rows: eras } = await target.query<{ era: string }>('select event_era() as era');

    const restored = await startTestRegister('one process', { databaseUrl: database.url, environment: keyVariables });
    try {
      const after = await graphAs(restored, 'admin');
      expect((await target.query('select event_era() as era')).rows).toEqual(eras);
      expect((await followed(after, null)).map(({ id }) => id)).toEqual(
        expect.arrayContaining(kept.map(({ id }) => id)),
      );
      const { ir } = await newCustomer({
        ...dataUser,
        ...(await newDataUser(restored, 'https://larkhill.example/back')),
      });
      expect(ir).toMatch(/^ir_/);
      const [first] = await until(async () => {
        const next = await followed(after, lost.cursor);
        return next.some(({ type }) => type === 'ACCESS_REGISTERED') ? next : undefined;
      });
      expect(kept.map(({ id }) => id)).not.toContain(first?.id);
    } finally {
      await restored.close();
    }
  }, 120_000);
});
