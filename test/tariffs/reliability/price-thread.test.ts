import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { Piscina } from 'piscina';
import type { CallContext } from '../../../subgraphs/server/callers/caller';
import type { PriceListRequest } from '../../../subgraphs/tariffs/rates/price-list.worker';
import { PriceSeries } from '../../../subgraphs/tariffs/rates/price-series.flow';
import { type Graph, graphAs, graphOf } from '../../support/graph';
import { type TestRegister, startTestRegister } from '../../support/register';
import { type RestClient, anonymousClient } from '../../support/rest-client';
import { PUBLISH, supplierInput, tariffInput, trf } from '../../support/tariff-graph';

const MPID = 'THRD';

/** A register of this file, because its threads fail. */
describe('The thread that computes prices', () => {
  const failure = join(tmpdir(), `thread-failure-${process.pid}`);
  let register: TestRegister;
  let anonymous: Graph;
  let rest: RestClient;
  beforeAll(async () => {
    const preload = join(__dirname, '..', '..', 'support', 'failing-threads.js');
    register = await startTestRegister('one process', {
      environment: { NODE_OPTIONS: `--require ${preload}`, THREAD_FAILURE_FILE: failure },
    });
    [anonymous, rest] = [graphOf(register), anonymousClient(register.rest)];
    const admin = await graphAs(register, 'admin');
    const supplier = await admin('mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }', {
      input: supplierInput(MPID),
    });
    const tariff = await admin(PUBLISH, { input: { ...tariffInput(1), mpid: MPID } });
    expect([...supplier.errors, ...tariff.errors]).toEqual([]);
  });
  afterEach(() => rmSync(failure, { force: true }));
  afterAll(() => register.close());

  /** Reads the half-hours of a day; requests for different days are computed one after the other. */
  const pricesOf = (day: string) =>
    anonymous(
      `{ tariff(tariffId: "${trf(1)}") { prices(from: "${day}T00:00:00Z", to: "${day}T12:00:00Z") { from } } }`,
    );
  const daysOf = (month: string) => ['01', '02', '03'].map((day) => `${month}-${day}`);

  it.each([
    ['cannot start', 'start', daysOf('2026-06')],
    ['ends while it computes', 'encode', daysOf('2026-07')],
  ])('that %s causes 503 for prices only, until it can run again', async (_, step, days) => {
    writeFileSync(failure, step);
    const rejected = await Promise.all(days.map(pricesOf));
    for (const { status, headers, errors } of rejected) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(['SYS002']);
    }
    const { active } = register.sandbox.samples.access_keys;
    expect((await rest('GET', `/v1/access-records/${active}`)).status).toBe(200);

    rmSync(failure);
    const prices = await Promise.all(days.map(pricesOf));
    expect(prices.map(({ data }) => data.tariff.prices.length)).toEqual([24, 24, 24]);
  });
});

describe('The queue of the thread that computes prices', () => {
  const HALF_HOURS_OF_YEAR = 17_520;
  const series = new PriceSeries(pino({ level: 'silent' }));
  const run = jest.spyOn(Piscina.prototype, 'run');
  beforeEach(() => run.mockReset().mockResolvedValue({ count: HALF_HOURS_OF_YEAR, bytes: Buffer.from('[]') }));
  afterAll(async () => {
    jest.restoreAllMocks();
    await series.close();
  });

  const textOf = (context: object, key: string) =>
    series
      .text(context as CallContext, key, async () => ({}) as PriceListRequest)
      .then(
        () => 'prices',
        ({ code }: { code: string }) => code,
      );

  it('receives no further series of a request that has exceeded its limit of prices', async () => {
    const request = {};
    const keys = Array.from({ length: 22 }, (_, tariff) => `year of tariff ${tariff}`);
    const results = await Promise.all(keys.map((key) => textOf(request, key)));
    expect(results).toEqual(['prices', ...keys.slice(1).map(() => 'VAL003')]);
    expect(run).toHaveBeenCalledTimes(2);
    expect(await textOf(request, 'another year')).toBe('VAL003');
    expect(run).toHaveBeenCalledTimes(2);
    expect(await textOf({}, 'another year')).toBe('prices');
  });

  it('is bounded: further series are unavailable until it is shorter', async () => {
    const length = jest.spyOn(Piscina.prototype, 'queueSize', 'get').mockReturnValue(100);
    expect(await textOf({}, 'the hundredth')).toBe('SYS002');
    expect(run).not.toHaveBeenCalled();
    length.mockReturnValue(99);
    expect(await textOf({}, 'the hundredth')).toBe('prices');
  });
});
