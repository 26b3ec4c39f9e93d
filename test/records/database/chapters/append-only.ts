import type { AccessState } from '../../../../subgraphs/access/records/access-record';
import {
  type AccessDatabase,
  DUID,
  accessDatabase,
  insertRecord,
  outcomeOf,
  withHistory,
} from '../../../support/access-database';

export function appendOnly(): void {
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
    await application.query(withHistory.revocation(), [ids.REVOKED]);
    await application.query(
      `insert into audit_entry (actor, action, subject, detail) values ('acc', 'suspend', 'acc', '{}')`,
    );
    await application.query(
      `insert into account_secret (account_id, kind, secret_hash) select account_id, 'sign-in', '\\x01' from account`,
    );
  });
  afterAll(() => database.close());

  /** Statements that would delete or change history, for each table with history. */
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
      expect(await outcomeOf(database.owner, () => database.owner.query(`update ${table} ${rewriting}`))).toBe(
        FORBIDDEN,
      );
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

    it.each([
      ['another Identity Record', 'identity_record_id = gen_random_uuid()'],
      ['another reference', `identity_record_ref = 'other'`],
      ['another meter point', `meter_point_id = 'other'`],
    ])('is not linked to %s, unless it came through Interface B: that to another Identity Record', async (_, links) => {
      const statement = withHistory.version(links);
      const moved = async () => {
        await database.owner.query(statement, [ids.ACTIVE]);
      };
      expect(await outcomeOf(database.owner, moved)).toBe(FORBIDDEN);
      const movedOfLegacy = async (change: string) => {
        await database.owner.query('alter table access_record disable trigger guard');
        await database.owner.query('update access_record set is_legacy = true where id = $1', [ids.ACTIVE]);
        await database.owner.query('alter table access_record enable trigger guard');
        await database.owner.query(change, [ids.ACTIVE]);
      };
      const isMeterPoint = links.startsWith('meter_point_id');
      expect(await outcomeOf(database.owner, () => movedOfLegacy(statement))).toBe(isMeterPoint ? FORBIDDEN : 'done');
      const withoutVersion = `update access_record set ${links} where id = $1`;
      expect(await outcomeOf(database.owner, () => movedOfLegacy(withoutVersion))).toBe(FORBIDDEN);
    });

    it('has versions with its own Identity Record only, which never change', async () => {
      const insertLinkedTo = (identityRecordId: string) =>
        withHistory
          .version('document = document')
          .replace('expiry, document)', 'expiry, document, identity_record_id)')
          .replace('document from', `document, ${identityRecordId} from`);
      const linkedTo = (identityRecordId: string, until?: 'commit') =>
        outcomeOf(
          database.application,
          () => database.application.query(insertLinkedTo(identityRecordId), [ids.ACTIVE]),
          until,
        );
      expect(await linkedTo('gen_random_uuid()', 'commit')).toBe(FORBIDDEN);
      expect(await linkedTo('identity_record_id', 'commit')).toBe('done');
      expect(await linkedTo('null', 'commit')).toBe('done');
      const forgotten = 'update access_record_version set identity_record_id = null';
      expect(await outcomeOf(database.application, () => database.application.query(forgotten))).toBe(NO_RIGHT);
      expect(await outcomeOf(database.owner, () => database.owner.query(forgotten))).toBe(FORBIDDEN);
    });

    it('has a permanent mark of Interface B', async () => {
      const statement = `update access_record set is_legacy = true where id = '${ids.ACTIVE}'`;
      expect(await outcomeOf(database.application, () => database.application.query(statement))).toBe(NO_RIGHT);
      expect(await outcomeOf(database.owner, () => database.owner.query(statement))).toBe(FORBIDDEN);
    });

    const CONTENT: [field: string, change: string][] = [
      ['document', `document = '{"changed":true}'`],
      ['legal basis', `legal_basis = 'uk-public-task'`],
      ['time of registration', `registered_at = registered_at - interval '1 day'`],
      ['expiry', `expiry = register_now() + interval '1 day'`],
    ];
    const changed = (state: keyof typeof ids, statement: string, until?: 'commit') =>
      outcomeOf(database.application, () => database.application.query(statement, [ids[state]]), until);

    it.each(CONTENT)('changes its %s only while it is ACTIVE, as a stored version', async (_, change) => {
      expect(await changed('ACTIVE', withHistory.version(change), 'commit')).toBe('done');
      expect(await changed('REVOKED', withHistory.version(change))).toBe(FORBIDDEN);
      expect(await changed('EXPIRED', withHistory.version(change))).toBe(FORBIDDEN);
    });

    it.each(CONTENT)(
      'has no other %s under the same version, under one further on, or without a row of history',
      async (_, change) => {
        const rewritten = (version: string) => `update access_record set ${change}, version = ${version} where id = $1`;
        expect(await changed('ACTIVE', rewritten('version'))).toBe(FORBIDDEN);
        expect(await changed('ACTIVE', rewritten('version + 2'))).toBe(FORBIDDEN);
        expect(await changed('ACTIVE', rewritten('version - 1'))).toBe(FORBIDDEN);
        expect(await changed('ACTIVE', rewritten('version + 1'))).toBe('done');
        expect(await changed('ACTIVE', rewritten('version + 1'), 'commit')).toBe(FORBIDDEN);
      },
    );

    it('cannot differ from its history', async () => {
      const otherwise = withHistory.version(`document = '{"changed":true}'`).replace(', document from', `, '{}' from`);
      expect(await changed('ACTIVE', otherwise, 'commit')).toBe(FORBIDDEN);
      expect(await changed('ACTIVE', withHistory.revocation(), 'commit')).toBe('done');
      for (const revoked of [`state = 'REVOKED', revoked_at = register_now()`, `state = 'EXPIRED'`]) {
        expect(await changed('ACTIVE', `update access_record set ${revoked} where id = $1`, 'commit')).toBe(FORBIDDEN);
      }
    });

    it('cannot be inserted without its history, nor as a later version', async () => {
      const { application, owner } = database;
      const insert = (columns: string, values: string) =>
        `insert into access_record (id, key_hash, key_sealed, duid, state, registered_at, document${columns})
       values (gen_random_uuid(), sha256($1::text::bytea), '', '${DUID}', 'ACTIVE', register_now(), '{}'${values})`;
      expect(await changed('ACTIVE', insert('', ''))).toBe('done');
      expect(await changed('ACTIVE', insert('', ''), 'commit')).toBe(FORBIDDEN);
      const later = () => owner.query(insert(', version', ', 2'), ['x']);
      expect(await outcomeOf(owner, later)).toBe(FORBIDDEN);
      for (const column of ['created_at', 'revoked_at']) {
        const statement = insert(`, ${column}`, `, register_now() - interval '1 day'`);
        expect(await outcomeOf(application, () => application.query(statement, ['x']))).toBe(NO_RIGHT);
      }
    });

    it.each([
      ['identity_record_id', 'gen_random_uuid()'],
      ['identity_record_ref', `'other'`],
      ['meter_point_id', `'other'`],
    ])('may lose its %s, but never have another one', async (column, other) => {
      const { application } = database;
      const set = (value: string) =>
        application.query(`update access_record set ${column} = ${value} where id = $1`, [ids.REVOKED]);
      expect(await outcomeOf(application, () => set(other))).toBe(FORBIDDEN);
      expect(await outcomeOf(application, () => set('null'), 'commit')).toBe('done');
      expect(await outcomeOf(application, () => set('null').then(() => set(other)))).toBe(FORBIDDEN);
    });

    it.each([
      [
        'access_record_version',
        'recorded_at',
        `record_id, version, account_id, registered_at, document`,
        `2, 'acc', register_now(), '{}'`,
      ],
      ['access_record_transition', 'at', `record_id, number, to_state, cause`, `2, 'ACTIVE', 'registered'`],
    ])('has rows of %s at the time of the register only', async (table, column, columns, values) => {
      const insert = (more: string, value: string) =>
        `insert into ${table} (${columns}${more}) values ($1, ${values}${value})`;
      expect(await changed('ACTIVE', insert('', ''))).toBe('done');
      expect(await changed('ACTIVE', insert(`, ${column}`, `, register_now() - interval '1 day'`))).toBe(NO_RIGHT);
    });

    it('cannot change the time of its revocation', async () => {
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

  it('An event without affected records does not get any, not even none', async () => {
    const { application, owner } = database;
    await owner.query(
      `insert into event (type, duid, record_id) select 'access.registered', duid, id from access_record where id = $1`,
      [ids.ACTIVE],
    );
    const rewrite = (records: string) =>
      application.query(`update event set record_ids = ${records} where record_ids is null`);
    for (const records of [`'{}'`, 'array[record_id]'])
      expect(await outcomeOf(application, () => rewrite(records))).toBe(FORBIDDEN);
  });
}
