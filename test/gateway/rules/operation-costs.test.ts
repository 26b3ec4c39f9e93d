import { buildSchema, parse } from 'graphql';
import { OPERATION_LIMITS, costCheck } from '../../../gateway/operation-limits';
import { REGISTER_EVENT_TYPES } from '../../../subgraphs/access/domain/register-event';

const schema = buildSchema(`
  type Query {
    registerEventCounts(minutes: Int! = 60): [RegisterEventCount!]!
    latestRegisterEvents(first: Int = 50): [RegisterEvent!]!
    webhooks: [Webhook!]!
    tariffPage(limit: Int! = 20): TariffPage!
  }
  type RegisterEventCount { minute: String! type: String! count: Int! }
  type RegisterEvent { id: ID! affectedRecords: [Record!] }
  type Record { id: ID! version: Int! }
  type Webhook { wid: ID! }
  type TariffPage { data: [Tariff!]! meta: Meta! }
  type Tariff { name: String! months: [String!]! }
  type Meta { total: Int! }
`);

/** What an operation costs: told where it is more than is allowed. */
function costOf(times: number, selection: (index: number) => string): number | undefined {
  const text = `{ ${Array.from({ length: times }, (_, index) => `f${index}: ${selection(index)}`).join(' ')} }`;
  try {
    costCheck(schema)({ document: parse(text), queryHash: text, operationName: undefined }, {});
    return undefined;
  } catch (error) {
    return Number(/costs too much: (\d+)/.exec((error as Error).message)?.[1]);
  }
}

describe('The cost of an operation', () => {
  const day = 1_440 * REGISTER_EVENT_TYPES.length;

  it('has every count of every minute that is asked for', () => {
    const counts = () => 'registerEventCounts(minutes: 1440) { minute type count }';
    expect(costOf(1, counts)).toBeUndefined();
    expect(costOf(2, counts)).toBe(2 * (1 + 3 * day));
    expect(2 * (1 + 3 * day)).toBeGreaterThan(OPERATION_LIMITS.cost);
  });

  it('has them where nothing is said, and no more than there can be', () => {
    const usual = 1 + 3 * 60 * REGISTER_EVENT_TYPES.length;
    const most = Math.ceil(OPERATION_LIMITS.cost / usual);
    expect(costOf(most, () => 'registerEventCounts { minute type count }')).toBe(most * usual);
    expect(costOf(4, () => 'registerEventCounts(minutes: 2000000000) { type }')).toBe(4 * (1 + day));
  });

  it('has the entries of a list that is asked for by their number', () => {
    const latest = () => 'latestRegisterEvents(first: 500) { id affectedRecords { id version } }';
    expect(costOf(5, latest)).toBe(5 * (1 + 500 * (1 + 1 + 2 * 10)));
    expect(costOf(1, latest)).toBeUndefined();
  });

  it('has the entries of a page by its limit, each once', () => {
    const page = (limit: string) => `tariffPage${limit} { data { name months } meta { total } }`;
    const costOfEntry = 1 + 2 + 2;
    expect(costOf(200, () => page('(limit: 100)'))).toBe(200 * (1 + 100 * costOfEntry));
    expect(costOf(1_000, () => page(''))).toBe(1_000 * (1 + 20 * costOfEntry));
    expect(costOf(1, () => page('(limit: 2000000000)'))).toBeUndefined();
  });
});
