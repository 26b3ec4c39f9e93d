import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { AccountRepository } from '../../../../subgraphs/access/accounts/account.repository';
import { lockMeterPoint } from '../../../../subgraphs/access/locks.sql';
import { claimSome } from '../../../../subgraphs/access/operator/pending-claim.repository';
import { claimOfNamed, startSweeps } from '../../../../subgraphs/access/records/sweeps.module';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { type OperatorFixture, type Organisation, operatorFixture } from '../../../support/operator-fixture';
import { until } from '../../../support/until';

/** Records of the organisation `$1` at `$2` meter points of its own; discovered ones of no Data User if `$3` is a document. */
const PUT_MANY = `with record as (
    insert into access_record (id, key_hash, key_sealed, duid, meter_point_id, state, legal_basis, registered_at, document)
    select gen_random_uuid(), uuid_send(gen_random_uuid()), '', case when $3::jsonb is null then $1 end, $1::text || ' ' || n,
      case when $3 is null then 'ACTIVE' else 'DISCOVERED' end, case when $3 is null then 'uk-contract' end, register_now(),
      coalesce($3, '{}')
    from generate_series(1, $2::int) n returning *),
  version as (
    insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, document)
    select id, 1, 'acc', legal_basis, registered_at, document from record)
  insert into access_record_transition (record_id, number, to_state, cause)
  select id, 1, state, case when duid is null then 'discovered' else 'registered' end from record`;

export function claimsInParts(): void {
  describe('An admin who names an organisation with many records', () => {
    const ADMIN = `acc_${'a'.repeat(24)}`;
    const [MANY, OF_A_PART] = [220, 100];
    const organisationReference = 'ORG-PINTAIL';
    let fixture: OperatorFixture;
    let accounts: AccountRepository;
    let organisation: Organisation;
    beforeEach(async () => {
      fixture = await operatorFixture();
      accounts = new AccountRepository(fixture.database, keyedHash(randomBytes(32), 'account-secret'), randomBytes(32));
      organisation = await fixture.organisation('Unnamed');
      const discoveredAccess = { organisationName: 'Pintail', organisationReference };
      await rows(`set session_replication_role = 'replica'`);
      await rows(PUT_MANY, organisation.duid, MANY, null);
      await rows(PUT_MANY, organisation.duid, MANY, { discoveredAccess });
      await rows(`set session_replication_role = 'origin'`);
    });
    afterEach(() => fixture.close());

    const rows = async (text: string, ...values: unknown[]) => (await fixture.tables.owner.query(text, values)).rows;
    const claimPart = () => claimSome(fixture.database.pool);
    const claimAll = () => claimOfNamed(fixture.database.pool, () => false);
    const named = () => accounts.set(ADMIN, organisation.accountId, { organisationReference });
    const isPending = async () => (await rows('select from pending_claim')).length > 0;
    /** Counts the claims, and the records that were claimed. */
    const claims = async () => {
      const text = `select count(*)::int as claims, count(distinct record_id)::int as records from access_record_transition
        where cause = 'claimed' and account_id = $1`;
      return (await rows(text, organisation.accountId))[0];
    };
    const each = (count: number) => ({ claims: count, records: count });
    /** Returns the meter point of the record for which an organisation claims first. */
    const firstMeterPoint = async (duid: string): Promise<string> => {
      const first = `select meter_point_id from access_record where duid = $1 and state = 'ACTIVE' order by created_at, id limit 1`;
      return (await rows(first, duid))[0].meter_point_id;
    };
    const untilBlocked = () =>
      until(async () => {
        const blocked = await rows(
          `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return (blocked[0]?.pid as number | undefined) ?? undefined;
      });

    it('has its records claimed afterwards, in parts, and a part that is killed is done again', async () => {
      await named();
      expect(await claims()).toEqual(each(0));
      expect(await claimPart()).toBe(true);
      expect(await claims()).toEqual(each(OF_A_PART));
      const { application } = fixture.tables;
      await application.query('begin');
      await application.query(`select from access_record where state = 'DISCOVERED' and claimed_at is null for update`);
      const killed = claimPart().catch(() => 'killed');
      await rows('select pg_terminate_backend($1)', await untilBlocked());
      expect(await killed).toBe('killed');
      await application.query('rollback');
      expect(await claims()).toEqual(each(OF_A_PART));
      await until(async () => {
        await claimAll(); // the server releases the locks of the killed session at its own time
        return !(await isPending()) || undefined;
      });
      expect(await claims()).toEqual(each(MANY));
    });

    it('waits for a report of the operator at one of its meter points, which would wait for it in turn', async () => {
      await named();
      const { application } = fixture.tables;
      await application.query('begin');
      const meterPoint = await firstMeterPoint(organisation.duid);
      await lockMeterPoint(application, meterPoint);
      const part = claimPart();
      await untilBlocked();
      const locked = `select from access_record where state = 'DISCOVERED' and meter_point_id = $1 for update nowait`;
      expect((await application.query(locked, [meterPoint])).rowCount).toBe(1);
      await application.query('commit');
      expect(await part).toBe(true);
    });

    it('may be corrected by another admin while the records of the next organisation are claimed', async () => {
      const other = await fixture.organisation('Other');
      const [corrected, next] = [organisation.duid, other.duid].toSorted() as [string, string];
      await rows(`set session_replication_role = 'replica'`);
      await rows(PUT_MANY, other.duid, 1, null);
      await rows(PUT_MANY, other.duid, 1, {});
      await rows(`set session_replication_role = 'origin'`);
      await rows('insert into pending_claim (duid) values ($1), ($2)', corrected, next);
      const { application } = fixture.tables;
      await application.query('begin');
      await application.query('select from account where duid = $1 for update', [corrected]);
      const report = await fixture.database.pool.connect();
      await report.query('begin');
      await lockMeterPoint(report, await firstMeterPoint(next));
      const part = claimPart();
      await untilBlocked();
      const search = 'select from pending_claim where duid = $1 for update nowait';
      const locked = await application.query(search, [corrected]).catch((error: Error) => error);
      await application.query('rollback');
      await report.query('rollback');
      report.release();
      expect([await part, locked]).toEqual([true, expect.objectContaining({ rowCount: 1 })]);
    });

    it('has each record claimed once, however many replicas do so', async () => {
      await named();
      await Promise.all(Array.from({ length: 4 }, claimAll));
      await claimAll();
      expect([await claims(), await isPending()]).toEqual([each(MANY), false]);
    });

    it('may correct the name meanwhile: the search starts over', async () => {
      await accounts.set(ADMIN, organisation.accountId, { organisationReference: 'not reported' });
      await claimPart();
      await Promise.all([claimPart(), named()]);
      await claimAll();
      expect([await claims(), await isPending()]).toEqual([each(MANY), false]);
    });

    it('has them claimed within seconds while the subgraph runs', async () => {
      const sweeps = startSweeps(fixture.database, pino({ level: 'silent' }));
      await named();
      await until(async () => (await claims()).claims === MANY || undefined);
      await sweeps.stop();
    });
  });
}
