import { once } from 'node:events';
import { WebSocket } from 'ws';
import { OPERATION_LIMITS } from '../../../gateway/requests/operation-limits';
import {
  type Place,
  type RegisterProcess,
  freePort,
  placeOf,
  sandboxOf,
  startRegisterProcess,
} from '../../support/register';
import { tokenOf } from '../../support/rest-client';
import { HOSTILE } from '../../support/properties/contract-violations';
import { graphResponse, graphFaults } from '../../support/properties/graphql-responses';
import type { OperationRequest } from '../../support/properties/graphql-operations';
import { type WireResponse, wireClient } from '../../support/properties/http-exchange';

/** A request within the limits may take this many times the processor time of a small one. */
const MOST_TIMES = 5;
/** Additional measurements. A request is too slow if it is too slow in all of them. */
const MAX_REPEATS = 8;
const ROUNDS = 15;

let place: Place;
let register: RegisterProcess;
let wire: ReturnType<typeof wireClient>;
let token: string;
let inspector: string;

beforeAll(async () => {
  place = await placeOf();
  const [gatewayPort, restPort, inspectorPort] = [await freePort(), await freePort(), await freePort()];
  inspector = `http://127.0.0.1:${inspectorPort}`;
  // A separate process, so that its CPU time does not include the test's.
  register = await startRegisterProcess({
    ...place.environment,
    LOG_LEVEL: 'error',
    NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}`,
    GATEWAY_PORT: String(gatewayPort),
    REST_PORT: String(restPort),
  });
  const sandbox = sandboxOf(place.dataDir);
  token = await tokenOf({ rest: `http://localhost:${restPort}`, sandbox }, 'data_user');
  wire = wireClient(`http://localhost:${gatewayPort}`);
});
afterAll(async () => {
  wire.close();
  await register.stop();
  await place.remove();
});

function post(body: string): Promise<WireResponse> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return wire.send({ method: 'POST', target: '/graphql', headers, body: Buffer.from(body) });
}

/** Repeats a piece of text as often as the token limit allows, with some margin. */
const upTo = (tokens: number, piece: (index: number) => string) =>
  Array.from({ length: Math.floor((OPERATION_LIMITS.tokens - 20) / tokens) }, (_, index) => piece(index)).join(' ');
const times = (count: number, piece: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => piece(index)).join(' ');
/** Five fragments on a type; each but the last spreads the next one 190 times. */
const widely = (type: string) =>
  [
    ...['a', 'b', 'c', 'd'].map(
      (name, index) => `fragment ${name} on ${type} { ${times(190, () => `...${'bcde'[index]}`)} }`,
    ),
    `fragment e on ${type} { __typename }`,
  ].join(' ');
const REGISTER = 'mutation($a: AccessRecordInput!) { registerAccessRecord(input: $a) { replayed } }';
const manyNames = () => Object.fromEntries(Array.from({ length: 12_000 }, (_, index) => [`k${index}`, 0]));

/** Operations that would be expensive to run, by what they exceed. Those within the token limit use all of it. */
const BOMBS: Readonly<Record<string, () => OperationRequest>> = {
  levels: () => op(`{ viewer ${'{ dataUser '.repeat(60)} { duid } ${'}'.repeat(60)} }`),
  'levels of lists': () => op(`{ ${'accessRecords { nodes { '.repeat(6)} id ${'} }'.repeat(6)} }`),
  aliases: () => op(`{ ${upTo(8, (index) => `a${index}: viewer { b${index}: name }`)} }`),
  'aliases of what costs nothing': () => op(`{ ${upTo(3, (index) => `a${index}: __typename`)} }`),
  cost: () => op(`{ accessRecords(first: 5000) { nodes { ${times(14, (index) => `a${index}: id`)} } } }`),
  'aliases of a costly field': () =>
    op(
      `{ ${times(60, (index) => `a${index}: accessRecords(first: 500) { nodes { id versions { nodes { recordedAt } } } }`)} }`,
    ),
  directives: () => op(`{ __typename ${upTo(7, () => '@skip(if: false)')} }`),
  'unknown directives': () => op(`{ __typename ${upTo(2, () => '@a')} }`),
  tokens: () => op(`{ ${times(20_000, (index) => `f${index}`)} }`),
  'brackets that are never closed': () => op('{a'.repeat(60_000)),
  'a list literal of many levels': () => op(`{ dataUser(duid: ${'['.repeat(450)}${']'.repeat(450)}) { duid } }`),
  'a name': () => op(`{ ${'a'.repeat(200_000)} }`),
  'an alias': () => op(`{ ${'a'.repeat(200_000)}: viewer { name } }`),
  'an enum value': () => op(`{ accessRecords(state: ${'a'.repeat(200_000)}) { totalCount } }`),
  'a text in place of an enum value': () => op(`{ accessRecords(state: "${'a'.repeat(200_000)}") { totalCount } }`),
  'an object in place of an enum value': () =>
    op(`{ accessRecords(state: { a: "${'a'.repeat(200_000)}" }) { totalCount } }`),
  'a comment': () => op(`{ __typename } # ${'x'.repeat(200_000)}`),
  'a text': () => op(`{ dataUser(duid: "${HOSTILE}${'x'.repeat(200_000)}") { duid } }`),
  'fragments in a circle': () =>
    op('{ ...a } fragment a on Query { ...b } fragment b on Query { ...c } fragment c on Query { ...a }'),
  'fragments that double': () =>
    op(
      `{ ...f0 } ${times(60, (index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`)} fragment f60 on Query { __typename }`,
    ),
  'fragments that are spread often': () => op(`{ ${times(190, () => '...a')} } ${widely('Query')}`),
  'fragments that are spread often below a field': () =>
    op(`{ viewer { ${times(190, () => '...a')} } } ${widely('Viewer')}`),
  'fragments that are spread often under a condition': () =>
    op(`query($no: Boolean = false) { viewer @include(if: $no) { ${times(180, () => '...a')} } } ${widely('Viewer')}`),
  'fragments that are spread often in introspection': () =>
    op(`{ __schema { ${times(190, () => '...a')} } } ${widely('__Schema')}`),
  'fragments that spread each other': () =>
    op(
      `{ __schema { ...f0 } } ${times(29, (index) => `fragment f${index} on __Schema { ${times(29, (other) => `...f${other}`)} }`)}`,
    ),
  'fragments with the same field': () =>
    op(
      `{ ${times(60, (index) => `...f${index}`)} } ${times(60, (index) => `fragment f${index} on Query { viewer { name } }`)}`,
    ),
  'fields that are the same again and again': () => op(`{ ${upTo(4, () => 'viewer { name }')} }`),
  'fields that are the same on every level': () => op(`{ ${upTo(7, () => 'viewer { dataUser { duid } }')} }`),
  'fields that differ in their arguments': () =>
    op(`{ ${upTo(9, (index) => `accessRecords(first: ${index}) { totalCount }`)} }`),
  'inline fragments': () => op(`{ ${upTo(5, () => '... on Query {')} __typename ${upTo(5, () => '}')} }`),
  operations: () => op(upTo(5, (index) => `query q${index} { __typename }`)),
  'variables declared': () => op(`query(${upTo(4, (index) => `$v${index}: Int`)}) { __typename }`),
  'a variable': () =>
    op('query($a: String) { identityRecords(email: $a) { id } }', { a: `${HOSTILE}${'x'.repeat(200_000)}` }),
  'levels of a variable': () =>
    op('mutation($a: IdentityRecordInput!) { registerIdentityRecord(input: $a) { ir } }', {
      a: JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown,
    }),
  'entries of a variable': () => op(REGISTER, { a: Array(50_000).fill(0) }),
  'names in a variable': () => op(REGISTER, { a: manyNames() }),
  'variables that are not declared': () => op('{ __typename }', manyNames()),
  introspection: () =>
    op(
      '{ __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } } } } } }',
    ),
};

/** Expected first error of each operation; `run` for those that execute and cost as little as a small one. */
const EXPECTED: Readonly<Record<string, RegExp | 'run'>> = {
  levels: /too many levels: at most 12/,
  'levels of lists': /too many levels/,
  aliases: /too many aliases: at most 15/,
  'aliases of what costs nothing': /too many aliases: at most 15/,
  cost: /costs too much: \d+, at most 50000 is allowed\. The field that costs most is \w+/,
  'aliases of a costly field': /too many pairs of fields/,
  directives: /too many directives: at most 20/,
  'unknown directives': /too many directives/,
  tokens: /too many tokens/,
  'brackets that are never closed': /too many tokens/,
  'a list literal of many levels': /must be a string/,
  'a name': /too many characters in a name: at most 200/,
  'an alias': /too many characters in a name/,
  'an enum value': /does not exist in the enum "AccessState", which has /,
  'a text in place of an enum value': /does not exist in the enum "AccessState", which has /,
  'an object in place of an enum value': /does not exist in the enum "AccessState", which has /,
  'a comment': 'run',
  'a text': /does not match/,
  'fragments in a circle': /within itself/,
  'fragments that double': /too many selections: at most 10000/,
  'fragments that are spread often': /too many selections/,
  'fragments that are spread often below a field': /too many selections/,
  'fragments that are spread often under a condition': /too many selections/,
  'fragments that are spread often in introspection': /too many selections/,
  'fragments that spread each other': /within itself/,
  'fragments with the same field': /too many pairs of fields/,
  'fields that are the same again and again': /too many pairs of fields/,
  'fields that are the same on every level': /too many pairs of fields/,
  'fields that differ in their arguments': /too many pairs of fields/,
  'inline fragments': /too many levels/,
  operations: /too many pairs of fields/,
  'variables declared': /too many variables: at most 100/,
  'a variable': /is not an e-mail address/,
  'levels of a variable': /more than 64 levels deep/,
  'entries of a variable': /to be an object/,
  'names in a variable': /is required/,
  'variables that are not declared': 'run',
  introspection: /introspection depth/,
};

function op(query: string, variables: OperationRequest['variables'] = {}): OperationRequest {
  return { query, variables };
}

describe('An operation beyond a limit', () => {
  it.each(Object.keys(BOMBS))(
    'with too much of one kind (%s) is rejected, and the error names the limit',
    async (name) => {
      const { errors } = graphResponse(await post(bodyOf((BOMBS[name] as () => OperationRequest)())));
      const expected = EXPECTED[name];
      if (expected === 'run') expect(errors).toBeUndefined();
      else expect(errors?.[0]?.message).toMatch(expected as RegExp);
    },
  );

  it.each(Object.keys(BOMBS))(
    `with too much of one kind (%s) takes at most ${MOST_TIMES} times the processor time of a small one and the parsing of its JSON`,
    async (name) => {
      const bomb = (BOMBS[name] as () => OperationRequest)();
      // Garbage collection and background tasks only increase a measurement, so the smallest counts.
      let measured = await ratioOf(bomb);
      for (let again = 0; again < MAX_REPEATS && measured >= MOST_TIMES; again++)
        measured = Math.min(measured, await ratioOf(bomb));
      expect(measured).toBeLessThan(MOST_TIMES);
    },
  );
});

/** Valid texts of 200,000 characters, so that the gateway prepares and caches them. */
const HEAVY: readonly (() => OperationRequest)[] = [
  () => op(`{ __typename } # ${'x'.repeat(200_000)}`),
  () => op(`{ viewer ${' '.repeat(200_000)} { name } }`),
];
const SENT_OF_EACH = 50;
const MEGABYTE = 2 ** 20;
/** Bytes by which the heap may grow, out of 19 MB sent. */
const MOST_GROWN = 5 * MEGABYTE;

describe('Large operations', () => {
  it('are not retained: the heap does not grow by their size', async () => {
    for (const make of [...Object.values(BOMBS), ...HEAVY]) await post(bodyOf(make()));
    const before = await heapUsed();
    let characters = 0;
    for (const make of HEAVY) {
      for (let count = 0; count < SENT_OF_EACH; count++) {
        const body = bodyOf(make());
        characters += body.length;
        expect(graphFaults(await post(body))).toEqual([]);
      }
    }
    expect(characters).toBeGreaterThan(19 * MEGABYTE);
    expect((await heapUsed()) - before).toBeLessThan(MOST_GROWN);
  });
});

const SMALL = op('{ viewer { name } }');
let sent = 0;

/** Live bytes of the register's heap, after garbage collection. */
async function heapUsed(): Promise<number> {
  return inspected<number>(async (call) => {
    await call('HeapProfiler.collectGarbage');
    return ((await call('Runtime.getHeapUsage')) as { usedSize: number }).usedSize;
  });
}

/** Milliseconds of processor time that the register has used. */
async function processorTime(): Promise<number> {
  const expression = '(({ user, system }) => (user + system) / 1000)(process.cpuUsage())';
  return inspected(async (call) => {
    const { result } = (await call('Runtime.evaluate', { expression })) as { result: { value: number } };
    return result.value;
  });
}

type InspectorCall = (method: string, params?: object) => Promise<unknown>;

/** Calls methods of the register's inspector over a separate connection. */
async function inspected<Result>(use: (call: InspectorCall) => Promise<Result>): Promise<Result> {
  const [{ webSocketDebuggerUrl }] = (await (await fetch(`${inspector}/json`)).json()) as [
    { webSocketDebuggerUrl: string },
  ];
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  const call: InspectorCall = async (method, params = {}) => {
    socket.send(JSON.stringify({ id: 1, method, params }));
    const [message] = (await once(socket, 'message')) as [Buffer];
    return (JSON.parse(message.toString()) as { result: unknown }).result;
  };
  try {
    return await use(call);
  } finally {
    socket.close();
  }
}

/** Processor time of an operation relative to the small one and the parsing of its JSON. */
async function ratioOf(operation: OperationRequest): Promise<number> {
  const [long, short] = [await costOf(operation), await costOf(SMALL)];
  return long / (short + parsingTime(bodyOf(operation)));
}

/** Milliseconds of processor time of the register for one execution. */
async function costOf(operation: OperationRequest): Promise<number> {
  const begin = await processorTime();
  for (let round = 0; round < ROUNDS; round++) expect(graphFaults(await post(bodyOf(operation)))).toEqual([]);
  return ((await processorTime()) - begin) / ROUNDS;
}

/** Makes each text unique, so that caches of earlier ones do not help. */
function bodyOf({ query, variables }: OperationRequest): string {
  return JSON.stringify({ query: `#${sent++}\n${query}`, variables });
}

/** Milliseconds of processor time of this process for parsing a body as JSON, which every request costs. */
function parsingTime(body: string): number {
  const begin = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) JSON.parse(body);
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000 / ROUNDS;
}
