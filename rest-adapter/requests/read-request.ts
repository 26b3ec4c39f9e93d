import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { errorCatalogue } from '../../schema/error-catalogue';
import { mediaTypeProblem } from '../../gateway/client/json-body';
import type { CompiledOperation } from '../contract/compile';
import { areaOfHost } from '../files/licence-area';
import { type CatalogueError, catalogueError, violationsError } from '../responses/error-response';
import { DRY_RUN, preferenceViolations, wantsCheck } from './preferences';
import { pointerToken } from './request-binding';
import { basicCredentials, ifMatchViolations, unmetPrecondition, versionsOf } from './request-headers';
import { type BoundParameter, parameterLabel } from './request-parameters';
import type { RouteRow } from '../route-table';
import { MAX_VIOLATIONS } from '../../schema/register-error';
import { UNSTORABLE_MESSAGE, isWellFormed } from '../../schema/well-formed-text';
import { boundViolations } from './body-bounds';
import type { RequestViolation, Validator } from './validation';

/** Variables for the operation of a request, or the error that rejects it. */
export type ReadResult =
  | { readonly variables: Record<string, unknown>; readonly parameters: Values; readonly isCheck: boolean }
  | { readonly error: CatalogueError };

type Values = Readonly<Record<string, unknown>>;

/**
 * Reads a request by its contract, in the order of checks (decisions A/B, 1). `defaultArea` is the licence area of
 * files if the request names none.
 */
export function readRequest(operation: CompiledOperation, request: FastifyRequest, defaultArea?: string): ReadResult {
  const { authorization, 'if-match': ifMatch } = request.headers;
  const credentials = operation.contract.signIn === 'basic' ? basicCredentials(authorization) : {};
  if (credentials === undefined) return { error: catalogueError('AUT001') };
  const { parameters: bound, body: expected } = operation.request;
  const mediaError = mediaTypeError(operation, request, expected !== undefined);
  if (mediaError) return { error: mediaError };
  const parameters = parameterValues(bound, request);
  if (operation.row.licenceArea) setLicenceArea(parameters, operation.row.licenceArea, request, defaultArea);
  const parameterErrors = parameterViolations(operation, parameters);
  if (parameterErrors === 'unknown') return { error: catalogueError('NTF001') };
  const { rejectsUnknownParameters } = operation.contract.restInterface;
  const violations = [
    ...parameterErrors,
    ...(rejectsUnknownParameters ? unknownParameters(operation, request) : []),
    ...(operation.row.ifMatch === undefined ? [] : ifMatchViolations(ifMatch)),
    ...preferenceViolations(request.headers, operation.request.checkSupport),
  ];
  const { body, bodyViolations } = expected
    ? readBody(request, expected.check)
    : { body: undefined, bodyViolations: [] };
  if (violations.length > 0 || !isAcceptable(bodyViolations, body))
    return { error: violationsError([...violations, ...bodyViolations]) };
  const unmet = unmetPrecondition(request, operation.row.ifMatch !== undefined);
  if (unmet !== undefined) return { error: catalogueError('CND001', unmet) };
  const isCheck = operation.request.checkSupport === 'checkable' && wantsCheck(request.headers);
  const dryRun = isCheck ? { [DRY_RUN]: true } : {};
  return {
    variables: { ...credentials, ...variablesOf(operation, parameters, body, ifMatch), ...dryRun },
    parameters,
    isCheck,
  };
}

function mediaTypeError(
  operation: CompiledOperation,
  { headers, body }: FastifyRequest,
  takesBody: boolean,
): CatalogueError | undefined {
  if (!operation.accepts(headers.accept)) return catalogueError('ACC001');
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  const isAbsent = body === undefined && type === undefined;
  if (!takesBody || isAbsent) return undefined;
  const problem = mediaTypeProblem(type, encoding);
  return problem === undefined ? undefined : catalogueError('VAL011', problem);
}

function variablesOf(
  { request, row }: CompiledOperation,
  parameters: Values,
  body: unknown,
  ifMatch: string | undefined,
) {
  const variables: Record<string, unknown> = {};
  for (const { name, variable, defaultValue, bind } of request.parameters) {
    const value = parameters[name] ?? defaultValue;
    if (value !== undefined && variable !== undefined) variables[variable] = bind === undefined ? value : bind(value);
  }
  if (request.body) Object.assign(variables, request.body.bind(body));
  const versions = row.ifMatch === undefined ? undefined : versionsOf(ifMatch);
  if (row.ifMatch !== undefined && versions) variables[row.ifMatch] = versions;
  return variables;
}

function parameterValues(
  parameters: readonly BoundParameter[],
  { params, query, headers }: FastifyRequest,
): Record<string, unknown> {
  const sources = { path: params as Values, query: query as Values, header: headers as Values };
  const values: Record<string, unknown> = {};
  for (const { name, in: source, key, parse } of parameters) {
    const value = sources[source][key];
    if (value !== undefined) values[name] = parse ? parse(value) : value;
  }
  return values;
}

/** Sets the licence area: the host overrides the query, and both override the setting (decisions C.1). */
function setLicenceArea(
  parameters: Record<string, unknown>,
  { parameter, hasDefault }: NonNullable<RouteRow['licenceArea']>,
  request: FastifyRequest,
  defaultArea: string | undefined,
): void {
  const area = areaOfHost(request) ?? parameters[parameter] ?? (hasDefault ? defaultArea : undefined);
  if (area !== undefined) parameters[parameter] = area;
}

/** A query parameter that occurs several times has a list as its value, which violates every type of the contract. */
const REPEATED = { message: 'is supplied more than once' } as const;

/** Returns the violations of the parameters, or `unknown` if a path value is malformed with the same error as an unknown one. */
function parameterViolations(operation: CompiledOperation, values: Values): readonly RequestViolation[] | 'unknown' {
  const { parameters, checkParameters } = operation.request;
  const violations = [...checkParameters(values)];
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && !isWellFormed(value)) {
      violations.push({ code: 'VAL001', pointer: `/${name}`, message: UNSTORABLE_MESSAGE });
    }
  }
  if (violations.length === 0) return violations;
  const sourceOf = (pointer: string) => parameters.find(({ name }) => pointer === `/${name}`);
  if (violations.some(({ pointer }) => operation.row.malformed?.includes(pointer.slice(1)))) return 'unknown';
  return violations.map((violation) => {
    const parameter = sourceOf(violation.pointer);
    if (parameter === undefined) return violation;
    const { message } = Array.isArray(values[parameter.name]) ? REPEATED : violation;
    return { ...violation, pointer: parameterLabel(parameter), parameter: parameter.name, message };
  });
}

/** Returns a violation for each unknown query parameter. */
function unknownParameters({ request }: CompiledOperation, { query }: FastifyRequest): RequestViolation[] {
  const names = Object.keys(query as Values);
  if (names.length === 0) return [];
  const known = request.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  return unknownQueryViolations(names.filter((name) => !known.includes(name)));
}

/** Returns a violation for each name of a query parameter that the operation does not have. */
export function unknownQueryViolations(names: readonly string[]): RequestViolation[] {
  return names.slice(0, MAX_VIOLATIONS).map((name) => {
    const parameter = pointerToken(name);
    const pointer = parameterLabel({ in: 'query', name: parameter });
    return { code: 'VAL003', pointer, parameter, message: 'is not a parameter of this operation' };
  });
}

function readBody(
  request: FastifyRequest,
  check: Validator,
): { readonly body: unknown; readonly bodyViolations: readonly RequestViolation[] } {
  const bytes = request.body as Buffer | undefined;
  try {
    if (bytes === undefined || bytes.length === 0) return { body: undefined, bodyViolations: [NO_BODY] };
    if (!isUtf8(bytes)) return { body: undefined, bodyViolations: [NOT_JSON] };
    const body: unknown = JSON.parse(textOf(bytes));
    const outOfBounds = boundViolations(body);
    const exceedsBounds = outOfBounds.some(({ pointer }) => pointer === '');
    return { body, bodyViolations: exceedsBounds ? outOfBounds : [...check(body), ...outOfBounds] };
  } catch (error) {
    if (error instanceof SyntaxError) return { body: undefined, bodyViolations: [NOT_JSON] };
    throw error;
  }
}

/** Returns a text without the byte order mark that some clients send (RFC 8259 section 8.1). */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/^\uFEFF/, '');

const NO_BODY: RequestViolation = { code: 'VAL010', pointer: '', message: 'The body is missing: send a JSON object.' };
const NOT_JSON: RequestViolation = { code: 'VAL010', pointer: '', message: errorCatalogue.VAL010.meaning };

/**
 * Returns true if the graph will report all violations. It checks read-only fields as well: if nothing else is wrong,
 * the operation runs, so that the graph reports them together with the violations of all other rules. It accepts them
 * as strings only.
 */
function isAcceptable(violations: readonly RequestViolation[], body: unknown): boolean {
  return violations.every(({ code, pointer }) => code === 'VAL004' && typeof valueAt(body, pointer) === 'string');
}

function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], body);
}
