import { createHash, randomInt, randomUUID } from 'node:crypto';
import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { Pool } from 'pg';
import { AUDIT_ACTIONS } from '../../../schema/audit-actions';
import { fingerprintOf } from '../../../subgraphs/server/audit/audit.repository';
import { type AuthorisationObjects, authorisationObjects } from '../../support/authorisation-objects';
import { type AuthorisationFixture, authorisationFixture } from '../../support/authorisation-fixture';
import { newCustomer, newMpxn } from '../../support/customers';
import { differenceModelXml, gridArchive, lineSegment } from '../../support/grid-archives';
import { baseArchive } from '../../support/grid-base-archives';
import { publishBaseModel, publishGrid } from '../../support/grid-uploads';
import { type Graph, graphAs, graphOf } from '../../support/graph';
import { SAMPLE_MUTATIONS, type SampleMutation, asCheck } from '../../support/mutations';
import { tariffInput } from '../../support/tariff-graph';

type Field = 'auditEntries' | 'tariffAuditEntries' | 'identityAuditEntries' | 'gridAuditEntries';
const FINGERPRINT = expect.stringMatching(/^[0-9a-f]{16}$/);

/** Each change of trust, the audit that states it, and its former and new value. */
const CHANGES: readonly (readonly [mutation: string, field: Field, action: string, detail: unknown])[] = [
  [
    'onboardAccount',
    'auditEntries',
    'onboard',
    { from: null, to: { role: 'admin', displayName: 'Back Office', secret: FINGERPRINT } },
  ],
  [
    'rotateAccountSecret',
    'auditEntries',
    'rotate-secret',
    { from: { secret: FINGERPRINT }, to: { secret: FINGERPRINT } },
  ],
  ['issueSupplierApiKey', 'auditEntries', 'issue-supplier-api-key', { from: null, to: { secret: FINGERPRINT } }],
  ['suspendAccount', 'auditEntries', 'suspend', { from: { status: 'active' }, to: { status: 'suspended' } }],
  ['reactivateAccount', 'auditEntries', 'reactivate', { from: { status: 'suspended' }, to: { status: 'active' } }],
  ['terminateAccount', 'auditEntries', 'terminate', { from: { status: 'active' }, to: { status: 'terminated' } }],
  [
    'withdrawVerificationRight',
    'auditEntries',
    'withdraw-verification-right',
    { from: { isWithdrawn: false }, to: { isWithdrawn: true } },
  ],
  [
    'restoreVerificationRight',
    'auditEntries',
    'restore-verification-right',
    { from: { isWithdrawn: true }, to: { isWithdrawn: false } },
  ],
  [
    'setContactUrl',
    'auditEntries',
    'set',
    { from: { contactUrl: 'https://sallowfield.example/contact' }, to: { contactUrl: 'https://new.example/contact' } },
  ],
  [
    'setReturnUrls',
    'auditEntries',
    'set',
    { from: { returnUrls: [] }, to: { returnUrls: ['https://new.example/return'] } },
  ],
  [
    'setSupplierOAuth',
    'auditEntries',
    'set-supplier-oauth',
    {
      from: { oauthIssuer: null, oauthClientId: null, secret: null },
      to: { oauthIssuer: 'https://sso.example', oauthClientId: 'register', secret: FINGERPRINT },
    },
  ],
  [
    'setPrivacyUrl',
    'auditEntries',
    'set',
    { from: { privacyUrl: 'https://larkhill.example/privacy' }, to: { privacyUrl: 'https://new.example/privacy' } },
  ],
  [
    'setDataTypesSupported',
    'auditEntries',
    'set',
    { from: { dataTypesSupported: [] }, to: { dataTypesSupported: ['HH-CONSUMPTION'] } },
  ],
  [
    'setOrganisationReference',
    'auditEntries',
    'set',
    { from: { organisationReference: null }, to: { organisationReference: expect.stringMatching(/^R\d+$/) } },
  ],
  [
    'registerWebhook',
    'auditEntries',
    'register-webhook',
    { from: null, to: { callbackUrl: FINGERPRINT, alertEmail: FINGERPRINT, secret: FINGERPRINT } },
  ],
  [
    'deleteWebhook',
    'auditEntries',
    'delete-webhook',
    { from: { callbackUrl: FINGERPRINT, alertEmail: FINGERPRINT, secret: FINGERPRINT }, to: null },
  ],
  ['setClockOffset', 'auditEntries', 'set-clock-offset', { from: { seconds: 0 }, to: { seconds: 0 } }],
  [
    'saveSupplier',
    'tariffAuditEntries',
    'save-supplier',
    { from: null, to: expect.objectContaining({ name: 'Alderney Energy', support: FINGERPRINT }) },
  ],
  [
    'setSupplierStatus',
    'tariffAuditEntries',
    'set-supplier-status',
    { from: { status: 'active' }, to: { status: 'suspended' } },
  ],
  [
    'saveRtiUser',
    'tariffAuditEntries',
    'save-rti-user',
    {
      from: null,
      to: {
        ...{ name: 'Tally Ltd', displayName: 'Tally', webhookUrl: 'https://tally.example/events' },
        ...{ support: FINGERPRINT, contact: FINGERPRINT },
      },
    },
  ],
  [
    'setRtiUserStatus',
    'tariffAuditEntries',
    'set-rti-user-status',
    { from: { status: 'active' }, to: { status: 'suspended' } },
  ],
  [
    'registerRtiWebhook',
    'tariffAuditEntries',
    'register-rti-webhook',
    { from: null, to: { mpid: expect.any(String), webhookUrl: FINGERPRINT, secret: FINGERPRINT } },
  ],
  [
    'removeRtiWebhook',
    'tariffAuditEntries',
    'remove-rti-webhook',
    { from: { mpid: expect.any(String), webhookUrl: FINGERPRINT, secret: FINGERPRINT }, to: null },
  ],
  ['eraseEndedOccupancies', 'tariffAuditEntries', 'erase-ended-occupancies', { erased: 1, retained: 0 }],
  [
    'removeCredential',
    'identityAuditEntries',
    'remove-credential',
    {
      from: { status: 'registered', registeredAt: expect.any(String) },
      to: { status: 'removed' },
    },
  ],
  [
    'anonymiseIdentityRecord',
    'identityAuditEntries',
    'anonymise-identity-record',
    { from: { state: 'closing' }, to: { state: 'anonymised' } },
  ],
];

/** Each change of a Data User's webhook, with its former and its new values. */
const WEBHOOK_UPDATES: readonly (readonly [input: object, action: string, from: object, to: object])[] = [
  [
    { callbackUrl: 'https://new.example/events?token=not-public' },
    'update-webhook',
    { callbackUrl: FINGERPRINT },
    { callbackUrl: FINGERPRINT },
  ],
  [{ alertEmail: 'ann@new.example' }, 'update-webhook', { alertEmail: FINGERPRINT }, { alertEmail: FINGERPRINT }],
  [{ notifyDaysBefore: 7 }, 'update-webhook', { notifyDaysBefore: 30 }, { notifyDaysBefore: 7 }],
  [
    { eventTypes: ['CONSENT_EXPIRING'] },
    'update-webhook',
    { eventTypes: ['consent.expiring', 'tenancy.change', 'consent.withdrawal'] },
    { eventTypes: ['consent.expiring'] },
  ],
  [{ rotateSecret: true }, 'rotate-webhook-secret', { secret: FINGERPRINT }, { secret: FINGERPRINT }],
];

/**
 * Actions that the tests below the table show; `judge-contact` in test/identity/database/chapters/contests.ts, rejections of asserted contacts
 * in contact-rejections.ts there.
 */
const SHOWN_BELOW = [
  ...[
    'update-webhook',
    'rotate-webhook-secret',
    'register-credential',
    'reject-identity-read',
    'reject-identity-change',
  ],
  ...['revoke-tariff-consent', 'judge-contact', 'reject-asserted-contacts', 'finish-contact-rejection'],
  ...['publish-tariff', 'append-tariff-prices', 'assign-tariff', 'end-tariff-assignment'],
  ...['publish-project-version', 'publish-base-model'],
];

const PUBLISH_TARIFF = 'mutation ($input: TariffInput!) { publishTariff(input: $input) { isNew } }';
const APPEND_PRICES =
  'mutation ($input: AppendTariffPricesInput!) { appendTariffPrices(input: $input) { added changed } }';
const ASSIGN_TARIFF = `mutation ($mpxn: String!, $tariffId: String!, $at: DateTime!) {
  assignTariff(mpxn: $mpxn, tariffId: $tariffId, from: $at) { recordedAt } }`;
const END_ASSIGNMENT =
  'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { recordedAt } }';

const newTariffId = () => `trf_${randomUUID().replaceAll('-', '')}`;

describe('The audit', () => {
  let fixture: AuthorisationFixture;
  let objects: AuthorisationObjects;
  let admin: Graph;
  beforeAll(async () => {
    fixture = await authorisationFixture('one process');
    objects = authorisationObjects(fixture);
    admin = await graphAs(fixture.register, 'admin');
  }, 300_000);
  afterAll(() => fixture?.close());

  const newest = async (field: Field) => {
    const query = `{ ${field}(first: 1) { nodes { id at actor action subject detail } } }`;
    return (await admin(query)).data[field].nodes[0];
  };
  const send = async (
    { caller, nextChange: next }: SampleMutation,
    adapt = (operation: Awaited<ReturnType<typeof next>>) => operation,
  ) => {
    const { query, variables, uses } = adapt(await next(fixture, objects));
    const { authorization = '' } = fixture.credentials[caller];
    const { errors } = await graphOf(fixture.register, authorization.replace('Bearer ', ''))(query, { ...variables });
    expect(errors).toEqual([]);
    if (uses !== undefined && adapt !== asCheck) objects.usedUp(uses);
  };

  it.each(CHANGES)('states %s with actor, time and former value', async (name, field, action, detail) => {
    const mutation = SAMPLE_MUTATIONS[name] as SampleMutation;
    const earliest = Date.now() - 60_000;
    await send(mutation);
    const entry = await newest(field);
    const actor = mutation.caller === 'consumer' ? fixture.parties.users.active : fixture.accounts[mutation.caller]?.id;
    expect(entry).toMatchObject({ actor, action, detail });
    expect(Date.parse(entry.at)).toBeGreaterThan(earliest);
    expect(JSON.stringify(entry)).not.toMatch(/sk_|whsec_|not a secret|@/);
  });

  it('states the former token issuer of a supplier', async () => {
    const { mpid } = fixture.parties.supplier;
    const read =
      'query ($mpid: String!) { supplier(mpid: $mpid) { mpid name displayName support apiUrl oauthUrl issuer audience } }';
    const { supplier } = (await admin(read, { mpid })).data;
    const save = 'mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }';
    await admin(save, { input: { ...supplier, issuer: 'https://other.example' } });
    expect(await newest('tariffAuditEntries')).toMatchObject({
      action: 'save-supplier',
      subject: mpid,
      detail: { from: { issuer: supplier.issuer }, to: { issuer: 'https://other.example' } },
    });
    const { id } = await newest('tariffAuditEntries');
    await admin(save, { input: { ...supplier, issuer: 'https://other.example' } });
    expect((await newest('tariffAuditEntries')).id).toBe(id); // nothing changed
    await admin(save, { input: supplier });
  });

  const saved = async (type: 'Supplier' | 'RtiUser', input: object) => {
    const { errors } = await admin(`mutation ($input: ${type}Input!) { save${type}(input: $input) { isNew } }`, {
      input,
    });
    expect(errors).toEqual([]);
    return newest('tariffAuditEntries');
  };

  it('states that the support of a supplier or the contact of an RTI User changed, by fingerprints', async () => {
    const { variables: supplier } = await (SAMPLE_MUTATIONS['saveSupplier'] as SampleMutation).nextChange(
      fixture,
      objects,
    );
    const { variables: rtiUser } = await (SAMPLE_MUTATIONS['saveRtiUser'] as SampleMutation).nextChange(
      fixture,
      objects,
    );
    const changes = [
      ['Supplier', supplier, 'support', { support: 'help@alderney.example' }],
      ['RtiUser', rtiUser, 'support', { support: 'help@tally.example' }],
      ['RtiUser', rtiUser, 'contact', { contact: { name: 'Operations', email: 'night@tally.example' } }],
      ['RtiUser', rtiUser, 'contact', { contact: null }],
    ] as const;
    const stored = { Supplier: {}, RtiUser: {} };
    for (const [type, variables, field, change] of changes) {
      stored[type] = { ...(variables?.['input'] as object), ...stored[type] };
      const before = await saved(type, stored[type]);
      stored[type] = { ...stored[type], ...change };
      const entry = await saved(type, stored[type]);
      const to = 'contact' in change && change.contact === null ? null : FINGERPRINT;
      expect(entry.detail).toEqual({ from: { [field]: FINGERPRINT }, to: { [field]: to } });
      expect(entry.detail.from).not.toEqual(entry.detail.to);
      expect(Number(entry.id)).toBeGreaterThan(Number(before.id));
      expect((await saved(type, stored[type])).id).toBe(entry.id); // the contact is encrypted again, and equal
    }
  });

  it('states the admin who revoked the consent of a consumer', async () => {
    const { registration_id: id } = await objects.get('tariff consent of consumer');
    const revoke = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';
    expect((await admin(revoke, { id })).errors).toEqual([]);
    objects.usedUp('tariff consent of consumer');
    expect(await newest('tariffAuditEntries')).toMatchObject({
      ...{ actor: fixture.accounts.admin?.id, action: 'revoke-tariff-consent', subject: id },
      detail: { from: { revokedBy: null }, to: { revokedBy: 'admin' } },
    });
  });

  describe('of an admin who acts for a supplier', () => {
    const written = async (query: string, variables: object) => {
      expect((await admin(query, { ...variables })).errors).toEqual([]);
      const { id, at: _at, ...entry } = await newest('tariffAuditEntries');
      return { ...entry, id: Number(id) };
    };
    const actor = () => ({ actor: fixture.accounts.admin?.id });
    const inHours = (hours: number) => new Date(Date.UTC(2040, 0, 1, hours)).toISOString();

    it('states a published tariff, the versions of a correction, and ends that move, once', async () => {
      const { mpid } = fixture.parties.supplier;
      const tariffId = newTariffId();
      const input = tariffInput(0, { tariffId, mpid });
      const publish = (changed: object) => written(PUBLISH_TARIFF, { input: { ...input, ...changed } });
      const published = { mpid, version: 1, validTo: null, sellableTo: null };
      const entry = { ...actor(), action: 'publish-tariff', subject: tariffId };
      expect(await publish({})).toMatchObject({ ...entry, detail: { from: null, to: published } });
      const corrected = await publish({ name: 'Corrected' });
      expect(corrected).toMatchObject({ ...entry, detail: { from: published, to: { ...published, version: 2 } } });
      const withdrawn = { validTo: inHours(48), sellableTo: inHours(24) };
      const moved = await publish({ name: 'Corrected', ...withdrawn });
      expect(moved.detail).toEqual({
        from: { ...published, version: 2 },
        to: { ...published, version: 2, ...withdrawn },
      });
      expect((await publish({ name: 'Corrected', ...withdrawn })).id).toBe(moved.id); // nothing changed
    });

    it('states appended prices with those that they replace, once', async () => {
      const { mpid } = fixture.parties.supplier;
      const tariffId = newTariffId();
      await admin(PUBLISH_TARIFF, { input: tariffInput(0, { tariffId, mpid, tariffType: 'DYNAMIC' }) });
      const append = (...prices: readonly (readonly [from: string, unitPrice: string])[]) =>
        written(APPEND_PRICES, {
          input: { mpid, tariffId, prices: prices.map(([from, unitPrice]) => ({ from, unitPrice })) },
        });
      const [first, second] = [inHours(0), inHours(1)];
      expect(await append([first, '0.21'])).toMatchObject({
        ...{ ...actor(), action: 'append-tariff-prices', subject: tariffId },
        detail: { from: null, to: { prices: [`${first} 0.21`] } },
      });
      const changed = await append([first, '0.99'], [second, '0.35']);
      expect(changed.detail).toEqual({
        from: { prices: [`${first} 0.21`] },
        to: { prices: [`${first} 0.99`, `${second} 0.35`] },
      });
      expect((await append([first, '0.99'], [second, '0.35'])).id).toBe(changed.id); // nothing changed
    });

    it('states assignments and ends with what was assigned before and what they withdraw, and names no MPxN', async () => {
      const { tariffId, supplier } = fixture.parties;
      const { mpid } = supplier;
      const mpxn = newMpxn();
      const other = newTariffId();
      await admin(PUBLISH_TARIFF, { input: tariffInput(0, { tariffId: other, mpid }) });
      const step = (id: string | null, validFrom: string) => ({ mpid, tariffId: id, validFrom });
      const [start, next] = [inHours(0), inHours(24)];
      const assigned = await written(ASSIGN_TARIFF, { mpxn, tariffId, at: start });
      expect(assigned).toMatchObject({ ...actor(), action: 'assign-tariff', subject: FINGERPRINT });
      expect(assigned.detail).toEqual({ from: null, to: step(tariffId, start), withdrawn: [] });
      const replaced = await written(ASSIGN_TARIFF, { mpxn, tariffId: other, at: next });
      expect(replaced.detail).toEqual({ from: step(tariffId, start), to: step(other, next), withdrawn: [] });
      expect((await written(ASSIGN_TARIFF, { mpxn, tariffId: other, at: next })).id).toBe(replaced.id); // nothing changed
      const ended = await written(END_ASSIGNMENT, { mpxn, at: next });
      expect(ended).toMatchObject({ ...actor(), action: 'end-tariff-assignment', subject: assigned.subject });
      const withdrawn = [`${mpid} ${other} ${next}`];
      expect(ended.detail).toEqual({ from: step(other, next), to: step(null, next), withdrawn });
      expect(JSON.stringify([assigned, replaced, ended])).not.toContain(mpxn);
    });

    it('does not state what a supplier itself does: its tariffs and assignments have their own history', async () => {
      const { id } = await newest('tariffAuditEntries');
      await send(SAMPLE_MUTATIONS['publishTariff'] as SampleMutation);
      expect((await newest('tariffAuditEntries')).id).toBe(id);
    });
  });

  it('states who published each version of a project and each base model, once', async () => {
    const { register } = fixture;
    const cycle = { area: 'EPN', publicationYear: randomInt(2030, 2090), period: '01' };
    const project = { ...cycle, projectId: 'Audited' };
    const subject = `EPN/${cycle.publicationYear}/01`;
    const entryOf = (archive: Buffer, version: number) => ({
      actor: fixture.accounts.admin?.id,
      detail: { version, archiveSha256: createHash('sha256').update(archive).digest('hex') },
    });
    const corrected = await gridArchive({
      EQ: differenceModelXml('EQ', { forward: lineSegment(randomUUID(), 'Corrected') }),
    });
    for (const [version, bytes] of [await gridArchive(), corrected].entries()) {
      await publishGrid(register, project, bytes);
      const published = {
        action: 'publish-project-version',
        subject: `${subject}/Audited`,
        ...entryOf(bytes, version + 1),
      };
      expect(await newest('gridAuditEntries')).toMatchObject(published);
    }
    const { id } = await newest('gridAuditEntries');
    await expect(publishGrid(register, project, corrected)).rejects.toThrow('upload failed with 200'); // a repetition
    expect((await newest('gridAuditEntries')).id).toBe(id);
    const base = await baseArchive();
    await publishBaseModel(register, cycle, base);
    expect(await newest('gridAuditEntries')).toMatchObject({
      action: 'publish-base-model',
      subject,
      ...entryOf(base, 1),
    });
  });

  it('has a line in these tests for every action', () => {
    const shown = [...CHANGES.map(([, , action]) => action), ...SHOWN_BELOW];
    const actions = Object.values(AUDIT_ACTIONS).flatMap((ofService) => Object.keys(ofService));
    expect([...new Set(shown)].toSorted()).toEqual(actions.toSorted());
  });

  it.each(WEBHOOK_UPDATES)('states the change %j of a webhook, once', async (input, action, from, to) => {
    const owner = graphOf(fixture.register, fixture.organisations.owner.token);
    const { wid } = await objects.get('webhook of owner');
    const before = await newest('auditEntries');
    const update =
      'mutation ($wid: WebhookId!, $input: WebhookUpdateInput!) { updateWebhook(wid: $wid, input: $input) { webhook { wid } } }';
    expect((await owner(update, { wid, input })).errors).toEqual([]);
    const entry = await newest('auditEntries');
    expect(entry).toMatchObject({ actor: fixture.accounts.owner?.id, action, subject: wid });
    expect(entry.detail).toEqual({ from, to });
    expect(entry.detail.from).not.toEqual(entry.detail.to);
    expect(Number(entry.id)).toBeGreaterThan(Number(before.id));
    if ('rotateSecret' in input) return;
    await owner(update, { wid, input });
    expect((await newest('auditEntries')).id).toBe(entry.id); // nothing changed
  });

  it('states the former URL and secret of a webhook of an RTI User', async () => {
    const { authorization = '' } = fixture.credentials.consumer;
    const consumer = graphOf(fixture.register, authorization.replace('Bearer ', ''));
    const register = (url: string) =>
      consumer('mutation ($url: String!) { registerRtiWebhook(webhookUrl: $url) { webhookId } }', { url });
    await register('https://pennywise.example/one');
    const first = await newest('tariffAuditEntries');
    await register('https://pennywise.example/two');
    const second = await newest('tariffAuditEntries');
    const { webhookUrl, secret } = first.detail.to;
    expect(second.detail.from).toEqual({ webhookUrl, secret });
    expect(second.detail.to.webhookUrl).not.toBe(webhookUrl);
    expect(second.detail.to.secret).not.toBe(secret);
  });

  it('states the passkey that a customer registers, and names no customer', async () => {
    await send(SAMPLE_MUTATIONS['removeCredential'] as SampleMutation);
    const { subject } = await newest('identityAuditEntries');
    const query = `{ identityAuditEntries(first: 500, filter: { action: "register-credential" }) {
      nodes { actor action subject detail } } }`;
    const { nodes } = (await admin(query)).data.identityAuditEntries;
    const detail = { from: null, to: { status: 'registered' } };
    expect(nodes).toContainEqual({ actor: 'customer', action: 'register-credential', subject, detail });
  });

  it("states that a Data User tried to read another's Identity Record, once an hour; reads of an own one are not stated", async () => {
    const { ir } = await objects.get('customer of owner');
    const read = async (caller: 'owner' | 'other') =>
      (
        await graphOf(fixture.register, fixture.organisations[caller].token)(
          'query ($ref: IdentityRecordKey!) { identityRecord(ref: $ref) { piiPrincipal { mpxn } } }',
          { ref: ir },
        )
      ).errors.length;
    const before = await newest('identityAuditEntries');
    expect(await read('owner')).toBe(0);
    expect((await newest('identityAuditEntries')).id).toBe(before.id);
    expect(await read('other')).toBe(1);
    const entry = await newest('identityAuditEntries');
    expect(entry).toMatchObject({
      actor: fixture.accounts.other?.id,
      action: 'reject-identity-read',
      subject: fingerprintOf(String(ir)),
      detail: {},
    });
    expect((await fixture.organisations.other.rest('GET', `/v1/identity-records/${ir}`)).status).toBe(403);
    expect((await newest('identityAuditEntries')).id).toBe(entry.id);
  });

  it("states attempts to change or use another's Identity Record, in a check, too: each once an hour", async () => {
    const { organisations, register, accounts } = fixture;
    const attempts: Record<string, (ir: string) => Promise<unknown>> = {
      anonymising: (ir) => organisations.other.rest('DELETE', `/v1/identity-records/${ir}`),
      'removal of a passkey': (ir) =>
        organisations.other.rest('DELETE', `/v1/identity-records/${ir}/credentials/cred_${'0'.repeat(24)}`),
      're-identification': (ir) =>
        organisations.other.rest('POST', `/v1/identity-records/${ir}/re-identify`, { method: 'magic-link' }),
      'check of an anonymising': (ir) =>
        graphOf(register, organisations.other.token)(
          'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref, dryRun: true) { ir } }',
          { ref: ir },
        ),
    };
    for (const attempt of Object.values(attempts)) {
      const { ir } = await newCustomer(organisations.owner);
      await attempt(ir);
      const entry = await newest('identityAuditEntries');
      expect(entry).toMatchObject({
        actor: accounts.other?.id,
        action: 'reject-identity-change',
        subject: fingerprintOf(ir),
        detail: {},
      });
      await attempt(ir);
      expect((await newest('identityAuditEntries')).id).toBe(entry.id);
    }
  });

  it.each<Field>(['auditEntries', 'tariffAuditEntries', 'identityAuditEntries'])(
    '%s is filtered by action, by actor and by both',
    async (field) => {
      const listed = async (filter: object): Promise<{ id: string; action: string; actor: string }[]> => {
        const type = 'query ($filter: AuditFilter) ';
        const { data } = await admin(`${type}{ ${field}(first: 500, filter: $filter) { nodes { id action actor } } }`, {
          filter,
        });
        return data[field].nodes;
      };
      const all = await listed({});
      const { action, actor } = all.at(-1) as { action: string; actor: string };
      expect(await listed({ action })).toEqual(all.filter((each) => each.action === action));
      expect(await listed({ actor })).toEqual(all.filter((each) => each.actor === actor));
      const both = all.filter((each) => each.action === action && each.actor === actor);
      expect(await listed({ action, actor })).toEqual(both);
      expect(await listed({ action, actor: 'nobody' })).toEqual([]);
    },
  );

  it('rejects an action that no service has, and names those that exist', async () => {
    const { errors } = await admin('{ auditEntries(filter: { action: "saveSupplier" }) { nodes { id } } }');
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/^filter\.action: is not an action of the audit.*, save-supplier, /),
        extensions: expect.objectContaining({ code: 'VAL003' }),
      }),
    ]);
  });

  it('does not state a check', async () => {
    const { id } = await newest('tariffAuditEntries');
    await send(SAMPLE_MUTATIONS['saveSupplier'] as SampleMutation, asCheck);
    expect((await newest('tariffAuditEntries')).id).toBe(id);
  });

  it.each(['access', 'identity', 'tariffs', 'grid_models'])(
    'is append-only in %s, and its login writes neither instant nor position',
    async (schema) => {
      const pool = new Pool({ connectionString: fixture.register.databaseUrl, max: 1 });
      const codeOf = (statement: string) =>
        pool.query(statement).then(
          () => 'done',
          ({ code }: { code: string }) => code,
        );
      const table = `${schema}.audit_entry`;
      const codes = [
        await codeOf(`update ${table} set actor = 'x'`),
        await codeOf(`delete from ${table}`),
        await codeOf(`truncate ${table}`),
      ];
      expect(codes).toEqual(['23001', '23001', '23001']);
      const granted = async (what: string, from: string) => {
        const { rows } = await pool.query(
          `select distinct ${what} as granted from information_schema.${from}
         where table_schema = $1 and table_name = 'audit_entry' and grantee <> current_user order by 1`,
          [schema],
        );
        return rows.map((row) => row.granted as string);
      };
      expect(await granted('privilege_type', 'role_table_grants')).toEqual(['SELECT']);
      const writes = (await granted(`privilege_type || ' ' || column_name`, 'role_column_grants')).filter(
        (right) => !right.startsWith('SELECT'),
      );
      expect(writes).toEqual(['INSERT action', 'INSERT actor', 'INSERT detail', 'INSERT subject']);
      await pool.end();
    },
  );

  it('is described in the schema', async () => {
    const schema = buildClientSchema((await admin(getIntrospectionQuery())).data);
    const fields = Object.keys(schema.getQueryType()?.getFields() ?? {});
    const audits = ['auditEntries', 'tariffAuditEntries', 'identityAuditEntries', 'gridAuditEntries'];
    expect(fields).toEqual(expect.arrayContaining(audits));
  });
});
