import { graphqlClient } from '../../../sandbox/graphql-client';
import { ConsoleVisitor } from '../../support/console-visitor';
import { type TestRegister, startTestRegister } from '../../support/register';
import { accountOf, anonymousClient, tokenOf } from '../../support/rest-client';

/** Rows of a full page of tariffs. */
const LISTED = 25;
const numbered = (number: number) => `trf_${String(number).padStart(32, '0')}`;

let register: TestRegister;

beforeAll(async () => {
  // A separate register, with rate limits. Each subgraph counts up to 12 lookups: five views of a list cost 10, three of an object 9.
  const environment = { RATE_LIMITS: 'on', LIMIT_PUBLIC_LOOKUPS: '12' };
  register = await startTestRegister('one process', { environment });
  const asSupplier = graphqlClient(register.gateway, await tokenOf(register, 'supplier'));
  for (let number = 0; number < LISTED; number += 1) await asSupplier(PUBLISH, { input: tariff(numbered(number)) });
}, 120_000);

afterAll(() => register?.close());

const PUBLISH = 'mutation Publish($input: TariffInput!) { publishTariff(input: $input) { isNew } }';

const LOCATIONS = `{ developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: "Thetford-33kV") {
  latestVersion { objects(type: "cim:Location", first: 1) { nodes { mRID values { isAssociation } } } } } }`;

interface DevelopmentProject {
  readonly latestVersion: {
    readonly objects: {
      readonly nodes: readonly {
        readonly mRID: string;
        readonly values: readonly { readonly isAssociation: boolean }[];
      }[];
    };
  };
}

function tariff(tariffId: string) {
  const hours = [{ validFrom: '00:00:00', validTo: '00:00:00', rate: [{ unitPrice: '0.20', toKwh: null }] }];
  return {
    ...{ mpid: accountOf(register.sandbox, 'supplier').mpid, tariffId, name: 'Alike', tariffType: 'STATIC' },
    ...{ fuelType: 'GAS', energyFlow: 'IMPORT', paymentMethod: 'DIRECT_DEBIT', meterType: 'SMART' },
    ...{ customerType: 'RESIDENTIAL', ldzRegion: 'SC', standingCharge: '0.30', vatIncluded: true, vatRate: 5 },
    validFrom: '2025-01-01T00:00:00.000Z',
    rates: [{ months: ['ALL'], daysAndHours: [{ days: ['ALL'], hours }] }],
  };
}

describe('the limit of public lookups', () => {
  it('permits a visitor to view full lists of tariffs, and counts each field of an operation that a client wrote', async () => {
    const visitor = new ConsoleVisitor(register.console);
    for (const view of [1, 2, 3, 4, 5]) {
      const { status, html } = await visitor.get('/tariffs?fuel_type=gas');
      expect([view, status, html.match(/20\.00 <span class="hint">p\/kWh/g)?.length]).toEqual([view, 200, LISTED]);
    }
    const client = anonymousClient(register.rest);
    expect((await client('GET', '/v1/suppliers')).status).toBe(200);
    const fields = Array.from(
      { length: 3 },
      (_, index) => `t${index}: tariff(tariffId: "${numbered(index)}") { name }`,
    );
    await expect(graphqlClient(register.gateway)(`{ ${fields.join(' ')} }`)).rejects.toThrow('LIM002');
  });

  it('permits a visitor to view objects with all that they refer to', async () => {
    const { developmentProject: project } = await graphqlClient(register.gateway)<{
      developmentProject: DevelopmentProject;
    }>(LOCATIONS);
    const [location] = project.latestVersion.objects.nodes;
    expect(location?.values.filter(({ isAssociation }) => isAssociation)).toHaveLength(2);
    const visitor = new ConsoleVisitor(register.console);
    for (const view of [1, 2, 3]) {
      const { status, html } = await visitor.get(`/grid/EPN/2026/01/Thetford-33kV/objects/${location?.mRID}`);
      expect([view, status, html]).toEqual([view, 200, expect.stringContaining('Thetford')]);
    }
  });
});
