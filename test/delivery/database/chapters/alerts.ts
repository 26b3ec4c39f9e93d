import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import pino from 'pino';
import { SMTPServer } from 'smtp-server';
import { TenancyChangeRepository } from '../../../../subgraphs/access/operator/tenancy-change.repository';
import { ACCESS_JOBS } from '../../../../subgraphs/access/tables.sql';
import { WebhookAlertRepository } from '../../../../subgraphs/access/webhooks/webhook-alert.repository';
import { webhookCipher } from '../../../../subgraphs/access/webhooks/webhook-secrets.repository';
import { webhookAlerts } from '../../../../subgraphs/access/webhooks/alerts.flow';
import { deliverWebhooks } from '../../../../subgraphs/access/webhooks/webhooks.module';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { jobQueue } from '../../../../subgraphs/server/jobs/jobs';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { mailServer } from '../../../../subgraphs/server/mail-server';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
import { fanOutAll } from '../../../support/event-rows';
import { untilOneWaits } from '../../../support/lock-waiters';
import { until } from '../../../support/until';

export function alertMails(): void {
  const HOUR = 3_600;
  const ENCRYPTION_KEY = randomBytes(32);
  const CIPHER = webhookCipher(ENCRYPTION_KEY);

  /**
   * How the mail server responds to a mail: accepts it, accepts it without a response, rejects it temporarily or
   * permanently, or rejects the sender.
   */
  type Treatment = 'taken' | 'taken in silence' | 451 | 554 | 'sender rejected';

  describe('The alert mail of a subscription', () => {
    let tables: AccessDatabase;
    let database: Database;
    let smtp: SMTPServer;
    let treatment: Treatment;
    const mails: string[] = [];
    beforeAll(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
      smtp = new SMTPServer({
        disabledCommands: ['AUTH', 'STARTTLS'],
        logger: false,
        closeTimeout: 100,
        onMailFrom: (_address, _session, result) =>
          treatment === 'sender rejected' ? result(Object.assign(new Error('no'), { responseCode: 550 })) : result(),
        async onData(stream, _session, result) {
          const mail = await textOf(stream);
          if (typeof treatment === 'number') return result(Object.assign(new Error('no'), { responseCode: treatment }));
          mails.push(mail);
          if (treatment === 'taken') result();
        },
      });
      await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', resolve));
    });
    beforeEach(() => {
      treatment = 'taken';
      mails.length = 0;
    });
    afterEach(() => moveClock(0));
    afterAll(async () => {
      await new Promise<void>((resolve) => void smtp.close(() => resolve()));
      await database.close();
      await tables.close();
    });

    const moveClock = (seconds: number) => tables.owner.query('select register.set_clock_offset($1)', [seconds]);
    const smtpPort = () => (smtp.server.address() as AddressInfo).port;

    /** Runs the alert job of a subscription, with the mail server at a port. */
    const alert = (
      webhookId: string,
      port = smtpPort(),
      alerts = new WebhookAlertRepository(database, CIPHER),
    ): Promise<void> => {
      const { tasks } = webhookAlerts({
        database,
        alerts,
        jobs: jobQueue(ACCESS_JOBS),
        mails: mailServer(`smtp://127.0.0.1:${port}`, { name: 'Register', address: 'r@register.example' }, 'en', false),
        logger: pino({ enabled: false }),
      });
      return (tasks['alert'] as NonNullable<(typeof tasks)[string]>)({ id: webhookId }, { number: 1, isLast: false });
    };

    const deliver = () =>
      deliverWebhooks({
        address: tables.address,
        database,
        keys: { hashKey: randomBytes(32), encryptionKey: ENCRYPTION_KEY },
        identity: { name: 'identity', execute: () => Promise.reject(new Error('no service is started')) },
        changes: new TenancyChangeRepository(database, keyedHash(randomBytes(32), 'tenancy-change')),
        mail: { smtpUrl: `smtp://127.0.0.1:${smtpPort()}`, mailFrom: 'r@register.example' },
        allowLoopback: true,
        production: false,
        logger: pino({ enabled: false }),
      });

    async function subscription(duid = DUID): Promise<string> {
      const id = randomUUID();
      const wid = `wid_${randomBytes(12).toString('hex')}`;
      await tables.owner.query(
        `insert into webhook (id, wid, duid, callback_hash, callback_sealed, alert_email_sealed, event_types)
       values ($1, $2, $3, $4, '', $5, '{consent.expiring}')`,
        [id, wid, duid, randomBytes(32), CIPHER.encryptAlertEmail(id, 'alerts@larkhill.example')],
      );
      return id;
    }

    /** Inserts an undelivered delivery; returns the id of its event. */
    async function givenUp(webhookId: string, duid = DUID): Promise<string> {
      const { rows } = await tables.owner.query<{ id: string }>(
        `insert into event (type, duid, webhook_id) values ('webhook.test', $1, $2) returning id`,
        [duid, webhookId],
      );
      const { id } = rows[0] as { id: string };
      await fanOutAll(tables.owner);
      await tables.owner.query(`update delivery set state = 'undelivered' where event_id = $1`, [id]);
      return id;
    }

    const isReported = async (eventId: string) =>
      (await tables.owner.query('select from delivery where event_id = $1 and alerted_at is not null', [eventId]))
        .rowCount === 1;
    const isPlanned = async (webhookId: string) => {
      const planned = `select from ${ACCESS_JOBS}._private_jobs
        where key = $1 and run_at > now() and run_at <= now() + interval '30 seconds'`;
      return (await tables.owner.query(planned, [`alert ${webhookId}`])).rowCount === 1;
    };

    it('lists an abandoned delivery once', async () => {
      const webhook = await subscription();
      const event = await givenUp(webhook);
      await alert(webhook);
      await alert(webhook);
      expect(mails).toHaveLength(1);
      expect(mails[0]).toContain(event);
      expect(mails[0]).toContain('none if the register could not create its body');
      expect(await isReported(event)).toBe(true);
    });

    it('counts very many undelivered events, lists 200 of them, and stores in short statements that it did', async () => {
      const { owner } = tables;
      const webhook = await subscription();
      await owner.query(
        `with undelivered as (
           insert into event (type, duid, webhook_id) select 'webhook.test', $1, $2 from generate_series(1, 12001) returning id)
         insert into delivery (endpoint_id, event_id, subject, sequence, urgent, state, ended_at)
         select $2, id, id, 1, false, 'undelivered', register_now() from undelivered`,
        [DUID, webhook],
      );
      await owner.query(
        `create function no_long_update() returns trigger language plpgsql as $$
         begin if (select count(*) from changed) > 5000 then raise exception 'statement timeout'; end if; return null; end $$;
         create trigger no_long_update after update on delivery referencing new table as changed
         for each statement execute function no_long_update()`,
      );
      await alert(webhook);
      await owner.query('drop trigger no_long_update on delivery; drop function no_long_update');
      await moveClock(HOUR + 5);
      await alert(webhook);
      expect(mails).toHaveLength(1);
      expect(mails[0]).toContain('Subject: 12001 webhook deliveries failed');
      expect(mails[0]).toContain('And 11801 more.');
      expect((mails[0]?.split('<pre')[0] ?? '').match(/ webhook\.test /g)).toHaveLength(200);
    });

    it('is not sent again within the hour if the mail server accepted it without a response', async () => {
      const webhook = await subscription();
      const event = await givenUp(webhook);
      treatment = 'taken in silence';
      await alert(webhook);
      expect(mails).toHaveLength(1);
      treatment = 'taken';
      await alert(webhook);
      await moveClock(HOUR - 60);
      await alert(webhook);
      expect(mails).toHaveLength(1);
      expect(await isPlanned(webhook)).toBe(true);
      await moveClock(HOUR + 5);
      await alert(webhook); // the first mail may have been lost
      expect(mails).toHaveLength(2);
      expect(await isReported(event)).toBe(true);
    });

    it('does not use up its hour if the delivery is requested again before the mail is made', async () => {
      const webhook = await subscription();
      const event = await givenUp(webhook);
      class RequestedAgain extends WebhookAlertRepository {
        override async reserveHour(id: string) {
          const hour = await super.reserveHour(id);
          await tables.owner.query('select access.redeliver($1, $2)', [id, event]);
          return hour;
        }
      }
      await alert(webhook, smtpPort(), new RequestedAgain(database, CIPHER));
      expect(mails).toHaveLength(0);
      await givenUp(webhook);
      await alert(webhook);
      expect(mails).toHaveLength(1);
    });

    it('is not sent again within the hour if the database fails after it', async () => {
      const webhook = await subscription();
      const event = await givenUp(webhook);
      const { owner } = tables;
      await owner.query(
        `create function no_update() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
       create trigger no_update before update of alerted_at on delivery for each row execute function no_update()`,
      );
      const alerting = alert(webhook);
      await until(() => (mails.length === 1 ? true : undefined));
      await alert(webhook);
      expect([mails.length, await isReported(event)]).toEqual([1, false]);
      await owner.query('drop trigger no_update on delivery; drop function no_update');
      await alerting;
      expect(await isReported(event)).toBe(true);
      await moveClock(HOUR + 5);
      await alert(webhook);
      expect(mails).toHaveLength(1);
    });

    it('is sent once if another process reserves the hour while it waits for the same row', async () => {
      const webhook = await subscription();
      await givenUp(webhook);
      const { owner } = tables;
      const past = `insert into webhook_alert (webhook_id, mailed_at) values ($1, register_now() - interval '2 hours')`;
      await owner.query(past, [webhook]);
      await owner.query('begin');
      await owner.query('select from webhook_alert where webhook_id = $1 for update', [webhook]);
      const alerting = alert(webhook);
      await untilOneWaits(owner);
      await owner.query('update webhook_alert set mailed_at = register_now() where webhook_id = $1', [webhook]);
      await owner.query('commit');
      await alerting;
      expect([mails.length, await isPlanned(webhook)]).toEqual([0, true]);
    });

    it('is not sent after the termination of the Data User; while it is suspended, states when it can act', async () => {
      const duid = `duid_${'a'.repeat(24)}`;
      await tables.owner.query(
        `insert into account (account_id, role, display_name, duid, contact_url, status, suspended_at)
       values ($1, 'data_user', 'Larkhill', $2, 'https://larkhill.example', 'suspended', register_now())`,
        [`acc_${'a'.repeat(24)}`, duid],
      );
      const webhook = await subscription(duid);
      await givenUp(webhook, duid);
      await alert(webhook);
      expect(mails[0]).toContain('Once your account is active again: GET');
      await givenUp(webhook, duid);
      await tables.owner.query(
        `update account set status = 'terminated', suspended_at = null, terminated_at = register_now() where duid = $1`,
        [duid],
      );
      await moveClock(HOUR + 5);
      await alert(webhook);
      expect([mails.length, await isPlanned(webhook)]).toEqual([1, false]);
    });

    it.each([
      ['rejected it temporarily', 451],
      ['rejects the sender, which its operator mends', 'sender rejected'],
    ] as const)('is sent again within 30 seconds if the mail server %s', async (_, treated) => {
      const webhook = await subscription();
      const event = await givenUp(webhook);
      treatment = treated;
      await alert(webhook);
      expect(await isPlanned(webhook)).toBe(true);
      treatment = 'taken';
      await alert(webhook);
      expect(mails).toHaveLength(1);
      expect(await isReported(event)).toBe(true);
    });

    it('is sent again within 30 seconds while there is no connection to the mail server', async () => {
      const webhook = await subscription();
      await givenUp(webhook);
      await alert(webhook, 1);
      expect(await isPlanned(webhook)).toBe(true);
      await alert(webhook);
      expect(mails).toHaveLength(1);
    });

    it('is sent after the start of a process, although a restore lost its job', async () => {
      const event = await givenUp(await subscription());
      const deliveries = await deliver();
      try {
        await until(async () => ((await isReported(event)) ? true : undefined));
      } finally {
        await deliveries.stop();
      }
      expect(mails.filter((mail) => mail.includes(event))).toHaveLength(1);
    });

    it('has no address any more some time after the termination of the Data User, nor its subscription a URL or secret', async () => {
      const duid = `duid_${'b'.repeat(24)}`;
      await tables.owner.query(
        `insert into account (account_id, role, display_name, duid, contact_url, status, terminated_at)
       values ($1, 'data_user', 'Larkhill', $2, 'https://larkhill.example', 'terminated', register_now())`,
        [`acc_${'b'.repeat(24)}`, duid],
      );
      const [ended, others] = [await subscription(duid), await subscription()];
      await tables.owner.query(
        `insert into webhook_secret (webhook_id, sealed) values ($1, 'secret'), ($2, 'secret')`,
        [ended, others],
      );
      const stored = async (webhook: string) =>
        (
          await tables.owner.query(
            `select wid, deleted_at is not null as deleted, octet_length(alert_email_sealed) > 0 as mailed,
              (select count(*)::int from webhook_secret where webhook_id = webhook.id) as secrets from webhook where id = $1`,
            [webhook],
          )
        ).rows[0];
      const deliveries = await deliver();
      try {
        const { wid, ...left } = await until(async () => {
          const found = await stored(ended);
          return found.deleted ? found : undefined;
        });
        expect(left).toEqual({ deleted: true, mailed: false, secrets: 0 });
        const audit = await tables.owner.query('select actor, action from audit_entry where subject = $1', [wid]);
        expect(audit.rows).toEqual([{ actor: 'register', action: 'delete-webhook' }]);
        expect(await stored(others)).toMatchObject({ deleted: false, mailed: true, secrets: 1 });
      } finally {
        await deliveries.stop();
      }
    });

    it('is not sent again if the mail server rejected it permanently', async () => {
      const webhook = await subscription();
      const event = await givenUp(webhook);
      treatment = 554;
      await alert(webhook);
      treatment = 'taken';
      await moveClock(HOUR + 5);
      await alert(webhook);
      expect([mails.length, await isReported(event)]).toEqual([0, true]);
    });
  });
}
