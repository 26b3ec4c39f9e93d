import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  execute,
  getVariableValues,
  parse,
} from 'graphql';
import pino, { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { apiSchemaOf } from '../../gateway/supergraph';
import { startRestAdapter } from '../../rest-adapter/adapter';
import type { RunningRestAdapter } from '../../rest-adapter/adapter-options';
import type { GraphResult, GraphClient, GraphFailure, RequestMetadata } from '../../gateway/client/graph-client';
import type { FileStore } from '../../rest-adapter/files/file-store';
import { generatedSchema } from '../../schema/generated-schema';
import type { ErrorCode } from '../../schema/error-catalogue';
import { RegisterError, type Violation } from '../../schema/register-error';
import { REPOSITORY_ROOT } from '../../schema/repository-root';

/** The API schema of the supergraph, as every client of the gateway sees it. */
export const apiSchema: GraphQLSchema = apiSchemaOf(
  readFileSync(join(REPOSITORY_ROOT, 'schema', 'generated', 'supergraph.graphql'), 'utf8'),
);

/** A call received by the graph. */
export interface Call {
  readonly operation: string;
  readonly variables: Record<string, unknown>;
  readonly metadata: RequestMetadata;
}

/** Results of root fields by field name, as graphql-js root values. */
export type Roots = Record<string, (input: never) => unknown>;

/**
 * A test graph behind the adapter: executes the real operations against the real API schema, with root values that the
 * test sets. `Bearer good` is admitted, `Bearer provider` has the wrong role, `Bearer expired` has expired; the
 * supplier key `good` is valid.
 */
export class TestGraph implements GraphClient {
  roots: Roots = {};
  readonly calls: Call[] = [];
  readonly admissions: string[] = [];
  /** Number of times that requests were counted for the rate limit of their callers. */
  counts = 0;
  private readonly documents = new Map(
    Object.entries(generatedSchema().trustedDocuments).map(([name, text]) => [name, parse(text)]),
  );

  async run(operation: string, variables: Record<string, unknown>, metadata: RequestMetadata): Promise<GraphResult> {
    this.calls.push({ operation, variables, metadata });
    this.count(metadata);
    const rejected = PUBLIC.has(operation) ? undefined : errorAt(operation, metadata);
    if (rejected) return { failures: [rejected] };
    const document = this.documents.get(operation);
    if (!document) throw new Error(`no trusted document ${operation}`);
    demandCoercible(document, variables);
    const { data, errors } = await execute({
      schema: apiSchema,
      document,
      variableValues: variables,
      rootValue: this.roots,
    });
    return { data: (data ?? null) as Record<string, unknown> | null, failures: (errors ?? []).map(failureOf) };
  }

  admit(operation: string, metadata: RequestMetadata) {
    this.admissions.push(operation);
    this.count(metadata);
    return Promise.resolve(errorAt(operation, metadata));
  }

  private count({ isCounted = false }: RequestMetadata): void {
    if (!isCounted) this.counts += 1;
  }

  /** Variables of the last call, as JSON. */
  get variables(): unknown {
    return JSON.parse(JSON.stringify(this.calls.at(-1)?.variables ?? null)) as unknown;
  }
}

/** Throws if the adapter passes variables that do not match the GraphQL types. */
function demandCoercible(document: DocumentNode, variables: Record<string, unknown>): void {
  const [operation] = document.definitions as OperationDefinitionNode[];
  const { errors } = getVariableValues(apiSchema, operation?.variableDefinitions ?? [], variables);
  if (errors) throw new Error(`the adapter passed variables that the graph rejects: ${errors.map(String).join('\n')}`);
}

const PUBLIC = new Set([
  'VerifyAccessRecord',
  'ObtainBearerToken',
  'LogIn',
  'LogInByPost',
  'RetrieveDifferenceModel',
  'RetrieveArchive',
  'ListDevelopmentProjects',
]);

/** File store of adapters whose tests use no files. */
const NO_FILES: FileStore = {
  open: () => Promise.resolve(undefined),
  publishAt: () => Promise.resolve({ outcome: 'gone' }),
  checkAt: () => Promise.resolve({ outcome: 'gone' }),
};

const REJECTIONS: Readonly<Record<string, ErrorCode>> = {
  'Bearer provider': 'PRM001',
  'Bearer expired': 'AUT002',
  'Bearer busy': 'LIM002',
  'Bearer suspended': 'RTI001',
};

/** Public as well, but a credential must be valid. */
const VERIFYING = new Set([
  ...['ListSuppliers', 'ListRtiUsers', 'RetrieveRtiUser'],
  ...['ListTariffs', 'ListWholeTariffs', 'RetrieveTariff'],
]);

function errorAt(operation: string, metadata: RequestMetadata): GraphFailure | undefined {
  const isAnonymous = metadata.authorization === undefined && metadata.supplierKey === undefined;
  return isAnonymous && VERIFYING.has(operation) ? undefined : errorOf(metadata);
}

function errorOf({ authorization, supplierKey }: RequestMetadata): GraphFailure | undefined {
  if (supplierKey !== undefined && authorization === undefined)
    return supplierKey === 'good' ? undefined : { code: 'AUT003', message: '' };
  if (authorization === 'Bearer good' && supplierKey === undefined) return undefined;
  const code = REJECTIONS[authorization ?? ''] ?? 'AUT001';
  return { code, message: '', ...(code === 'LIM002' ? { retryAfter: 17 } : {}) };
}

function failureOf({ message, extensions }: { message: string; extensions: Record<string, unknown> }): GraphFailure {
  const { code, violations, retryAfter } = extensions as Partial<GraphFailure> & { violations?: Violation[] };
  if (!code) throw new Error(`the test's graph failed: ${message}`);
  return { code, message, ...(violations ? { violations } : {}), ...(retryAfter ? { retryAfter } : {}) };
}

/** Throws the violations of one rule. */
export function broken(...violations: Violation[]): never {
  throw new RegisterError(violations[0]?.code ?? 'SYS001', undefined, { violations });
}

/** An adapter over a test graph, with everything that it logged and measured. */
export interface TestAdapter {
  readonly adapter: RunningRestAdapter;
  readonly graph: TestGraph;
  readonly lines: Record<string, unknown>[];
  readonly metrics: Registry;
}

/** Starts the adapter for a chapter of tests. Each test starts with an empty graph. */
export function adapterOfChapter(): TestAdapter {
  const test = {} as TestAdapter;
  beforeAll(async () => void Object.assign(test, await startTestAdapter()));
  afterAll(() => test.adapter.close());
  beforeEach(() => {
    test.graph.roots = {};
    test.graph.calls.length = 0;
    test.graph.admissions.length = 0;
    test.lines.length = 0;
  });
  return test;
}

/** Starts an adapter on a free port. */
export async function startTestAdapter(
  settings: {
    trustProxy?: boolean | number | string[];
    production?: boolean;
    ltdsDefaultArea?: string | undefined;
    baseUrl?: string;
  } = {},
  files: FileStore = NO_FILES,
  log?: Logger,
): Promise<TestAdapter> {
  const [graph, metrics, lines] = [new TestGraph(), new Registry(), [] as Record<string, unknown>[]];
  const logger =
    log ?? pino({ base: null }, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const adapter = await startRestAdapter({
    graph,
    schema: apiSchema,
    files,
    keySet: () => Promise.resolve({ keys: [{ kty: 'OKP', kid: 'one' }] }),
    settings: {
      port: 0,
      baseUrl: settings.baseUrl ?? 'https://register.example/v1',
      legacySunset: new Date('2027-11-20T00:00:00Z'),
      trustProxy: settings.trustProxy ?? false,
      production: settings.production ?? true,
      ltdsDefaultArea: settings.ltdsDefaultArea,
    },
    logger,
    metrics,
  });
  return { adapter, graph, lines, metrics };
}

/** Keys of the tests, well-formed. */
export const AK = 'ak_5d3f9a1c7be2048643d1e0fa';
export const IR = 'ir_19c2e47ab0d35f8611a2b3c4';
export const DUID = 'duid_0a1b2c3d4e5f60718293a4b5';
export const TOKEN_REF = 'mlr_8e5b1d7f20c94a6380b2f4e1';
export const CREDENTIAL = 'cred_4f0d2c8b7a61e5930d1b2c3a';
export const MPXN = '991234567890';
export const WID = 'wid_6b0d94e7c1f25a3880e4d7b2';
export const EVENT = 'evt_2f8c61d0b7a94e53c1d20f6e';

/** A registration on consent that satisfies the contract. */
export function registration(): Record<string, Record<string, unknown>> & {
  'record-metadata': Record<string, unknown>;
} {
  return {
    'record-metadata': {
      'schema-version': '1.0',
      'controller-arrangement': {
        'arrangement-type': 'sole',
        'art26-reference': null,
        controllers: [
          {
            name: 'Harbourlight Insights Ltd',
            role: 'sole',
            'contact-url': 'https://harbourlight.example/contact',
            'privacy-rights-url': 'https://harbourlight.example/rights',
            'storage-conditions': { location: 'GB', 'retention-period': 'P2Y' },
          },
        ],
      },
      'identity-record-ref': IR,
    },
    notice: {
      'shared-notice': { 'terms-url': 'https://harbourlight.example/terms', 'notice-version': '3.0' },
      notices: null,
    },
    processing: { 'legal-basis': 'uk-consent', purpose: 'Advice', 'data-types': ['HH-CONSUMPTION'] },
    'access-event': {
      state: 'ACTIVE',
      'registered-at': '2026-11-20T09:29:41Z',
      expiry: null,
      consent: { 'consent-type': 'expressed-consent' },
    },
  };
}

/** An access record in the graph, on legitimate interests. */
export const accessRecord = {
  version: 3,
  recordMetadata: {
    schemaVersion: '1.0',
    recordIdentifier: AK,
    createdAt: new Date('2026-11-19T16:25:11.402Z'),
    controllerArrangement: {
      arrangementType: 'SOLE',
      art26Reference: null,
      controllers: [
        {
          name: 'Harbourlight Insights Ltd',
          role: 'SOLE',
          contactUrl: 'https://harbourlight.example/contact',
          address: { addressLine1: '4 Lantern Row', townCity: 'Wexbridge', postcode: 'WX4 7QD' },
          privacyRightsUrl: 'https://harbourlight.example/rights',
          liaReference: 'LIA-2026-011',
        },
      ],
    },
    identityRecordRef: IR,
    duid: DUID,
  },
  notice: null,
  processing: {
    legalBasis: 'UK_LEGITIMATE_INTERESTS',
    purpose: 'Forecasting',
    dataTypes: ['HH_CONSUMPTION'],
    jurisdiction: 'GB',
  },
  accessEvent: { state: 'ACTIVE', registeredAt: new Date('2026-11-19T16:20:00Z'), expiry: null },
};

/** A re-identification by magic link, as the graph returns it at the start. */
export const reidentification = {
  method: 'MAGIC_LINK',
  magicLink: {
    dispatchedTo: 'r***@w***.example',
    expiresAt: new Date('2026-11-20T09:40:00Z'),
    tokenRef: TOKEN_REF,
    redirectUrl: null,
  },
  passkey: null,
  replayed: false,
};

/** A discovered access in the graph. Nothing was registered, so that many fields are null. */
export const discoveredAccess = {
  version: 1,
  recordMetadata: {
    schemaVersion: 'discovered-1',
    recordIdentifier: AK,
    createdAt: new Date('2026-11-19T16:25:11.402Z'),
    controllerArrangement: {
      arrangementType: 'SOLE',
      art26Reference: null,
      controllers: [{ name: 'Saltmarsh Energy Advice Ltd', role: 'SOLE', contactUrl: null, privacyRightsUrl: null }],
    },
    identityRecordRef: null,
    duid: null,
  },
  notice: null,
  processing: { legalBasis: null, purpose: null, dataTypes: ['HH_CONSUMPTION'], jurisdiction: 'GB' },
  accessEvent: { state: 'DISCOVERED', registeredAt: new Date('2025-02-03T00:00:00Z'), expiry: null, consent: null },
};

/** A webhook subscription in the graph. */
export const webhook = {
  wid: WID,
  callbackUrl: 'https://harbourlight.example/register-events',
  alertEmail: 'operations@harbourlight.example',
  notifyDaysBefore: 30,
  eventTypes: ['CONSENT_EXPIRING', 'CONSENT_WITHDRAWAL'],
  createdAt: new Date('2026-11-19T16:20:00Z'),
  active: true,
};

/** An event that was rejected once and then delivered. */
export const delivery = {
  eventId: EVENT,
  eventType: 'WEBHOOK_TEST',
  status: 'DELIVERED',
  attempts: [
    { at: new Date('2026-11-20T09:21:07.310Z'), status: null, durationMs: 10_000, error: 'timeout' },
    { at: new Date('2026-11-20T09:22:07.402Z'), status: 204, durationMs: 61, error: null },
  ],
};

/** A change of tenancy about which one Data User was notified. */
export const changeOfTenancy = {
  mpxn: MPXN,
  effectiveDate: '2026-11-18',
  sourceReference: 'COT-2026-118',
  activeRecordsAffected: 2,
  dataUsersNotified: [DUID],
  isNew: true,
  replayed: false,
};
