import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { errorCatalogue } from '../schema/error-catalogue';
import type { CompiledOperation } from './compile';
import { areaOfHost } from './files/licence-area';
import { isPlainJson } from './media-types';
import { type Refusal, refusal, refusalOfFaults } from './refusal';
import { pointerToken } from './request-binding';
import { basicCredentials, versionsOf } from './request-headers';
import { type BoundParameter, spokenName } from './request-variables';
import type { RouteRow } from './route-table';
import { isStorable } from '../schema/storable-text';
import { storabilityFaults } from './storable';
import { type Fault, MOST_FAULTS, type Validator } from './validation';

/** What a request asks of the graph, or why it cannot be asked. */
export type Reading =
  { readonly variables: Record<string, unknown>; readonly parameters: Values } | { readonly refusal: Refusal };

type Values = Readonly<Record<string, unknown>>;

/** Reads a request by its contract, in the order of checks (2-decisions-a-b.md, section 1); files are by default of the area given. */
export function readRequest(operation: CompiledOperation, request: FastifyRequest, defaultArea?: string): Reading {
  const { authorization, 'if-match': ifMatch } = request.headers;
  const credentials = operation.contract.signIn === 'basic' ? basicCredentials(authorization) : {};
  if (credentials === undefined) return { refusal: refusal('AUT001') };
  const { parameters: bound, body: expected } = operation.request;
  const unsuitable = unsuitableMedia(operation, request, expected !== undefined);
  if (unsuitable) return { refusal: refusal(unsuitable) };
  const parameters = parameterValues(bound, request);
  if (operation.row.licenceArea) nameArea(parameters, operation.row.licenceArea, request, defaultArea);
  const known = parameterFaults(operation, parameters);
  if (known === 'unknown') return { refusal: refusal('NTF001') };
  const { refusesUnknownParameters } = operation.contract.restInterface;
  const faults = refusesUnknownParameters ? [...known, ...strangeParameters(operation, request)] : known;
  const { body, bodyFaults } = expected ? readBody(request, expected.check) : { body: undefined, bodyFaults: [] };
  if (faults.length > 0 || !isAcceptable(bodyFaults, body))
    return { refusal: refusalOfFaults([...faults, ...bodyFaults]) };
  return { variables: { ...credentials, ...variablesOf(operation, parameters, body, ifMatch) }, parameters };
}

function unsuitableMedia(
  operation: CompiledOperation,
  { headers, body }: FastifyRequest,
  takesBody: boolean,
): 'ACC001' | 'VAL011' | undefined {
  if (!operation.accepts(headers.accept)) return 'ACC001';
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  const isAbsent = body === undefined && type === undefined;
  return takesBody && !isAbsent && !isPlainJson(type, encoding) ? 'VAL011' : undefined;
}

function variablesOf(
  { request, row }: CompiledOperation,
  parameters: Values,
  body: unknown,
  ifMatch: string | undefined,
) {
  const variables: Record<string, unknown> = {};
  for (const { name, variable, preset, bind } of request.parameters) {
    const value = parameters[name] ?? preset;
    if (value !== undefined) variables[variable] = bind === undefined ? value : bind(value);
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
  for (const { name, in: source, key, read } of parameters) {
    const value = sources[source][key];
    if (value !== undefined) values[name] = read ? read(value) : value;
  }
  return values;
}

/** The host wins over the query, and both over the setting (3-decisions-c-d.md, C.1). */
function nameArea(
  parameters: Record<string, unknown>,
  { parameter, presumed }: NonNullable<RouteRow['licenceArea']>,
  request: FastifyRequest,
  defaultArea: string | undefined,
): void {
  const area = areaOfHost(request) ?? parameters[parameter] ?? (presumed ? defaultArea : undefined);
  if (area !== undefined) parameters[parameter] = area;
}

/** Faults of the parameters, or `unknown` when a malformed path value is answered like one that nobody knows. */
function parameterFaults(operation: CompiledOperation, values: Values): readonly Fault[] | 'unknown' {
  const { parameters, checkParameters } = operation.request;
  const faults = [...checkParameters(values)];
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && !isStorable(value)) {
      faults.push({ code: 'VAL001', pointer: `/${name}`, message: 'contains a character that cannot be stored' });
    }
  }
  if (faults.length === 0) return faults;
  const sourceOf = (pointer: string) => parameters.find(({ name }) => pointer === `/${name}`);
  if (faults.some(({ pointer }) => operation.row.malformed?.includes(pointer.slice(1)))) return 'unknown';
  return faults.map((fault) => {
    const parameter = sourceOf(fault.pointer);
    return parameter ? { ...fault, pointer: spokenName(parameter), parameter: parameter.name } : fault;
  });
}

/** Query parameters that the operation does not have. */
function strangeParameters({ request }: CompiledOperation, { query }: FastifyRequest): Fault[] {
  const known = request.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const strange = Object.keys(query as Values).filter((name) => !known.includes(name));
  return strange.slice(0, MOST_FAULTS).map((name) => {
    const parameter = pointerToken(name);
    const pointer = spokenName({ in: 'query', name: parameter });
    return { code: 'VAL003', pointer, parameter, message: 'is not a parameter of this operation' };
  });
}

function readBody(
  request: FastifyRequest,
  check: Validator,
): { readonly body: unknown; readonly bodyFaults: readonly Fault[] } {
  const bytes = request.body as Buffer | undefined;
  try {
    if (bytes === undefined || !isUtf8(bytes)) return { body: undefined, bodyFaults: [NOT_JSON] };
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    const unstorable = storabilityFaults(body);
    const isBeyondBounds = unstorable.some(({ pointer }) => pointer === '');
    return { body, bodyFaults: isBeyondBounds ? unstorable : [...check(body), ...unstorable] };
  } catch (error) {
    if (error instanceof SyntaxError) return { body: undefined, bodyFaults: [NOT_JSON] };
    throw error;
  }
}

const NOT_JSON: Fault = { code: 'VAL010', pointer: '', message: errorCatalogue.VAL010.meaning };

/**
 * Read-only fields are a rule of the graph, too: when they are all that is wrong, the graph is asked, and tells them together with
 * every other rule that is broken. It takes them as strings only.
 */
function isAcceptable(faults: readonly Fault[], body: unknown): boolean {
  return faults.every(({ code, pointer }) => code === 'VAL004' && typeof valueAt(body, pointer) === 'string');
}

function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], body);
}
