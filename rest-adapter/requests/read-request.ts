import type { FastifyRequest } from 'fastify';
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
import { isAcceptable, readBody } from './request-body';
import type { RequestViolation } from './validation';

/** A request that was read without an error. */
export interface Reading {
  readonly variables: Record<string, unknown>;
  readonly parameters: Values;
  /** The operation changes nothing: the client wants a check, or a precondition is not met. */
  readonly isCheck: boolean;
  /** Error of a precondition that no state of the resource meets. Errors of the operation come before it (decisions A/B, 1). */
  readonly unmet?: CatalogueError | undefined;
}

/** The variables for the operation of a request, or the error that rejects it. */
export type ReadResult = Reading | { readonly error: CatalogueError };

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
  const problem = unmetPrecondition(request, operation.row.ifMatch !== undefined);
  const unmet = problem === undefined ? undefined : catalogueError('CND001', problem);
  const isCheckable = operation.request.checkSupport === 'checkable';
  if (unmet && !isCheckable) return { error: unmet };
  const isCheck = isCheckable && (unmet !== undefined || wantsCheck(request.headers));
  const dryRun = isCheck ? { [DRY_RUN]: true } : {};
  return {
    variables: { ...credentials, ...variablesOf(operation, parameters, body, ifMatch), ...dryRun },
    parameters,
    isCheck,
    unmet,
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
