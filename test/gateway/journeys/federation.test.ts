import { type IntrospectionQuery, getIntrospectionQuery } from 'graphql';
import { type Graph, failuresOf, graphAs, graphOf } from '../../support/graph';
import { type TestRegister, startTestRegister, usualWirings } from '../../support/register';
import { subscriptions } from './chapters/subscriptions';

const ACROSS = `query Across($key: AccessKey!) {
  accessRecord(key: $key) { dataUser { displayName } identityRecord { address { postcode } } }
}`;
const DISPLAY_NAME = 'Harbourlight Energy Insight Ltd';
const POSTCODE = 'NR1 4AB';

const REGISTER = `mutation Register($input: AccessRecordInput!, $idempotencyKey: String) {
  registerAccessRecord(input: $input, idempotencyKey: $idempotencyKey) { accessToken { key expiry } replayed }
}`;

const recordOf = (identityRecordRef: string, change: Record<string, unknown> = {}) => ({
  recordMetadata: {
    schemaVersion: '1.0',
    controllerArrangement: {
      arrangementType: 'SOLE',
      controllers: [
        {
          name: 'Harbourlight',
          role: 'SOLE',
          contactUrl: 'https://harbourlight.example/',
          privacyRightsUrl: 'https://harbourlight.example/',
        },
      ],
    },
    identityRecordRef,
  },
  processing: { legalBasis: 'UK_CONTRACT', purpose: 'Billing', dataTypes: ['HH_CONSUMPTION'], ...change },
  accessEvent: { state: 'ACTIVE', registeredAt: '2026-01-05T09:30:00Z' },
});

interface Described {
  readonly name: string;
  readonly description?: string | null;
}

/** Returns a type and all its members that need a description. Root types need none themselves. */
function placesOf(type: IntrospectionQuery['__schema']['types'][number]) {
  const { name, description, fields, inputFields, enumValues } = type as Described & {
    fields?: (Described & { args: Described[] })[] | null;
    inputFields?: Described[] | null;
    enumValues?: Described[] | null;
  };
  const members = [...(fields ?? []), ...(inputFields ?? []), ...(enumValues ?? [])];
  const args = (fields ?? []).flatMap((field) =>
    field.args.map((arg) => ({ ...arg, name: `${field.name}(${arg.name})` })),
  );
  const within = [...members, ...args].map((member) => ({
    at: `${name}.${member.name}`,
    description: member.description,
  }));
  return ['Query', 'Mutation', 'Subscription'].includes(name) ? within : [{ at: name, description }, ...within];
}

describe.each(usualWirings())('A register in %s:', (wiring) => {
  let register: TestRegister;
  beforeAll(async () => {
    // Its own register, because the tests query lists and counts of all demo data, and move the clock.
    register = await startTestRegister(wiring);
  }, 300_000);
  afterAll(() => register?.close());

  describe('A query across subgraphs', () => {
    let key: string;
    let owner: Graph;
    let other: Graph;
    beforeAll(async () => {
      key = register.sandbox.samples.access_keys.active;
      owner = await graphAs(register, 'data_user');
      other = await graphAs(register, 'data_user', 1);
    });

    it('returns everything to the Data User that registered the record', async () => {
      const { status, data, errors } = await owner(ACROSS, { key });
      expect({ status, data, errors }).toEqual({
        status: 200,
        data: {
          accessRecord: {
            dataUser: { displayName: DISPLAY_NAME },
            identityRecord: { address: { postcode: POSTCODE } },
          },
        },
        errors: [],
      });
    });

    it('rejects another Data User as not the owner, without an address', async () => {
      const response = await other(ACROSS, { key });
      expect(response.data).toEqual({
        accessRecord: { dataUser: { displayName: DISPLAY_NAME }, identityRecord: null },
      });
      expect(failuresOf(response)).toEqual(['PRM002 accessRecord.identityRecord']);
      expect(response.text).not.toContain(POSTCODE);
    });

    it('requires a token for the directory and the Identity Record', async () => {
      const response = await graphOf(register)(ACROSS, { key });
      expect(response.data).toEqual({ accessRecord: { dataUser: null, identityRecord: null } });
      expect(failuresOf(response).toSorted()).toEqual([
        'AUT001 accessRecord.dataUser',
        'AUT001 accessRecord.identityRecord',
      ]);
      expect(response.text).not.toContain(POSTCODE);
    });

    it.each(['admin', 'analyst', 'data_provider', 'portal', 'supplier', 'communications_operator'] as const)(
      'does not return the Identity Record to the role %s',
      async (role) => {
        const response = await (await graphAs(register, role))(ACROSS, { key });
        expect(response.data).toEqual({
          accessRecord: { dataUser: { displayName: DISPLAY_NAME }, identityRecord: null },
        });
        expect(failuresOf(response)).toEqual(['PRM002 accessRecord.identityRecord']);
        expect(response.text).not.toContain(POSTCODE);
      },
    );

    it('returns all records to the back office, but neither key nor Identity Record nor meter point', async () => {
      const list = `{ allAccessRecords(first: 2) { totalCount nodes { purpose ak recordMetadata { duid recordIdentifier } identityRecord { piiPrincipal { mpxn } } } } }`;
      for (const role of ['admin', 'analyst'] as const) {
        const response = await (await graphAs(register, role))(list);
        expect(response.data.allAccessRecords.totalCount).toBe(9);
        const [node] = response.data.allAccessRecords.nodes;
        expect(node).toMatchObject({ ak: null, recordMetadata: { recordIdentifier: null }, identityRecord: null });
        expect(new Set(response.errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['PRM002']));
        expect(response.text).not.toMatch(/ak_[0-9a-f]{24}|1012345678/);
      }
    });

    it('resolves a meter point, its records and their Identity Records', async () => {
      const { mpxn } = register.sandbox.samples;
      const query = `query ($mpxn: MPxN!) { meterPoint(mpxn: $mpxn) { accessRecords { totalCount nodes { ak identityRecord { piiPrincipal { mpxn } } } } } }`;
      const { data, errors } = await owner(query, { mpxn });
      expect(errors).toEqual([]);
      const { nodes, totalCount } = data.meterPoint.accessRecords;
      expect(nodes).toHaveLength(totalCount);
      expect(nodes.map((node: { ak: string }) => node.ak)).toContain(key);
      for (const node of nodes) expect(node.identityRecord.piiPrincipal.mpxn).toBe(mpxn);
    });

    it('returns several records in one operation, each by its own rule', async () => {
      const query = `query ($mine: AccessKey!, $unknown: AccessKey!) {
      mine: accessRecord(key: $mine) { ...Row } none: accessRecord(key: $unknown) { ...Row } again: accessRecord(key: $mine) { state }
    } fragment Row on AccessRecord { state identityRecord { hasEmail } }`;
      const { data, errors } = await owner(query, { mine: key, unknown: `ak_${'0'.repeat(24)}` });
      expect(errors).toEqual([]);
      expect(data).toEqual({
        mine: { state: 'ACTIVE', identityRecord: { hasEmail: true } },
        none: null,
        again: { state: 'ACTIVE' },
      });
    });

    it('offers clients neither entities by reference nor the fields between services', async () => {
      const { data } = await owner('query ($key: AccessKey!) { accessRecord(key: $key) { identityRecord { id } } }', {
        key,
      });
      const { id } = data.accessRecord.identityRecord as { id: string };
      for (const query of [
        `{ _entities(representations: [{ __typename: "IdentityRecord", id: "${id}" }]) { __typename } }`,
        '{ _service { sdl } }',
        `{ identityRecordLinks(refs: ["${register.sandbox.samples.identity_record}"]) { duid } }`,
        '{ admission(accountId: "acc_000000000000000000000000") { status } }',
      ]) {
        const response = await other(query);
        expect([response.status, ...failuresOf(response)]).toEqual([400, 'VAL003']);
      }
    });

    it('returns one transaction id in header and body', async () => {
      const { headers, extensions } = await owner(ACROSS, { key });
      expect(extensions).toEqual({ transactionId: headers.get('transaction-id') });
      expect(headers.get('transaction-id')).toMatch(/^tid_[0-9a-f]{24}$/);
      expect(headers.get('cache-control')).toBe('no-store');
    });
  });

  describe('The graph', () => {
    let dataUser: Graph;
    beforeAll(async () => {
      dataUser = await graphAs(register, 'data_user');
    });

    it('pages a list by cursors, without gaps and without duplicates', async () => {
      const query = `query ($after: String) { accessRecords(first: 2, after: $after) {
      totalCount nextCursor edges { cursor node { ak } } nodes { ak } pageInfo { endCursor hasNextPage } } }`;
      const seen: string[] = [];
      let after: string | null = null;
      for (let hasNextPage = true; hasNextPage;) {
        const { data, errors } = await dataUser(query, { after });
        expect(errors).toEqual([]);
        const { edges, nodes, pageInfo, nextCursor, totalCount } = data.accessRecords;
        expect(totalCount).toBe(6);
        expect(edges.map((edge: { node: unknown }) => edge.node)).toEqual(nodes);
        expect(pageInfo.endCursor).toBe(edges.at(-1).cursor);
        expect(nextCursor).toBe(pageInfo.hasNextPage ? pageInfo.endCursor : null);
        seen.push(...nodes.map((node: { ak: string }) => node.ak));
        ({ endCursor: after, hasNextPage } = pageInfo);
      }
      const { data } = await dataUser('{ accessRecords { nodes { ak } pageInfo { hasNextPage } } }');
      expect(data.accessRecords.nodes.map((node: { ak: string }) => node.ak)).toEqual(seen);
      expect(new Set(seen).size).toBe(6);
      expect(data.accessRecords.pageInfo.hasNextPage).toBe(false);
    });

    it('pages a list of each service by default if the size and position of the page are null', async () => {
      const admin = await graphAs(register, 'admin');
      const query = (size: string, offset: string) => `{
        accounts${size} { nodes { accountId } } registerEvents${size} { nodes { id } } latestRegisterEvents${size} { id }
        developmentProjects${size} { nodes { projectId } } suppliers${size} { nodes { mpid } }
        tariffEvents${size} { nodes { id } } identityAuditEntries${size} { nodes { id } }
        supplierPage${offset} { data { mpid } meta { limit offset } } }`;
      const { data, errors } = await admin(query('', ''));
      expect([errors, data.supplierPage.meta]).toEqual([[], { limit: 20, offset: 0 }]);
      const withNull = await admin(query('(first: null)', '(limit: null, offset: null)'));
      expect([withNull.errors, withNull.data]).toEqual([[], data]);
      const variables = `query ($first: Int, $limit: Int, $offset: Int) ${query('(first: $first)', '(limit: $limit, offset: $offset)')}`;
      const ofVariables = await admin(variables, { first: null, limit: null, offset: null });
      expect([ofVariables.errors, ofVariables.data]).toEqual([[], data]);
    });

    it('filters a list and its count', async () => {
      const query = `query ($state: AccessState, $legalBasis: LegalBasis) { accessRecords(state: $state, legalBasis: $legalBasis) { totalCount nodes { state legalBasis } } }`;
      const { data } = await dataUser(query, { state: 'REVOKED', legalBasis: 'UK_CONSENT' });
      expect(data.accessRecords).toEqual({ totalCount: 1, nodes: [{ state: 'REVOKED', legalBasis: 'UK_CONSENT' }] });
    });

    it.each([
      ['a page size of 0', { first: 0 }, 'VAL003', ['first']],
      ['a page size of 501', { first: 501 }, 'VAL003', ['first']],
      ['an unknown cursor', { after: 'bm9uZQ' }, 'VAL001', ['after']],
      ['an unknown state', { state: 'GONE' }, 'VAL003', ['state']],
    ])('rejects %s', async (_, variables, code, path) => {
      const query = `query ($first: Int, $after: String, $state: AccessState) { accessRecords(first: $first, after: $after, state: $state) { nextCursor } }`;
      const { errors } = await dataUser(query, variables);
      expect(errors).toHaveLength(1);
      expect(errors[0]?.extensions).toMatchObject({ code, violations: [{ code, path }] });
    });

    it('reports every violation of a registration with the path of its field', async () => {
      const input = {
        ...recordOf('ir_wrong', { purpose: '', jurisdiction: 'FR' }),
        reidentificationToken: 'mlr_0123456789abcdef01234567',
      };
      const shape = await dataUser(REGISTER, { input });
      expect(shape.errors[0]?.extensions.violations).toEqual([
        { code: 'VAL001', path: ['recordMetadata', 'identityRecordRef'], message: expect.any(String) },
      ]);
      const rules = await dataUser(REGISTER, {
        input: { ...input, ...{ recordMetadata: recordOf(register.sandbox.samples.identity_record).recordMetadata } },
      });
      expect(rules.errors[0]?.extensions.violations?.map(({ code, path }) => `${code} ${path.join('/')}`)).toEqual([
        'VAL003 processing/purpose',
        'VAL003 processing/jurisdiction',
        'VAL005 recordMetadata/identityRecordRef',
      ]);
      const arrangement = recordOf(register.sandbox.samples.identity_record);
      arrangement.recordMetadata.controllerArrangement.controllers[0] = {
        ...(arrangement.recordMetadata.controllerArrangement.controllers[0] as never as Record<string, string>),
        role: 'MEMBER',
      } as never;
      const { errors } = await dataUser(REGISTER, { input: arrangement });
      expect(errors[0]?.extensions.violations).toContainEqual({
        code: 'VAL006',
        path: ['recordMetadata', 'controllerArrangement', 'controllers', 0, 'role'],
        message: 'is not a role of a sole arrangement',
      });
    });

    it.each([
      [
        'an argument',
        'query ($is: Boolean = true) { accessRecords { nodes { versions(newestFirst: $is) { nextCursor } } } }',
        '"newestFirst"',
      ],
      ['a condition', 'query ($is: Boolean = true) { viewer @include(if: $is) { __typename } }', '"if"'],
    ])('rejects null for a variable with a default where %s must not be null', async (_, query, name) => {
      const response = await dataUser(query, { is: null });
      expect([response.status, failuresOf(response)]).toEqual([400, ['VAL003']]);
      expect(response.errors[0]?.message).toContain(name);
    });

    const UNKNOWN_KEY = `ak_${'0'.repeat(24)}`;
    const REVOKE = (key: string) => `mutation { revokeAccessRecord(key: "${key}") { ak } }`;

    it.each<[sentence: string, query: string, status: number, failures: string[]]>([
      ['text that is not GraphQL', '{ accessRecord(', 400, ['VAL010']],
      ['an unknown field', '{ weather }', 400, ['VAL003']],
      ['a malformed key in the text', '{ accessRecord(key: "ak_1") { state } }', 400, ['VAL001']],
      [
        'two operations without an operation name',
        'query A { viewer { role } } query B { viewer { role } }',
        400,
        ['VAL003'],
      ],
      ['nothing', '', 400, ['VAL003']],
      ['a revocation of an unknown record', REVOKE(UNKNOWN_KEY), 200, ['NTF001 revokeAccessRecord']],
    ])('responds to %s with a code of the catalogue', async (_, query, status, failures) => {
      const response = await dataUser(query);
      expect([response.status, failuresOf(response)]).toEqual([status, failures]);
    });

    it('returns a code for each rejection of a change: owner, state, version, idempotency key', async () => {
      const { active, revoked } = register.sandbox.samples.access_keys;
      const other = await graphAs(register, 'data_user', 1);
      expect(failuresOf(await other(REVOKE(active)))).toEqual(['PRM002 revokeAccessRecord']);
      expect(failuresOf(await dataUser(REVOKE(revoked)))).toEqual(['CNF001 revokeAccessRecord']);
      expect(
        failuresOf(await dataUser(`mutation { revokeAccessRecord(key: "${active}", ifVersions: [9]) { ak } }`)),
      ).toEqual(['CND001 revokeAccessRecord']);
      const ref = register.sandbox.samples.identity_record;
      const first = await dataUser(REGISTER, { input: recordOf(ref), idempotencyKey: 'once' });
      const again = await dataUser(REGISTER, { input: recordOf(ref), idempotencyKey: 'once' });
      const { registerAccessRecord: registration } = again.data;
      expect(registration).toEqual({ ...first.data.registerAccessRecord, replayed: true });
      expect(
        failuresOf(await dataUser(REGISTER, { input: recordOf(ref, { purpose: 'Other' }), idempotencyKey: 'once' })),
      ).toEqual(['CNF004 registerAccessRecord']);
    });

    it.each(['\0', 'lone \ud800 surrogate'])('rejects malformed text: %j', async (text) => {
      const input = recordOf(register.sandbox.samples.identity_record, { purpose: text });
      const response = await dataUser(REGISTER, { input });
      expect(failuresOf(response)).toEqual([expect.stringMatching(/^VAL00[13]/)]);
      expect(register.log()).not.toContain('internal error');
    });

    it('never echoes a value', async () => {
      const responses = [
        await dataUser('query ($key: AccessKey!) { accessRecord(key: $key) { state } }', { key: 'ZZYZX' }),
        await dataUser('{ accessRecord(key: "ZZYZX") { state } }'),
        await dataUser('{ accessRecords(state: ZZYZX) { totalCount } }'),
        await dataUser('query ($first: Int) { accessRecords(first: $first) { totalCount } }', { first: 'ZZYZX' }),
        await dataUser(REGISTER, { input: recordOf('ZZYZX', { legalBasis: 'ZZYZX', dataTypes: 'ZZYZX' }) }),
        await dataUser('mutation { issueBearerToken(accountId: "ZZYZX", secretKey: "ZZYZX") { bearerToken } }'),
      ];
      for (const { errors, text } of responses) {
        expect(errors.length).toBeGreaterThan(0);
        expect(text).not.toContain('ZZYZX');
        expect(text).not.toMatch(/node_modules|\.ts:|stacktrace/);
      }
    });

    it('requires a token for introspection', async () => {
      const response = await graphOf(register)('{ __schema { queryType { name } } }');
      expect([response.status, ...failuresOf(response)]).toEqual([401, 'AUT001']);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    });

    it('permits introspection with all options, beside other fields', async () => {
      const { errors } = await dataUser(
        getIntrospectionQuery({ oneOf: true, specifiedByUrl: true, schemaDescription: true }),
      );
      expect(errors).toEqual([]);
      const mixed = await dataUser('{ __typename own: __type(name: "Account") { isOneOf } viewer { __typename } }');
      expect(mixed.data).toEqual({ __typename: 'Query', own: { isOneOf: null }, viewer: { __typename: 'Viewer' } });
    });

    it('describes every type, field, argument and value', async () => {
      const { data } = await dataUser(getIntrospectionQuery());
      const { types } = (data as IntrospectionQuery).__schema;
      const own = types.filter(
        ({ name }) => !name.startsWith('__') && !['String', 'Int', 'Boolean', 'ID', 'Float'].includes(name),
      );
      const undescribed = own
        .flatMap(placesOf)
        .filter(({ description }) => !description)
        .map(({ at }) => at);
      expect(own.length).toBeGreaterThan(50);
      expect(undescribed).toEqual([]);
    });
  });

  // After the other tests, because they add to the lists.
  describe('Subscriptions', () => {
    subscriptions(() => register);
  });
});
