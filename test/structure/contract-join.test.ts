import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Supergraph } from '@apollo/federation-internals';
import type { GraphQLSchema } from 'graphql';
import { compile } from '../../rest-adapter/contract/compile';
import { loadContract } from '../../rest-adapter/contract/contract';
import { INTERFACE_D_ERROR_CODES } from '../../rest-adapter/responses/error-forms';
import { INTERFACES, INTERFACE_A, INTERFACE_B, INTERFACE_C, INTERFACE_D } from '../../rest-adapter/contract/interfaces';
import { operationName } from '../../rest-adapter/contract/compile';
import { operationsOf, parsedDocumentsIn } from '../../schema/operation-documents';
import { routeTable } from '../../rest-adapter/route-table';
import { errorCatalogue } from '../../schema/error-catalogue';
import {
  ACCESS_KEY_PATTERN,
  CONSENT_KEY_PATTERN,
  CREDENTIAL_ID_PATTERN,
  DUID_PATTERN,
  EVENT_ID_PATTERN,
  IDENTITY_RECORD_KEY_PATTERN,
  MPID_PATTERN,
  MPXN_PATTERN,
  POSTCODE_PATTERN,
  PROJECT_ID_PATTERN,
  RTI_USER_ID_PATTERN,
  TARIFF_ID_PATTERN,
  TOKEN_REF_PATTERN,
  UNIT_PRICE_PATTERN,
  WEBHOOK_ID_PATTERN,
} from '../../schema/identifiers';
import { LEGACY_MPXN_PATTERN } from '../../schema/mpxn';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import type { ContractSchema } from '../../rest-adapter/contract/contract-schema';

const contracts = INTERFACES.map(loadContract);
const promised = contracts.flatMap(({ operations }) => operations);
/** Names of documents: operations, and the alternatives of their rows. */
const ids = promised.flatMap(({ operationId }) => [operationId, ...alternativeOf(operationId)]);
const contract = loadContract(INTERFACE_A);
const documents = operationsOf(parsedDocumentsIn(join(REPOSITORY_ROOT, 'rest-adapter', 'operations')));
const generated = (file: string) => readFileSync(join(REPOSITORY_ROOT, 'schema', 'generated', file), 'utf8');

/** The API schema of the generated supergraph, which clients of the gateway read. */
function apiSchema(): GraphQLSchema {
  return Supergraph.build(generated('supergraph.graphql')).apiSchema().toGraphQLJSSchema();
}

function alternativeOf(operationId: string): string[] {
  const { alternative } = routeTable[operationId] ?? {};
  return alternative ? [alternative.document] : [];
}

describe('the mapping of contracts, operations, route table and graph', () => {
  it('has no problem: every property is selected, every input can be supplied, all enums have equal values', async () => {
    const { operations, problems } = await compile({ contracts, documents, rows: routeTable, schema: apiSchema() });
    expect(problems).toEqual([]);
    expect(operations).toHaveLength(promised.length);
  });

  it('has a document for each operation of the contracts, a second one where the row has an alternative, and no other', () => {
    expect([...documents.keys()].toSorted()).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has rows in the route table only for operations of a contract', () => {
    expect(Object.keys(routeTable).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('runs only trusted documents of the gateway', () => {
    const trusted = JSON.parse(generated('trusted-documents.json')) as Record<string, string>;
    expect(ids.map(operationName).filter((name) => !trusted[name])).toEqual([]);
  });
});

describe('the OpenAPI document of Interface A', () => {
  const schemas = (contract.document['components'] as { schemas: Record<string, ContractSchema> }).schemas;

  it('is of version 0.0.16', () => {
    expect((contract.document['info'] as { version: string }).version).toBe('0.0.16');
  });

  it('has the patterns of schema/identifiers.ts, character for character', () => {
    expect({
      AccessKey: schemas['AccessKey']?.pattern,
      IdentityRecordKey: schemas['IdentityRecordKey']?.pattern,
      CredentialId: schemas['CredentialId']?.pattern,
      Duid: schemas['Duid']?.pattern,
      TokenRef: schemas['TokenRef']?.pattern,
      WebhookId: schemas['WebhookId']?.pattern,
      EventId: schemas['EventId']?.pattern,
      Mpxn: schemas['Mpxn']?.pattern,
      postcode: schemas['UkAddress']?.properties?.['postcode']?.pattern,
    }).toEqual({
      AccessKey: ACCESS_KEY_PATTERN.source,
      IdentityRecordKey: IDENTITY_RECORD_KEY_PATTERN.source,
      CredentialId: CREDENTIAL_ID_PATTERN.source,
      Duid: DUID_PATTERN.source,
      TokenRef: TOKEN_REF_PATTERN.source,
      WebhookId: WEBHOOK_ID_PATTERN.source,
      EventId: EVENT_ID_PATTERN.source,
      Mpxn: MPXN_PATTERN.source,
      postcode: POSTCODE_PATTERN.source,
    });
  });

  it('writes the pattern of an identifier the same way everywhere', () => {
    const known = [
      ...[ACCESS_KEY_PATTERN, IDENTITY_RECORD_KEY_PATTERN, CREDENTIAL_ID_PATTERN, DUID_PATTERN, TOKEN_REF_PATTERN],
      ...[WEBHOOK_ID_PATTERN, EVENT_ID_PATTERN],
    ].map(({ source }) => source);
    const identifiers = patternsIn(contract.document).filter((pattern) => /_\[0-9a-f\]/.test(pattern));
    expect(identifiers.filter((pattern) => !known.includes(pattern) && pattern !== '^tid_[0-9a-f]{24}$')).toEqual([]);
  });

  it('lists the codes of the error catalogue, except those of Interface D only', () => {
    const ofInterfaceD = /^(AUT003|RTI\d+|NTF00[2-6]|CNF005)$/;
    expect(schemas['ErrorCode']?.enum).toEqual(Object.keys(errorCatalogue).filter((code) => !ofInterfaceD.test(code)));
  });

  it('documents the errors of every operation with the error envelope and a transaction id', () => {
    const missing = contract.operations.flatMap(({ operationId, path, method, signIn, body }) => {
      const responses = responsesOf(path, method);
      const expected = [
        '406',
        '429',
        '500',
        '503',
        ...(signIn === 'anyone' ? [] : ['401']),
        ...(body ? ['400', '413', '415'] : []),
      ];
      return expected.filter((status) => !(status in responses)).map((status) => `${operationId}: ${status}`);
    });
    expect(missing).toEqual([]);
  });

  it('limits the length of every string and list of a request', () => {
    const unbounded = contract.operations.flatMap(({ operationId, body, parameters }) =>
      [
        ...(body ? [['', body] as const] : []),
        ...parameters.map(({ name, schema }) => [name, schema] as const),
      ].flatMap(([name, schema]) => unboundedIn(schema, `${operationId} ${name}`)),
    );
    expect(unbounded).toEqual([]);
  });

  function responsesOf(path: string, method: string): Record<string, unknown> {
    const item = contract.document.paths[path.replace('/v1', '')] as Record<
      string,
      { responses: Record<string, unknown> }
    >;
    return item[method.toLowerCase()]?.responses ?? {};
  }
});

describe('the OpenAPI document of Interface B', () => {
  const { document, operations } = loadContract(INTERFACE_B);
  const { schemas, responses } = document['components'] as {
    schemas: Record<string, ContractSchema>;
    responses: Record<string, { headers: object }>;
  };

  it('has the paths of the specification without a version, deprecated, with their success responses', () => {
    const summaries = operations.map(({ method, path, signIn, status, statusUnlessNew }) => {
      const item = document.paths[path] as Record<string, { deprecated: boolean }>;
      const isDeprecated = item[method.toLowerCase()]?.deprecated ? 'deprecated ' : '';
      return `${isDeprecated}${method} ${path} ${signIn} ${[...new Set([status, statusUnlessNew])].join(', ')}`;
    });
    expect(summaries).toEqual([
      'deprecated GET /login basic 200',
      'deprecated POST /login basic 200',
      'deprecated POST /register-consent bearer 201, 200',
      'deprecated GET /show-consents/{mpxn} bearer 200',
    ]);
    expect((document['info'] as { version: string }).version).toBe('unversioned');
  });

  it('has the patterns of the specification, character for character, and the response time under its own name', () => {
    const patterns = ['ConsentKey', 'Duid', 'Mpxn'].map((name) => schemas[name]?.pattern);
    expect(patterns).toEqual([CONSENT_KEY_PATTERN.source, DUID_PATTERN.source, LEGACY_MPXN_PATTERN.source]);
    expect(schemas['UkAddress']?.properties?.['postcode']?.pattern).toBe(POSTCODE_PATTERN.source);
    expect(schemas['ResponseMetadata']?.required).toEqual(['resource', 'response-time-stamp', 'transaction-id']);
  });

  it('announces the deprecation in every response', () => {
    const good = operations.map(({ responseHeaders }) => responseHeaders);
    const others = Object.values(responses).map(({ headers }) => Object.keys(headers));
    for (const headers of [...good, ...others])
      expect(headers).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
  });

  it('has only codes of the catalogue, and the enums and addresses of Interface A', () => {
    const ofInterfaceA = (contract.document['components'] as { schemas: Record<string, ContractSchema> }).schemas;
    expect(ofInterfaceA['ErrorCode']?.enum).toEqual(expect.arrayContaining([...(schemas['ErrorCode']?.enum ?? [])]));
    expect(schemas['DataType']).toEqual(ofInterfaceA['DataType']);
    expect(schemas['UkAddress']).toEqual(ofInterfaceA['UkAddress']);
  });

  it('limits the length of every string and list of a request', () => {
    const unbounded = operations.flatMap(({ operationId, body, parameters }) => [
      ...(body ? unboundedIn(body, operationId) : []),
      ...parameters.flatMap(({ name, schema }) => unboundedIn(schema, `${operationId} ${name}`)),
    ]);
    expect(unbounded).toEqual([]);
  });
});

describe('the OpenAPI document of Interface C', () => {
  const { document, operations, uploads } = loadContract(INTERFACE_C);
  const all = [...operations, ...uploads];
  const { schemas, parameters } = document['components'] as Record<
    'schemas' | 'parameters',
    Record<string, ContractSchema & { schema: ContractSchema }>
  >;

  it('has the paths of the specification, without authentication', () => {
    expect(all.map(({ method, path, signIn }) => `${method} ${path} ${signIn}`)).toEqual([
      'GET /grid-modelling/stage3/development-projects anyone',
      'GET /grid-modelling/stage3/development-projects/{projectId} anyone',
      'GET /grid-modelling/stage3/development-projects/{projectId}/{cimFile} anyone',
      'PUT /grid-modelling/uploads/{token} anyone',
      'POST /grid-modelling/uploads/{token}/check anyone',
    ]);
  });

  it('has the parameters of the specification', () => {
    expect(parameters['ProjectId']?.schema).toEqual({
      type: 'string',
      maxLength: 24,
      pattern: PROJECT_ID_PATTERN.source,
    });
    expect(parameters['Version']?.schema).toMatchObject({ type: 'integer', minimum: 1, default: 1 });
    expect(schemas['CimFile']?.enum).toEqual(['EQ.xml', 'SC.xml', 'GL.xml']);
    expect(schemas['Period']?.enum).toEqual(['01', '02']);
  });

  it('describes every error as code and message, and documents the errors of every operation', () => {
    const error = { $ref: '#/components/schemas/Error' };
    const responses = (document['components'] as { responses: object }).responses;
    for (const response of Object.values(responses) as { content?: Record<string, { schema: unknown }> }[])
      if (response.content) expect(response.content).toMatchObject({ 'application/json': { schema: error } });
    for (const { path, method } of all) {
      const item = document.paths[path] as Record<string, { responses: object }>;
      expect(Object.keys(item[method.toLowerCase()]?.responses ?? {})).toEqual(
        expect.arrayContaining(['406', '500', '503']),
      );
    }
  });

  it('limits the length of every string of a request', () => {
    const unbounded = all.flatMap(({ operationId, parameters: its }) =>
      its.flatMap(({ name, schema }) => unboundedIn(schema, `${operationId} ${name}`)),
    );
    expect(unbounded).toEqual([]);
  });
});

describe('the OpenAPI document of Interface D', () => {
  const { document, operations } = loadContract(INTERFACE_D);
  const { schemas, responses } = document['components'] as {
    schemas: Record<string, ContractSchema>;
    responses: Record<string, { content?: Record<string, { schema: { $ref: string } }> }>;
  };

  it('is of version 0.1.1', () => {
    expect((document['info'] as { version: string }).version).toBe('0.1.1');
  });

  it('has the endpoints of the decisions, each with its server, authentication and success responses', () => {
    const summaries = operations.map(({ method, path, signIn, status, statusUnlessNew }) => {
      const [server] = (document.paths[path]?.['servers'] ?? []) as { url: string }[];
      return `${method} ${server?.url}${path} ${signIn} ${[...new Set([status, statusUnlessNew])].join(', ')}`;
    });
    expect(summaries).toEqual([
      'GET {register_url}/v1/suppliers anyone 200',
      'GET {register_url}/v1/users anyone 200',
      'GET {register_url}/v1/users/{user_id} anyone 200',
      'GET {supplier_url}/v1/tariff/customer bearer 200',
      'GET {supplier_url}/v1/tariff/{mpid} anyone 200',
      'GET {supplier_url}/v1/tariff/{mpid}/{tariff_id} anyone 200',
      'POST {supplier_url}/v1/consent bearer 201, 200',
      'DELETE {supplier_url}/v1/consent/{registration_id} bearer 204',
      'POST {supplier_url}/v1/webhook bearer 201, 200',
      'DELETE {supplier_url}/v1/webhook/{webhook_id} bearer 204',
      'POST {supplier_url}/v1/report key 202',
    ]);
  });

  it('has the nine filters of the specification, those of comparison sites, the detail, and pages of 1 to 100, 20 by default', () => {
    const { parameters = [] } = operations.find(({ operationId }) => operationId === 'listTariffs') ?? {};
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    expect(inQuery.map(({ name }) => name)).toEqual([
      ...['limit', 'offset', 'tariff_type', 'fuel_type', 'energy_flow', 'payment_method', 'ldz_region', 'meter_type'],
      ...['customer_type', 'valid_from', 'valid_to', 'on_sale_at', 'modified_since', 'detail'],
    ]);
    expect(inQuery[0]?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
  });

  it('states at the consent endpoints that they may be out of scope of Phase 1', () => {
    const warned = Object.values(document.paths).flatMap((item) =>
      Object.values(item).filter((each) => /may be out of scope.*Phase 1/s.test((each as Described).description ?? '')),
    );
    expect(warned.map((each) => (each as Described).operationId)).toEqual(['giveTariffConsent', 'revokeTariffConsent']);
  });

  it('has the patterns of schema/identifiers.ts, character for character', () => {
    const patterns = ['Mpid', 'UserId', 'TariffId', 'Mpxn', 'Price'].map((name) => schemas[name]?.pattern);
    expect(patterns).toEqual(
      [MPID_PATTERN, RTI_USER_ID_PATTERN, TARIFF_ID_PATTERN, MPXN_PATTERN, UNIT_PRICE_PATTERN].map(
        ({ source }) => source,
      ),
    );
  });

  it('lists exactly the error codes of the adapter, and the codes of each error response', () => {
    expect([...(schemas['ErrorCode']?.enum ?? [])].toSorted()).toEqual([...INTERFACE_D_ERROR_CODES].toSorted());
    for (const response of Object.values(responses)) {
      const reference = response.content?.['application/json']?.schema.$ref.split('/').at(-1) as string;
      expect(JSON.stringify(schemas[reference])).toMatch(/"#\/components\/schemas\/Error"\}.*"code":\{"enum":\["/);
    }
  });

  it('documents the errors of every operation', () => {
    for (const { path, method, signIn, body } of operations) {
      const item = document.paths[path] as Record<string, { responses: object }>;
      const expected = ['400', '401', '406', '429', '500', '503', ...(body ? ['413', '415'] : [])];
      const statuses = Object.keys(item[method.toLowerCase()]?.responses ?? {});
      expect(statuses).toEqual(expect.arrayContaining([...expected, ...(signIn === 'anyone' ? [] : ['403'])]));
    }
  });

  it('limits the length of every string and list of a request', () => {
    const unbounded = operations.flatMap(({ operationId, body, parameters }) => [
      ...(body ? unboundedIn(body, operationId) : []),
      ...parameters.flatMap(({ name, schema }) => unboundedIn(schema, `${operationId} ${name}`)),
    ]);
    expect(unbounded).toEqual([]);
  });
});

interface Described {
  readonly operationId?: string;
  readonly description?: string;
}

function patternsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = 'pattern' in part && typeof part.pattern === 'string' ? [part.pattern] : [];
  return [...own, ...Object.values(part).flatMap(patternsIn)];
}

function unboundedIn(schema: ContractSchema, at: string): string[] {
  const types = [schema.type ?? []].flat();
  const { maxItems } = schema as { maxItems?: number };
  const isBounded = schema.enum !== undefined || schema.maxLength !== undefined;
  return [
    ...(types.includes('string') && !isBounded ? [`${at}: no maxLength`] : []),
    ...(types.includes('array') && maxItems === undefined ? [`${at}: no maxItems`] : []),
    ...(schema.properties && schema.additionalProperties !== false ? [`${at}: takes unknown fields`] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => unboundedIn(property, `${at}/${name}`)),
    ...(schema.items ? unboundedIn(schema.items, `${at}/*`) : []),
    ...(schema.oneOf ?? []).flatMap((one) => unboundedIn(one, at)),
  ];
}
