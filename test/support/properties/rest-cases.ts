import fc from 'fast-check';
import type { ErrorCode } from '../../../schema/error-catalogue';
import { acceptedBodies } from './accepted-bodies';
import { valuesOf } from './contract-values';
import { type ContractViolation, HOSTILE, apart, contractViolations } from './contract-violations';
import type { WireRequest } from './http-exchange';
import { MOMENTARY, placeholder } from './momentary-objects';
import type { Samples } from './property-samples';
import type { Parameter, Schema, ServedOperation } from './served-contract';

/**
 * Values of the parameters of successful requests. Undefined omits a parameter; a parameter without an entry has any
 * valid value.
 */
function acceptedValues(id: string, { name, schema }: Parameter, samples: Samples): fc.Arbitrary<unknown> {
  const unnamed: Readonly<Record<string, string | undefined>> = {
    email: samples.email,
    'Idempotency-Key': undefined,
    cursor: undefined,
    after: undefined,
    'If-Match': '*',
    'reidentification-token': undefined,
    version: '1',
  };
  if (name === 'Prefer') return fc.constantFrom(...PREFERENCES);
  const named = namingValues(id, samples);
  if (name in named) return fc.constant(named[name]);
  return name in unnamed ? fc.constant(unnamed[name]) : valuesOf(schema);
}

/** Preferences with which a request takes effect. */
const PREFERENCES = [
  'return=minimal',
  'handling=strict',
  'wait=10, Handling = "lenient"; x=handling',
  ' , ;=',
  'check',
];

const PLACEHOLDERS = Object.fromEntries(MOMENTARY.map((name) => [name, placeholder(name)]));

/** Returns the values of the parameters that identify existing objects. */
export function namingValues(id: string, samples: Samples): Readonly<Record<string, string>> {
  const { ir, spareIr, tokenRef, ownTokenRef, duid, mpxn, legacyMpxn, grid, mpid, tariffId, userId } = samples;
  const ofGrid = { projectId: grid.project, cimFile: 'EQ.xml', licenceArea: grid.area, period: grid.period };
  return {
    ...PLACEHOLDERS,
    ir: id === 'anonymiseIdentityRecord' ? spareIr : ir,
    'token-ref': id === 'confirmOwnReidentification' ? ownTokenRef : tokenRef,
    credentialId: `cred_${'0'.repeat(24)}`,
    duid,
    mpxn: id === 'showConsents' ? legacyMpxn : mpxn,
    ...(id === 'listDevelopmentProjects' ? { licenceArea: grid.area } : {}),
    ...(/^retrieve(Archive|DifferenceModel)$/.test(id) ? { ...ofGrid, publicationYear: String(grid.year) } : {}),
    ...{ mpid, tariff_id: tariffId, user_id: userId },
  };
}

/** Requests to which an operation responds with success, for a permitted caller. */
export function acceptedRequests(operation: ServedOperation, samples: Samples): fc.Arbitrary<WireRequest> {
  const values = operation.parameters.map((parameter) => {
    const accepted = acceptedValues(operation.id, parameter, samples);
    // One of the two parameters of the search is required; here it is the meter point.
    const needed = parameter.required === true || parameter.name === 'mpxn';
    return (needed ? accepted : fc.option(accepted, { nil: undefined })).map((value) => [parameter, value] as const);
  });
  return fc
    .tuple(acceptedBodies(operation, samples), fc.tuple(...values))
    .map(([body, parameters]) => agreeing(operation, parameters, body, samples));
}

/**
 * Makes parameters consistent with each other and with the body: the end of a window after its beginning, an update of
 * the same meter point.
 */
function agreeing(
  operation: ServedOperation,
  parameters: readonly (readonly [Parameter, unknown])[],
  body: unknown,
  { legacyMpxn }: Samples,
): WireRequest {
  const valueOf = (wanted: string) => parameters.find(([{ name }]) => name === wanted)?.[1];
  const [from, to] = [valueOf('valid_from'), valueOf('valid_to')].map((value) => Date.parse(String(value)));
  const isNoWindow = Number(to) <= Number(from);
  const kept = isNoWindow ? parameters.filter(([{ name }]) => name !== 'valid_to') : parameters;
  if (valueOf('ck') === undefined) return requestOf(operation, kept, body);
  const { evidence, ...consent } = body as { readonly evidence: object };
  return requestOf(operation, kept, { ...consent, evidence: { ...evidence, mpxn: legacyMpxn } });
}

/** Returns a request of an operation with these parameters and this body. */
export function requestOf(
  { method, template }: ServedOperation,
  parameters: readonly (readonly [Parameter, unknown])[],
  body: unknown,
): WireRequest {
  const present = parameters.filter(([, value]) => value !== undefined);
  const of = (source: Parameter['in']) =>
    present.filter(([parameter]) => parameter.in === source).map(([{ name }, value]) => [name, String(value)] as const);
  const path = of('path').reduce((all, [name, value]) => all.replace(`{${name}}`, written(value)), template);
  const query = of('query').map(([name, value]) => `${encodeURIComponent(name)}=${written(value)}`);
  return {
    method,
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: {
      ...Object.fromEntries(of('header')),
      ...(body === undefined ? {} : { 'content-type': Buffer.isBuffer(body) ? 'application/zip' : 'application/json' }),
    },
    body: body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
  };
}

/** Encodes a value, except placeholders, which are replaced later. */
function written(value: string): string {
  return Object.values(PLACEHOLDERS).includes(value) ? value : encodeURIComponent(value);
}

/** A body with known violations of the contract. */
export interface BrokenBody {
  readonly body: unknown;
  readonly violations: readonly Pick<ContractViolation, 'what' | 'pointer' | 'code'>[];
}

/** Size in bytes near the limit, above which the server rejects a body unread. */
const LARGE_BODY = 250 * 1024;

/** Accepted bodies, changed by one to four violations of the contract. */
export function brokenBodies(operation: ServedOperation, samples: Samples): fc.Arbitrary<BrokenBody> {
  const schema = operation.body as Schema;
  const broken = fc
    .tuple(acceptedBodies(operation, samples), fc.array(fc.nat(), { minLength: 1, maxLength: 4 }))
    .map(([accepted, picks]) => {
      const body = structuredClone(accepted);
      const possible = contractViolations(schema, body, operation.of === 'A' || operation.of === 'B');
      const violations = apart(picks.map((pick) => possible[pick % possible.length] as ContractViolation));
      for (const { apply } of violations) apply(body);
      return { body, violations: violations.map(({ what, pointer, code }) => ({ what, pointer, code })) };
    });
  return broken.filter(({ body }) => Buffer.byteLength(JSON.stringify(body)) < LARGE_BODY);
}

/** An invalid value of a parameter, and the expected error. */
export interface BrokenParameter {
  readonly parameter: Parameter;
  readonly value: string;
  readonly code: ErrorCode;
}

/**
 * Values that do not match the schemas of an operation's parameters; for Interfaces B and D unknown parameters, too.
 */
export function brokenParameters({ of, parameters }: ServedOperation): BrokenParameter[] {
  const broken = parameters.flatMap((parameter) =>
    brokenValues(parameter.in, parameter.schema).map((each) => ({ parameter, ...each })),
  );
  if (of !== 'B' && of !== 'D') return broken;
  const strange = ['x-unknown', 'Limit', '__proto__', 'limit[]', 'toString'].map((name) => {
    return { parameter: { name, in: 'query', schema: {} } as const, value: HOSTILE, code: 'VAL003' } as const;
  });
  return [...broken, ...strange];
}

const WRONG_BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  email: [HOSTILE, '@', '\0@a.example', `a@b@${HOSTILE}`],
  'date-time': [HOSTILE, '2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T00:00:00', '\0', ''],
  uuid: [HOSTILE, '0', `{${'0'.repeat(36)}}`, '\0', 'zzzzzzzz-0000-4000-8000-000000000000'],
};

function brokenValues(source: Parameter['in'], schema: Schema): Pick<BrokenParameter, 'value' | 'code'>[] {
  const wrong = (code: ErrorCode, ...values: readonly string[]) => values.map((value) => ({ value, code }));
  if (source === 'header')
    return schema.pattern ? wrong('VAL001', 'a b', '\xe9', `${HOSTILE} ${HOSTILE}`, 'k'.repeat(256)) : [];
  if (schema.enum) return wrong('VAL003', HOSTILE, '', 'active', 'uk_consent', 'null');
  if (schema.type === 'boolean') return wrong('VAL003', HOSTILE, '', 'TRUE', '1', 'null');
  if (schema.type === 'integer') {
    const bounds = [(schema.minimum ?? 0) - 1, (schema.maximum ?? 0) + 1].map(String);
    return wrong('VAL003', ...bounds, '1.5', '1e2', HOSTILE, '', ' 1', '0x1', '9'.repeat(30));
  }
  const { pattern } = schema;
  if (pattern !== undefined) {
    const values = [HOSTILE, '\0', `${HOSTILE}\ud83d\ude00`, '0'.repeat(24), 'ABCDEFGHIJ', "' or 1=1 --"];
    return wrong('VAL001', ...values.filter((value) => !new RegExp(pattern).test(value)));
  }
  const ofFormat = WRONG_BY_FORMAT[schema.format ?? ''];
  if (ofFormat) return wrong('VAL001', ...ofFormat);
  return [
    ...(schema.minLength ? wrong('VAL003', '') : []),
    ...wrong('VAL003', 'x'.repeat((schema.maxLength ?? 0) + 1)),
    ...wrong('VAL001', `${HOSTILE.slice(0, 3)}\0`),
  ];
}

/** Returns the name of a parameter in the errors of an interface. */
export function spokenName({ of }: ServedOperation, { in: source, name }: Parameter): string {
  if (of === 'D') return name;
  return source === 'header' ? `header ${name}` : `${source} parameter ${name}`;
}
