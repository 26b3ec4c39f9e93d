import { randomInt, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { onboarded, signIn } from '../../support/administration';
import { confirmedTokens } from '../../support/confirmed-tokens';
import { type DataUser, newCustomer, newDataUser, newMpxn } from '../../support/customers';
import { failuresOf, graphAs, graphOf } from '../../support/graph';
import { type TestRegister, startTestRegister } from '../../support/register';
import { consentRecord, legacyConsent, registered } from '../../support/records';
import { untilOneWaits } from '../../support/lock-waiters';
import { until } from '../../support/until';
import { type RestClient, good } from '../../support/rest-client';

describe('Two callers at once', () => {
  let register: TestRegister;
  let clock: Client;
  let own: DataUser;
  let dataUser: RestClient;
  let ref: string;

  beforeAll(async () => {
    // A separate register: some of these tests move the clock.
    register = await startTestRegister('one process');
    clock = new Client({ connectionString: register.databaseUrl });
    await clock.connect();
    own = await newDataUser(register, 'https://larkhill.example/back');
    dataUser = own.rest;
    ({ ir: ref } = await newCustomer(own));
  });
  afterAll(async () => {
    await clock?.end();
    await register?.close();
  });

  it('come to one order when two replace and one revokes the same record: no update is lost', async () => {
    for (let round = 0; round < 20; round++) {
      const ak = await registered(dataUser, ref);
      const path = `/v1/access-records/${ak}`;
      const [one, other, revoked] = await Promise.all([
        dataUser('PUT', path, consentRecord(ref, { purpose: 'one' })),
        dataUser('PUT', path, consentRecord(ref, { purpose: 'other' })),
        dataUser('DELETE', `${path}?reason=contract-ended`),
      ]);
      expect(revoked.status).toBe(200);
      const replaced = [one, other].filter(({ status }) => status === 200);
      for (const { status } of [one, other]) expect([200, 409]).toContain(status);
      const { body, headers } = await dataUser('GET', path);
      expect(body['access-record']['access-event'].state).toBe('REVOKED');
      expect(headers.get('etag')).toBe(`"${1 + replaced.length}"`);
      const versions = replaced.map((response) => response.headers.get('etag')).toSorted();
      expect(versions).toEqual(['"2"', '"3"'].slice(0, replaced.length));
      const last = replaced.find((response) => response.headers.get('etag') === headers.get('etag'));
      const purpose = last === undefined ? 'Find a better tariff' : last === one ? 'one' : 'other';
      expect(body['access-record'].processing.purpose).toBe(purpose);
    }
  });

  it('never both replace the version that If-Match names', async () => {
    const path = `/v1/access-records/${await registered(dataUser, ref)}`;
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        dataUser('PUT', path, consentRecord(ref, { purpose: `${n}` }), { 'if-match': '"1"' }),
      ),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(9).fill(412)]);
  });

  it('make one record with one Idempotency-Key, and get one response', async () => {
    const purpose = `Registered by twenty at once ${randomUUID()}`;
    const body = consentRecord(ref, { purpose });
    const send = () => dataUser('POST', '/v1/access-records', body, { 'idempotency-key': 'twenty-at-once' });
    const responses = await Promise.all(Array.from({ length: 20 }, send));
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(20).fill(201));
    expect(new Set(responses.map((response) => response.body['access-token'].key)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(
      await valueIn(
        register.databaseUrl,
        `select count(*)::int as value from access.access_record where document ->> 'purpose' = $1`,
        purpose,
      ),
    ).toBe(1);
  });

  describe('of whom one waits for the other', () => {
    /** Register access through each interface; return the path of the record, and its replacement. */
    const expiringBy = {
      A: async (expiry: string) => {
        const body = (end: string) => {
          const record = consentRecord(ref);
          return { ...record, 'access-event': { ...record['access-event'], expiry: end } };
        };
        const response = await dataUser('POST', '/v1/access-records', body(expiry));
        const path = `/v1/access-records/${String(response.body['access-token'].key)}`;
        return { path, replace: (end = '2036-01-01T00:00:00.000Z') => dataUser('PUT', path, body(end)) };
      },
      B: async (expiry: string) => {
        const mpxn = newMpxn();
        const body = (end: string) => {
          const consent = legacyConsent(own.duid, mpxn);
          return { ...consent, evidence: { ...(consent['evidence'] as object), 'consent-expiry': end } };
        };
        const response = await dataUser('POST', '/register-consent', body(expiry));
        const ck = String(response.body['consent-token'].key);
        const replace = () => dataUser('POST', `/register-consent?ck=${ck}`, body('2036-01-01T00:00:00.000Z'));
        return { path: `/v1/access-records/${ck.replace('ck_', 'ak_')}`, replace };
      },
    };

    const NEWEST_RECORD_OF = (duid: string) =>
      `select from access.access_record where duid = '${duid}' order by created_at desc limit 1 for no key update`;

    /** Sends a change while another transaction holds a lock, that of the newest record by default; `meanwhile` runs before that one rolls back. */
    async function sentMeanwhile<Response>(
      send: () => Promise<Response>,
      meanwhile: (holder: Client) => Promise<unknown>,
      lock = NEWEST_RECORD_OF(own.duid),
    ) {
      const holder = new Client({ connectionString: register.databaseUrl });
      await holder.connect();
      try {
        await holder.query('begin');
        await holder.query(lock);
        const response = send();
        await untilOneWaits(holder, response);
        await meanwhile(holder);
        await holder.query('rollback');
        return await response;
      } finally {
        await holder.end();
      }
    }

    const stateAt = async (path: string) =>
      String((await dataUser('GET', path)).body['access-record']['access-event'].state);
    const inAnHour = async () => {
      const { rows } = await clock.query(`select register.register_now() + interval '1 hour' as at`);
      return (rows[0].at as Date).toISOString();
    };
    const anHourPasses = () => clock.query('select register.set_clock_offset(3600)');
    afterEach(() => clock.query('select register.set_clock_offset(0)'));

    it.each(['A', 'B'] as const)(
      'do not make an expired record ACTIVE by a replacement through %s',
      async (through) => {
        const { path, replace } = await expiringBy[through](await inAnHour());
        const { status, body } = await sentMeanwhile(replace, anHourPasses);
        expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining('is EXPIRED, not ACTIVE')]);
        expect(await stateAt(path)).toBe('EXPIRED');
      },
    );

    it('end the access by a replacement whose new expiry passes meanwhile, at the instant of the change', async () => {
      const { path, replace } = await expiringBy.A('2036-01-01T00:00:00.000Z');
      const expiry = await inAnHour();
      const { status } = await sentMeanwhile(() => replace(expiry), anHourPasses);
      expect(status).toBe(200);
      const key = path.slice(path.lastIndexOf('/') + 1);
      const { data } = await graphOf(
        register,
        own.token,
      )(`{ accessRecord(key: "${key}") {
        accessEvent { state }
        transitions(first: 5) { nodes { cause at } }
        versions(first: 5) { nodes { version recordedAt } }
      } }`);
      const { accessEvent, transitions, versions } = data.accessRecord;
      expect(accessEvent).toEqual({ state: 'EXPIRED' });
      expect(transitions.nodes[1]).toMatchObject({ cause: 'REPLACED' });
      expect(transitions.nodes[1].at >= expiry).toBe(true);
      expect(versions.nodes[1].recordedAt >= expiry).toBe(true);
    });

    it('do not revoke an expired record', async () => {
      const expiry = await inAnHour();
      const { path } = await expiringBy.A(expiry);
      // A statement that waits does not see a new offset of the clock: the last seconds pass in real time, within the 8 s of a request.
      const untilShortlyBefore = 'floor(extract(epoch from $1::timestamptz - statement_timestamp()))::int - 3';
      const { status } = await sentMeanwhile(
        async () => {
          await clock.query(`select register.set_clock_offset(${untilShortlyBefore})`, [expiry]);
          return dataUser('DELETE', path);
        },
        () => until(async () => ((await stateAt(path)) === 'EXPIRED' ? true : undefined)),
      );
      expect(status).toBe(409);
      expect(await stateAt(path)).toBe('EXPIRED');
    });

    it.each(['A', 'B'] as const)(
      'register nothing through %s for an account that is suspended meanwhile, and leave the idempotency key free',
      async (through) => {
        const [path, body] =
          through === 'A'
            ? ['/v1/access-records', consentRecord(ref)]
            : ['/register-consent', legacyConsent(own.duid, newMpxn())];
        const send = () => dataUser('POST', path, body, { 'idempotency-key': `suspended-through-${through}` });
        const setStatus = (holder: Client, status: string, suspendedAt: string | null) =>
          holder.query('update access.account set status = $2, suspended_at = $3 where duid = $1', [
            own.duid,
            status,
            suspendedAt,
          ]);
        const rejected = await sentMeanwhile(
          send,
          async (holder) => {
            await setStatus(holder, 'suspended', 'now');
            await holder.query('commit');
          },
          `select from access.account where duid = '${own.duid}' for update`,
        );
        const restore = new Client({ connectionString: register.databaseUrl });
        await restore.connect();
        await setStatus(restore, 'active', null).finally(() => restore.end());
        expect([rejected.status, JSON.stringify(rejected.body)]).toEqual([401, expect.stringContaining('AUT001')]);
        const repeated = await send();
        expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([201, null]);
      },
    );

    describe.each(['suspendAccount', 'terminateAccount'])('because of a lock, and %s comes before it', (sanction) => {
      const sanctioned = async ({ duid }: DataUser) => {
        const admin = await graphAs(register, 'admin');
        const find = 'select account_id as value from access.account where duid = $1';
        const accountId = await valueIn(register.databaseUrl, find, duid);
        const { errors } = await admin(`mutation { ${sanction}(accountId: "${String(accountId)}") { status } }`);
        expect(errors).toEqual([]);
      };
      /** The highest version of a record of the Data User, and the number of changes of states that a caller made. */
      const changesOf = (duid: string) =>
        valueIn(
          register.databaseUrl,
          `select array[max(version), count(*) filter (where cause in ('revoked', 'withdrawn'))] as value
            from access.access_record join access.access_record_transition on record_id = id where duid = $1`,
          duid,
        );
      const UNCHANGED = ['1', '0'];

      it.each(['PUT', 'DELETE', 'an update of a consent'])('is AUT001 for %s, and changes nothing', async (change) => {
        const user = await newDataUser(register, 'https://larkhill.example/back');
        const { rest, duid } = user;
        const { ir, key } = await newCustomer(user);
        const consent = legacyConsent(duid, newMpxn());
        const send = {
          PUT: () => rest('PUT', `/v1/access-records/${key}`, consentRecord(ir, { purpose: 'Too late' })),
          DELETE: () => rest('DELETE', `/v1/access-records/${key}`),
        }[change];
        const update = async () => {
          const { body } = good(await rest('POST', '/register-consent', consent));
          return () => rest('POST', `/register-consent?ck=${String(body['consent-token'].key)}`, consent);
        };
        const { status, body } = await sentMeanwhile(
          send ?? (await update()),
          () => sanctioned(user),
          NEWEST_RECORD_OF(duid),
        );
        expect([status, JSON.stringify(body)]).toEqual([401, expect.stringContaining('AUT001')]);
        expect(await changesOf(duid)).toEqual(UNCHANGED);
      });

      it('is AUT001 for the withdrawal by a portal; one by a portal in good standing succeeds unless the record ended', async () => {
        const [user, portal, active] = await Promise.all([
          newDataUser(register, 'https://larkhill.example/back'),
          newDataUser(register, 'https://larkhill.example/portal', 'PORTAL'),
          newDataUser(register, 'https://larkhill.example/portal', 'PORTAL'),
        ]);
        const customer = await newCustomer(user);
        const withdrawal = async ({ rest }: DataUser) => {
          const [token] = await confirmedTokens(register, { rest } as DataUser, customer, 1);
          const path = `/v1/meter-points/${customer.mpxn}/access-records?reidentification-token=${token}`;
          const { body } = await rest('GET', path);
          return () => rest('DELETE', `/v1/access-records/${String(body['access-records'][0].ak)}`);
        };
        const [late, inTime] = [await withdrawal(portal), await withdrawal(active)];
        const lock = NEWEST_RECORD_OF(user.duid);
        expect((await sentMeanwhile(late, () => sanctioned(portal), lock)).status).toBe(401);
        expect(await changesOf(user.duid)).toEqual(UNCHANGED);
        const { status } = await sentMeanwhile(inTime, () => sanctioned(user), lock);
        expect(status).toBe(sanction === 'suspendAccount' ? 200 : 409);
      });
    });

    it('revoke after the last verification that responded ACTIVE, and the history says the same', async () => {
      const path = `/v1/access-records/${await registered(dataUser, ref)}`;
      let verifiedAt = '';
      const { status, body } = await sentMeanwhile(
        () => dataUser('DELETE', path),
        async () => {
          expect(await stateAt(path)).toBe('ACTIVE');
          verifiedAt = new Date().toISOString();
        },
      );
      expect(status).toBe(200);
      const { 'revoked-at': revokedAt } = body as { 'revoked-at': string };
      expect(revokedAt >= verifiedAt).toBe(true);
      const key = path.slice(path.lastIndexOf('/') + 1);
      const { data } = await graphOf(
        register,
        own.token,
      )(`{ accessRecord(key: "${key}") { transitions(first: 5) { nodes { cause at } } } }`);
      expect(data.accessRecord.transitions.nodes[1]).toEqual({ cause: 'REVOKED', at: revokedAt });
    });
  });

  it('who rotate one secret leave exactly one without an end, and one entry in the audit each', async () => {
    const admin = await graphAs(register, 'admin');
    const { accountId, secretKey } = await onboarded(admin, { role: 'ANALYST', displayName: 'Often Rotated' });
    const rotate = () => admin(`mutation { rotateAccountSecret(accountId: "${accountId}") { secretKey } }`);
    const secrets: string[] = [];
    for (let round = 0; round < 3; round++) {
      const rotations = await Promise.all(Array.from({ length: 8 }, rotate));
      secrets.push(...rotations.map(({ data }) => String(data.rotateAccountSecret.secretKey)));
    }
    const count = (of: string) =>
      valueIn(register.databaseUrl, `select count(*)::int as value from access.${of}`, accountId);
    expect(await count('account_secret where account_id = $1 and valid_until is null')).toBe(1);
    expect(await count(`audit_entry where subject = $1 and action = 'rotate-secret'`)).toBe(24);
    for (const secret of [secretKey, ...secrets]) {
      expect((await signIn(register, accountId, secret)).status).toBe(200); // the older ones, too: for 24 hours
    }
  });

  it('a thief who signs in while the secret is being revoked has a token that is rejected', async () => {
    const admin = await graphAs(register, 'admin');
    const { accountId, secretKey } = await onboarded(admin, { role: 'ANALYST', displayName: 'Often Robbed' });
    const database = new Client({ connectionString: register.databaseUrl });
    await database.connect();
    try {
      await database.query('begin');
      await database.query('select from access.account_secret where account_id = $1 for update', [accountId]);
      const revoking = admin(
        `mutation { rotateAccountSecret(accountId: "${accountId}", revokePrevious: true) { secretKey } }`,
      );
      await untilOneWaits(database);
      const { token } = await signIn(register, accountId, secretKey);
      const thief = graphOf(register, token);
      expect((await thief('{ viewer { role } }')).status).toBe(200);
      await database.query('commit');
      expect((await revoking).errors).toEqual([]);
      expect((await thief('{ viewer { role } }')).status).toBe(401);
    } finally {
      await database.end();
    }
  });

  it('who issue an API key for one supplier leave exactly one', async () => {
    const admin = await graphAs(register, 'admin');
    const { accountId } = await onboarded(admin, { role: 'SUPPLIER', displayName: 'Often Issued', mpid: newMpid() });
    const issue = () => admin(`mutation { issueSupplierApiKey(accountId: "${accountId}") { secretKey } }`);
    for (const { errors } of await Promise.all(Array.from({ length: 8 }, issue))) expect(errors).toEqual([]);
    const valid = `select count(*)::int as value from access.account_secret
      where account_id = $1 and kind = 'supplier-api' and valid_until is null`;
    expect(await valueIn(register.databaseUrl, valid, accountId)).toBe(1);
  });

  it('who change a status are rejected, all but the first', async () => {
    const admin = await graphAs(register, 'admin');
    const { accountId } = await onboarded(admin, { role: 'ANALYST', displayName: 'Often Suspended' });
    const suspend = () => admin(`mutation { suspendAccount(accountId: "${accountId}") { status } }`);
    const outcomes = (await Promise.all(Array.from({ length: 8 }, suspend))).map(failuresOf);
    expect(outcomes.filter(([failure]) => failure === undefined)).toHaveLength(1);
    expect(outcomes.flat()).toEqual(Array<string>(7).fill('CNF001 suspendAccount'));
  });
});

/** An MPID that no other test has. */
function newMpid(): string {
  return `Q${randomInt(36 ** 3)
    .toString(36)
    .padStart(3, '0')
    .toUpperCase()}`;
}

/** Returns the only value in the result of a statement. */
async function valueIn(databaseUrl: string, statement: string, parameter: string): Promise<unknown> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ value: unknown }>(statement, [parameter]);
    return rows[0]?.value;
  } finally {
    await client.end();
  }
}
