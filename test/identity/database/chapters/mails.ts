import { type Server, connect, createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { type CapturedMail, type Mailbox, startMailbox } from '../../../../sandbox/mailbox';
import type { OutgoingMail } from '../../../../subgraphs/identity/mails/outgoing-mail';
import { inTransaction } from '../../../../subgraphs/server/database/transaction';
import { jumpedClock } from '../../../support/access-database';
import { type IdentityAlone, registeredRecord, startIdentityAlone } from '../../../support/identity-alone';
import { databasePlaces, findings } from '../../../support/secret-scan';
import { until } from '../../../support/until';
import { ANONYMOUS } from '../../../../subgraphs/identity/mails/mail-queue.flow';

export function mails(): void {
  const SECRET = 'a-secret-of-a-link-that-nobody-may-ever-see';

  const DUID = `duid_${'3'.repeat(24)}`;

  const ANONYMISED = `identity_record set closing_at = register_now(), anonymised_at = register_now(), mpxn_index = null,
    email_index = null, meter_point_id = null where id = $1`;

  /** Proxy in front of the mailbox that rejects connections while `isOpen` is false. */
  let door: Server;
  let mailbox: Mailbox;
  let isOpen = true;
  let identity: IdentityAlone;
  let mpxn = 1_000_000_000;

  beforeAll(async () => {
    mailbox = await startMailbox({ port: 0, host: 'localhost' });
    const { port } = new URL(mailbox.smtpUrl);
    door = createServer((socket) => {
      if (!isOpen) return void socket.destroy();
      const inner = connect(Number(port), '127.0.0.1');
      socket.on('error', () => inner.destroy()).pipe(inner);
      inner.on('error', () => socket.destroy()).pipe(socket);
    });
    await new Promise<void>((resolve) => void door.listen(0, '127.0.0.1', () => resolve()));
    identity = await startIdentityAlone(`smtp://127.0.0.1:${(door.address() as { port: number }).port}`);
  });
  afterEach(async () => {
    isOpen = true;
    await identity.owner.query('select register.set_clock_offset(0)');
  });
  afterAll(async () => {
    await identity?.close();
    await new Promise((resolve) => void door?.close(resolve));
    await mailbox?.close();
  });

  async function person(): Promise<{ id: string; email: string }> {
    const number = String(++mpxn);
    const email = `customer-${number}@customer.example`;
    return { id: (await registeredRecord(identity, number, email)).id, email };
  }

  async function expiry(seconds: number): Promise<Date> {
    const { rows } = await identity.owner.query<{ at: Date }>(
      `select register_now() + $1 * interval '1 second' as at`,
      [seconds],
    );
    return rows[0]?.at as Date;
  }

  async function enqueue(recordId: string, change: Partial<OutgoingMail> = {}): Promise<void> {
    const base = {
      kind: 'reidentification-link',
      recordId,
      organisation: 'Harbourlight',
      secret: SECRET,
      expiresAt: await expiry(600),
    };
    await inTransaction(identity.pool, (session) =>
      identity.mails.enqueue(session, { ...base, ...change } as OutgoingMail),
    );
  }

  async function mailsTo(address: string): Promise<CapturedMail[]> {
    return (await (await fetch(`${mailbox.url}?to=${encodeURIComponent(address)}`)).json()) as CapturedMail[];
  }

  async function jobs(): Promise<{ failed: boolean; attempts: number; payload: { sealed: string } }[]> {
    return (
      await identity.owner.query(
        'select last_error is not null and locked_by is null as failed, attempts, payload from identity_jobs._private_jobs',
      )
    ).rows;
  }

  const ended = () => until(async () => ((await jobs()).length === 0 ? true : undefined));
  const triedInVain = () => until(async () => ((await jobs()).some(({ failed }) => failed) ? true : undefined));

  describe('A mail', () => {
    it('goes to the stored address of the person, once, and is deleted afterwards', async () => {
      const { id, email } = await person();
      await enqueue(id);
      const [mail] = await until(async () => ((await mailsTo(email)).length > 0 ? mailsTo(email) : undefined));
      expect(mail).toMatchObject({ to: email, subject: expect.stringContaining('Harbourlight') });
      expect(mail?.text).toContain(`http://localhost:4002/identify/link/${SECRET}?lang=en`);
      expect(mail?.html).toContain(`<a href="http://localhost:4002/identify/link/${SECRET}?lang=en"`);
      await ended();
      expect(await mailsTo(email)).toHaveLength(1);
      expect(
        findings(
          new Map([
            ['secret', SECRET],
            ['address', email],
          ]),
          await databasePlaces(databaseUrl()),
        ),
      ).toEqual([]);
    });

    it('is stored encrypted while the mail server is unavailable, and sent when it is back', async () => {
      isOpen = false;
      const { id, email } = await person();
      await enqueue(id, { expiresAt: await expiry(600) });
      await triedInVain();
      const known = new Map([
        ['secret', SECRET],
        ['address', email],
        ['organisation', 'Harbourlight'],
        ['record', id],
      ]);
      const content = Buffer.from((await jobs()).map(({ payload }) => payload.sealed).join('\n'));
      const opaque = Buffer.from(content.toString(), 'base64');
      expect(
        findings(known, [
          { name: 'job', content },
          { name: 'job, decoded', content: opaque },
        ]),
      ).toEqual([]);
      expect(findings(known, [{ name: 'log', content: Buffer.from(identity.log()) }])).toEqual([]);
      expect(await mailsTo(email)).toEqual([]);
      isOpen = true;
      await until(async () => ((await mailsTo(email)).length === 1 ? true : undefined));
      await ended();
    });

    it('about a contest is sent after an outage of any number of attempts, which count once', async () => {
      isOpen = false;
      const { id, email } = await person();
      const notice = { kind: 'contest-notice', at: await expiry(0) } as const;
      await enqueue(id, { ...notice, duid: DUID });
      for (let attempt = 1; attempt <= 5; attempt++) {
        await until(async () => (await jobs()).some((job) => job.failed && job.attempts === attempt) || undefined);
        await identity.owner.query('update identity_jobs._private_jobs set run_at = now()');
      }
      isOpen = true;
      await until(async () => ((await mailsTo(email)).length === 1 ? true : undefined));
      for (let n = 0; n < 3; n++) await enqueue(id, { ...notice, duid: DUID });
      await ended();
      expect(await mailsTo(email)).toHaveLength(3);
    });

    it('about a contest is sent after an outage of almost seven days, in which it is tried every half minute', async () => {
      isOpen = false;
      const { id, email } = await person();
      const almostSevenDays = 7 * 24 * 3_600 - 600;
      await enqueue(id, { kind: 'contest-notice', at: await expiry(-almostSevenDays), duid: DUID });
      await triedInVain();
      isOpen = true;
      await identity.owner.query(
        'update identity_jobs._private_jobs set attempts = $1, run_at = now() where locked_by is null',
        [almostSevenDays / 30],
      );
      await ended();
      expect(await mailsTo(email)).toHaveLength(1);
    });

    it.each([
      ['about a contest', { kind: 'contest-notice', duid: DUID }, '8 days'],
      ['about a sign-in', { kind: 'sign-in-notice', means: 'supplier', isLimited: false }, '25 hours'],
      ['with a link', {}, '2 hours'],
    ] as const)('%s is sent although the clock of the database was ahead for a moment', async (_, change, ahead) => {
      isOpen = false;
      const { id, email } = await person();
      await enqueue(id, { ...('kind' in change && { at: await expiry(0) }), ...change } as Partial<OutgoingMail>);
      await triedInVain();
      const correct = await jumpedClock(identity.owner, ahead);
      const before = identity.log().length;
      const retry = () =>
        identity.owner.query('update identity_jobs._private_jobs set run_at = now() where locked_by is null');
      try {
        isOpen = true;
        await retry();
        await until(
          async () =>
            identity.log().slice(before).includes('CLOCKS_DIFFER') || (await jobs()).length === 0 || undefined,
        );
      } finally {
        await correct();
      }
      await until(async () => (await retry().then(jobs)).length === 0 || undefined);
      expect(await mailsTo(email)).toHaveLength(1);
    });

    it('is dropped when its link has expired before it could be sent', async () => {
      isOpen = false;
      const { id, email } = await person();
      await enqueue(id);
      await triedInVain();
      await identity.owner.query('select register.set_clock_offset(600)');
      isOpen = true;
      await ended();
      expect(await mailsTo(email)).toEqual([]);
    });

    it('is dropped, and reported with its record, when the record cannot be decrypted', async () => {
      isOpen = false;
      const { id, email } = await person();
      await enqueue(id);
      await triedInVain();
      await identity.owner.query(`update identity_keys.data_key set wrapped = '\\x00' where record_id = $1`, [id]);
      await identity.owner.query('update identity_jobs._private_jobs set run_at = now()');
      isOpen = true;
      await ended();
      expect(await mailsTo(email)).toEqual([]);
      const report = { level: 50, mail: 'reidentification-link', identityRecord: id };
      expect(
        identity
          .log()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as object),
      ).toContainEqual(expect.objectContaining(report));
    });

    it('about a sign-in is sent for up to one day', async () => {
      const [early, late] = [await person(), await person()];
      await enqueue(early.id, {
        kind: 'sign-in-notice',
        at: await expiry(-23 * 3600),
        means: 'passkey',
        isLimited: false,
      });
      await enqueue(late.id, {
        kind: 'sign-in-notice',
        at: await expiry(-25 * 3600),
        means: 'passkey',
        isLimited: false,
      });
      await until(async () => ((await mailsTo(early.email)).length === 1 ? true : undefined));
      await ended();
      expect(await mailsTo(late.email)).toEqual([]);
    });

    it.each([
      ['was closed', 'closing_at = register_now(), closed_at = register_now()'],
      [
        'was anonymised',
        `closing_at = register_now(), anonymised_at = register_now(), mpxn_index = null, email_index = null, meter_point_id = null`,
      ],
    ])('to the person of a record that %s meanwhile is dropped', async (_, change) => {
      isOpen = false;
      const { id, email } = await person();
      await enqueue(id);
      await triedInVain();
      await identity.owner.query(`update identity_record set ${change} where id = $1`, [id]);
      isOpen = true;
      await ended();
      expect(await mailsTo(email)).toEqual([]);
    });

    it.each([
      ['was anonymised', ANONYMISED],
      ['is damaged', `identity_keys.data_key set wrapped = '\\x00' where record_id = $1`],
    ])('that is a notice reaches its address by another record if its first one %s', async (_, change) => {
      isOpen = false;
      const number = String(++mpxn);
      const email = `customer-${number}@customer.example`;
      const [first, second] = [
        await registeredRecord(identity, number, email),
        await registeredRecord(identity, number, email),
      ];
      const notice = { at: await expiry(0), otherRecordIds: [second.id] };
      await enqueue(first.id, { kind: 'sign-in-notice', means: 'supplier', isLimited: false, ...notice });
      await enqueue(first.id, { kind: 'contest-notice', duid: DUID, ...notice });
      await triedInVain();
      await identity.owner.query(`update ${change}`, [first.id]);
      isOpen = true;
      await ended();
      expect(await mailsTo(email)).toHaveLength(2);
    });

    it('that is a notice of a sign-in waits after one to the same address of the home, whatever records they name', async () => {
      const number = String(++mpxn);
      const email = `customer-${number}@customer.example`;
      const at = await expiry(0);
      const records = [1, 2].map(() => registeredRecord(identity, number, email));
      const [first, second] = (await Promise.all(records)).map(({ id }) => id) as [string, string];
      const permit = (recordId: string, otherRecordIds: string[]) =>
        identity.mails.permitSignInNotice({
          kind: 'sign-in-notice',
          recordId,
          otherRecordIds,
          at,
          means: 'passkey',
          isLimited: false,
        });
      expect(await permit(first, [second])).toBe(true);
      await identity.owner.query(`update ${ANONYMISED}`, [first]);
      expect([await permit(second, []), await permit(first, [second])]).toEqual([false, false]);
      await identity.owner.query('delete from identity_jobs._private_jobs');
    });

    it('about a contest counts against the limit of its address although the first record with it was anonymised', async () => {
      const email = `customer-${++mpxn}@customer.example`;
      const at = await expiry(0);
      for (let home = 0; home < 16; home++) {
        const number = String(++mpxn);
        const [first, second] = [
          await registeredRecord(identity, number, email),
          await registeredRecord(identity, number, email),
        ];
        await identity.owner.query(`update ${ANONYMISED}`, [first.id]);
        await enqueue(first.id, { kind: 'contest-notice', duid: DUID, at, otherRecordIds: [second.id] });
      }
      await ended();
      expect(await mailsTo(email)).toHaveLength(15);
    });

    it('about a sign-in waits after fifteen to the address in records of one Data User, at whichever homes', async () => {
      const email = `customer-${++mpxn}@customer.example`;
      const at = await expiry(0);
      for (let home = 0; home < 16; home++) {
        const { id } = await registeredRecord(identity, String(++mpxn), email);
        await enqueue(id, { kind: 'sign-in-notice', at, means: 'passkey', isLimited: true });
      }
      const waiting = `select from identity_jobs._private_jobs where run_at > now() + interval '10 minutes'`;
      await until(async () => ((await identity.owner.query(waiting)).rowCount === 1 ? true : undefined));
      await until(async () => ((await jobs()).length === 1 ? true : undefined));
      expect(await mailsTo(email)).toHaveLength(15);
      await identity.owner.query('delete from rate_limit');
      await identity.owner.query('update identity_jobs._private_jobs set run_at = now()');
      await ended();
      expect(await mailsTo(email)).toHaveLength(16);
    });

    it('with a link is dropped if its address was rejected meanwhile; a notice is sent', async () => {
      isOpen = false;
      const [linked, notified] = [await person(), await person()];
      await enqueue(linked.id, { kind: 'sign-in-link', language: 'en' });
      await enqueue(notified.id, { kind: 'sign-in-notice', at: await expiry(0), means: 'supplier', isLimited: false });
      await triedInVain();
      await identity.owner.query(
        `insert into contact_verdict (mpxn_index, tenancy, contact, verdict)
         select mpxn_index, '', email_index, 'rejected' from identity_record where id = any($1)`,
        [[linked.id, notified.id]],
      );
      isOpen = true;
      await ended();
      expect([await mailsTo(linked.email), await mailsTo(notified.email)].map(({ length }) => length)).toEqual([0, 1]);
    });

    it('to the person of a record whose anonymising can still be rejected is sent', async () => {
      const { id, email } = await person();
      await identity.owner.query('update identity_record set closing_at = register_now() where id = $1', [id]);
      await enqueue(id);
      await until(async () => ((await mailsTo(email)).length === 1 ? true : undefined));
    });

    it("contains an organisation's name without adding a header or recipient", async () => {
      const { id, email } = await person();
      await enqueue(id, { organisation: 'Evil\r\nBcc: other@customer.example\r\n\r\nHello' });
      const [mail] = await until(async () => ((await mailsTo(email)).length > 0 ? mailsTo(email) : undefined));
      expect(mail?.subject).toContain('Evil Bcc: other@customer.example Hello');
      expect(await mailsTo('other@customer.example')).toEqual([]);
    });
  });

  describe('A mail that the server rejects permanently', () => {
    it('is dropped immediately, and the log contains no address', async () => {
      const refusing = new SMTPServer({
        disabledCommands: ['AUTH', 'STARTTLS'],
        logger: false,
        closeTimeout: 100,
        onRcptTo: ({ address }, _session, result) =>
          result(Object.assign(new Error(`<${address}> unknown here`), { responseCode: 550 })),
      });
      await new Promise<void>((resolve) => void refusing.listen(0, '127.0.0.1', () => resolve()));
      const { port } = refusing.server.address() as { port: number };
      const other = await startIdentityAlone(`smtp://127.0.0.1:${port}`);
      try {
        const email = 'nobody@customer.example';
        const { id } = await registeredRecord(other, '2000000000', email);
        const mail: OutgoingMail = {
          kind: 'sign-in-link',
          recordId: id,
          secret: SECRET,
          expiresAt: await expiry(600),
          language: 'en',
        };
        await other.mails.enqueue(other.pool, mail);
        await until(() => (other.log().includes('mail permanently rejected') ? true : undefined));
        await until(async () => {
          const { rows } = await other.owner.query('select from identity_jobs._private_jobs');
          return rows.length === 0 ? true : undefined;
        });
        expect(other.log()).not.toMatch(/nobody@|customer\.example/);
      } finally {
        await other.close();
        await new Promise<void>((resolve) => void refusing.close(() => resolve()));
      }
    });
  });

  describe('Mails to one person', () => {
    it('are limited to three in 15 minutes per person', async () => {
      const [one, other] = [await person(), await person()];
      const permits = [];
      for (let n = 0; n < 4; n++) permits.push(await identity.mails.permit(one.id, ANONYMOUS));
      expect(permits).toEqual([null, null, null, expect.any(Number)]);
      expect(permits[3]).toBeGreaterThan(14 * 60);
      expect(permits[3]).toBeLessThanOrEqual(15 * 60);
      expect(await identity.mails.permit(other.id, ANONYMOUS)).toBeNull();
    });

    it('are counted separately for portal visitors and for each Data User', async () => {
      const { id } = await person();
      const callers = [ANONYMOUS, `duid_${'1'.repeat(24)}`, `duid_${'2'.repeat(24)}`];
      for (const by of callers) {
        for (let n = 0; n < 3; n++) expect(await identity.mails.permit(id, by)).toBeNull();
        expect(await identity.mails.permit(id, by)).toEqual(expect.any(Number));
      }
    });
  });

  function databaseUrl(): string {
    const { host, port, database, user, password } = identity.owner;
    return `postgres://${user}:${encodeURIComponent(password ?? '')}@${host}:${port}/${database}`;
  }
}
