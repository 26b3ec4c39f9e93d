import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type GraphQLSchema, buildClientSchema, getIntrospectionQuery } from 'graphql';
import { auditServer } from 'graphql-http';
import { generatedSchema } from '../../../schema/generated-schema';
import type { AccountRole } from '../../../schema/roles';
import { type TestRegister, startTestRegister } from '../../support/register';
import { accountOf, tokenOf } from '../../support/rest-client';
import { HOSTILE } from '../../support/properties/contract-violations';
import { codesOf, graphResponse, graphFaults } from '../../support/properties/graphql-responses';
import { type KnownValues, operationsOf } from '../../support/properties/graphql-operations';
import { type WireResponse, wireClient } from '../../support/properties/http-exchange';
import { ODD_TEXTS } from '../../support/properties/odd-bodies';
import { PROPERTY_TIME, SEED, holdsForAll } from '../../support/properties/property-run';

const ROLES: readonly AccountRole[] = [
  'data_user',
  'data_provider',
  'communications_operator',
  'portal',
  'supplier',
  'admin',
  'analyst',
];
const DOCUMENTS = Object.keys(generatedSchema().trustedDocuments);

let register: TestRegister;
let wire: ReturnType<typeof wireClient>;
let tokens: Map<string, string | undefined>;
let known: KnownValues;
let schema: GraphQLSchema;

beforeAll(async () => {
  register = await startTestRegister('one process', { environment: { LOG_LEVEL: 'error' } });
  wire = wireClient(register.gateway);
  tokens = new Map([['unauthenticated', undefined]]);
  for (const role of ROLES) tokens.set(role, await tokenOf(register, role));
  const { access_keys: keys, identity_record: ir, mpxn } = register.sandbox.samples;
  const duid = accountOf(register.sandbox, 'data_user').duid;
  known = { AccessKey: Object.values(keys), IdentityRecordKey: [ir], DUID: [duid], MPxN: [mpxn] };
  schema = buildClientSchema(graphResponse(await execute('analyst', { query: getIntrospectionQuery() })).data as never);
});
afterAll(async () => {
  wire.close();
  await register.close();
});
jest.setTimeout(PROPERTY_TIME + 250_000); // last resort

const anyCaller = fc.constantFrom('unauthenticated', ...ROLES);
/** Roles that together may call nearly everything: for other roles most operations fail at the role check. */
const mostlyAllowed = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('data_user', 'admin') },
  { weight: 1, arbitrary: anyCaller },
);

/** Sends a body to the gateway, with a role's token or unauthenticated. */
function post(who: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<WireResponse> {
  const token = tokens.get(who);
  return wire.send({
    method: 'POST',
    target: '/graphql',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: Buffer.from(body),
  });
}

const execute = (who: string, body: unknown) => post(who, JSON.stringify(body));

describe('The graph', () => {
  it('responds to bodies of any form with a code for every error', async () => {
    const parts = fc.record(
      {
        query: fc.oneof(
          fc.constantFrom(
            '{ __typename }',
            '{',
            '',
            HOSTILE,
            '{ viewer { name } }',
            '\0',
            '\ud800',
            'query A { __typename } query B { __typename }',
          ),
          fc.jsonValue(),
        ),
        variables: fc.oneof(
          fc.jsonValue(),
          fc.constantFrom<unknown>({ [HOSTILE]: HOSTILE }, JSON.parse('{"__proto__":{"key":1}}')),
        ),
        operationName: fc.oneof(fc.constantFrom('A', 'B', 'C', '', 'toString'), fc.jsonValue()),
        documentId: fc.oneof(
          fc.constantFrom(...DOCUMENTS, '', HOSTILE, '__proto__', 'constructor', 'toString'),
          fc.jsonValue(),
        ),
        admitOnly: fc.jsonValue(),
        extensions: fc.oneof(fc.jsonValue(), fc.constant({ persistedQuery: { version: 1, sha256Hash: HOSTILE } })),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    const bodies = fc.oneof(
      { weight: 4, arbitrary: parts.map((body) => JSON.stringify(body)) },
      { weight: 1, arbitrary: fc.constantFrom(...ODD_TEXTS) },
      { weight: 1, arbitrary: fc.json() },
      { weight: 1, arbitrary: fc.array(parts, { maxLength: 3 }).map((all) => JSON.stringify(all)) },
    );
    await holdsForAll(fc.tuple(anyCaller, bodies), 200, async ([who, body]) => {
      expect(graphFaults(await post(who, body))).toEqual([]);
    });
  });

  it('handles media types, encodings and headers of any kind the same way', async () => {
    const headers = fc.constantFrom<Record<string, string>>(
      ...[
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/graphql',
        'application/json; charset=utf-16',
        '/',
      ].map((type) => ({ 'content-type': type })),
      ...['gzip', 'br', 'none'].map((encoding) => ({ 'content-encoding': encoding })),
      ...['', 'Bearer', `Bearer ${HOSTILE}`, 'Basic x', 'Bearer a.b.c'].map((authorization) => ({ authorization })),
      ...['text/html', '', 'application/graphql-response+json', 'multipart/mixed; deferSpec=20220824'].map(
        (accept) => ({ accept }),
      ),
      { 'x-register-service': HOSTILE },
      { 'transaction-id': `tid_${'0'.repeat(24)}` },
      { 'apollo-require-preflight': '', 'x-apollo-operation-name': HOSTILE },
      { origin: 'https://elsewhere.example' },
    );
    const bodies = fc.constantFrom<string | Buffer>(
      '{"query":"{ __typename }"}',
      '{"query":"{ viewer { name } }"}',
      gzipSync('{"query":"{ __typename }"}'),
      'query={__typename}',
      '',
    );
    await holdsForAll(fc.tuple(anyCaller, bodies, headers), 150, async ([who, body, sent]) => {
      const response = await post(who, body, sent);
      expect(graphFaults(response)).toEqual([]);
      expect(response.headers['transaction-id']).not.toBe(`tid_${'0'.repeat(24)}`);
    });
  });

  it('handles operations of any kind, with valid and invalid values, by role', async () => {
    // `setClockOffset` would change the clock for all tests of the shared register.
    const operations = operationsOf(schema, known, ['setClockOffset']);
    let withData = 0;
    await holdsForAll(fc.tuple(mostlyAllowed, operations), 500, async ([who, operation]) => {
      const response = await execute(who, operation);
      expect(graphFaults(response)).toEqual([]);
      if (Object.values(graphResponse(response).data ?? {}).some((value) => value !== null)) withData += 1;
    });
    expect({ FC_SEED: SEED, withData: withData > 10 }).toEqual({ FC_SEED: SEED, withData: true }); // some 30 of 500
  });

  it('runs trusted documents with variables of any kind, and reports violations', async () => {
    const variables = fc.dictionary(
      fc.constantFrom(
        'input',
        'key',
        'mpxn',
        'duid',
        'ref',
        'email',
        'limit',
        'cursor',
        'state',
        'ifVersions',
        'idempotencyKey',
        HOSTILE,
      ),
      fc.oneof(fc.constant(HOSTILE), fc.jsonValue(), fc.constantFrom<unknown>(...Object.values(known).flat())),
      { noNullPrototype: true },
    );
    await holdsForAll(
      fc.tuple(anyCaller, fc.constantFrom(...DOCUMENTS), variables),
      300,
      async ([who, documentId, given]) => {
        expect(graphFaults(await execute(who, { documentId, variables: given }))).toEqual([]);
      },
    );
  });
});

describe('A trusted document', () => {
  it('that does not exist is rejected with VAL003', async () => {
    await holdsForAll(fc.tuple(anyCaller, fc.string({ maxLength: 40 })), 30, async ([who, documentId]) => {
      expect(codesOf(await execute(who, { documentId, variables: {} }))).toEqual(['VAL003']);
    });
  });

  it('requires its variables, and ignores others', async () => {
    const key = register.sandbox.samples.access_keys.active;
    const missing = graphResponse(
      await execute('unauthenticated', { documentId: 'VerifyAccessRecord', variables: {} }),
    );
    expect(missing.errors?.[0]?.extensions).toMatchObject({
      code: 'VAL002',
      violations: [{ code: 'VAL002', path: [expect.any(String)] }],
    });
    const more = await execute('unauthenticated', {
      documentId: 'VerifyAccessRecord',
      variables: { ak: key, key, [HOSTILE]: HOSTILE },
    });
    expect([more.status, codesOf(more)]).toEqual([200, []]);
  });
});

describe('Introspection', () => {
  it.each(['unauthenticated', ...ROLES])('is executed for authenticated callers only, here for %s', async (who) => {
    const response = await execute(who, { query: '{ __schema { queryType { name } } }' });
    if (who === 'unauthenticated')
      expect([response.status, codesOf(response), graphResponse(response).data ?? null]).toEqual([
        401,
        ['AUT001'],
        null,
      ]);
    else
      expect([response.status, graphResponse(response).data]).toEqual([
        200,
        { __schema: { queryType: { name: 'Query' } } },
      ]);
  });
});

/**
 * Optional features that the gateway omits: an operation in a URL would put keys and personal data into logs and
 * histories.
 */
const NEVER_BY_GET = [
  'MAY accept application/x-www-form-urlencoded formatted GET requests',
  'MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/graphql-response+json',
  'MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/json',
];

describe('The audits of graphql-http for GraphQL over HTTP', () => {
  it('report only one missing feature, which is optional: operations by GET', async () => {
    const authorization = `Bearer ${tokens.get('data_user')}`;
    const results = await auditServer({
      url: `${register.gateway}/graphql`,
      // Some audits introspect, which only authenticated roles may do.
      fetchFn: (url: string, init: RequestInit = {}) =>
        fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), authorization } }),
    });
    const found = results.flatMap((each) => (each.status === 'ok' ? [] : [each.name]));
    expect(results.length).toBeGreaterThan(60);
    expect(found.toSorted()).toEqual(NEVER_BY_GET);
  });
});

describe('GET /graphql', () => {
  it('never runs an operation', async () => {
    const query = encodeURIComponent(`query($key: AccessKey!) { accessRecord(key: $key) { state } }`);
    const variables = encodeURIComponent(JSON.stringify({ key: register.sandbox.samples.access_keys.active }));
    for (const accept of ['application/json', 'text/html', '*/*', 'application/graphql-response+json']) {
      for (const target of [
        `/graphql?query=${query}&variables=${variables}`,
        '/graphql?documentId=VerifyAccessRecord',
        '/graphql',
        '/graphql?query=%zz',
      ]) {
        const response = await wire.send({ method: 'GET', target, headers: { accept } });
        expect(response.text).not.toContain('"data"');
        expect([200, 405]).toContain(response.status);
        expect(String(response.headers['content-type'])).toMatch(
          response.status === 200 ? /^text\/html/ : /^application\/json/,
        );
        if (response.status === 405)
          expect([response.headers['allow'], codesOf(response)]).toEqual(['POST', ['MET001']]);
      }
    }
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'HEAD', 'PROPFIND'])('and %s /graphql run no operation', async (method) => {
    const response = await wire.send({
      method,
      target: '/graphql',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"query":"{ __typename }"}'),
    });
    expect(response.status).toBe(405);
  });
});
