import { Client } from 'pg';
import { newCustomer, newDataUser } from '../../support/customers';
import { signedInVisitor } from '../../support/portal-sign-in';
import type { PortalVisitor, VisitedPage } from '../../support/portal-visitor';
import { sharedRegister } from '../../support/register';

/** More hours than one page shows. */
const HOURS = 510;
const VERIFIED = `insert into access.look (record_id, kind, hour, count)
  select record.id, 'verification', date_trunc('hour', register.register_now()) - make_interval(hours => past), 1
  from access.access_record record join identity.identity_record owner on owner.id = identity_record_id, generate_series(1, ${HOURS}) past
  where ref = $1`;
const CHECKED = `insert into identity.identity_look (record_id, duid, kind, hour, count)
  select id, $2, 'existence-check', date_trunc('hour', register.register_now()) - make_interval(hours => ${HOURS}), 1
  from identity.identity_record where ref = $1`;

/** As many lookups of one hour as a list may have. */
const CROWDED = `insert into access.look (record_id, account_id, kind, hour, count)
  select record.id, 'account-' || caller, 'verification', date_trunc('hour', register.register_now()), 1
  from access.access_record record join identity.identity_record owner on owner.id = identity_record_id, generate_series(1, 500) caller
  where ref = $1`;

let visitor: PortalVisitor;
let ofCrowdedHour: PortalVisitor;

beforeAll(async () => {
  const register = await sharedRegister();
  const dataUser = await newDataUser(register, 'https://larkhill.example/back');
  const customer = await newCustomer(dataUser);
  const owner = new Client({ connectionString: register.databaseUrl });
  await owner.connect();
  await owner.query(VERIFIED, [customer.ir]);
  await owner.query(CHECKED, [customer.ir, dataUser.duid]);
  const crowded = await newCustomer(dataUser);
  await owner.query(CROWDED, [crowded.ir]);
  await owner.end();
  ofCrowdedHour = await signedInVisitor(register, `mpxn=${crowded.mpxn}`, crowded.email);
  visitor = await signedInVisitor(register, `mpxn=${customer.mpxn}`, customer.email);
});

const hoursOn = ({ text }: VisitedPage) => text.match(/\d\d:00–\d\d:00/g)?.length;

describe('“Who looked” with more lookups than a page shows', () => {
  it('links to the earlier ones until all are shown, and shows an hour with all of its lookups', async () => {
    const latest = await visitor.get('/who-looked');
    const [, earlier = ''] = /href="(\/who-looked\?before=[^"]+)"/.exec(latest.html) ?? [];
    expect(latest.text).not.toContain('Asked whether your meter point is known');
    const last = await visitor.get(earlier);
    expect(last.text).toContain('Asked whether your meter point is known');
    expect((hoursOn(latest) ?? 0) + (hoursOn(last) ?? 0)).toBe(HOURS + 1); // the last hour has rows for two callers
    expect(last.text).toContain('This is an earlier part of the list.');
    expect(last.html).not.toContain('?before=');
    expect(last.text).not.toContain('some of them may be missing');
    const [, inWelsh = ''] = /href="(\/who-looked\?lang=cy[^"]*)"/.exec(last.html) ?? [];
    expect((await visitor.get(inWelsh.replaceAll('&amp;', '&'))).text).toContain('Dyma ran gynharach o’r rhestr.');
    await visitor.get('/who-looked?lang=en');
  });

  it('states that an hour may have more lookups, if it has as many as a list', async () => {
    const { text, html } = await ofCrowdedHour.get('/who-looked');
    expect(text).toContain('some of them may be missing here');
    expect(html).toContain('/who-looked?before=');
  });

  it('shows the latest to a customer whose link is broken', async () => {
    const { status, html } = await visitor.get('/who-looked?before=2026-13-01T00:00:00.000Z');
    expect(status).toBe(200);
    expect(html).toContain('/who-looked?before=');
  });
});
