import { randomInt, randomUUID } from 'node:crypto';
import { Kind, parse, print, visit } from 'graphql';
import { onboarded } from './administration';
import { GRAPH_REQUESTS, type GraphOperation } from './authorisation-graph-requests';
import { type AuthorisationObjects, webhookBody } from './authorisation-objects';
import type { AuthorisationFixture } from './authorisation-fixture';
import type { CallerName } from './authorisation-table';
import { newMpid, newMpxn } from './customers';
import { graphAs } from './graph';
import { ASSIGN } from './tariff-graph';

/** A mutation that succeeds, and who sends it. Each call returns a change that has not been made yet. */
export interface SampleMutation {
  readonly caller: CallerName;
  readonly nextChange: (fixture: AuthorisationFixture, objects: AuthorisationObjects) => Promise<GraphOperation>;
}

/** A mutation as in the tables of authorisation. */
const tabled = (name: string, caller: CallerName, object: string): [string, SampleMutation] => [
  name,
  {
    caller,
    nextChange: async (fixture, objects) =>
      (GRAPH_REQUESTS[`Mutation.${name}`] as NonNullable<(typeof GRAPH_REQUESTS)[string]>)({
        ...{ object, caller, fixture, objects },
      }),
  },
];

type Variables = Record<string, unknown>;

const sample = (
  caller: CallerName,
  query: string,
  variables: (
    fixture: AuthorisationFixture,
    objects: AuthorisationObjects,
  ) => Variables | Promise<Variables> = () => ({}),
): SampleMutation => ({
  caller,
  nextChange: async (fixture, objects) => ({ query, variables: await variables(fixture, objects) }),
});

const newAccount = async ({ register }: AuthorisationFixture, role = 'DATA_USER'): Promise<Variables> => {
  const input = { role, displayName: 'Sallowfield Ltd', contactUrl: 'https://sallowfield.example/contact' };
  const mpid = role === 'SUPPLIER' ? { mpid: newMpid() } : {};
  return { id: (await onboarded(await graphAs(register, 'admin'), { ...input, ...mpid })).accountId };
};

const accountAfter =
  (...mutations: readonly string[]) =>
  async (fixture: AuthorisationFixture): Promise<Variables> => {
    const account = await newAccount(fixture);
    const admin = await graphAs(fixture.register, 'admin');
    for (const name of mutations) await admin(`mutation ($id: ID!) { ${name}(accountId: $id) { status } }`, account);
    return account;
  };

const setting = (name: string, more: string, role?: string): SampleMutation =>
  sample('admin', `mutation ($id: ID!) { ${name}(accountId: $id, ${more}) { accountId } }`, (fixture) =>
    newAccount(fixture, role),
  );

const standing = (name: string, ...before: readonly string[]): SampleMutation =>
  sample('admin', `mutation ($id: ID!) { ${name}(accountId: $id) { status } }`, accountAfter(...before));

const secret = (name: string, role?: string): SampleMutation =>
  sample('admin', `mutation ($id: ID!) { ${name}(accountId: $id) { secretKey } }`, (fixture) =>
    newAccount(fixture, role),
  );

const DAY = '2026-03-02';

const supplierEntry = (): Variables => {
  const mpid = newMpid();
  const address = `https://tariffs.${mpid.toLowerCase()}.example`;
  return { input: { mpid, name: 'Alderney Energy', displayName: 'Alderney', support: address, apiUrl: address } };
};

const rtiUserEntry = (): Variables => ({
  input: {
    userId: `usr_${randomUUID().replaceAll('-', '')}`,
    ...{ name: 'Tally Ltd', displayName: 'Tally', support: 'https://tally.example/help' },
    ...{ webhookUrl: 'https://tally.example/events' },
    contact: { name: 'Operations', email: 'operations@tally.example', telephone: '+44 1632 960001' },
  },
});

const SAVE_SUPPLIER = 'mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }';
const END_ASSIGNMENT =
  'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { recordedAt } }';
const SAVE_RTI_USER = 'mutation ($input: RtiUserInput!) { saveRtiUser(input: $input) { isNew } }';

/** Every mutation of the public schema that can be checked, with a change that it makes. */
export const SAMPLE_MUTATIONS: Readonly<Record<string, SampleMutation>> = {
  ...Object.fromEntries([
    tabled('registerAccessRecord', 'owner', "the owner's"),
    tabled('replaceAccessRecord', 'owner', "the owner's"),
    tabled('revokeAccessRecord', 'owner', "the owner's"),
    tabled('anonymiseIdentityRecord', 'owner', "the owner's"),
    tabled('removeCredential', 'owner', "the owner's"),
    tabled('registerConsent', 'owner', "the owner's"),
    tabled('withdrawConsent', 'customer', "the customer's"),
    tabled('updateWebhook', 'owner', "the owner's"),
    tabled('redeliverEvent', 'owner', "the owner's"),
    tabled('testWebhook', 'owner', "the owner's"),
    tabled('deleteWebhook', 'owner', "the owner's"),
    tabled('assignTariff', 'supplier', "the supplier's"),
    tabled('endTariffAssignment', 'supplier', "the supplier's"),
    tabled('revokeTariffConsent', 'consumer', "the consumer's"),
    tabled('removeRtiWebhook', 'consumer', "the consumer's"),
  ]),
  publishTariff: {
    caller: 'supplier',
    nextChange: async (fixture, objects) => {
      const [, { nextChange }] = tabled('publishTariff', 'supplier', "the supplier's");
      const { query, variables } = await nextChange(fixture, objects);
      const tariffId = `trf_${randomUUID().replaceAll('-', '')}`;
      return { query, variables: { input: { ...(variables?.['input'] as object), tariffId } } };
    },
  },
  registerIdentityRecord: sample(
    'owner',
    'mutation ($input: IdentityRecordInput!) { registerIdentityRecord(input: $input) { ir } }',
    () => ({
      input: {
        piiPrincipal: { mpxn: newMpxn(), moveInDate: DAY },
        ...{ expressedBy: 'DATA_SUBJECT', email: 'ann@orchard.example' },
      },
    }),
  ),
  registerWebhook: sample(
    'owner',
    'mutation ($input: WebhookInput!) { registerWebhook(input: $input) { signingSecret webhook { wid } } }',
    () => {
      const body = webhookBody();
      return { input: { callbackUrl: body['callback-url'], alertEmail: body['alert-email'] } };
    },
  ),
  reportDiscoveredAccess: sample(
    'operator',
    'mutation ($input: DiscoveredAccessInput!) { reportDiscoveredAccess(input: $input) { isNew } }',
    () => ({
      input: {
        ...{ mpxn: newMpxn(), organisationName: 'Unknown Ltd', organisationReference: randomUUID(), firstSeen: DAY },
        ...{ dataTypesObserved: ['HH_CONSUMPTION'], sourceReference: randomUUID() },
      },
    }),
  ),
  recordChangeOfTenancy: sample(
    'operator',
    'mutation ($input: ChangeOfTenancyInput!) { recordChangeOfTenancy(input: $input) { isNew } }',
    async (_, objects) => {
      objects.usedUp('customer of owner');
      const { mpxn } = await objects.get('customer of owner');
      return { input: { mpxn, effectiveDate: DAY, sourceReference: randomUUID() } };
    },
  ),
  onboardAccount: sample(
    'admin',
    'mutation ($input: AccountInput!) { onboardAccount(input: $input) { secretKey } }',
    () => ({ input: { role: 'ADMIN', displayName: 'Back Office' } }),
  ),
  rotateAccountSecret: secret('rotateAccountSecret'),
  issueSupplierApiKey: secret('issueSupplierApiKey', 'SUPPLIER'),
  suspendAccount: standing('suspendAccount'),
  reactivateAccount: standing('reactivateAccount', 'suspendAccount'),
  terminateAccount: standing('terminateAccount'),
  withdrawVerificationRight: standing('withdrawVerificationRight'),
  restoreVerificationRight: standing('restoreVerificationRight', 'withdrawVerificationRight'),
  rejectAssertedContacts: sample(
    'admin',
    'mutation ($duid: DUID!) { rejectAssertedContacts(duid: $duid) { contactsRejected } }',
    async ({ register }) => {
      const input = { role: 'DATA_USER', displayName: 'Sallowfield Ltd', contactUrl: 'https://sallowfield.example/' };
      return { duid: (await onboarded(await graphAs(register, 'admin'), input)).duid };
    },
  ),
  setContactUrl: setting('setContactUrl', 'contactUrl: "https://new.example/contact"'),
  setPrivacyUrl: setting('setPrivacyUrl', 'privacyUrl: "https://new.example/privacy"'),
  setDataTypesSupported: setting('setDataTypesSupported', 'dataTypesSupported: [HH_CONSUMPTION]'),
  setOrganisationReference: setting('setOrganisationReference', `organisationReference: "R${randomInt(1e9)}"`),
  setReturnUrls: setting('setReturnUrls', 'returnUrls: ["https://new.example/return"]'),
  setSupplierOAuth: setting(
    'setSupplierOAuth',
    'issuer: "https://sso.example", clientId: "register", clientSecret: "not a secret at all"',
    'SUPPLIER',
  ),
  setClockOffset: sample('admin', 'mutation { setClockOffset(seconds: 0) }'),
  appendTariffPrices: {
    caller: 'supplier',
    nextChange: async (fixture, objects) => {
      const [, { nextChange }] = tabled('appendTariffPrices', 'supplier', "the supplier's");
      objects.usedUp('dynamic tariff of supplier');
      return nextChange(fixture, objects);
    },
  },
  prepareBaseModelPublication: sample(
    'admin',
    'mutation ($input: BaseModelPublicationInput!) { prepareBaseModelPublication(input: $input) { address } }',
    () => ({ input: { area: 'EPN', publicationYear: 2026, period: '02' } }),
  ),
  prepareGridPublication: sample(
    'admin',
    'mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }',
    () => ({ input: { area: 'EPN', publicationYear: 2026, period: '02', projectId: 'Checked' } }),
  ),
  saveSupplier: sample('admin', SAVE_SUPPLIER, supplierEntry),
  setSupplierStatus: sample(
    'admin',
    'mutation ($mpid: String!) { setSupplierStatus(mpid: $mpid, status: SUSPENDED) { status } }',
    async ({ register }) => {
      const entry = supplierEntry();
      await (
        await graphAs(register, 'admin')
      )(SAVE_SUPPLIER, entry);
      return { mpid: (entry['input'] as Variables)['mpid'] };
    },
  ),
  saveRtiUser: sample('admin', SAVE_RTI_USER, rtiUserEntry),
  setRtiUserStatus: sample(
    'admin',
    'mutation ($userId: String!) { setRtiUserStatus(userId: $userId, status: SUSPENDED) { status } }',
    async ({ register }) => {
      const entry = rtiUserEntry();
      await (
        await graphAs(register, 'admin')
      )(SAVE_RTI_USER, entry);
      return { userId: (entry['input'] as Variables)['userId'] };
    },
  ),
  submitPerformanceReport: sample(
    'supplier',
    'mutation ($input: PerformanceReportInput!) { submitPerformanceReport(input: $input) { reportId } }',
    () => ({
      input: {
        ...{ periodStart: '2026-09-01T00:00:00Z', periodEnd: '2026-10-01T00:00:00Z', totalRequests: 10 },
        ...{ notificationsIssued: 1, availabilityPct: 99.5, successPct: 99.5 },
        responseTimeMs: { p50: 1, p95: 2, p99: 3 },
      },
    }),
  ),
  eraseEndedOccupancies: sample(
    'admin',
    'mutation ($mpxn: String!) { eraseEndedOccupancies(mpxn: $mpxn) { __typename } }',
    async ({ parties }) => {
      const mpxn = newMpxn();
      const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
      await parties.admin(ASSIGN, { mpxn, tariffId: parties.tariffId, from: hoursAgo(2) });
      await parties.admin(END_ASSIGNMENT, { mpxn, at: hoursAgo(1) });
      return { mpxn };
    },
  ),
  giveTariffConsent: sample('consumer', 'mutation { giveTariffConsent { isNew } }'),
  registerRtiWebhook: sample(
    'consumer',
    'mutation { registerRtiWebhook(webhookUrl: "https://pennywise.example/checked") { signingSecret isNew } }',
  ),
  endCustomerSession: sample('customer', 'mutation { endCustomerSession }'),
};

/** Returns an operation with `dryRun: true` on its mutations. */
export function asCheck({ query, ...rest }: GraphOperation): GraphOperation {
  const value = { kind: Kind.BOOLEAN, value: true } as const;
  const dryRun = { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'dryRun' }, value } as const;
  const checked = visit(parse(query, { noLocation: true }), {
    OperationDefinition: (operation) => ({
      ...operation,
      selectionSet: {
        ...operation.selectionSet,
        selections: operation.selectionSet.selections.map((selection) =>
          selection.kind === Kind.FIELD
            ? { ...selection, arguments: [...(selection.arguments ?? []), dryRun] }
            : selection,
        ),
      },
    }),
  });
  return { ...rest, query: print(checked) };
}
