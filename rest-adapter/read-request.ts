import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import type { CompiledOperation } from './compile';
import { acceptsJson, isPlainJson } from './media-types';
import { type Refusal, refusal, refusalOfFaults } from './refusal';
import { basicCredentials, versionsOf } from './request-headers';
import type { BoundParameter } from './request-variables';
import { isStorable, storabilityFaults } from './storable';
import type { Fault } from './validation';

/** What a request asks of the graph, or why it cannot be asked. */
export type Reading =
  { readonly variables: Record<string, unknown>; readonly parameters: Values } | { readonly refusal: Refusal };

type Values = Readonly<Record<string, unknown>>;

/** Reads a request by its contract, in the order of checks (2-decisions-a-b.md, section 1). */
export function readRequest(operation: CompiledOperation, request: FastifyRequest): Reading {
  const { headers } = request;
  const credentials = operation.contract.signIn === 'basic' ? basicCredentials(headers.authorization) : {};
  if (credentials === undefined) return { refusal: refusal('AUT001') };
  if (!acceptsJson(headers.accept)) return { refusal: refusal('ACC001') };
  const { request: asked, row } = operation;
  const body = asked.body && readBody(request);
  if (body && 'refusal' in body && body.refusal.code === 'VAL011') return body;

  const parameters = parameterValues(asked.parameters, request);
  const faults = parameterFaults(operation, parameters);
  if (faults === 'unknown') return { refusal: refusal('NTF001') };
  if (body && 'refusal' in body) return body;
  const bodyFaults = asked.body && body ? faultsOfBody(body.value, asked.body.check) : [];
  if (faults.length + bodyFaults.length > 0 && !(faults.length === 0 && isRuleOfTheGraph(bodyFaults, body?.value))) {
    return { refusal: refusalOfFaults([...faults, ...bodyFaults]) };
  }

  const variables: Record<string, unknown> = { ...credentials };
  for (const { name, variable, preset, bind } of asked.parameters) {
    const value = parameters[name] ?? preset;
    if (value !== undefined) variables[variable] = bind === undefined ? value : bind(value);
  }
  if (asked.body && body) variables['input'] = asked.body.bind(body.value);
  if (row.ifMatch !== undefined) {
    const versions = versionsOf(headers['if-match']);
    if (versions) variables[row.ifMatch] = versions;
  }
  return { variables, parameters };
}

function parameterValues(parameters: readonly BoundParameter[], { params, query, headers }: FastifyRequest): Values {
  const sources = { path: params as Values, query: query as Values, header: headers as Values };
  const values: Record<string, unknown> = {};
  for (const { name, in: source, key, isInteger } of parameters) {
    const value = sources[source][key];
    if (value !== undefined) values[name] = isInteger ? integerOf(value) : value;
  }
  return values;
}

const INTEGER = /^-?[0-9]{1,9}$/;

function integerOf(value: unknown): unknown {
  return typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
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
  if (operation.row.malformed === 404 && faults.some(({ pointer }) => sourceOf(pointer)?.in === 'path'))
    return 'unknown';
  return faults.map((fault) => ({ ...fault, pointer: spokenName(sourceOf(fault.pointer), fault.pointer) }));
}

function spokenName(parameter: BoundParameter | undefined, pointer: string): string {
  return parameter ? `${parameter.in} ${parameter.in === 'header' ? '' : 'parameter '}${parameter.name}` : pointer;
}

function readBody(request: FastifyRequest): { readonly value: unknown } | { readonly refusal: Refusal } {
  const bytes = request.body as Buffer | undefined;
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.headers;
  if (bytes === undefined && contentType === undefined) return { refusal: refusal('VAL010', 'The body is missing.') };
  if (!isPlainJson(contentType, contentEncoding)) return { refusal: refusal('VAL011') };
  if (bytes === undefined || !isUtf8(bytes)) return { refusal: refusal('VAL010') };
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return { refusal: refusal('VAL010') };
  }
}

function faultsOfBody(body: unknown, check: (body: unknown) => readonly Fault[]): readonly Fault[] {
  const unstorable = storabilityFaults(body);
  const isBeyondBounds = unstorable.some(({ pointer }) => pointer === '');
  return isBeyondBounds ? unstorable : [...check(body), ...unstorable];
}

/**
 * Read-only fields are a rule of the graph, too: when they are all that is wrong, the graph is asked, and tells them together with
 * every other rule that is broken. It takes them as strings only.
 */
function isRuleOfTheGraph(faults: readonly Fault[], body: unknown): boolean {
  return faults.every(({ code, pointer }) => code === 'VAL004' && typeof valueAt(body, pointer) === 'string');
}

function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], body);
}
