import type { Caller } from '../../subgraphs/server/caller';
import {
  ADMIN,
  ASSIGN,
  PUBLISH,
  type TariffGraph,
  supplierInput,
  supplierOf,
  tariffGraph,
  tariffInput,
  trf,
} from '../support/tariff-graph';

let graph: TariffGraph;
let userId: string;
beforeAll(async () => {
  graph = await tariffGraph();
  await graph.suppliers('LAPW', 'FELL');
  await graph.ask(PUBLISH, { input: tariffInput(1) }, supplierOf('LAPW'));
  const input = {
    ...{ name: 'Tern Insight Ltd', displayName: 'Tern', support: 'help@tern.example' },
    ...{ webhookUrl: 'https://tern.example/hooks', contact: { email: 'operations@tern.example' } },
  };
  const { saveRtiUser } = await graph.ask(
    'mutation ($input: RtiUserInput!) { saveRtiUser(input: $input) { rtiUser { userId } } }',
    { input },
    ADMIN,
  );
  userId = saveRtiUser.rtiUser.userId;
});
afterAll(() => graph?.close());

const SET =
  'mutation ($mpid: String!, $status: RegisterEntryStatus!) { setSupplierStatus(mpid: $mpid, status: $status) { status } }';
const MPXN = '1012345678';
const FROM = '2026-02-01T00:00:00.000Z';
const REPORT = {
  ...{ periodStart: FROM, periodEnd: '2026-03-01T00:00:00.000Z', totalRequests: 1, notificationsIssued: 1 },
  ...{ availabilityPct: 100, successPct: 100, responseTimeMs: { p50: 1, p95: 2, p99: 3 } },
};

/** Everything for which a supplier must be one, with the variables of a request that is good. */
const AS_SUPPLIER: readonly [field: string, query: string, variables: () => Record<string, unknown>][] = [
  ['RtiUser.contact', 'query ($id: String!) { rtiUser(userId: $id) { contact { email } } }', () => ({ id: userId })],
  ['RtiUser.webhookUrl', 'query ($id: String!) { rtiUser(userId: $id) { webhookUrl } }', () => ({ id: userId })],
  ['Supplier.issuer', 'query ($mpid: String!) { supplier(mpid: $mpid) { issuer } }', () => ({})],
  ['Supplier.audience', 'query ($mpid: String!) { supplier(mpid: $mpid) { audience } }', () => ({})],
  ['tariffConsents', '{ tariffConsents { nextCursor } }', () => ({})],
  ['rtiWebhooks', '{ rtiWebhooks { nextCursor } }', () => ({})],
  ['tariffEvents', '{ tariffEvents { nextCursor } }', () => ({})],
  ['tariffEvent', `{ tariffEvent(id: "evt_${'0'.repeat(24)}") { id } }`, () => ({})],
  ['tariffAssignments', `{ tariffAssignments(mpxn: "${MPXN}") { nextCursor } }`, () => ({})],
  ['appliedTariff', `{ appliedTariff(mpxn: "${MPXN}") { tariffId } }`, () => ({})],
  ['performanceReports', '{ performanceReports { nextCursor } }', () => ({})],
  ['publishTariff', PUBLISH, () => ({ input: tariffInput(1) })],
  ['assignTariff', ASSIGN, () => ({ mpxn: MPXN, tariffId: trf(1), from: FROM })],
  [
    'endTariffAssignment',
    'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { from } }',
    () => ({ mpxn: MPXN, at: '2026-02-02T00:00:00.000Z' }),
  ],
  [
    'submitPerformanceReport',
    'mutation ($input: PerformanceReportInput!) { submitPerformanceReport(input: $input) { reportId } }',
    () => ({ input: REPORT }),
  ],
];

const INACTIVE = { code: 'PRM001', message: 'The supplier is not active in the register.' };

/** What is told of a request: the code and the message of its one error, undefined without any. */
async function told(query: string, variables: Record<string, unknown>, caller: Caller) {
  const known = query.includes('$mpid: String!') && caller.mpid !== null ? { mpid: caller.mpid } : {};
  const context = { caller, service: null, transactionId: `tid_${'0'.repeat(24)}`, clientAddress: '192.0.2.1' };
  const { errors } = await graph.running.link.execute({ query, variables: { ...known, ...variables } }, context);
  if (errors === undefined) return undefined;
  expect(errors).toHaveLength(1);
  return { code: errors[0]?.extensions['code'], message: errors[0]?.message };
}

describe('A supplier', () => {
  it('that is active in the register may do what suppliers may', async () => {
    for (const [field, query, variables] of AS_SUPPLIER)
      expect([field, await told(query, variables(), supplierOf('LAPW'))]).toEqual([field, undefined]);
  });

  it('that is not may not, from the next request on', async () => {
    for (const status of ['SUSPENDED', 'DISABLED']) {
      await graph.ask(SET, { mpid: 'LAPW', status }, ADMIN);
      for (const [field, query, variables] of AS_SUPPLIER)
        expect([field, await told(query, variables(), supplierOf('LAPW'))]).toEqual([field, INACTIVE]);
    }
    await graph.ask(SET, { mpid: 'LAPW', status: 'ACTIVE' }, ADMIN);
    for (const [field, query, variables] of AS_SUPPLIER)
      expect([field, await told(query, variables(), supplierOf('LAPW'))]).toEqual([field, undefined]);
    await graph.ask(SET, { mpid: 'FELL', status: 'REMOVED' }, ADMIN);
    for (const [field, query, variables] of AS_SUPPLIER)
      expect([field, await told(query, variables(), supplierOf('FELL'))]).toEqual([field, INACTIVE]);
  });

  it('that has no entry may not either; of its report it is told that it is not known', async () => {
    for (const [field, query, variables] of AS_SUPPLIER.filter(([name]) => !name.startsWith('Supplier.'))) {
      const expected =
        field === 'submitPerformanceReport' ? { code: 'NTF002', message: 'The supplier is not known.' } : INACTIVE;
      expect([field, await told(query, variables(), supplierOf('NONE'))]).toEqual([field, expected]);
    }
  });

  it('that is not active sees what anyone sees, and so does whoever else is asked about', async () => {
    await graph.ask(
      'mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }',
      {
        input: supplierInput('TEAL', { issuer: 'https://oauth.teal.example', audience: 'tariffs' }),
      },
      ADMIN,
    );
    const query = `{ supplier(mpid: "TEAL") { name issuer } rtiUser(userId: "${userId}") { name } tariffs { nodes { tariffId } } }`;
    expect(await graph.ask(query, {}, supplierOf('FELL'))).toEqual(await graph.ask(query));
  });
});
