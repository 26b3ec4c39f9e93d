import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import type { RestInterface } from './interfaces';
import type { ContractSchema } from './contract-schema';

/** A parameter of an operation. */
export interface ContractParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: ContractSchema;
}

/** Sign-in method of an operation: bearer token, account id and secret, API key of a supplier, or none. */
export type SignIn = 'bearer' | 'basic' | 'key' | 'anyone';

/** One operation of the contract, with the parts that the adapter uses. */
export interface ContractOperation {
  readonly restInterface: RestInterface;
  readonly operationId: string;
  /** Upper case. */
  readonly method: string;
  /** Path template from the root: `/v1/access-records/{ak}`. */
  readonly path: string;
  readonly signIn: SignIn;
  readonly parameters: readonly ContractParameter[];
  readonly body: ContractSchema | undefined;
  /** Status of a success response; if there are two, the one for something new. */
  readonly status: number;
  /** Status of a success response that created nothing: known, updated or replaced. The body is the same. */
  readonly statusUnlessNew: number;
  /** Undefined if a success response has no body. */
  readonly responseBody: ContractSchema | undefined;
  readonly responseHeaders: readonly string[];
  /** Media types of a success response. The first one is the default. */
  readonly mediaTypes: readonly string[];
}

/** An OpenAPI document as written, with references. */
export type OpenApiDocument = Record<string, unknown> & { readonly paths: Record<string, Record<string, unknown>> };

/** A contract: the OpenAPI document to serve, and its operations. */
export interface Contract {
  readonly restInterface: RestInterface;
  readonly document: OpenApiDocument;
  /** Operations of the graph. */
  readonly operations: readonly ContractOperation[];
  /** Operations that receive an archive. Its bytes go to the file store, because GraphQL carries none. */
  readonly uploads: readonly ContractOperation[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** Media type of an archive of difference models. */
const ARCHIVE = 'application/zip';

/** Reads the contract of an interface from its file. */
export function loadContract(restInterface: RestInterface): Contract {
  const file = join(REPOSITORY_ROOT, 'schema', 'generated', `contract-${restInterface.contract}.json`);
  return readContract(JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument, restInterface);
}

/** Reads the contract of an interface from its document. */
export function readContract(document: OpenApiDocument, restInterface: RestInterface): Contract {
  const resolved = withoutReferences(document);
  const served = Object.entries(resolved.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const authored = item[method] as AuthoredOperation;
      const isUpload = ARCHIVE in (authored.requestBody?.content ?? {});
      return { isUpload, operation: operationOf(restInterface, resolved, path, method) };
    }),
  );
  return {
    restInterface,
    document,
    operations: served.filter(({ isUpload }) => !isUpload).map(({ operation }) => operation),
    uploads: served.filter(({ isUpload }) => isUpload).map(({ operation }) => operation),
  };
}

interface AuthoredOperation {
  readonly operationId: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly ContractParameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: ContractSchema }> };
  readonly responses: Record<
    string,
    {
      readonly headers?: Record<string, unknown>;
      readonly content?: Record<string, { readonly schema: ContractSchema }>;
    }
  >;
}

function operationOf(
  restInterface: RestInterface,
  document: OpenApiDocument,
  path: string,
  method: string,
): ContractOperation {
  const item = document.paths[path] as Record<string, unknown>;
  const authored = item[method] as AuthoredOperation;
  const [[status, response] = ['', {}], [statusUnlessNew] = [status]] = successResponses(authored);
  const shared = (item['parameters'] ?? []) as readonly ContractParameter[];
  return {
    restInterface,
    operationId: authored.operationId,
    method: method.toUpperCase(),
    path: `${restInterface.basePath}${path}`,
    signIn: signInOf(authored.security ?? (document['security'] as readonly Record<string, unknown>[])),
    parameters: [...shared, ...(authored.parameters ?? [])],
    body: authored.requestBody?.content['application/json']?.schema,
    status: Number(status),
    statusUnlessNew: Number(statusUnlessNew),
    responseBody: response.content?.['application/json']?.schema,
    responseHeaders: Object.keys(response.headers ?? {}),
    mediaTypes: Object.keys(response.content ?? {}),
  };
}

/** Returns the success responses, 201 before 200. Two of them must have the same body. Omits 206 (a part of a file). */
function successResponses({ operationId, responses }: AuthoredOperation) {
  const successful = Object.entries(responses)
    .filter(([code]) => code.startsWith('2') && code !== '206')
    .toSorted(([one], [other]) => Number(other) - Number(one));
  const bodies = new Set(successful.map(([, { content }]) => JSON.stringify(content?.['application/json']?.schema)));
  if (successful.length > 2 || bodies.size > 1)
    throw new Error(`${operationId}: its success responses differ in more than the status`);
  return successful;
}

function signInOf(security: readonly Record<string, unknown>[]): SignIn {
  if (security.some((requirement) => Object.keys(requirement).length === 0)) return 'anyone';
  if (security.some((requirement) => 'basicCredentials' in requirement)) return 'basic';
  return security.some((requirement) => 'supplierApiKey' in requirement) ? 'key' : 'bearer';
}

/** Resolves all references of a document, each to one shared object. The contract has no cycles. */
function withoutReferences(document: OpenApiDocument): OpenApiDocument {
  const byReference = new Map<string, unknown>();
  const dereferenced = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(dereferenced);
    if (typeof part !== 'object' || part === null) return part;
    const reference = (part as { $ref?: unknown }).$ref;
    if (typeof reference !== 'string')
      return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, dereferenced(value)]));
    if (!byReference.has(reference)) byReference.set(reference, dereferenced(named(reference, document)));
    return byReference.get(reference);
  };
  return dereferenced(document) as OpenApiDocument;
}

function named(reference: string, document: OpenApiDocument): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], document);
}
