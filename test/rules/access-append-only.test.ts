import type { AccessState } from '../../subgraphs/access/domain/access-record';
import { type AccessDatabase, DUID, accessDatabase, insertRecord, outcomeOf } from '../support/access-database';

const NO_RIGHT = '42501'; // insufficient_privilege
const FORBIDDEN = '23001'; // restrict_violation

let database: AccessDatabase;
const ids = {} as Record<'ACTIVE' | 'EXPIRED' | 'REVOKED', string>;

beforeAll(async () => {
  database = await accessDatabase();
  const { application } = database;
  for (const state of ['ACTIVE', 'EXPIRED'] satisfies AccessState[])
    ids[state] = await insertRecord(application, state);
  ids.REVOKED = await insertRecord(application, 'ACTIVE');
  await application.query(`update access_record set state = 'REVOKED', revoked_at = register_now() where id = $1`, [
    ids.REVOKED,
  ]);
  await application.query(
    `insert into access_record_version (record_id, version, account_id, registered_at, document) values ($1, 1, 'acc', register_now(), '{}')`,
    [ids.ACTIVE],
  );
  await application.query(
    `insert into access_record_transition (record_id, number, to_state, cause) values ($1, 1, 'ACTIVE', 'registered')`,
    [ids.ACTIVE],
  );
  await application.query(
    `insert into audit_entry (actor, action, subject, detail) values ('acc', 'suspend', 'acc', '{}')`,
  );
  await application.query(
    `insert into account_secret (account_id, kind, secret_hash) select account_id, 'sign-in', '\\x01' from account`,
  );
});
afterAll(() => database.close());

/** The statements by which history could be lost, for each table that keeps some. */
const HISTORY: [table: string, rewriting: string][] = [
  ['access_record', 'set created_at = created_at'],
  ['access_record_version', `set document = '{"changed":true}'`],
  ['access_record_transition', `set at = register_now()`],
  ['audit_entry', `set actor = 'nobody'`],
];

describe.each(HISTORY)('Rows of %s', (table, rewriting) => {
  const statements = {
    deleted: `delete from ${table}`,
    rewritten: `update ${table} ${rewriting}`,
    truncated: `truncate ${table} cascade`,
  };

  it.each(Object.entries(statements))('are not %s by the application', async (_, statement) => {
    expect(await outcomeOf(database.application, () => database.application.query(statement))).toBe(NO_RIGHT);
  });

  it('are not deleted by the owner either', async () => {
    expect(await outcomeOf(database.owner, () => database.owner.query(statements.deleted))).toBe(FORBIDDEN);
    expect(await outcomeOf(database.owner, () => database.owner.query(statements.truncated))).toBe(FORBIDDEN);
  });
});

describe.each(['access_record_version', 'access_record_transition', 'audit_entry'])('Rows of %s', (table) => {
  it('are not rewritten by the owner either', async () => {
    const rewriting = HISTORY.find(([name]) => name === table)?.[1] ?? '';
    expect(await outcomeOf(database.owner, () => database.owner.query(`update ${table} ${rewriting}`))).toBe(FORBIDDEN);
  });
});

describe('An access record', () => {
  it.each([
    ['key', `key_hash = '\\x02'`],
    ['owner', `duid = '${DUID.replace('0', 'f')}'`],
    ['creation', `created_at = created_at - interval '1 day'`],
    ['identifier', 'id = gen_random_uuid()'],
  ])('keeps its %s', async (_, change) => {
    const statement = `update access_record set ${change} where id = '${ids.ACTIVE}'`;
    expect(await outcomeOf(database.application, () => database.application.query(statement))).toBe(NO_RIGHT);
    expect(await outcomeOf(database.owner, () => database.owner.query(statement))).toBe(FORBIDDEN);
  });

  const CONTENT: [field: string, change: string][] = [
    ['document', `document = '{"changed":true}'`],
    ['legal basis', `legal_basis = 'uk-public-task'`],
    ['time of registration', `registered_at = registered_at - interval '1 day'`],
    ['expiry', `expiry = register_now() + interval '1 day'`],
    ['version', 'version = version + 1'],
  ];

  it.each(CONTENT)('has another %s only while it is ACTIVE', async (_, change) => {
    const { application } = database;
    const outcome = (state: keyof typeof ids) =>
      outcomeOf(application, () => application.query(`update access_record set ${change} where id = $1`, [ids[state]]));
    expect(await outcome('ACTIVE')).toBe('done');
    expect(await outcome('REVOKED')).toBe(FORBIDDEN);
    expect(await outcome('EXPIRED')).toBe(FORBIDDEN);
  });

  it('keeps the time at which it was revoked', async () => {
    const { application } = database;
    const statement = `update access_record set revoked_at = revoked_at + interval '1 day' where id = $1`;
    expect(await outcomeOf(application, () => application.query(statement, [ids.REVOKED]))).toBe(FORBIDDEN);
  });
});

describe('An account', () => {
  it.each([
    ['deleted', 'delete from account'],
    ['given another identifier', `update account set account_id = 'acc_ffffffffffffffffffffffff'`],
    ['given another role', `update account set role = 'admin'`],
    ['given another Data User', `update account set duid = 'duid_ffffffffffffffffffffffff'`],
    ['given another secret', `update account_secret set secret_hash = '\\x02'`],
    ['deprived of a secret', 'delete from account_secret'],
  ])('is not %s by the application', async (_, statement) => {
    expect(await outcomeOf(database.application, () => database.application.query(statement))).toBe(NO_RIGHT);
  });
});
