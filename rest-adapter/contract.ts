import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { REPOSITORY_ROOT } from '../schema/repository-root';
import type { RestInterface } from './interfaces';

/** A JSON Schema of the contract (draft 2020-12), without references. */
export interface ContractSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ContractSchema>>;
  readonly required?: readonly string[];
  readonly items?: ContractSchema;
  readonly oneOf?: readonly ContractSchema[];
  readonly enum?: readonly (string | null)[];
  readonly additionalProperties?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly readOnly?: boolean;
  readonly default?: unknown;
  readonly maxLength?: number;
}

/** A parameter of an operation. */
export interface ContractParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: ContractSchema;
}

/** How a caller signs in to an operation: with a token, with account id and secret, with the API key of a supplier, or not at all. */
export type SignIn = 'bearer' | 'basic' | 'key' | 'anyone';

/** One operation of the contract, with what the adapter needs of it. */
export interface ContractOperation {
  readonly restInterface: RestInterface;
  readonly operationId: string;
  /** In capitals. */
  readonly method: string;
  /** The path template from the root: `/v1/access-records/{ak}`. */
  readonly path: string;
  readonly signIn: SignIn;
  readonly parameters: readonly ContractParameter[];
  readonly body: ContractSchema | undefined;
  /** Status of the good answer; where there are two, of what is new. */
  readonly status: number;
  /** Status of the good answer where nothing new came to be: known before, updated or replaced; it has the same body. */
  readonly statusUnlessNew: number;
  /** Undefined: the good answer has no body. */
  readonly answer: ContractSchema | undefined;
  readonly answerHeaders: readonly string[];
  /** Media types of the good answer; of several, the first is that of clients that want none in particular. */
  readonly mediaTypes: readonly string[];
}

/** An OpenAPI document as it was written, references included. */
export type OpenApiDocument = Record<string, unknown> & { readonly paths: Record<string, Record<string, unknown>> };

/** A contract: the document to be served, and its operations to be kept. */
export interface Contract {
  readonly restInterface: RestInterface;
  readonly document: OpenApiDocument;
  /** Those that the graph answers. */
  readonly operations: readonly ContractOperation[];
  /** Those that take an archive: its bytes go to the file store, for GraphQL carries none. */
  readonly uploads: readonly ContractOperation[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** Media type of an archive of difference models. */
const ARCHIVE = 'application/zip';

/** Reads the contract of an interface from its file. */
export function loadContract(restInterface: RestInterface): Contract {
  return readContract(
    readFileSync(join(REPOSITORY_ROOT, 'schema', 'openapi', restInterface.contract), 'utf8'),
    restInterface,
  );
}

/** Reads a contract of an interface. */
export function readContract(text: string, restInterface: RestInterface): Contract {
  const document = load(text) as OpenApiDocument;
  const whole = withoutReferences(document);
  const served = Object.entries(whole.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const authored = item[method] as AuthoredOperation;
      const isUpload = ARCHIVE in (authored.requestBody?.content ?? {});
      return { isUpload, operation: operationOf(restInterface, whole, path, method) };
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
  const [[status, answer] = ['', {}], [statusUnlessNew] = [status]] = goodAnswers(authored);
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
    answer: answer.content?.['application/json']?.schema,
    answerHeaders: Object.keys(answer.headers ?? {}),
    mediaTypes: Object.keys(answer.content ?? {}),
  };
}

/** The good answers, 201 before 200; where there are two, they say the same in their bodies. Of a part (206) the whole is told. */
function goodAnswers({ operationId, responses }: AuthoredOperation) {
  const good = Object.entries(responses)
    .filter(([code]) => code.startsWith('2') && code !== '206')
    .toSorted(([one], [other]) => Number(other) - Number(one));
  const bodies = new Set(good.map(([, { content }]) => JSON.stringify(content?.['application/json']?.schema)));
  if (good.length > 2 || bodies.size > 1)
    throw new Error(`${operationId}: its good answers differ in more than status`);
  return good;
}

function signInOf(security: readonly Record<string, unknown>[]): SignIn {
  if (security.some((requirement) => Object.keys(requirement).length === 0)) return 'anyone';
  if (security.some((requirement) => 'basicCredentials' in requirement)) return 'basic';
  return security.some((requirement) => 'supplierApiKey' in requirement) ? 'key' : 'bearer';
}

/** A document with every reference replaced by what it names, one object for all references to it; the contract has no cycles. */
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

/** A schema without its `null`, and whether it had one. */
export function withoutNull(schema: ContractSchema): { readonly schema: ContractSchema; readonly nullable: boolean } {
  const other = schema.oneOf?.find(({ type }) => type !== 'null');
  if (other && schema.oneOf?.some(({ type }) => type === 'null')) return { schema: other, nullable: true };
  const { type } = schema;
  if (typeof type === 'string' || !type?.includes('null')) return { schema, nullable: false };
  const [kind = 'null'] = type.filter((name) => name !== 'null');
  return {
    schema: { ...schema, type: kind, ...(schema.enum ? { enum: schema.enum.filter((value) => value !== null) } : {}) },
    nullable: true,
  };
}
