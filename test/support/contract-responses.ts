import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { type OpenApiDocument, loadContract } from '../../rest-adapter/contract/contract';
import { INTERFACES, type RestInterface, interfaceAt } from '../../rest-adapter/contract/interfaces';
import { closedSchemas } from './closed-schemas';

/** A request to a documented interface. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
}

/** A response, as received; the body is undefined if there is none, and a text if it is not JSON. */
export interface GivenResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** The responses in the OpenAPI documents. */
export interface ContractResponses {
  /** Returns the operation of a request, if a document has it; HEAD counts as the GET of its path. */
  operationOf(request: SentRequest): string | undefined;
  /**
   * Returns every deviation of a response from the documents: status, headers, body; undocumented parts are deviations,
   * too.
   */
  breaches(request: SentRequest, response: GivenResponse): string[];
  /** `operationId status` of every documented response. */
  readonly all: readonly string[];
}

/** A document and the interface that it describes. */
interface Published {
  readonly restInterface: RestInterface;
  readonly document: OpenApiDocument;
}

/** Reads the documents in `schema/openapi` again, without the adapter's own code that joins them. */
export function contractResponses(): ContractResponses {
  return responsesOf(INTERFACES.map(loadContract));
}

const served = new Map<unknown, Promise<ContractResponses>>();

/** Returns the documented responses of the register at an address. */
export function servedResponses(rest: string): Promise<ContractResponses> {
  return responsesServed(rest, async (path) => (await fetch(`${rest}${path}`)).json());
}

/** Returns the documented responses of a server; reads its documents once. */
export function responsesServed(by: unknown, read: (path: string) => Promise<unknown>): Promise<ContractResponses> {
  const known = served.get(by);
  if (known) return known;
  const documents = INTERFACES.map(async (restInterface) => ({
    restInterface,
    document: (await read(restInterface.documentPath)) as OpenApiDocument,
  }));
  const requested = Promise.all(documents).then(responsesOf);
  served.set(by, requested);
  requested.catch(() => served.delete(by));
  return requested;
}

interface Route {
  readonly restInterface: RestInterface;
  readonly operationId: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly isLiteral: boolean;
  readonly statuses: readonly string[];
}

function responsesOf(published: readonly Published[]): ContractResponses {
  const routes = published.flatMap(routesOf);
  const documents = new Map(
    published.map(({ restInterface, document }) => [restInterface, responsesOfDocument(document)]),
  );
  const operationAt = ({ method, path }: SentRequest) => {
    if (!isDecodable(path)) return undefined;
    const requested = method === 'HEAD' ? 'GET' : method;
    const matching = routes.filter(({ pattern }) => pattern.test(path));
    const isKnown = matching.some(({ isLiteral }) => isLiteral); // the path is matched before the method
    return matching.find((route) => route.method === requested && route.isLiteral === isKnown);
  };
  return {
    operationOf: (request) => operationAt(request)?.operationId,
    breaches(request, response) {
      const isHeadRejected = request.method === 'HEAD' && response.status === 405; // if GET has an effect
      const route = isHeadRejected ? undefined : operationAt(request);
      const restInterface = route?.restInterface ?? interfaceAt(request.path);
      if (restInterface === published[0]?.restInterface && OPERATORS.test(request.path) && response.status < 400)
        return [];
      const document = documents.get(restInterface) as Documented;
      const promised = route
        ? document.response(route.operationId, response.status)
        : document.unserved(response.status);
      const what = route?.operationId ?? 'a path or method that no operation has';
      return promised ? promised(request.method, response) : [`${response.status} is not documented of ${what}`];
    },
    all: routes.flatMap(({ operationId, statuses }) => statuses.map((status) => `${operationId} ${status}`)),
  };
}

/** Paths that the adapter serves in addition to the interfaces. */
const OPERATORS = /^\/(health|metrics|docs|openapi|\.well-known)(\/|\.json$|$)/;

function isDecodable(path: string): boolean {
  try {
    return decodeURI(path) !== '';
  } catch {
    return false;
  }
}

interface Operation {
  readonly operationId?: string;
  readonly responses: Record<string, Part>;
}

type Part = Readonly<Record<string, unknown>>;

function routesOf({ restInterface, document }: Published): Route[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const operations = Object.entries(item as Record<string, Operation>).filter(([, each]) => each.operationId);
    return operations.map(([method, { operationId = '', responses }]) => {
      const pattern = new RegExp(`^${restInterface.basePath}${path.replace(/\{[^}]+\}/g, '[^/]+')}$`);
      const isLiteral = !path.includes('{');
      return {
        restInterface,
        operationId,
        method: method.toUpperCase(),
        pattern,
        isLiteral,
        statuses: Object.keys(responses),
      };
    });
  });
}

/** Returns every deviation of a response from its document. */
type Check = (method: string, response: GivenResponse) => string[];

interface Documented {
  response(operationId: string, status: number): Check | undefined;
  /** Returns the check of a response to a request without an operation. */
  unserved(status: number): Check | undefined;
}

/**
 * By status, the components that describe the response to a request without an operation; the web server sends some of
 * them itself.
 */
const UNSERVED: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'BadRequest',
  431: 'BadRequest',
};

function responsesOfDocument(document: OpenApiDocument): Documented {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
  const responses = new Map(operations.map((each) => [each.operationId, each.responses]));
  const { responses: shared } = document['components'] as { responses: Record<string, Part> };
  const checks = new Map<Part, Check>();
  let ajv: Ajv2020 | undefined;
  const checkOf = (response: Part | undefined): Check | undefined => {
    if (response === undefined) return undefined;
    ajv ??= validatorOf(document);
    const check = checks.get(response) ?? responseCheck(ajv, resolved(document, response), document);
    checks.set(response, check);
    return check;
  };
  return {
    response: (operationId, status) => checkOf(responses.get(operationId)?.[status]),
    unserved: (status) => checkOf(shared[UNSERVED[status] ?? '']),
  };
}

function validatorOf(document: OpenApiDocument): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addFormat('mpxn', true);
  ajv.addFormat('decimal', { type: 'number', validate: () => true });
  return ajv.addSchema(closedSchemas(document), 'contract');
}

function resolved(document: OpenApiDocument, part: unknown): Part {
  const { $ref } = part as { $ref?: string };
  if ($ref === undefined) return part as Part;
  const steps = $ref.split('/').slice(1);
  return resolved(
    document,
    steps.reduce<unknown>((at, step) => (at as Part)[step], document),
  );
}

/** Headers of HTTP itself, and those that every response has: instructions for browsers, and `no-store`. */
const OF_EVERY_RESPONSE = new Set([
  ...['connection', 'keep-alive', 'date', 'content-type', 'content-length', 'transfer-encoding'],
  ...['cache-control', 'x-content-type-options', 'content-security-policy', 'referrer-policy'],
  ...['access-control-allow-origin', 'access-control-expose-headers'],
  'strict-transport-security',
]);

function responseCheck(ajv: Ajv2020, response: Part, document: OpenApiDocument): Check {
  const { headers = {}, content } = response as {
    headers?: Record<string, unknown>;
    content?: Record<string, { schema?: { $ref: string } }>;
  };
  const documented = Object.entries(headers).map(([name, header]) => {
    const { required = false, schema } = resolved(document, header) as { required?: boolean; schema: unknown };
    const { type, ...rest } = resolved(document, schema);
    const validate = ajv.compile({ ...rest, ...(type === undefined ? {} : { type }) });
    return { name: name.toLowerCase(), required, read: type === 'integer' ? Number : String, validate };
  });
  const known = new Set(documented.map(({ name }) => name));
  const bodies = new Map<string, ValidateFunction>();
  const bodyFaults = (body: unknown, type: string): string[] => {
    if (content === undefined) return body === undefined ? [] : ['has a body, and none is promised'];
    if (!(type in content)) return [`has a body of the type ${type}, which is not promised`];
    const reference = content[type]?.schema?.$ref;
    if (reference === undefined) return [];
    const validate = bodies.get(reference) ?? ajv.compile({ $ref: reference.replace('#', 'contract#') });
    bodies.set(reference, validate);
    return validate(body) ? [] : faultsOf(validate);
  };
  return (method, given) => {
    const names = [...given.headers.keys()].filter((name) => !known.has(name) && !OF_EVERY_RESPONSE.has(name));
    const inHeaders = documented.flatMap(({ name, required, read, validate }) => {
      const value = given.headers.get(name);
      if (value === null) return required ? [`lacks the header ${name}`] : [];
      return validate(read(value)) ? [] : [`the header ${name} is ${value}`];
    });
    const [type = ''] = given.headers.get('content-type')?.split(';') ?? [];
    const hasBody = method !== 'HEAD' && !(content === undefined && given.body === undefined);
    return [
      ...names.map((name) => `has the header ${name}, which is not documented`),
      ...inHeaders,
      ...(hasBody ? bodyFaults(given.body, type) : []),
    ];
  };
}

function faultsOf({ errors }: ValidateFunction): string[] {
  return (errors ?? []).map(({ instancePath, message, params }) => {
    const { additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
    const name = additionalProperty ?? unevaluatedProperty;
    return `${instancePath}${name === undefined ? '' : `/${name}`}: ${message}`;
  });
}
