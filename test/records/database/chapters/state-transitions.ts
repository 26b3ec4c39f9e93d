import { ACCESS_STATES, type AccessState } from '../../../../subgraphs/access/domain/access-record';
import { STATE_TRANSITIONS, mayChange } from '../../../../subgraphs/access/domain/state-transitions';
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
    it.each(['none', ...ACCESS_STATES] as const)('leads from %s where the specification says', (from) => {
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

  describe('The database, asked by the application itself', () => {
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

    it.each(ACCESS_STATES)('begins a record as %s only if the transition table does', async (state) => {
      const outcome = await outcomeOf(database.application, () => insertRecord(database.application, state));
      expect(outcome).toBe(ALLOWED.none.includes(state) ? 'done' : FORBIDDEN);
    });

    it.each(ACCESS_STATES)('begins a record as %s of a Data User, or as DISCOVERED of none', async (state) => {
      const { application } = database;
      const of = (duid: string | null) => outcomeOf(application, () => insertRecord(application, state, duid));
      expect(await of(DUID)).toBe(['ACTIVE', 'EXPIRED'].includes(state) ? 'done' : FORBIDDEN);
      expect(await of(null)).toBe(state === 'DISCOVERED' ? 'done' : FORBIDDEN);
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
