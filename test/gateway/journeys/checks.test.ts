import { Pool } from 'pg';
import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { NOT_ISSUED } from '../../../subgraphs/server/graph/checked-mutations';
import { type AuthorisationObjects, authorisationObjects } from '../../support/authorisation-objects';
import { type AuthorisationFixture, authorisationFixture } from '../../support/authorisation-fixture';
import type { GraphOperation } from '../../support/authorisation-graph-requests';
import type { CallerName } from '../../support/authorisation-table';
import { usualWirings } from '../../support/register';
import { SAMPLE_MUTATIONS, type SampleMutation, asCheck } from '../../support/mutations';
import { differences, quietContents, tableContents } from '../../support/table-contents';

/** Steps of sign-ins and ceremonies, and what issues a token: they cannot be checked without being done. */
const NOT_CHECKABLE = [
  ...['issueBearerToken', 'requestSignInLink', 'signInWithLink', 'startPasskeySignIn', 'signInWithPasskey'],
  ...['startSupplierSignIn', 'finishSupplierSignIn', 'reidentify', 'reidentifyOwn', 'confirmCeremonyLink'],
  ...['passkeyCeremonyOptions', 'finishPasskeyCeremony', 'mailCeremonyProof', 'mailContactLink'],
  ...['proveContactByLink', 'proveContactByPasskey'],
];

/**
 * Needs a contest of contacts: a check of it succeeds in test/identity/database/chapters/contests.ts, and is rejected
 * below.
 */
const WITHOUT_SAMPLE = ['judgeContact'];

/**
 * Tables that background tasks change at their own time: due deliveries, jobs, counts of records, due changes of
 * tariffs with their events, and rejections of contacts that end.
 */
const IN_THE_BACKGROUND =
  /\.(delivery|fanout|_private_|record_count|pending_claim|look$)|^tariffs\.(tariff_effect|tariff_standing|event)|^identity\.(audit_entry|contact_rejection)$/;
const MAX_ATTEMPTS = 5;

describe('A check of a mutation', () => {
  describe.each(usualWirings())('%s', (wiring) => {
    let fixture: AuthorisationFixture;
    let objects: AuthorisationObjects;
    let pool: Pool;
    beforeAll(async () => {
      fixture = await authorisationFixture(wiring);
      objects = authorisationObjects(fixture);
      pool = new Pool({ connectionString: fixture.register.databaseUrl, max: 1 });
    }, 300_000);
    afterAll(async () => {
      await pool?.end();
      await fixture?.close();
    });

    it('is offered by every mutation except sign-ins, ceremonies and tokens', async () => {
      const schema = buildClientSchema((await execute('admin', { query: getIntrospectionQuery() })).data);
      const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
      const offered = mutations
        .filter(({ args }) => args.some(({ name }) => name === 'dryRun'))
        .map(({ name }) => name);
      expect(offered.toSorted()).toEqual([...Object.keys(SAMPLE_MUTATIONS), ...WITHOUT_SAMPLE].toSorted());
      expect(mutations.map(({ name }) => name).toSorted()).toEqual([...offered, ...NOT_CHECKABLE].toSorted());
    });

    it('reports the errors of the change', async () => {
      const unknown = '00000000-0000-4000-8000-000000000000';
      const responses = await Promise.all([
        execute('customer', {
          query: `mutation { judgeContact(contact: "${unknown}", verdict: REJECTED, dryRun: true) }`,
        }),
        execute('admin', {
          query: 'mutation { setContactUrl(accountId: "acc_x", contactUrl: "x", dryRun: true) { role } }',
        }),
        execute('owner', { query: 'mutation { suspendAccount(accountId: "acc_x", dryRun: true) { role } }' }),
        execute('none', { query: 'mutation { suspendAccount(accountId: "acc_x", dryRun: true) { role } }' }),
      ]);
      const codes = responses.map(({ errors = [] }) => errors.map(({ extensions }) => extensions.code));
      expect(codes).toEqual([['PRM003'], ['VAL008'], ['PRM001'], ['AUT001']]);
    });

    it.each(Object.entries(SAMPLE_MUTATIONS))(
      'changes no row of any table, and %s makes the change afterwards',
      async (_, mutation) => {
        const operation = await checkedWithoutTrace(mutation);
        const before = await tableContents(pool);
        const made = await execute(mutation.caller, operation);
        expect(made.errors).toBeUndefined();
        expect(differences(before, await tableContents(pool))).not.toEqual([]);
        if (operation.uses !== undefined) objects.usedUp(operation.uses);
      },
    );

    it('does not show secrets', async () => {
      const secrets = ['onboardAccount', 'rotateAccountSecret', 'issueSupplierApiKey', 'prepareGridPublication'];
      for (const name of [...secrets, 'registerWebhook', 'registerRtiWebhook']) {
        const { caller, nextChange } = SAMPLE_MUTATIONS[name] as SampleMutation;
        const { data } = await execute(caller, asCheck(await nextChange(fixture, objects)));
        const { secretKey, signingSecret, address } = data[name];
        expect([name, secretKey ?? signingSecret ?? address]).toEqual([name, NOT_ISSUED]);
      }
    });

    it('leaves no rates of a tariff behind: those published later are the ones read', async () => {
      const { caller, nextChange } = SAMPLE_MUTATIONS['publishTariff'] as SampleMutation;
      const { variables } = await nextChange(fixture, objects);
      const publication = (unitPrice: string): GraphOperation => ({
        query: `mutation ($input: TariffInput!) {
          publishTariff(input: $input) { tariff { rates { daysAndHours { hours { rate { unitPrice } } } } } }
        }`,
        variables: JSON.parse(
          JSON.stringify(variables).replaceAll(/"unitPrice":"[^"]*"/g, `"unitPrice":"${unitPrice}"`),
        ),
      });
      const pricesOf = ({ data }: { data: unknown }) => [...new Set(JSON.stringify(data).match(/\d\.\d+/g))];
      expect(pricesOf(await execute(caller, asCheck(publication('0.91'))))).toEqual(['0.91']);
      expect(pricesOf(await execute(caller, publication('0.17')))).toEqual(['0.17']);
    });

    const ACCOUNT = 'suspendAccount(accountId: $id) { status }';
    const ACCOUNT_CHECK = 'suspendAccount(accountId: $id, dryRun: true) { status }';
    const SUPPLIER_CHECK = 'saveSupplier(input: $input, dryRun: $dryRun) { isNew }';
    it.each([
      ['one service', `one: ${ACCOUNT_CHECK} other: ${ACCOUNT}`],
      ['two services', `one: ${SUPPLIER_CHECK} other: ${ACCOUNT}`],
      ['two services, the change first', `one: ${ACCOUNT} other: ${SUPPLIER_CHECK}`],
      ['two services in turn', `one: ${ACCOUNT_CHECK} two: ${SUPPLIER_CHECK} other: ${ACCOUNT}`],
    ])('stands alone in its operation: with a change in %s the operation is rejected', async (_, fields) => {
      const account = await (SAMPLE_MUTATIONS['suspendAccount'] as SampleMutation).nextChange(fixture, objects);
      const supplier = await (SAMPLE_MUTATIONS['saveSupplier'] as SampleMutation).nextChange(fixture, objects);
      const more = fields.includes('$input') ? ', $input: SupplierInput!, $dryRun: Boolean = true' : '';
      const query = `mutation ($id: ID!${more}) { ${fields} }`;
      const { data, errors = [] } = await execute('admin', {
        query,
        variables: { ...account.variables, ...supplier.variables },
      });
      expect([data, errors.map(({ path, extensions }) => [path, extensions.code])]).toEqual([
        undefined,
        [[undefined, 'VAL003']],
      ]);
      expect((await execute('admin', account)).errors).toBeUndefined();
    });

    /** Checks a change; a check that meets a background task is repeated with another change. */
    async function checkedWithoutTrace({ caller, nextChange: next }: SampleMutation): Promise<GraphOperation> {
      for (let attempt = 1; ; attempt += 1) {
        const operation = await next(fixture, objects);
        const before = await quietContents(pool);
        const { errors } = await execute(caller, asCheck(operation));
        expect(errors).toBeUndefined();
        const changed = differences(before, await tableContents(pool));
        if (changed.length === 0) return operation;
        const isBackground = changed.every((name) => IN_THE_BACKGROUND.test(name));
        if (!isBackground || attempt === MAX_ATTEMPTS) expect(changed).toEqual([]);
      }
    }

    async function execute(caller: CallerName, { query, variables }: GraphOperation) {
      const response = await fetch(`${fixture.register.gateway}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...fixture.credentials[caller] },
        body: JSON.stringify({ query, variables }),
      });
      return (await response.json()) as {
        data: ReturnType<typeof JSON.parse>;
        errors?: { path: string[]; extensions: { code: string } }[];
      };
    }
  });
});
