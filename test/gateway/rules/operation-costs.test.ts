import { buildSchema, parse } from 'graphql';
import { costCheck } from '../../../gateway/requests/operation-cost';
import { OPERATION_LIMITS } from '../../../gateway/requests/operation-limits';
import { useRegisterScalars } from '../../../gateway/requests/variables';
import { apiSchemaOf } from '../../../gateway/supergraph';
import { generatedSchema } from '../../../schema/generated-schema';
import { REGISTER_EVENT_TYPES } from '../../../subgraphs/access/events/register-event';

const schema = buildSchema(`
  type Query {
    registerEventCounts(minutes: Int! = 60): [RegisterEventCount!]!
    latestRegisterEvents(first: Int = 50): [RegisterEvent!]!
    webhooks: [Webhook!]!
    identityRecords: [IdentityRecord!]!
    consents: [Record!]!
    tariffPage(limit: Int = 20): TariffPage!
    tariffs(first: Int = 20): TariffConnection!
    tariffEvents(first: Int = 100): TariffEventConnection!
    developmentProjects(first: Int = 200): DevelopmentProjectConnection!
    differenceModels(mRID: String!): [DifferenceModel!]!
  }
  type DevelopmentProjectConnection { nodes: [DevelopmentProject!]! }
  type DevelopmentProject { latestVersion: ProjectVersion! comparison(from: Int!, to: Int!): VersionComparison }
  type VersionComparison { differentFiles: [String!]! counts: [ComparisonCount!]! differences(first: Int = 50): ModelDifferenceConnection! }
  type ComparisonCount { added: Int! }
  type ModelDifferenceConnection { nodes: [ObjectAfter!]! }
  type ProjectVersion {
    unfittingObjects(first: Int = 200): ObjectAfterConnection
    objectAfter(mRID: String!): ObjectAfter
    objectsAfter(mRIDs: [String!]!): [ObjectAfter!]!
    objects(first: Int = 50, search: String): ObjectChangeConnection!
    locations(first: Int = 500): ObjectAfterConnection!
    classCounts: [ComparisonCount!]!
    models: [DifferenceModel!]!
  }
  type DifferenceModel {
    id: ID!
    items(first: Int = 50): ObjectAfterConnection!
    preconditions(first: Int = 50): PreconditionConnection!
    dependentOn: [ModelDependency!]!
    dependents: [DifferenceModel!]!
    dependencyChain: [DependencyStep!]!
  }
  type ModelDependency { models: [DifferenceModel!]! }
  type PreconditionConnection { totalCount: Int! }
  type DependencyStep { depth: Int! }
  type ObjectChangeConnection { nodes: [ObjectChange!]! }
  type ObjectChange { mRID: String! incomingReferences(first: Int = 50): ObjectAfterConnection! }
  type ObjectAfterConnection { nodes: [ObjectAfter!]! }
  type ObjectAfter { mRID: String! }
  type TariffEventConnection { nodes: [TariffEvent!]! }
  type TariffEvent { deliveries: [TariffEventDelivery!]! }
  type TariffEventDelivery { webhookId: ID! userId: ID! state: String! attempts: Int! }
  type TariffConnection { nodes: [Tariff!]! }
  scalar DateTime
  type RegisterEventCount { minute: String! type: String! count: Int! }
  type RegisterEvent { id: ID! affectedRecords: [Record!] deliveries: [EventDelivery!]! }
  type EventDelivery { status: String! attempts: Int! }
  type IdentityRecord { ir: ID! principalVerification: PrincipalVerification }
  type PrincipalVerification { detail: String }
  type Record { id: ID! version: Int! }
  type Webhook { wid: ID! callbackUrl: String! eventTypes: [String!]! }
  type TariffPage { data: [Tariff!]! meta: Meta! }
  type Tariff {
    name: String!
    description: String
    comments: String
    supplier: Supplier!
    months: [String!]!
    rates: [TariffScheduleEntry!]!
    prices(from: DateTime!, to: DateTime!): [HalfHourPrice!]!
    versions(first: Int = 50): TariffVersionConnection!
  }
  type Supplier { mpid: String! apiUrl: String! oauthUrl: String tariffs(first: Int = 20): TariffConnection! }
  type TariffVersionConnection { nodes: [TariffVersion!]! }
  type TariffVersion { version: Int! description: String comments: String }
  type TariffScheduleEntry { months: [String!]! daysAndHours: [DaysAndHours!]! }
  type DaysAndHours { days: [String!]! hours: [HourlyRate!]! }
  type HourlyRate { validFrom: String! validTo: String! rate: [RateTier!]! }
  type RateTier { unitPrice: String! toKwh: String }
  type HalfHourPrice { from: DateTime! to: DateTime! unitPriceIncludingVat: String tiers: [RateTier!]! }
  type Meta { total: Int! }
`);
useRegisterScalars(schema); // as in the API schema: arguments are instants, not texts

/** Returns the message about an operation that costs too much; empty if it is admitted. */
function messageOf(text: string, variables: Record<string, unknown> = {}): string {
  try {
    costCheck(schema)({ document: parse(text), queryHash: text, operationName: undefined }, variables);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the cost of an operation, from the error message if it exceeds the limit. */
function costOf(times: number, selection: (index: number) => string): number | undefined {
  const text = `{ ${Array.from({ length: times }, (_, index) => `f${index}: ${selection(index)}`).join(' ')} }`;
  const cost = /costs too much: (\d+)/.exec(messageOf(text))?.[1];
  return cost === undefined ? undefined : Number(cost);
}

describe('The cost of an operation', () => {
  const day = 1_440 * REGISTER_EVENT_TYPES.length;

  it('includes every count of every requested minute', () => {
    const counts = () => 'registerEventCounts(minutes: 1440) { minute type count }';
    expect(costOf(1, counts)).toBeUndefined();
    expect(costOf(2, counts)).toBe(2 * (1 + 3 * day));
    expect(2 * (1 + 3 * day)).toBeGreaterThan(OPERATION_LIMITS.cost);
  });

  it('includes the default number of minutes, and at most the maximum', () => {
    const usual = 1 + 3 * 60 * REGISTER_EVENT_TYPES.length;
    const most = Math.ceil(OPERATION_LIMITS.cost / usual);
    expect(costOf(most, () => 'registerEventCounts { minute type count }')).toBe(most * usual);
    expect(costOf(4, () => 'registerEventCounts(minutes: 2000000000) { type }')).toBe(4 * (1 + day));
  });

  it('includes the requested number of list entries', () => {
    const latest = () => 'latestRegisterEvents(first: 500) { id affectedRecords { id version } }';
    expect(costOf(5, latest)).toBe(5 * (1 + 500 * (1 + 1 + 2 * 10)));
    expect(costOf(1, latest)).toBeUndefined();
  });

  it('includes the entries of a page by its limit, each once', () => {
    const page = (limit: string) => `tariffPage${limit} { data { name months } meta { total } }`;
    const costOfEntry = 1 + 2 + 2;
    expect(costOf(200, () => page('(limit: 100)'))).toBe(200 * (1 + 100 * costOfEntry));
    expect(costOf(1_000, () => page(''))).toBe(1_000 * (1 + 20 * costOfEntry));
    expect(costOf(1, () => page('(limit: 2000000000)'))).toBeUndefined();
  });

  it('includes the entries of a default page if its size is null', () => {
    const latest = (first: string) => `latestRegisterEvents${first} { id affectedRecords { id version } }`;
    expect(costOf(50, () => latest('(first: null)'))).toBe(50 * (1 + 50 * (1 + 1 + 2 * 10)));
    expect(costOf(50, () => latest(''))).toBe(50 * (1 + 50 * (1 + 1 + 2 * 10)));
  });

  it('admits a page of 100 whole tariffs', () => {
    const rates = 'rates { months daysAndHours { days hours { validFrom validTo rate { unitPrice toKwh } } } }';
    expect(costOf(1, () => `tariffs(first: 100) { nodes { name ${rates} } }`)).toBeUndefined();
    expect(costOf(4, () => `tariffs(first: 100) { nodes { name ${rates} } }`)).toBeGreaterThan(OPERATION_LIMITS.cost);
  });

  it('includes the long texts of versions of tariffs: some 10 MB of them, not 64', () => {
    const versions = (tariffs: number) => () =>
      `tariffs(first: ${tariffs}) { nodes { versions(first: 100) { nodes { description comments } } } }`;
    expect(costOf(1, versions(20))).toBeUndefined();
    expect(costOf(1, versions(160))).toBe(1 + 160 * (1 + 1 + 100 * (1 + 2 * 10)));
  });

  it('includes the long texts of tariffs and their suppliers: of a page of 100 tariffs, not of 100 for each of them', () => {
    const texts = 'description comments supplier { apiUrl oauthUrl }';
    expect(costOf(1, () => `tariffs(first: 100) { nodes { name ${texts} } }`)).toBeUndefined();
    const nested = () => `tariffs(first: 100) { nodes { supplier { tariffs(first: 100) { nodes { ${texts} } } } } }`;
    expect(costOf(1, nested)).toBe(1 + 100 * (1 + 1 + 1 + 100 * (1 + 4 * 10 + 1)));
  });

  it('includes every entry of a list without pages that has a known maximum', () => {
    expect(costOf(15, () => 'webhooks { wid callbackUrl eventTypes }')).toBeUndefined();
    expect(costOf(200, () => 'webhooks { wid callbackUrl eventTypes }')).toBe(200 * (1 + 100 * 3));
    expect(costOf(1, () => 'consents { id version }')).toBeUndefined();
    expect(costOf(50, () => 'consents { id version }')).toBe(50 * (1 + 500 * 2));
    const records = () => 'identityRecords { ir principalVerification { detail } }';
    expect(costOf(1, records)).toBeUndefined();
    expect(costOf(5, records)).toBe(5 * (1 + 500 * (1 + 1 + 20)));
  });

  it.each(['FindIdentityRecords', 'ListWebhooks', 'ShowConsents'])(
    'admits the selection of the REST interfaces: %s',
    (name) => {
      const { supergraphSdl, trustedDocuments } = generatedSchema();
      const text = trustedDocuments[name] ?? '';
      const variables = { mpxn: '9999999999' };
      const check = costCheck(apiSchemaOf(supergraphSdl));
      expect(() => check({ document: parse(text), queryHash: text, operationName: name }, variables)).not.toThrow();
    },
  );

  it('includes a hundred deliveries of each event of the register, and admits a default page of them', () => {
    const events = (first: string) => () => `latestRegisterEvents${first} { id deliveries { status attempts } }`;
    expect(costOf(1, events(''))).toBeUndefined();
    expect(costOf(1, events('(first: 500)'))).toBe(1 + 500 * (1 + 1 + 100 * 2));
  });

  it('includes a hundred deliveries of each event of tariffs, and admits a default page of them', () => {
    const events = (first: string) => () =>
      `tariffEvents${first} { nodes { deliveries { webhookId userId state attempts } } }`;
    expect(costOf(1, events(''))).toBeUndefined();
    expect(costOf(1, events('(first: 500)'))).toBe(1 + 500 * (1 + 1 + 100 * 4));
  });

  it('has the prices of a tariff by their period: a year, not a year of each of ten tariffs', () => {
    const prices = (first: number) =>
      `tariffs(first: ${first}) { nodes { prices(from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z") {
        from to unitPriceIncludingVat tiers { unitPrice toKwh } } } }`;
    expect(costOf(1, () => prices(1))).toBeUndefined();
    const halfHours = 365 * 48;
    expect(costOf(1, () => prices(10))).toBe(1 + 10 * (1 + 1 + (halfHours / 8) * (3 + 1 + 2 * 2)));
  });

  it('has the prices by the period of the variables', () => {
    const query =
      'query Q($to: DateTime!) { tariffs(first: 9) { nodes { prices(from: "2026-01-01T00:00:00Z", to: $to) { from to } } } }';
    const check = costCheck(schema);
    const costed = (to: string) => () =>
      check({ document: parse(query), queryHash: query, operationName: undefined }, { to });
    expect(costed('2026-01-02T00:00:00Z')).not.toThrow();
    expect(costed('2028-01-01T00:00:00Z')).toThrow('costs too much');
  });

  it('is checked for each set of variables, also if a text imitates the name and value of another variable', () => {
    const query = `query Q($s: String! = "a", $p: Int = 1, $n: Int = 1) {
      developmentProjects(first: $p) { nodes { latestVersion { objectAfter(mRID: $s) { mRID } } } }
      ${Array.from({ length: 100 }, (_, index) => `f${index}: latestRegisterEvents(first: $n) { affectedRecords { id } }`).join(' ')} }`;
    const check = costCheck(schema);
    const costed = (variables: Record<string, unknown>) => () =>
      check({ document: parse(query), queryHash: query, operationName: undefined }, variables);
    expect(costed({ s: '2026-01-01T:p=500:n=500' })).not.toThrow();
    expect(costed({ s: '2026-01-01T', p: 500, n: 500 })).toThrow(
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'VAL003' }) }),
    );
  });

  it('has the prices by their period however the instants are written', () => {
    const query = `query Q($to: DateTime!) {
      tariffs(first: 9) { nodes { prices(from: "2026-01-01T00:00:00Z", to: $to) { from to } } } }`;
    const check = costCheck(schema);
    const costed = (to: string) => () =>
      check({ document: parse(query), queryHash: query, operationName: undefined }, { to });
    for (const time of ['t00:00:00z', ' 00:00:00Z', `T00:00:00.${'0'.repeat(100)}Z`, 'T23:59:60Z']) {
      expect(costed(`2026-01-02${time}`)).not.toThrow();
      expect(costed(`2029-01-01${time}`)).toThrow('costs too much');
    }
  });

  it('includes the 100 models of a list of difference models', () => {
    const models = (selection: string) => () => `differenceModels(mRID: "a") { ${selection} }`;
    expect(costOf(1, models('dependents { id }'))).toBeUndefined();
    expect(costOf(10, models('dependents { id }'))).toBe(10 * (1 + 100 * (1 + 100)));
    expect(costOf(10, models('dependencyChain { depth }'))).toBe(10 * (1 + 100 * (1 + 100)));
    expect(costOf(1, models('dependentOn { models { id } }'))).toBe(1 + 100 * (1 + 10 * (1 + 100)));
  });

  it('includes what is read for few values: objects that are examined, compared, searched, or referred to', () => {
    const unfitting = () =>
      'developmentProjects(first: 500) { nodes { latestVersion { unfittingObjects(first: 1) { nodes { mRID } } } } }';
    expect(costOf(1, unfitting)).toBeGreaterThan(500 * 5_000);
    const after = () =>
      'developmentProjects(first: 500) { nodes { latestVersion { objectAfter(mRID: "a") { mRID } } } }';
    expect(costOf(10, after)).toBeGreaterThan(10 * 500 * 10);
    const several = () =>
      'developmentProjects(first: 500) { nodes { latestVersion { objectsAfter(mRIDs: ["a"]) { mRID } } } }';
    expect(costOf(1, several)).toBeGreaterThan(500 * 25 * 10);
    const compared = (read: string, times = 1) =>
      costOf(times, () => `developmentProjects(first: 500) { nodes { comparison(from: 1, to: 2) { ${read} } } }`);
    expect(compared('counts { added }')).toBeGreaterThan(500 * 200);
    expect(compared('differentFiles', 3)).toBeGreaterThan(3 * 500 * 50);
    expect(compared('differences(first: 1) { nodes { mRID } }')).toBeGreaterThan(500 * 200);
    const found = 'nodes { latestVersion { objects(first: 1, search: "a") { nodes { mRID } } } }';
    expect(costOf(1, () => `developmentProjects(first: 500) { ${found} }`)).toBeGreaterThan(500 * 100);
    const items = 'nodes { latestVersion { models { items(first: 1) { nodes { mRID } } } } }';
    expect(costOf(1, () => `developmentProjects(first: 500) { ${items} }`)).toBeGreaterThan(500 * 3 * 100);
    const required = 'nodes { latestVersion { models { preconditions(first: 1) { totalCount } } } }';
    expect(costOf(1, () => `developmentProjects(first: 500) { ${required} }`)).toBeGreaterThan(500 * 3 * 100);
    const counted = 'nodes { latestVersion { classCounts { added } } }';
    expect(costOf(2, () => `developmentProjects(first: 500) { ${counted} }`)).toBeGreaterThan(2 * 500 * 50);
    const located = 'nodes { latestVersion { locations(first: 1) { nodes { mRID } } } }';
    expect(costOf(2, () => `developmentProjects(first: 500) { ${located} }`)).toBeGreaterThan(2 * 500 * 50);
    const referred =
      'nodes { latestVersion { objects(first: 500) { nodes { incomingReferences(first: 1) { nodes { mRID } } } } } }';
    expect(costOf(1, () => `developmentProjects(first: 1) { ${referred} }`)).toBeGreaterThan(500 * 100);
    const ofPage = referred.replace('first: 500', 'first: 50');
    expect(costOf(1, () => `developmentProjects(first: 1) { ${ofPage} }`)).toBeUndefined();
  });
});

describe('The message about an operation that costs too much', () => {
  it.each([
    [
      'a list without a page size, in the entries of another',
      '{ webhooks { wid } latestRegisterEvents(first: 5000) { id affectedRecords { id } } }',
      'latestRegisterEvents.affectedRecords',
    ],
    [
      'a list in the entries of another',
      'query Q($n: Int) { tariffs(first: 100) { nodes { name versions(first: $n) { nodes { version } } } } }',
      'tariffs.nodes.versions',
    ],
    [
      'a field that reads many rows',
      '{ developmentProjects(first: 500) { nodes { latestVersion { models { id } objects(first: 1) { nodes { mRID } } } } } }',
      'developmentProjects.nodes.latestVersion.objects',
    ],
    [
      'the prices of a period',
      '{ tariffs(first: 90) { nodes { prices(from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z") { from to } } } }',
      'tariffs.nodes.prices',
    ],
    [
      'the list whose entries have many fields, none of which costs most',
      `{ latestRegisterEvents(first: 5000) { ${Array.from({ length: 12 }, (_, index) => `id${index}: id`).join(' ')} } }`,
      'latestRegisterEvents',
    ],
    [
      'a list of a fragment, by its name in the schema',
      '{ ...All } fragment All on Query { secret: tariffs(first: 5000) { ... { nodes { ...Names } } } } fragment Names on Tariff { versions(first: 50) { nodes { version } } }',
      'tariffs.nodes.versions',
    ],
  ])('names %s', (_, text, field) => {
    expect(messageOf(text, { n: 500 })).toMatch(
      new RegExp(
        `^The operation costs too much: \\d+, at most 50000 is allowed\\. The field that costs most is ${field}$`,
      ),
    );
  });

  it('names the field of the operation that is executed', () => {
    const query =
      'query A { webhooks { wid } } query B { tariffs(first: 5000) { nodes { versions { nodes { version } } } } }';
    expect(() => costCheck(schema)({ document: parse(query), queryHash: query, operationName: 'B' }, {})).toThrow(
      'costs most is tariffs.nodes.versions',
    );
  });
});
