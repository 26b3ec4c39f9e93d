import { type TariffGraph, ADMIN, ANALYST, supplierOf, tariffGraph } from '../../../support/tariff-graph';

export function reportsOfSuppliers(): void {
  let graph: TariffGraph;
  beforeAll(async () => {
    graph = await tariffGraph();
    await graph.suppliers('LAPW', 'FELL');
  });
  afterAll(() => graph?.close());

  const SUBMIT =
    'mutation Submit($input: PerformanceReportInput!) { submitPerformanceReport(input: $input) { reportId receivedAt } }';
  const report = (day: number, changed: Record<string, unknown> = {}) => ({
    periodStart: `2026-05-0${day}T00:00:00Z`,
    periodEnd: `2026-05-0${day + 1}T00:00:00Z`,
    ...{ totalRequests: 3_000_000_000, notificationsIssued: 17, availabilityPct: 99.95, successPct: 100 },
    responseTimeMs: { p50: 12, p95: 80, p99: 80 },
    ...changed,
  });
  const submit = (input: Record<string, unknown>, mpid = 'LAPW') => graph.execute(SUBMIT, { input }, supplierOf(mpid));

  it('are submitted by suppliers; a report for the same period replaces the former one', async () => {
    const { submitPerformanceReport: first } = await submit(report(1));
    await submit(report(2));
    await submit(report(2), 'FELL');
    const { submitPerformanceReport: again } = await submit(report(1, { totalRequests: 5 }));
    expect(again.reportId).toBe(first.reportId);
    const { performanceReports } = await graph.execute(
      '{ performanceReports(filter: { mpid: "LAPW" }) { nodes { reportId periodStart totalRequests responseTimeMs { p99 } supplier { mpid } } } }',
      {},
      ANALYST,
    );
    expect(performanceReports.nodes).toMatchObject([
      { periodStart: '2026-05-02T00:00:00.000Z', totalRequests: 3_000_000_000, supplier: { mpid: 'LAPW' } },
      { reportId: first.reportId, totalRequests: 5, responseTimeMs: { p99: 80 } },
    ]);
  });

  it('are listed by page and period; a supplier sees its own', async () => {
    const query = '{ performanceReports(first: 1) { nodes { supplier { mpid } } nextCursor } }';
    const { performanceReports } = await graph.execute(query, {}, supplierOf('FELL'));
    expect(performanceReports).toEqual({ nodes: [{ supplier: { mpid: 'FELL' } }], nextCursor: null });
    const { performanceReports: all } = await graph.execute(query, {}, ADMIN);
    const rest = await graph.execute(
      `{ performanceReports(after: "${all.nextCursor}", filter: { from: "2026-05-01T12:00:00Z", to: "2026-05-02T00:00:00Z" }) {
      nodes { periodStart } } }`,
      {},
      ADMIN,
    );
    expect(rest.performanceReports.nodes).toEqual([{ periodStart: '2026-05-01T00:00:00.000Z' }]);
    expect(
      await graph.errorOf('{ performanceReports(filter: { mpid: "LAPW" }) { nextCursor } }', {}, supplierOf('FELL')),
    ).toBe('PRM002');
    expect(await graph.errorOf(query)).toBe('AUT001');
  });

  it('are rejected if they violate rules or their supplier is unknown', async () => {
    const broken = report(3, {
      periodEnd: '2026-05-03T00:00:00Z',
      successPct: 101,
      responseTimeMs: { p50: 9, p95: 8, p99: 9 },
    });
    expect(await graph.errorOf(SUBMIT, { input: broken }, supplierOf('LAPW'))).toBe(
      'VAL003 periodEnd successPct responseTimeMs.p95',
    );
    expect(await graph.errorOf(SUBMIT, { input: report(3) }, supplierOf('NONE'))).toBe('NTF002');
    expect(await graph.errorOf(SUBMIT, { input: report(3) }, ADMIN)).toBe('PRM001');
  });
}
