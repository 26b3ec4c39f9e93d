import { ACCESS_STATES, type AccessState } from '../../../../subgraphs/access/records/access-record';
import { STATE_TRANSITIONS, mayChange } from '../../../../subgraphs/access/records/transitions';
import { type AccessDatabase, DUID, accessDatabase, insertRecord, outcomeOf } from '../../../support/access-database';

export function stateTransitions(): void {
  /** The specification's table of states, with the decisions that a Data User replaces and registers. */
  const ALLOWED: Record<'none' | AccessState, AccessState[]> = {
    none: ['ACTIVE', 'EXPIRED', 'DISCOVERED'],
    ACTIVE: ['REVOKED', 'EXPIRED'],
    REVOKED: [],
    EXPIRED: [],
    DISCOVERED: ['DISCOVERED', 'EXPIRED'],
  };

  const FORBIDDEN = '23001'; // restrict_violation

  describe('The transition table', () => {
    it.each(['none', ...ACCESS_STATES] as const)('leads from %s to the states of the specification', (from) => {
      const leads = STATE_TRANSITIONS.filter(([start]) => (start ?? 'none') === from).map(([, , to]) => to);
      expect([...new Set(leads)]).toEqual(ALLOWED[from]);
    });

    it('names one cause for each way: registration, replacement, revocation, withdrawal, termination, expiry, discovery, claim', () => {
      expect(STATE_TRANSITIONS.map(([from, cause, to]) => `${String(from)} ${cause} ${to}`)).toEqual([
        'null registered ACTIVE',
        'null registered EXPIRED',
        'ACTIVE revoked REVOKED',
        'ACTIVE withdrawn REVOKED',
        'ACTIVE data-user-terminated REVOKED',
        'ACTIVE expired EXPIRED',
        'ACTIVE replaced EXPIRED',
        'null discovered DISCOVERED',
        'DISCOVERED claimed DISCOVERED',
        'DISCOVERED expired EXPIRED',
      ]);
    });

    it.each(ACCESS_STATES)('lets a Data User change a record that is %s only while it is ACTIVE', (state) => {
      expect(mayChange(state)).toBe(state === 'ACTIVE');
    });
  });

  describe('The database, with the login of the application', () => {
    let database: AccessDatabase;
    beforeAll(async () => {
      database = await accessDatabase();
    });
    afterAll(() => database.close());

    /** A record in a state, however it got there. */
    async function recordIn(state: AccessState): Promise<string> {
      await database.owner.query(`set session_replication_role = 'replica'`); // no triggers
      const id = await insertRecord(database.owner, 'ACTIVE');
      const statement = `update access_record set state = $2, revoked_at = case when $2 = 'REVOKED' then register_now() end where id = $1`;
      await database.owner.query(statement, [id, state]);
      await database.owner.query('reset session_replication_role');
      return id;
    }

    it.each(ACCESS_STATES)('inserts a record as %s only if the transition table does', async (state) => {
      const outcome = await outcomeOf(database.application, () => insertRecord(database.application, state));
      expect(outcome).toBe(ALLOWED.none.includes(state) ? 'done' : FORBIDDEN);
    });

    it.each(ACCESS_STATES)('inserts a record as %s with a Data User, or as DISCOVERED without one', async (state) => {
      const { application } = database;
      const of = (duid: string | null) => outcomeOf(application, () => insertRecord(application, state, duid));
      expect(await of(DUID)).toBe(['ACTIVE', 'EXPIRED'].includes(state) ? 'done' : FORBIDDEN);
      expect(await of(null)).toBe(state === 'DISCOVERED' ? 'done' : FORBIDDEN);
    });

    it('accepts the transitions of the table, and no other', async () => {
      const id = await recordIn('ACTIVE');
      const causes = [...new Set(STATE_TRANSITIONS.map(([, cause]) => cause)), 'another'];
      const accepted: string[] = [];
      let number = 100;
      for (const from of [null, ...ACCESS_STATES]) {
        for (const [cause, to] of causes.flatMap((each) => ACCESS_STATES.map((state) => [each, state] as const))) {
          const insert = `insert into access_record_transition (record_id, number, from_state, to_state, cause) values ($1, $2, $3, $4, $5)`;
          const values = [id, (number += 1), from, to, cause];
          const outcome = await outcomeOf(database.owner, () => database.owner.query(insert, values));
          if (outcome !== '23514') accepted.push([from, cause, to].join(' '));
        }
      }
      expect(accepted.toSorted()).toEqual(STATE_TRANSITIONS.map((row) => row.join(' ')).toSorted());
    });

    it('has the condition that the table of this release generates', async () => {
      const { owner } = database;
      const rowsOfTable = STATE_TRANSITIONS.map(([from, cause, to]) => `('${from ?? ''}', '${cause}', '${to}')`);
      const isInTable = `(coalesce(from_state, ''), cause, to_state) in (${rowsOfTable.join(', ')})`;
      await owner.query(
        `create temp table generated (from_state text, cause text, to_state text, constraint generated_condition check (${isInTable}))`,
      );
      const { rows } = await owner.query<{
        stored: boolean;
      }>(`select count(distinct pg_get_expr(conbin, conrelid)) = 1 as stored
        from pg_constraint where conname in ('in_table_of_transitions', 'generated_condition')`);
      expect(rows).toEqual([{ stored: true }]);
    });

    const pairs = ACCESS_STATES.flatMap((from) =>
      ACCESS_STATES.filter((to) => to !== from).map((to) => [from, to] as const),
    );
    it.each(pairs)('moves a record from %s to %s only if the transition table does', async (from, to) => {
      const id = await recordIn(from);
      const statement = `update access_record set state = $2, revoked_at = case when $2 = 'REVOKED' then register_now() end where id = $1`;
      const outcome = await outcomeOf(database.application, () => database.application.query(statement, [id, to]));
      expect(outcome).toBe(ALLOWED[from].includes(to) ? 'done' : FORBIDDEN);
    });
  });
}
