import fc from 'fast-check';
import { newMpxn } from '../../support/customers';
import { changedRecords } from '../../support/properties/access-record-values';
import { brokenConditions, disagreements } from '../../support/properties/access-rules-oracle';
import { acceptedBodies } from '../../support/properties/accepted-bodies';
import {
  bodyOf,
  codesOf,
  errorsOf,
  misfits,
  operationAt,
  undocumented,
} from '../../support/properties/documented-answers';
import {
  AFTER_THE_END,
  type ForeignObjects,
  type Outcome,
  TO_ANOTHER,
  endedObjects,
  naming,
  othersObjects,
} from '../../support/properties/foreign-objects';
import type { WireAnswer, WireRequest } from '../../support/properties/http-exchange';
import { placeholder } from '../../support/properties/momentary-objects';
import { oddRequests } from '../../support/properties/odd-requests';
import type { OddRequest } from '../../support/properties/oddity';
import { LONG, PROPERTY_TIME, holdsForAll } from '../../support/properties/property-run';
import { type PropertyRoom, propertyRoom } from '../../support/properties/property-room';
import type { Samples } from '../../support/properties/property-samples';
import { consentsOf, expectedConsents, expectedReading, readingOf } from '../../support/properties/read-back';
import { ROLES, type RestCaller, SIGN_INS, anyCaller } from '../../support/properties/rest-callers';
import {
  acceptedRequests,
  brokenBodies,
  brokenParameters,
  namingValues,
  requestOf,
  spokenName,
} from '../../support/properties/rest-cases';
import { NOT_LET_IN, type ToldError } from '../../support/properties/rest-interfaces';
import type { Parameter, Schema, ServedOperation } from '../../support/properties/served-contract';
import { TARIFF_AUDIENCES } from '../../support/properties/tariff-callers';
import type { WireRecord } from '../../support/properties/wire-record';

const OPERATIONS = [...Object.keys(ROLES), ...Object.keys(TARIFF_AUDIENCES)];
const ACCESS_RECORDS = ['registerAccessRecord', 'replaceAccessRecord'];
const RECORDS = [...ACCESS_RECORDS, 'registerIdentityRecord'];
const WITH_BODY = [
  ...RECORDS,
  ...['reidentify', 'reidentifyOwn', 'registerWebhook', 'updateWebhook', 'reportDiscoveredAccess'],
  ...['recordChangeOfTenancy', 'registerConsent', 'giveTariffConsent', 'registerRtiWebhook'],
  'submitPerformanceReport',
];
const WITHOUT_PARAMETERS = [...SIGN_INS, 'listWebhooks', 'uploadArchive'];
const WITH_PARAMETERS = OPERATIONS.filter((id) => !WITHOUT_PARAMETERS.includes(id));
/** Path parameters whose malformed value is answered like an unknown one. */
const MALFORMED_IS_UNKNOWN = ['ak', 'cimFile'];
/** A head near the limit of the web server may be refused by it, or not. */
const LARGE_HEAD = 15_000;
/** Milliseconds in which the register and all that is tried on it must be there, on a machine that does much else, too. */
const START_TIME = 240_000;
/** Requests of a run: few thousand in CI (issue 7, item 3), many in the long form. */
const MOST_IN_CI = 4_200;
const LEAST_IN_LONG_FORM = 100_000;

let room: PropertyRoom;
let samples: Samples;
beforeAll(async () => {
  room = await propertyRoom();
  ({ samples } = room);
}, START_TIME);
afterAll(() => room?.close());
jest.setTimeout(PROPERTY_TIME + 250_000); // a last resort

const operationOf = (id: string) => room.contract.get(id) as ServedOperation;
const usualCaller = (id: string) =>
  room.callersOf(id).find(({ refusedWith }) => refusedWith === undefined) as RestCaller;
const send = (request: WireRequest, caller: RestCaller) => room.send(request, caller);

describe('The documents', () => {
  it('describe exactly the operations that are tried here', () => {
    expect([...room.contract.keys()].toSorted()).toEqual(OPERATIONS.toSorted());
  });
});

describe.each(OPERATIONS)('%s', (id) => {
  it('answers whatever it is sent as documented, in the envelope, and accepts nothing that breaks the contract', async () => {
    const operation = operationOf(id);
    const requests = fc.tuple(oddRequests(acceptedRequests(operation, samples)), anyCaller(room.callersOf(id)));
    await holdsForAll(requests, 12, async ([request, caller]) => {
      const { sent, answer } = await send(request, caller);
      expect(undocumented(operationAt(room.contract.values(), sent), sent, answer)).toEqual([]);
      if (request.isServed && request.isSignedIn && headSize(sent) < LARGE_HEAD)
        expectRightSignIn(operationOf(id), caller, answer);
      if (request.isServed && answer.status < 300) expect(accepted(operation, request, sent, caller)).toEqual([]);
    });
  });

  // Usually the table of test/gateway/journeys/authorisation shows it, with one request each.
  if (LONG)
    it('lets in exactly those who may call it', async () => {
      const operation = operationOf(id);
      for (const caller of room.callersOf(id)) {
        await holdsForAll(acceptedRequests(operation, samples), 1, async (request) => {
          const { sent, answer } = await send(request, caller);
          expect(undocumented(operation, sent, answer)).toEqual([]);
          expectRightSignIn(operation, caller, answer);
        });
      }
    });

  it('refuses no request that fits the contract and breaks no rule', async () => {
    const operation = operationOf(id);
    await holdsForAll(acceptedRequests(operation, samples), WITH_BODY.includes(id) ? 8 : 4, async (request) => {
      const { sent, answer } = await send(request, usualCaller(id));
      const told = codesOf(operation.of, answer);
      if (id === 'removeCredential') expect([answer.status, ...told]).toEqual(NO_PASSKEY);
      else expect([operation.successes, told]).toEqual([expect.arrayContaining([answer.status]), []]);
      expect(undocumented(operation, sent, answer)).toEqual([]);
    });
  });
});

/** A passkey is removed only once, and none is registered here. */
const NO_PASSKEY = [404, 'NTF001'];

describe.each(WITH_BODY)('The body of %s', (id) => {
  it('is refused with every violation of the contract that it has, and no other', async () => {
    const operation = operationOf(id);
    await holdsForAll(brokenBodies(operation, samples), 16, async ({ body, violations }) => {
      const { sent, answer } = await send(requestOf(operation, parametersOf(operation), body), usualCaller(id));
      expect(undocumented(operation, sent, answer)).toEqual([]);
      const expected = violations.map(({ code, pointer }) => `${code} ${pointer}`);
      expect([answer.status, toldOf(operation, answer)]).toEqual([400, expected.toSorted()]);
    });
  });
});

describe.each(RECORDS)('The body of %s', (id) => {
  it('is read back as it was sent', async () => {
    const operation = operationOf(id);
    await holdsForAll(acceptedBodies(operation, samples), 14, async (body) => {
      const key = room.objects.now.ak;
      const request = requestOf(operation, parametersOf(operation), body);
      const target = request.target.replace(placeholder('ak'), key);
      const { answer } = await send({ ...request, target }, usualCaller(id));
      expect(operation.successes).toContain(answer.status);
      const location = id === 'replaceAccessRecord' ? `/v1/access-records/${key}` : String(answer.headers['location']);
      const reading = await send({ method: 'GET', target: location, headers: {} }, usualCaller('readIdentityRecord'));
      expect(readingOf(id, bodyOf(reading.answer))).toEqual(expectedReading(id, body, samples.duid));
    });
  });
});

describe('The body of registerConsent', () => {
  it('is read back as it was sent, while the consent is in force', async () => {
    const operation = operationOf('registerConsent');
    const consents = acceptedBodies(operation, samples) as fc.Arbitrary<{ readonly evidence: object }>;
    await holdsForAll(consents, 14, async ({ evidence, ...others }) => {
      const mpxn = newMpxn();
      const body = { ...others, evidence: { ...evidence, mpxn } };
      const caller = usualCaller('registerConsent');
      const { answer } = await send(requestOf(operation, [], body), caller);
      expect(answer.status).toBe(201);
      const reading = await send({ method: 'GET', target: `/show-consents/${mpxn}`, headers: {} }, caller);
      expect(consentsOf(bodyOf(reading.answer))).toEqual(expectedConsents(body));
    });
  });
});

describe.each(ACCESS_RECORDS)('A record sent to %s', (id) => {
  it('is accepted exactly when it breaks no condition of the specification, else refused with all that it breaks', async () => {
    const operation = operationOf(id);
    const lawful = acceptedBodies(operation, samples) as fc.Arbitrary<WireRecord>;
    await holdsForAll(changedRecords(lawful, samples.ir, samples.duid), 60, async (record) => {
      const { sent, answer } = await send(requestOf(operation, parametersOf(operation), record), usualCaller(id));
      expect(undocumented(operation, sent, answer)).toEqual([]);
      const broken = brokenConditions(record, factsOf(id));
      const told = errorsOf('A', answer).map(({ code, field }) => ({ code: String(code), pointer: String(field) }));
      if (broken.length > 0) expect([answer.status, disagreements(told, broken)]).toEqual([400, []]);
      else expect([answer.status, told.map(({ code }) => code)]).toEqual(afterTheRules(operation, record));
    });
  });
});

describe.each(WITH_PARAMETERS)('The parameters of %s', (id) => {
  it('are refused when they do not fit the contract, each by its name', async () => {
    const operation = operationOf(id);
    const broken = brokenParameters(operation);
    const requests = fc.tuple(acceptedBodies(operation, samples), fc.constantFrom(...broken), fc.boolean());
    await holdsForAll(requests, 12, async ([body, { parameter, value, code }, alsoBody]) => {
      const parameters = [
        ...parametersOf(operation).filter(([{ name }]) => name !== parameter.name),
        [parameter, value] as const,
      ];
      const sentBody = body === undefined ? undefined : alsoBody ? { x: 1 } : body;
      const { sent, answer } = await send(requestOf(operation, parameters, sentBody), usualCaller(id));
      expect(undocumented(operation, sent, answer)).toEqual([]);
      if (MALFORMED_IS_UNKNOWN.includes(parameter.name)) expect(answer.status).toBe(404);
      else {
        expect(answer.status).toBe(400);
        expect(toldOf(operation, answer)).toContain(tellingOf(operation, code, spokenName(operation, parameter)));
      }
    });
  });

  it('are all told, together with what is wrong with the body', async () => {
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
      const { answer } = await send(requestOf(operation, [...parameters.values()], body), usualCaller(id));
      const ofParameters = new Map(
        chosen.map(({ parameter, code }) => [
          parameter.name,
          tellingOf(operation, code, spokenName(operation, parameter)),
        ]),
      );
      const ofBody = violations.map(({ code, pointer }) => tellingOf(operation, code, pointer));
      expect([answer.status, toldOf(operation, answer)]).toEqual([
        400,
        [...ofParameters.values(), ...ofBody].toSorted(),
      ]);
    });
  });
});

describe.each([
  ['that have ended', AFTER_THE_END, endedObjects],
  ["that are another's", TO_ANOTHER, othersObjects],
] as const)('Objects %s', (_, outcomes, objectsOf) => {
  let foreign: ForeignObjects;
  beforeAll(async () => {
    foreign = await objectsOf(room);
  }, START_TIME);

  it.each(Object.keys(outcomes))('are no use to %s, whatever good request names them', async (id) => {
    const operation = operationOf(id);
    const { status, code, says = {} } = outcomes[id] as Outcome;
    const good = acceptedRequests(operation, foreign.samples).filter(({ target }) => namesAll(operation, target));
    await holdsForAll(fc.tuple(good, fc.constantFrom(...foreign.callersOf(id))), 5, async ([request, caller]) => {
      const { sent, answer } = await send(naming(foreign, request), caller);
      expect(undocumented(operation, sent, answer)).toEqual([]);
      const codes = code === undefined ? [] : [code];
      expect([caller.who, answer.status, codesOf(operation.of, answer)]).toEqual([caller.who, status, codes]);
      if (status < 300) expect(bodyOf(answer)).toMatchObject(says);
    });
  });
});

/** A consent of Interface B is named by a parameter that may be left out. */
function namesAll({ id }: ServedOperation, target: string): boolean {
  return id !== 'registerConsent' || target.includes('ck=');
}

describe('All of it', () => {
  it('made as many requests as are asked for', () => {
    if (LONG) expect(room.sentSoFar()).toBeGreaterThanOrEqual(LEAST_IN_LONG_FORM);
    else expect(room.sentSoFar()).toBeLessThanOrEqual(MOST_IN_CI);
  });
});

/** What an answer tells, in the order of the alphabet: code and field, where the interface has codes. */
function toldOf(operation: ServedOperation, answer: WireAnswer): string[] {
  return errorsOf(operation.of, answer)
    .map(({ code, field }) => tellingOf(operation, code, field))
    .toSorted();
}

function tellingOf({ of }: ServedOperation, code: ToldError['code'], field: ToldError['field']): string {
  return of === 'C' ? String(field) : `${code} ${field}`;
}

/** What the operation needs to be named at all. */
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

/** Of a registration that breaks no rule, the token is looked at, then the link. */
function afterTheRules({ id, successes: [success = 0] }: ServedOperation, record: WireRecord): [number, string[]] {
  const ref = record['record-metadata']['identity-record-ref'];
  if (id === 'replaceAccessRecord') return [success, []];
  if (ref == null) return [400, ['VAL009']];
  return ref === samples.ir ? [success, []] : [403, ['PRM002']];
}

/** What is wrong with a request, whether a secret is right or not: that is found out by signing in, which nobody does who cannot be answered. */
const BEFORE_SIGN_IN = ['VAL011', 'LIM001', 'ACC001', 'VAL003']; // the last: a query parameter that is unknown

/** 401 and 403 come before everything else that is wrong. */
function expectRightSignIn({ of, id }: ServedOperation, { who, refusedWith }: RestCaller, answer: WireAnswer): void {
  if (answer.text === '' && answer.status >= 400) return;
  const codes = answer.status < 400 ? [] : codesOf(of, answer);
  if (refusedWith === undefined)
    expect({ who, codes: codes.filter((code) => NOT_LET_IN.test(String(code))) }).toEqual({ who, codes: [] });
  else if (!(SIGN_INS.includes(id) && who === 'a wrong secret' && BEFORE_SIGN_IN.includes(codes[0] ?? '')))
    expect({ who, codes }).toEqual({ who, codes: [refusedWith] });
}

/** What speaks against a success: the independent verdict of ajv on the served document, and of the specification's conditions. */
function accepted(
  operation: ServedOperation,
  request: OddRequest,
  { target }: WireRequest,
  caller: RestCaller,
): string[] {
  const found: string[] = [];
  if (request.isSignedIn && caller.refusedWith) found.push(`${caller.who} was let in`);
  found.push(...acceptedParameters(operation, new URLSearchParams(target.split('?')[1] ?? '')));
  if (operation.id === 'uploadArchive' && !request.body?.equals(samples.archive)) found.push('another archive');
  if (!operation.body || !request.body) return found;
  const body = JSON.parse(request.body.toString()) as WireRecord;
  found.push(...misfits(operation.body as Schema, body));
  if (found.length === 0 && ACCESS_RECORDS.includes(operation.id)) {
    found.push(...brokenConditions(body, factsOf(operation.id)).map(({ code, at }) => `${code} ${at}`));
  }
  return found;
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
