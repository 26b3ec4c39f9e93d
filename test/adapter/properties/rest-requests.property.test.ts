import fc from 'fast-check';
import { newMpxn } from '../../support/customers';
import { membersOf } from '../../support/grid-archives';
import { changedRecords } from '../../support/properties/access-record-values';
import { brokenConditions, disagreements, unredeemableToken } from '../../support/properties/access-rules-oracle';
import { ARCHIVE_BODIES, acceptedBodies } from '../../support/properties/accepted-bodies';
import {
  bodyOf,
  codesOf,
  errorsOf,
  misfits,
  operationAt,
  undocumented,
} from '../../support/properties/documented-responses';
import {
  AFTER_THE_END,
  type ForeignObjects,
  type Outcome,
  TO_ANOTHER,
  endedObjects,
  naming,
  othersObjects,
} from '../../support/properties/foreign-objects';
import type { WireResponse, WireRequest } from '../../support/properties/http-exchange';
import { placeholder } from '../../support/properties/momentary-objects';
import { oddRequests } from '../../support/properties/odd-requests';
import type { OddRequest } from '../../support/properties/oddity';
import { LONG, PROPERTY_TIME, holdsForAll } from '../../support/properties/property-run';
import { type PropertyFixture, propertyFixture } from '../../support/properties/property-fixture';
import type { Samples } from '../../support/properties/property-samples';
import { consentsOf, expectedConsents, expectedReading, readingOf } from '../../support/properties/read-back';
import { ROLES, SIGN_INS, anyCaller } from '../../support/properties/rest-callers';
import {
  acceptedRequests,
  brokenBodies,
  brokenParameters,
  namingValues,
  requestOf,
  spokenName,
} from '../../support/properties/rest-cases';
import { NOT_LET_IN, type ReportedError } from '../../support/properties/rest-interfaces';
import type { Parameter, Schema, ServedOperation } from '../../support/properties/served-contract';
import { TARIFF_AUDIENCES } from '../../support/properties/tariff-callers';
import type { WireRecord } from '../../support/properties/wire-record';
import type { RestCaller } from '../../support/properties/rest-caller';

const OPERATIONS = [...Object.keys(ROLES), ...Object.keys(TARIFF_AUDIENCES)];
const ACCESS_RECORDS = ['registerAccessRecord', 'replaceAccessRecord'];
const RECORDS = [...ACCESS_RECORDS, 'registerIdentityRecord'];
const WITH_BODY = [
  ...RECORDS,
  ...['reidentify', 'reidentifyOwn', 'registerWebhook', 'updateWebhook', 'reportDiscoveredAccess'],
  ...['recordChangeOfTenancy', 'registerConsent', 'giveTariffConsent', 'registerRtiWebhook'],
  'submitPerformanceReport',
];
const WITHOUT_PARAMETERS = [...SIGN_INS, 'listWebhooks', ...ARCHIVE_BODIES];
const WITH_PARAMETERS = OPERATIONS.filter((id) => !WITHOUT_PARAMETERS.includes(id));
/** Path parameters for which a malformed value is treated like an unknown one. */
const MALFORMED_IS_UNKNOWN = ['ak', 'cimFile'];
/** The web server may reject request headers near its limit. */
const LARGE_HEAD = 15_000;
/** Maximum time for the register and its test objects to be ready, on a busy machine. */
const START_TIME = 240_000;
/** Maximum number of requests in CI; the long form sends more. */
const MOST_IN_CI = 4_400;
const LEAST_IN_LONG_FORM = 100_000;

let fixture: PropertyFixture;
let samples: Samples;
beforeAll(async () => {
  fixture = await propertyFixture();
  ({ samples } = fixture);
}, START_TIME);
afterAll(() => fixture?.close());
jest.setTimeout(PROPERTY_TIME + 250_000); // upper limit

const operationOf = (id: string) => fixture.contract.get(id) as ServedOperation;
const usualCaller = (id: string) =>
  fixture.callersOf(id).find(({ rejectedWith }) => rejectedWith === undefined) as RestCaller;
const send = (request: WireRequest, caller: RestCaller) => fixture.send(request, caller);

describe('The OpenAPI documents', () => {
  it('describe exactly the operations of these tests', () => {
    expect([...fixture.contract.keys()].toSorted()).toEqual(OPERATIONS.toSorted());
  });
});

describe.each(OPERATIONS)('%s', (id) => {
  it('responds to every request as documented, in the envelope, and accepts none that violates the contract', async () => {
    const operation = operationOf(id);
    const requests = fc.tuple(oddRequests(acceptedRequests(operation, samples)), anyCaller(fixture.callersOf(id)));
    await holdsForAll(requests, 12, async ([request, caller]) => {
      const { sent, response } = await send(request, caller);
      expect(undocumented(operationAt(fixture.contract.values(), sent), sent, response)).toEqual([]);
      if (request.isServed && request.isSignedIn && headSize(sent) < LARGE_HEAD)
        expectRightSignIn(operationOf(id), caller, response);
      if (!request.isServed || response.status >= 300) return;
      expect(accepted(operation, request, sent, caller)).toEqual([]);
      if (ARCHIVE_BODIES.includes(id))
        expect(await membersOf(request.body ?? Buffer.alloc(0))).toEqual(await membersOf(samples.archive));
    });
  });

  // The table in test/gateway/journeys/authorisation checks it otherwise, with one request each.
  if (LONG)
    it('admits exactly the permitted callers', async () => {
      const operation = operationOf(id);
      for (const caller of fixture.callersOf(id)) {
        await holdsForAll(acceptedRequests(operation, samples), 1, async (request) => {
          const { sent, response } = await send(request, caller);
          expect(undocumented(operation, sent, response)).toEqual([]);
          expectRightSignIn(operation, caller, response);
        });
      }
    });

  it('rejects no request that satisfies the contract and all rules', async () => {
    const operation = operationOf(id);
    await holdsForAll(acceptedRequests(operation, samples), WITH_BODY.includes(id) ? 8 : 4, async (request) => {
      const { sent, response } = await send(request, usualCaller(id));
      const errors = codesOf(operation.of, response);
      if (id === 'removeCredential') expect([response.status, ...errors]).toEqual(NO_PASSKEY);
      else expect([operation.successes, errors]).toEqual([expect.arrayContaining([response.status]), []]);
      expect(undocumented(operation, sent, response)).toEqual([]);
    });
  });
});

/** Each passkey can be removed once, and these tests register none. */
const NO_PASSKEY = [404, 'NTF001'];

describe.each(WITH_BODY)('The body of %s', (id) => {
  it('is rejected with exactly its violations of the contract', async () => {
    const operation = operationOf(id);
    await holdsForAll(brokenBodies(operation, samples), 16, async ({ body, violations }) => {
      const { sent, response } = await send(requestOf(operation, parametersOf(operation), body), usualCaller(id));
      expect(undocumented(operation, sent, response)).toEqual([]);
      const expected = violations.map(({ code, pointer }) => `${code} ${pointer}`);
      expect([response.status, reportedErrors(operation, response)]).toEqual([400, expected.toSorted()]);
    });
  });
});

describe.each(RECORDS)('The body of %s', (id) => {
  it('is read back unchanged', async () => {
    const operation = operationOf(id);
    await holdsForAll(acceptedBodies(operation, samples), 14, async (body) => {
      const key = fixture.objects.now.ak;
      const request = requestOf(operation, parametersOf(operation), body);
      const target = request.target.replace(placeholder('ak'), key);
      const { response } = await send({ ...request, target }, usualCaller(id));
      expect(operation.successes).toContain(response.status);
      const location =
        id === 'replaceAccessRecord' ? `/v1/access-records/${key}` : String(response.headers['location']);
      const reading = await send({ method: 'GET', target: location, headers: {} }, usualCaller('readIdentityRecord'));
      expect(readingOf(id, bodyOf(reading.response))).toEqual(expectedReading(id, body, samples.duid));
    });
  });
});

describe('The body of registerConsent', () => {
  it('is read back unchanged while the consent is ACTIVE', async () => {
    const operation = operationOf('registerConsent');
    const consents = acceptedBodies(operation, samples) as fc.Arbitrary<{ readonly evidence: object }>;
    await holdsForAll(consents, 14, async ({ evidence, ...others }) => {
      const mpxn = newMpxn();
      const body = { ...others, evidence: { ...evidence, mpxn } };
      const caller = usualCaller('registerConsent');
      const { response } = await send(requestOf(operation, [], body), caller);
      expect(response.status).toBe(201);
      const reading = await send({ method: 'GET', target: `/show-consents/${mpxn}`, headers: {} }, caller);
      expect(consentsOf(bodyOf(reading.response))).toEqual(expectedConsents(body));
    });
  });
});

describe.each(ACCESS_RECORDS)('A record sent to %s', (id) => {
  it('is accepted exactly when it violates no condition of the specification, and otherwise rejected with all violations', async () => {
    const operation = operationOf(id);
    const lawful = acceptedBodies(operation, samples) as fc.Arbitrary<WireRecord>;
    await holdsForAll(changedRecords(lawful, samples.ir, samples.duid), 60, async (record) => {
      const { sent, response } = await send(requestOf(operation, parametersOf(operation), record), usualCaller(id));
      expect(undocumented(operation, sent, response)).toEqual([]);
      const broken = [...brokenConditions(record, factsOf(id)), ...unredeemableToken(record, factsOf(id))];
      const reported = errorsOf('A', response).map(({ code, field }) => ({
        code: String(code),
        pointer: String(field),
      }));
      if (broken.length > 0) expect([response.status, disagreements(reported, broken)]).toEqual([400, []]);
      else expect([response.status, reported.map(({ code }) => code)]).toEqual(afterTheRules(operation, record));
    });
  });
});

describe.each(WITH_PARAMETERS)('The parameters of %s', (id) => {
  it('are rejected when they violate the contract, each by its name', async () => {
    const operation = operationOf(id);
    const broken = brokenParameters(operation);
    const requests = fc.tuple(acceptedBodies(operation, samples), fc.constantFrom(...broken), fc.boolean());
    await holdsForAll(requests, 12, async ([body, { parameter, value, code }, alsoBody]) => {
      const parameters = [
        ...parametersOf(operation).filter(([{ name }]) => name !== parameter.name),
        [parameter, value] as const,
      ];
      const sentBody = body === undefined ? undefined : alsoBody ? { x: 1 } : body;
      const { sent, response } = await send(requestOf(operation, parameters, sentBody), usualCaller(id));
      expect(undocumented(operation, sent, response)).toEqual([]);
      if (MALFORMED_IS_UNKNOWN.includes(parameter.name)) expect(response.status).toBe(404);
      else {
        expect(response.status).toBe(400);
        expect(reportedErrors(operation, response)).toContain(
          errorLine(operation, code, spokenName(operation, parameter)),
        );
      }
    });
  });

  it('are all reported, together with violations of the body', async () => {
    const operation = operationOf(id);
    const broken = brokenParameters(operation).filter(
      ({ parameter }) => !MALFORMED_IS_UNKNOWN.includes(parameter.name),
    );
    if (broken.length === 0) return;
    const requests = operation.body
      ? brokenBodies(operation, samples)
      : fc.constant({ body: undefined, violations: [] });
    const all = fc.tuple(requests, fc.subarray(broken, { minLength: 1 }));
    await holdsForAll(all, 6, async ([{ body, violations }, chosen]) => {
      const named = parametersOf(operation).map((pair) => [pair[0].name, pair] as const);
      const wrong = chosen.map(({ parameter, value }) => [parameter.name, [parameter, value] as const] as const);
      const parameters = new Map<string, readonly [Parameter, unknown]>([...named, ...wrong]);
      const { response } = await send(requestOf(operation, [...parameters.values()], body), usualCaller(id));
      const ofParameters = new Map(
        chosen.map(({ parameter, code }) => [
          parameter.name,
          errorLine(operation, code, spokenName(operation, parameter)),
        ]),
      );
      const ofBody = violations.map(({ code, pointer }) => errorLine(operation, code, pointer));
      expect([response.status, reportedErrors(operation, response)]).toEqual([
        400,
        [...ofParameters.values(), ...ofBody].toSorted(),
      ]);
    });
  });
});

describe.each([
  ['that have ended', AFTER_THE_END, endedObjects],
  ['of another owner', TO_ANOTHER, othersObjects],
] as const)('Objects %s', (_, outcomes, objectsOf) => {
  let foreign: ForeignObjects;
  beforeAll(async () => {
    foreign = await objectsOf(fixture);
  }, START_TIME);

  it.each(Object.keys(outcomes))('cannot be used with %s by any valid request', async (id) => {
    const operation = operationOf(id);
    const { status, code, contains = {} } = outcomes[id] as Outcome;
    const good = acceptedRequests(operation, foreign.samples).filter(({ target }) => namesAll(operation, target));
    await holdsForAll(fc.tuple(good, fc.constantFrom(...foreign.callersOf(id))), 5, async ([request, caller]) => {
      const { sent, response } = await send(naming(foreign, request), caller);
      expect(undocumented(operation, sent, response)).toEqual([]);
      const codes = code === undefined ? [] : [code];
      expect([caller.who, response.status, codesOf(operation.of, response)]).toEqual([caller.who, status, codes]);
      if (status < 300) expect(bodyOf(response)).toMatchObject(contains);
    });
  });
});

/**
 * Returns true if the request identifies all objects of the operation. A consent of Interface B is identified by an
 * optional parameter.
 */
function namesAll({ id }: ServedOperation, target: string): boolean {
  return id !== 'registerConsent' || target.includes('ck=');
}

describe('These tests', () => {
  it('sent the required number of requests', () => {
    if (LONG) expect(fixture.sentSoFar()).toBeGreaterThanOrEqual(LEAST_IN_LONG_FORM);
    else expect(fixture.sentSoFar()).toBeLessThanOrEqual(MOST_IN_CI);
  });
});

/** Returns the errors of a response, sorted: code and field, where the interface has codes. */
function reportedErrors(operation: ServedOperation, response: WireResponse): string[] {
  return errorsOf(operation.of, response)
    .map(({ code, field }) => errorLine(operation, code, field))
    .toSorted();
}

function errorLine({ of }: ServedOperation, code: ReportedError['code'], field: ReportedError['field']): string {
  return of === 'C' ? String(field) : `${code} ${field}`;
}

/** Returns the parameters that identify the object of the operation. */
function parametersOf({ id, parameters }: ServedOperation) {
  const values = namingValues(id, samples);
  return parameters
    .filter(({ name }) => name in values)
    .map((parameter) => [parameter, values[parameter.name]] as const);
}

function factsOf(id: string) {
  return {
    duid: samples.duid,
    production: false,
    now: new Date(),
    replaces: id === 'replaceAccessRecord' ? samples.ir : undefined,
  };
}

/** Expected outcome of a record that breaks no rule: the link of a registration is checked. */
function afterTheRules({ id, successes: [success = 0] }: ServedOperation, record: WireRecord): [number, string[]] {
  const ref = record['record-metadata']['identity-record-ref'];
  if (id === 'replaceAccessRecord') return [success, []];
  return ref === samples.ir ? [success, []] : [403, ['PRM002']];
}

/** Errors of a request that precede sign-in: the secret is checked only for a valid request. */
const BEFORE_SIGN_IN = ['VAL011', 'LIM001', 'ACC001', 'VAL003']; // the last code: an unknown query parameter

/** Expects 401 and 403 before every other error. */
function expectRightSignIn(
  { of, id }: ServedOperation,
  { who, rejectedWith }: RestCaller,
  response: WireResponse,
): void {
  if (response.text === '' && response.status >= 400) return;
  const codes = response.status < 400 ? [] : codesOf(of, response);
  if (rejectedWith === undefined)
    expect({ who, codes: codes.filter((code) => NOT_LET_IN.test(String(code))) }).toEqual({ who, codes: [] });
  else if (!(SIGN_INS.includes(id) && who === 'a wrong secret' && BEFORE_SIGN_IN.includes(codes[0] ?? '')))
    expect({ who, codes }).toEqual({ who, codes: [rejectedWith] });
}

/**
 * Returns the objections to a success: ajv's result for the served document, and violated conditions of the
 * specification.
 */
function accepted(
  operation: ServedOperation,
  request: OddRequest,
  { target }: WireRequest,
  caller: RestCaller,
): string[] {
  const found: string[] = [];
  if (request.isSignedIn && caller.rejectedWith) found.push(`${caller.who} was let in`);
  found.push(...acceptedParameters(operation, new URLSearchParams(target.split('?')[1] ?? '')));
  if (!operation.body || !request.body || ARCHIVE_BODIES.includes(operation.id)) return found;
  const body = JSON.parse(request.body.toString().replace(/^\uFEFF/, '')) as WireRecord;
  const schema = operation.body as Schema;
  const takesNull = operation.of === 'A' || operation.of === 'B';
  found.push(...misfits(schema, takesNull ? withoutOptionalNulls(schema, body) : body));
  if (found.length === 0 && ACCESS_RECORDS.includes(operation.id)) {
    found.push(...brokenConditions(body, factsOf(operation.id)).map(({ code, at }) => `${code} ${at}`));
  }
  return found;
}

/** In Interfaces A and B, null for an optional member means its absence (decisions A/B, 7). */
function withoutOptionalNulls(schema: Schema, value: unknown): unknown {
  const { properties = {}, required = [], items = {} } = schema.oneOf?.find(({ type }) => type !== 'null') ?? schema;
  if (Array.isArray(value)) return value.map((item) => withoutOptionalNulls(items, item));
  if (typeof value !== 'object' || value === null) return value;
  const isAbsent = ([name, member]: [string, unknown]) =>
    member === null && name in properties && !required.includes(name);
  return Object.fromEntries(
    Object.entries(value)
      .filter((entry) => !isAbsent(entry))
      .map(([name, member]) => [name, withoutOptionalNulls(properties[name] ?? {}, member)]),
  );
}

function acceptedParameters({ of, parameters }: ServedOperation, query: URLSearchParams): string[] {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const strange = [...query.keys()].filter((name) => !known.some((parameter) => parameter.name === name));
  return [
    ...(of === 'D' ? strange.map((name) => `${name} is no parameter`) : []),
    ...known.flatMap(({ name, schema }) => {
      const values = query.getAll(name);
      const misfitting = values.flatMap((value) => misfits(schema, typed(schema, value)));
      return [
        ...(values.length > 1 ? [`${name} is given ${values.length} times`] : []),
        ...misfitting.map((misfit) => `${name} ${misfit}`),
      ];
    }),
  ];
}

function typed({ type }: Schema, value: string): unknown {
  if (type === 'integer') return Number(value);
  return type === 'boolean' && ['true', 'false'].includes(value) ? value === 'true' : value;
}

function headSize({ target, headers }: WireRequest): number {
  return (
    target.length +
    Object.entries(headers).reduce((size, [name, value]) => size + name.length + String(value).length + 4, 200)
  );
}
