import fc from 'fast-check';
import type { ErrorCode } from '../../schema/error-catalogue';
import { type Samples, acceptedBodies } from './accepted-bodies';
import { valuesOf } from './contract-values';
import { type ContractViolation, HOSTILE, apart, contractViolations } from './contract-violations';
import type { WireRequest } from './http-exchange';
import type { Parameter, Schema, ServedOperation } from './served-contract';

/** Stands in a target for the access key of the moment. */
export const AK = '{ak}';
/** Stand in a target for the webhook subscription of the moment, and for an event that was delivered to it. */
export const WID = '{wid}';
export const EVENT_ID = '{event-id}';
const MOMENTARY: readonly unknown[] = [AK, WID, EVENT_ID];

/** Values of parameters that name what is there, where a random one would name nothing. */
function acceptedValues(id: string, { name, schema }: Parameter, samples: Samples): fc.Arbitrary<unknown> {
  const unnamed: Record<string, string> = {
    email: samples.email,
    'Idempotency-Key': '',
    cursor: '',
    'If-Match': '*',
    'reidentification-token': '',
  };
  const value = namingValues(id, samples)[name] ?? unnamed[name];
  if (value === undefined) return valuesOf(schema);
  return value === '' ? fc.constant(undefined) : fc.constant(value);
}

/** Values of the parameters by which an operation names what is there. */
export function namingValues(id: string, samples: Samples): Readonly<Record<string, string>> {
  const { ir, spareIr, tokenRef, ownTokenRef, duid, mpxn } = samples;
  return {
    ak: AK,
    wid: WID,
    'event-id': EVENT_ID,
    ir: id === 'anonymiseIdentityRecord' ? spareIr : ir,
    'token-ref': id === 'confirmOwnReidentification' ? ownTokenRef : tokenRef,
    credentialId: `cred_${'0'.repeat(24)}`,
    duid,
    mpxn,
  };
}

/** Requests that an operation answers with success, when its caller may call it. */
export function acceptedRequests(operation: ServedOperation, samples: Samples): fc.Arbitrary<WireRequest> {
  const values = operation.parameters.map((parameter) => {
    const accepted = acceptedValues(operation.id, parameter, samples);
    // One of the two parameters of the search is needed; it is the meter point.
    const needed = parameter.required === true || parameter.name === 'mpxn';
    return (needed ? accepted : fc.option(accepted, { nil: undefined })).map((value) => [parameter, value] as const);
  });
  return fc
    .tuple(acceptedBodies(operation, samples), fc.tuple(...values))
    .map(([body, parameters]) => requestOf(operation, parameters, body));
}

/** A request of an operation with these parameters and this body. */
export function requestOf(
  { method, template }: ServedOperation,
  parameters: readonly (readonly [Parameter, unknown])[],
  body: unknown,
): WireRequest {
  const present = parameters.filter(([, value]) => value !== undefined);
  const of = (source: Parameter['in']) =>
    present.filter(([parameter]) => parameter.in === source).map(([{ name }, value]) => [name, String(value)] as const);
  const path = of('path').reduce(
    (all, [name, value]) => all.replace(`{${name}}`, MOMENTARY.includes(value) ? value : encodeURIComponent(value)),
    template,
  );
  const query = of('query').map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return {
    method,
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: {
      ...Object.fromEntries(of('header')),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  };
}

/** A body with known violations of the contract in it. */
export interface BrokenBody {
  readonly body: unknown;
  readonly violations: readonly Pick<ContractViolation, 'what' | 'pointer' | 'code'>[];
}

/** Bytes of a body near the limit, which is refused before it is read. */
const LARGE_BODY = 250 * 1024;

/** Accepted bodies with one to four violations of the contract. */
export function brokenBodies(operation: ServedOperation, samples: Samples): fc.Arbitrary<BrokenBody> {
  const schema = operation.body as Schema;
  const broken = fc
    .tuple(acceptedBodies(operation, samples), fc.array(fc.nat(), { minLength: 1, maxLength: 4 }))
    .map(([accepted, picks]) => {
      const body = structuredClone(accepted);
      const possible = contractViolations(schema, body);
      const violations = apart(picks.map((pick) => possible[pick % possible.length] as ContractViolation));
      for (const { apply } of violations) apply(body);
      return { body, violations: violations.map(({ what, pointer, code }) => ({ what, pointer, code })) };
    });
  return broken.filter(({ body }) => Buffer.byteLength(JSON.stringify(body)) < LARGE_BODY);
}

/** A value that a parameter must refuse, and what it is told. */
export interface BrokenParameter {
  readonly parameter: Parameter;
  readonly value: string;
  readonly code: ErrorCode;
}

/** Values that do not fit the schema of a parameter. */
export function brokenParameters(parameters: readonly Parameter[]): BrokenParameter[] {
  return parameters.flatMap((parameter) => {
    const { schema } = parameter;
    const wrong = (code: ErrorCode, ...values: string[]) => values.map((value) => ({ parameter, value, code }));
    if (parameter.in === 'header')
      return schema.pattern ? wrong('VAL001', 'a b', '\xe9', `${HOSTILE} ${HOSTILE}`, 'k'.repeat(256)) : [];
    if (schema.enum) return wrong('VAL003', HOSTILE, '', 'active', 'uk_consent', 'null');
    if (schema.type === 'integer')
      return wrong('VAL003', '0', '501', '1.5', '1e2', '-1', HOSTILE, '', ' 1', '0x1', '9'.repeat(30));
    if (schema.pattern)
      return wrong('VAL001', HOSTILE, '\0', `${HOSTILE}\ud83d\ude00`, `${'0'.repeat(24)}`, 'ABCDEFGHIJ', "' or 1=1 --");
    if (schema.format === 'email') return wrong('VAL001', HOSTILE, '@', '\0@a.example', `a@b@${HOSTILE}`);
    return [
      ...wrong('VAL003', '', 'x'.repeat((schema.maxLength ?? 0) + 1)),
      ...wrong('VAL001', `${HOSTILE.slice(0, 3)}\0`),
    ];
  });
}

/** How an error names a parameter. */
export function spokenName({ in: source, name }: Parameter): string {
  return source === 'header' ? `header ${name}` : `${source} parameter ${name}`;
}
