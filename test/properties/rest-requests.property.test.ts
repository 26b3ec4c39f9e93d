import fc from 'fast-check';
import { type TestRegister, startTestRegister } from '../support/register';
import { registered } from '../support/records';
import { type RestClient, signedInClient } from '../support/rest-client';
import { changedRecords } from './access-record-values';
import { brokenConditions, disagreements } from './access-rules-oracle';
import { bodyOf, errorsOf, misfits, operationAt, undocumented } from './documented-answers';
import { type WireAnswer, type WireRequest, wireClient } from './http-exchange';
import { type OddRequest, oddRequests } from './odd-requests';
import { type Samples, acceptedBodies } from './accepted-bodies';
import { propertySamples, subscribed } from './property-samples';
import { PROPERTY_TIME, holdsForAll } from './property-run';
import { expectedReading, readingOf } from './read-back';
import { ROLES, type RestCaller, anyCaller, restCallers } from './rest-callers';
import {
  AK,
  acceptedRequests,
  brokenBodies,
  brokenParameters,
  namingValues,
  requestOf,
  spokenName,
} from './rest-cases';
import { type Schema, type ServedOperation, servedContract } from './served-contract';
import type { WireRecord } from './wire-record';

const OPERATIONS = Object.keys(ROLES);
const ACCESS_RECORDS = ['registerAccessRecord', 'replaceAccessRecord'];
const RECORDS = [...ACCESS_RECORDS, 'registerIdentityRecord'];
const OPERATOR = ['reportDiscoveredAccess', 'recordChangeOfTenancy'];
const WITH_BODY = [...RECORDS, 'reidentify', 'reidentifyOwn', 'registerWebhook', 'updateWebhook', ...OPERATOR];
const WITH_PARAMETERS = OPERATIONS.filter((id) => id !== 'obtainBearerToken' && id !== 'listWebhooks');
/** A head near the limit of the web server may be refused by it, or not. */
const LARGE_HEAD = 15_000;

let register: TestRegister;
let contract: ReadonlyMap<string, ServedOperation>;
let callersOf: (operationId: string) => RestCaller[];
let samples: Samples;
let dataUser: RestClient;
let wire: ReturnType<typeof wireClient>;
/** The ACTIVE record and the webhook subscription of the moment, which requests name. */
let ak: string;
let subscription: { readonly wid: string; readonly eventId: string };

beforeAll(async () => {
  register = await startTestRegister('one process', { environment: { LOG_LEVEL: 'error' } });
  contract = await servedContract(register.rest);
  callersOf = await restCallers(register);
  wire = wireClient(register.rest);
  dataUser = await signedInClient(register, 'data_user');
  samples = await propertySamples(register.sandbox, dataUser);
  ak = await registered(dataUser, samples.ir);
  subscription = await subscribed(dataUser);
});
afterAll(async () => {
  wire.close();
  await register.close();
});
jest.setTimeout(PROPERTY_TIME + 20_000);

const operationOf = (id: string) => contract.get(id) as ServedOperation;
const usualCaller = (id: string) => callersOf(id).find(({ refusedWith }) => refusedWith === undefined) as RestCaller;

/** Sends a request as a caller, keeps the record of the moment ACTIVE, and a subscription there. */
async function send(
  request: WireRequest,
  { authorization }: RestCaller,
): Promise<{ sent: WireRequest; answer: WireAnswer }> {
  const headers =
    authorization === undefined || 'authorization' in request.headers
      ? request.headers
      : { ...request.headers, authorization };
  const target = request.target
    .replace(/\{ak\}/i, ak)
    .replace(/\{wid\}/i, subscription.wid)
    .replace(/\{event-id\}/i, subscription.eventId);
  const sent = { ...request, headers, target };
  const answer = await wire.send(sent);
  if (['DELETE', 'PUT'].includes(sent.method) && answer.status === 200) ak = await registered(dataUser, samples.ir);
  if (sent.method === 'DELETE' && answer.status === 204) subscription = await subscribed(dataUser);
  return { sent, answer };
}

describe('The document', () => {
  it('describes exactly the operations that are tried here', () => {
    expect([...contract.keys()].toSorted()).toEqual(OPERATIONS.toSorted());
  });
});

describe.each(OPERATIONS)('%s', (id) => {
  it('answers whatever it is sent as documented, in the envelope, and accepts nothing that breaks the contract', async () => {
    const operation = operationOf(id);
    const requests = fc.tuple(oddRequests(acceptedRequests(operation, samples)), anyCaller(callersOf(id)));
    await holdsForAll(requests, 75, async ([request, caller]) => {
      const { sent, answer } = await send(request, caller);
      expect(undocumented(operationAt(contract.values(), sent), sent, answer)).toEqual([]);
      if (request.isServed && request.isSignedIn && headSize(sent) < LARGE_HEAD) expectRightSignIn(caller, answer);
      if (request.isServed && answer.status < 300) expect(accepted(operation, request, caller)).toEqual([]);
    });
  });

  it('lets in exactly those who may call it', async () => {
    const requests = fc.tuple(acceptedRequests(operationOf(id), samples), fc.constantFrom(...callersOf(id)));
    await holdsForAll(requests, 30, async ([request, caller]) => {
      const { sent, answer } = await send(request, caller);
      expect(undocumented(operationOf(id), sent, answer)).toEqual([]);
      expectRightSignIn(caller, answer);
    });
  });

  it('refuses no request that fits the contract and breaks no rule', async () => {
    const operation = operationOf(id);
    await holdsForAll(acceptedRequests(operation, samples), WITH_BODY.includes(id) ? 50 : 20, async (request) => {
      const { sent, answer } = await send(request, usualCaller(id));
      const told = errorsOf(answer).map(({ code }) => code);
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
    await holdsForAll(brokenBodies(operation, samples), 120, async ({ body, violations }) => {
      const { sent, answer } = await send(requestOf(operation, parametersOf(operation), body), usualCaller(id));
      expect(undocumented(operation, sent, answer)).toEqual([]);
      const told = errorsOf(answer).map(({ code, field }) => `${code} ${String(field)}`);
      expect([answer.status, told.toSorted()]).toEqual([
        400,
        violations.map(({ code, pointer }) => `${code} ${pointer}`).toSorted(),
      ]);
    });
  });
});

describe.each(RECORDS)('The body of %s', (id) => {
  it('is read back as it was sent', async () => {
    const operation = operationOf(id);
    await holdsForAll(acceptedBodies(operation, samples), 100, async (body) => {
      const key = ak;
      const request = requestOf(operation, parametersOf(operation), body);
      const { answer } = await send({ ...request, target: request.target.replace(AK, key) }, usualCaller(id));
      expect(operation.successes).toContain(answer.status);
      const location = id === 'replaceAccessRecord' ? `/v1/access-records/${key}` : String(answer.headers['location']);
      const reading = await send({ method: 'GET', target: location, headers: {} }, usualCaller('readIdentityRecord'));
      expect(readingOf(id, bodyOf(reading.answer))).toEqual(expectedReading(id, body, samples.duid));
    });
  });
});

describe.each(ACCESS_RECORDS)('A record sent to %s', (id) => {
  it('is accepted exactly when it breaks no condition of the specification, else refused with all that it breaks', async () => {
    const operation = operationOf(id);
    const lawful = acceptedBodies(operation, samples) as fc.Arbitrary<WireRecord>;
    await holdsForAll(changedRecords(lawful, samples.ir, samples.duid), 250, async (record) => {
      const { sent, answer } = await send(requestOf(operation, parametersOf(operation), record), usualCaller(id));
      expect(undocumented(operation, sent, answer)).toEqual([]);
      const broken = brokenConditions(record, factsOf(id));
      const told = errorsOf(answer).map(({ code, field }) => ({ code, pointer: String(field) }));
      if (broken.length > 0) expect([answer.status, disagreements(told, broken)]).toEqual([400, []]);
      else expect([answer.status, told.map(({ code }) => code)]).toEqual(afterTheRules(operation, record));
    });
  });
});

describe.each(WITH_PARAMETERS)('The parameters of %s', (id) => {
  it('are refused when they do not fit the contract, each by its name', async () => {
    const operation = operationOf(id);
    const broken = brokenParameters(operation.parameters);
    const requests = fc.tuple(acceptedBodies(operation, samples), fc.constantFrom(...broken), fc.boolean());
    await holdsForAll(requests, 40, async ([body, { parameter, value, code }, alsoBody]) => {
      const parameters = [
        ...parametersOf(operation).filter(([{ name }]) => name !== parameter.name),
        [parameter, value] as const,
      ];
      const sentBody = body === undefined ? undefined : alsoBody ? {} : body;
      const { sent, answer } = await send(requestOf(operation, parameters, sentBody), usualCaller(id));
      expect(undocumented(operation, sent, answer)).toEqual([]);
      if (parameter.name === 'ak')
        expect([answer.status, errorsOf(answer).map((error) => error.code)]).toEqual([404, ['NTF001']]);
      else expect(errorsOf(answer)).toContainEqual(expect.objectContaining({ code, field: spokenName(parameter) }));
    });
  });

  it('are all told, together with what is wrong with the body', async () => {
    const operation = operationOf(id);
    const broken = brokenParameters(operation.parameters.filter(({ name }) => name !== 'ak'));
    if (broken.length === 0) return;
    const requests = operation.body
      ? brokenBodies(operation, samples)
      : fc.constant({ body: undefined, violations: [] });
    await holdsForAll(
      fc.tuple(requests, fc.subarray(broken, { minLength: 1 })),
      30,
      async ([{ body, violations }, chosen]) => {
        const byName = new Map(
          [...parametersOf(operation), ...chosen.map(({ parameter, value }) => [parameter, value] as const)].map(
            (pair) => [pair[0].name, pair],
          ),
        );
        const { answer } = await send(requestOf(operation, [...byName.values()], body), usualCaller(id));
        const codes = new Map(
          chosen.map(({ parameter, code }) => [parameter.name, `${code} ${spokenName(parameter)}`]),
        );
        const expected = [...codes.values(), ...violations.map(({ code, pointer }) => `${code} ${pointer}`)];
        const told = errorsOf(answer).map(({ code, field }) => `${code} ${String(field)}`);
        expect([answer.status, told.toSorted()]).toEqual([400, expected.toSorted()]);
      },
    );
  });
});

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

/** 401 and 403 come before everything else that is wrong. */
function expectRightSignIn({ who, refusedWith }: RestCaller, answer: WireAnswer): void {
  const codes = answer.text === '' ? [] : errorsOf(answer).map(({ code }) => code);
  if (refusedWith === undefined)
    expect({ who, codes: codes.filter((code) => /^AUT|PRM001/.test(code)) }).toEqual({ who, codes: [] });
  // Whether a secret is right is found out by signing in, which nobody does who would not take the answer.
  else if (answer.text !== '' && !(who === 'a wrong secret' && codes[0] === 'ACC001'))
    expect({ who, codes }).toEqual({ who, codes: [refusedWith] });
}

/** What speaks against a success: the independent verdict of ajv on the served document, and of the specification's conditions. */
function accepted(operation: ServedOperation, request: OddRequest, caller: RestCaller): string[] {
  const found: string[] = [];
  if (request.isSignedIn && caller.refusedWith) found.push(`${caller.who} was let in`);
  const query = new URLSearchParams(request.target.split('?')[1] ?? '');
  for (const { name, schema } of operation.parameters.filter((parameter) => parameter.in === 'query')) {
    const values = query.getAll(name);
    if (values.length > 1) found.push(`${name} is given ${values.length} times`);
    for (const value of values)
      found.push(
        ...misfits(schema, schema.type === 'integer' ? Number(value) : value).map((misfit) => `${name} ${misfit}`),
      );
  }
  if (!operation.body || !request.body) return found;
  const body = JSON.parse(request.body.toString()) as WireRecord;
  found.push(...misfits(operation.body as Schema, body));
  if (found.length === 0 && ACCESS_RECORDS.includes(operation.id)) {
    found.push(...brokenConditions(body, factsOf(operation.id)).map(({ code, at }) => `${code} ${at}`));
  }
  return found;
}

function headSize({ target, headers }: WireRequest): number {
  return (
    target.length +
    Object.entries(headers).reduce((size, [name, value]) => size + name.length + String(value).length + 4, 200)
  );
}
