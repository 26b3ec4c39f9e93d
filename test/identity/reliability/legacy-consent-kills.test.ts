import { Client } from 'pg';
import { reanonymise } from '../../../commands/backup/reanonymise';
import { RegisterError } from '../../../schema/register-error';
import type { Caller } from '../../../subgraphs/server/callers/caller';
import type { SubgraphLink } from '../../../subgraphs/server/graph/subgraph-link';
import { AS_ACCESS, EXISTS } from '../../support/ceremonies';
import {
  ADDRESS,
  CONSENTS,
  NOTHING,
  ONE_CONSENT,
  VERIFY,
  consentOf,
  consentingDataUser,
  leftOf,
  sendConsent,
  settled,
} from '../../support/legacy-consents';
import { type SignInFixture, newMpxn, startSignInFixture } from '../../support/sign-in-fixture';
import { until } from '../../support/until';

type Send = () => ReturnType<SubgraphLink['execute']>;
/** Intercepts requests of `identity` to `access` that create or change a record; null forwards them. */
type OnTheWay = ((call: Send) => ReturnType<SubgraphLink['execute']>) | null;

let onTheWay: OnTheWay = null;
/** Intercepts the request by which a job reconciles a provisional record; null forwards it. */
let onSettling: OnTheWay = null;
const lossy = (access: SubgraphLink): SubgraphLink => ({
  name: access.name,
  execute: (request, context) => {
    const call = () => access.execute(request, context);
    if (/recordConsent|updateRecordedConsent/.test(request.query)) return (onTheWay ?? passing)(call);
    return request.query.includes('settleIdentityRecord') ? (onSettling ?? passing)(call) : call();
  },
});
const passing = (call: Send) => call();
const gone = () => Promise.reject(new RegisterError('SYS002'));
const unasked = () => gone();
const withoutResponse: OnTheWay = async (call) => call().then(gone);

let fixture: SignInFixture;
let caller: Caller;
beforeAll(async () => {
  fixture = await startSignInFixture({ between: lossy });
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  caller = await consentingDataUser(fixture);
});
afterEach(async () => {
  [onTheWay, onSettling] = [null, null];
  await fixture.moveClock(0);
});

const send = (input: object, more: { readonly ck?: string; readonly key?: string } = {}) =>
  sendConsent(fixture, caller, input, more);
const registered = async (input: object): Promise<string> =>
  (await send(input)).data.registerConsent.consentToken.key as string;
const left = () => leftOf(fixture, caller);
const verified = async (ck: string) =>
  (await fixture.executeInAccess(VERIFY, { key: ck.replace('ck_', 'ak_') })).data.accessRecord;
/** Sends a consent while requests to `access` are intercepted; returns the error code. */
const sentWhile = async (happens: OnTheWay, ...request: Parameters<typeof send>) => {
  onTheWay = happens;
  const { codes } = await send(...request);
  onTheWay = null;
  return codes.join();
};
/**
 * Move-in dates of the Identity Records to which the versions of the caller's consent are linked, in order of version.
 */
const restsOn = async (): Promise<string[]> => {
  const { rows } = await fixture.owner.query(
    `select i.ref from access.access_record_version v join identity.identity_record i on i.id = v.identity_record_id
     where v.record_id = (select id from access.access_record where duid = $1) order by v.version`,
    [caller.duid],
  );
  const principal = 'query ($ref: IdentityRecordKey!) { identityRecord(ref: $ref) { piiPrincipal { moveInDate } } }';
  const responses = await Promise.all(rows.map(({ ref }) => fixture.execute(principal, { ref }, { caller })));
  return responses.map(({ data }) => data.identityRecord.piiPrincipal.moveInDate);
};
const LEFT_PROVISIONAL = { ...NOTHING, provisional: 1 };

describe('A registration that is interrupted', () => {
  it('before access was called leaves nothing behind', async () => {
    expect(await sentWhile(unasked, consentOf(caller))).toBe('SYS002');
    expect(await left()).toEqual(LEFT_PROVISIONAL);
    await settled(fixture);
    expect(await left()).toEqual(NOTHING);
  });

  it('after access has committed is completed, and readable even before', async () => {
    const mpxn = newMpxn();
    expect(await sentWhile(withoutResponse, consentOf(caller, mpxn))).toBe('SYS002');
    expect(await left()).toEqual({ ...LEFT_PROVISIONAL, records: 1 });
    const shown = async () => (await fixture.execute(CONSENTS, { mpxn }, { caller })).data.consents;
    expect((await shown())[0].evidence.address).toMatchObject(ADDRESS);
    const { rows } = await fixture.owner.query('select id from identity.provisional_identity_record where duid = $1', [
      caller.duid,
    ]);
    const MPXNS = 'query ($ids: [ID!]!) { identityRecordMpxns(ids: $ids) { mpxn canBeOpened } }';
    const { data } = await fixture.execute(MPXNS, { ids: [rows[0].id, 'no uuid'] }, AS_ACCESS);
    expect(data.identityRecordMpxns).toEqual([
      { mpxn, canBeOpened: true },
      { mpxn: null, canBeOpened: true },
    ]);
    await settled(fixture);
    expect(await left()).toEqual(ONE_CONSENT);
    expect((await shown())[0].evidence.address).toMatchObject(ADDRESS);
  });

  it('is not returned by queries for Identity Records until it is complete', async () => {
    const mpxn = newMpxn();
    await sentWhile(withoutResponse, consentOf(caller, mpxn));
    const search = 'query ($mpxn: MPxN!) { identityRecords(mpxn: $mpxn) { ir } }';
    const seen = async () => [
      (await fixture.execute(EXISTS, { mpxn }, { caller })).data.identityRecordExistence.exists,
      (await fixture.execute(search, { mpxn }, { caller })).data.identityRecords.length,
    ];
    expect(await seen()).toEqual([false, 0]);
    await settled(fixture);
    expect(await seen()).toEqual([true, 1]);
  });

  it('and repeated with its idempotency key creates one consent', async () => {
    const input = consentOf(caller);
    expect(await sentWhile(withoutResponse, input, { key: 'again' })).toBe('SYS002');
    const { data } = await send(input, { key: 'again' });
    expect(data.registerConsent).toMatchObject({ isNew: true, replayed: true });
    expect(await left()).toEqual({ ...LEFT_PROVISIONAL, records: 1 });
    await settled(fixture);
    expect(await left()).toEqual(ONE_CONSENT);
    expect((await verified(data.registerConsent.consentToken.key)).state).toBe('ACTIVE');
  });

  it('and reaches access only after it was reconciled is rejected', async () => {
    const late = async (call: Send) => {
      await settled(fixture);
      expect(await left()).toEqual(NOTHING);
      return call();
    };
    expect(await sentWhile(late, consentOf(caller))).toBe('CNF003');
    expect(await left()).toEqual(NOTHING);
  });

  it('and is reconciled while access processes it has the outcome of access', async () => {
    const atOnce = async (call: Send) => (await Promise.all([call(), settled(fixture)]))[0];
    for (const _ of [1, 2, 3, 4]) {
      caller = await consentingDataUser(fixture);
      const code = await sentWhile(atOnce, consentOf(caller));
      expect(await left()).toEqual(code === '' ? ONE_CONSENT : NOTHING);
      expect(['', 'CNF003']).toContain(code);
    }
  });

  it('and whose job was lost is found again', async () => {
    await sentWhile(withoutResponse, consentOf(caller));
    await sentWhile(unasked, consentOf(caller));
    await fixture.owner.query('delete from identity_jobs._private_jobs');
    await fixture.moveClock(120);
    await fixture.addReplica(); // a replica requeues lost jobs when it starts
    await settledOnce();
    expect(await left()).toEqual(ONE_CONSENT);
  });
});

/** Reconciles until no provisional record is left: a starting replica adds its jobs with a delay. */
async function settledOnce(): Promise<void> {
  for (let round = 0; round < 200 && (await left()).provisional > 0; round++) await settled(fixture);
}

describe('An update that is interrupted', () => {
  const moved = (input: object) => ({ ...input, moveInDate: '2023-01-01' });

  it('before access was called leaves the consent unchanged', async () => {
    const input = consentOf(caller);
    const ck = await registered(input);
    expect(await sentWhile(unasked, moved(input), { ck })).toBe('SYS002');
    await settled(fixture);
    expect(await left()).toEqual(ONE_CONSENT);
    expect(await send(input, { ck })).toMatchObject({ codes: [] });
    expect(await left()).toEqual(ONE_CONSENT);
  });

  it('after access has committed is completed, also for the next update', async () => {
    const input = consentOf(caller);
    const ck = await registered(input);
    expect(await sentWhile(withoutResponse, moved(input), { ck })).toBe('SYS002');
    expect(await left()).toEqual({ ...ONE_CONSENT, provisional: 1, linked: 0 });
    expect(await send(moved(input), { ck })).toMatchObject({ codes: [] });
    expect(await left()).toEqual({ ...ONE_CONSENT, identityRecords: 2 });
    await settled(fixture);
    expect(await left()).toEqual({ ...ONE_CONSENT, identityRecords: 2 });
  });

  it('and overtaken by another is applied after it, and leaves nothing of the first attempt', async () => {
    const input = consentOf(caller);
    const ck = await registered(input);
    const overtaken = async (call: Send) => {
      onTheWay = null;
      expect(await send({ ...input, moveInDate: '2023-02-01' }, { ck })).toMatchObject({ codes: [] });
      return call();
    };
    expect(await sentWhile(overtaken, moved(input), { ck, key: 'last' })).toBe('');
    expect(await restsOn()).toEqual(['2022-03-01', '2023-02-01', '2023-01-01']);
    expect(await left()).toEqual({ ...ONE_CONSENT, identityRecords: 3 });
    expect((await send(moved(input), { ck, key: 'last' })).data.registerConsent.replayed).toBe(true);
    expect(await restsOn()).toHaveLength(3);
    expect(await sentWhile(overtaken, { ...input, moveInDate: '2023-02-01' }, { ck })).toBe('');
    expect(await restsOn()).toHaveLength(5);
    expect(await left()).toEqual({ ...ONE_CONSENT, identityRecords: 5 });
  });

  it('and overtaken by one that moved the link is applied after it, with a new Identity Record, although it would have kept the old one', async () => {
    const input = consentOf(caller);
    const ck = await registered(input);
    const overtaken = async (call: Send) => {
      onTheWay = null;
      expect(await send(moved(input), { ck })).toMatchObject({ codes: [] });
      return call();
    };
    expect(await sentWhile(overtaken, input, { ck, key: 'kept' })).toBe('');
    expect(await restsOn()).toEqual(['2022-03-01', '2023-01-01', '2022-03-01']);
    expect((await send(input, { ck, key: 'kept' })).data.registerConsent.replayed).toBe(true);
    expect(await left()).toEqual({ ...ONE_CONSENT, identityRecords: 3 });
  });

  it('and not permitted for the account is rejected immediately', async () => {
    const input = consentOf(caller);
    const ck = await registered(input);
    await fixture.owner.query('update access.account set privacy_url = null where duid = $1', [caller.duid]);
    let attempts = 0;
    const counted = (call: Send) => {
      attempts += 1;
      return call();
    };
    expect(await sentWhile(counted, moved(input), { ck })).toBe('CNF001');
    expect(attempts).toBe(1);
    expect(await left()).toEqual(ONE_CONSENT);
  });

  it.each(['keeps', 'moves'])('and whose consent ends meanwhile is rejected if it %s the link', async (link) => {
    const input = consentOf(caller);
    const update = link === 'keeps' ? input : moved(input);
    const ending = new Date(Date.now() + 3_600_000).toISOString();
    const expiring = { ...input, evidence: { ...input.evidence, consentExpiry: ending } };
    const revoke = 'mutation ($key: AccessKey!) { revokeAccessRecord(key: $key) { revokedAt } }';
    const ends: [string, object, (key: string) => Promise<unknown>][] = [
      ['REVOKED', input, (key) => fixture.executeInAccess(revoke, { key }, { caller })],
      ['EXPIRED', expiring, () => fixture.moveClock(3_700)],
    ];
    for (const [state, registration, end] of ends) {
      caller = await consentingDataUser(fixture);
      const ofCaller = { duid: caller.duid };
      const ck = await registered({ ...registration, ...ofCaller });
      const ended = async (call: Send) => {
        await end(ck.replace('ck_', 'ak_'));
        return call();
      };
      expect([state, await sentWhile(ended, { ...update, ...ofCaller }, { ck })]).toEqual([state, 'CNF001']);
      expect((await verified(ck)).state).toBe(state);
      expect(await restsOn()).toHaveLength(1);
      expect(await left()).toEqual(ONE_CONSENT);
    }
  });

  it('and whose link has moved when its job runs becomes a former Identity Record', async () => {
    const input = consentOf(caller);
    const ck = await registered(input);
    expect(await sentWhile(withoutResponse, moved(input), { ck })).toBe('SYS002');
    let jobs = 0;
    onSettling = async (call) => {
      onSettling = null;
      jobs += 1;
      const overtaking = async () => (await send({ ...input, moveInDate: '2023-03-01' }, { ck })).codes.join();
      // `settled` starts the job of this update, too, which rejects the update if it has not reached `access`
      await until(async () => ((await overtaking()) === '' ? true : undefined));
      return call();
    };
    await settled(fixture);
    expect(jobs).toBe(1);
    expect(await restsOn()).toEqual(['2022-03-01', '2023-01-01', '2023-03-01']);
    expect(await left()).toEqual({ ...ONE_CONSENT, identityRecords: 3 });
    const closed = `select from access.closed_identity_link c join identity.identity_record i on i.id = c.identity_record_id where duid = $1`;
    expect((await fixture.owner.query(closed, [caller.duid])).rowCount).toBe(0);
  });

  it.each(['keeps', 'moves'])(
    'and that waits for the closing of its Identity Record is rejected if it %s the link',
    async (link) => {
      const input = consentOf(caller);
      const ck = await registered(input);
      const { owner } = fixture;
      await owner.query('begin');
      const text = `with closed as (update access.access_record set meter_point_id = null where duid = $1 returning identity_record_id)
      insert into access.closed_identity_link select identity_record_id from closed`;
      await owner.query(text, [caller.duid]);
      const response = send(link === 'keeps' ? input : moved(input), { ck });
      const WAITING = 'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';
      await until(async () => ((await owner.query(WAITING)).rowCount === 0 ? undefined : true));
      await owner.query('commit');
      expect((await response).codes).toEqual(['CNF003']);
      expect(await restsOn()).toHaveLength(1);
      expect(await left()).toEqual({ ...ONE_CONSENT, linked: 0 });
    },
  );

  it.each([
    ['another Identity Record', moved, 2],
    ['the same Identity Record', (input: object) => input, 1],
  ])(
    'and whose repeat with %s was processed meanwhile returns the same response',
    async (_, changed, identityRecords) => {
      const input = consentOf(caller);
      const ck = await registered(input);
      const request = [changed(input), { ck, key: 'at-once' }] as const;
      let repeat: Awaited<ReturnType<typeof send>> | undefined;
      onTheWay = async (call) => {
        onTheWay = null;
        repeat = await send(...request);
        return call();
      };
      const first = await send(...request);
      expect(repeat).toMatchObject({ codes: [], data: { registerConsent: { isNew: false, replayed: false } } });
      expect(first.codes).toEqual([]);
      expect(first.data.registerConsent).toEqual({ ...repeat?.data.registerConsent, replayed: true });
      const { rows } = await fixture.owner.query('select version from access.access_record where duid = $1', [
        caller.duid,
      ]);
      expect(rows).toEqual([{ version: 2 }]);
      expect(await left()).toEqual({ ...ONE_CONSENT, identityRecords });
    },
  );

  it('and reaches access only after it was reconciled is rejected, and the consent remains', async () => {
    const input = consentOf(caller);
    const ck = await registered(input);
    const late = async (call: Send) => {
      await settled(fixture);
      return call();
    };
    expect(await sentWhile(late, moved(input), { ck })).toBe('CNF003');
    expect(await left()).toEqual(ONE_CONSENT);
    expect((await verified(ck)).state).toBe('ACTIVE');
  });
});

describe('A restore that contains a provisional record', () => {
  const provisionalId = async () =>
    (await fixture.owner.query('select id from identity.provisional_identity_record where duid = $1', [caller.duid]))
      .rows[0].id as string;
  /** Runs the last step of a restore; the records `since` were anonymised after the backup. */
  const restored = async (since: readonly string[]) => {
    const at = new Date().toISOString();
    const anonymised = new Map(since.map((id) => [id, at]));
    const list = { anonymised, closed: new Map(), occupancyKeys: new Map() };
    const { anonymisedAgain, withoutDataKey, revoked } = await reanonymise(fixture.owner as Client, list, {
      withoutDataKeys: true,
    });
    return { anonymisedAgain, withoutDataKey, revoked };
  };

  it('keeps it and its key, and reconciles it', async () => {
    await sentWhile(withoutResponse, consentOf(caller));
    expect(await restored([])).toEqual({ anonymisedAgain: 0, withoutDataKey: 0, revoked: 0 });
    await settled(fixture);
    expect(await left()).toEqual(ONE_CONSENT);
    expect((await fixture.owner.query('select from identity_keys.data_key')).rowCount).toBeGreaterThan(0);
  });

  it('anonymises it if it was anonymised after the backup, or if its data key is lost', async () => {
    for (const since of [true, false]) {
      caller = await consentingDataUser(fixture);
      await sentWhile(withoutResponse, consentOf(caller));
      const id = await provisionalId();
      if (!since) await fixture.owner.query('delete from identity_keys.data_key where record_id = $1', [id]);
      expect(await restored(since ? [id] : [])).toEqual({
        anonymisedAgain: since ? 1 : 0,
        withoutDataKey: since ? 0 : 1,
        revoked: 1,
      });
      const { rows } = await fixture.owner.query(
        `select anonymised_at is not null as anonymised, mpxn_index, meter_point_id,
           (select count(*)::int from identity_keys.data_key where record_id = id) as keys from identity.identity_record where id = $1`,
        [id],
      );
      expect(rows).toEqual([{ anonymised: true, mpxn_index: null, meter_point_id: null, keys: 0 }]);
      expect(await left()).toMatchObject({ records: 1, provisional: 0 });
    }
  });
});
