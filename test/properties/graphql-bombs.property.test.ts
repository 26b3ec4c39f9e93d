import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATION_LIMITS } from '../../gateway/operation-limits';
import type { DemoData } from '../../sandbox/demo-data';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { type RegisterProcess, freePort, startRegisterProcess } from '../support/register';
import { tokenOf } from '../support/rest-client';
import { HOSTILE } from './contract-violations';
import { graphFaults } from './graphql-answers';
import type { OperationRequest } from './graphql-operations';
import { type WireAnswer, wireClient } from './http-exchange';

/** A request of limited form takes at most so many times as long as a small one. */
const MOST_TIMES = 5;
const ROUNDS = 15;

let database: FreshDatabase;
let dataDir: string;
let register: RegisterProcess;
let wire: ReturnType<typeof wireClient>;
let token: string;

beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'register-data-'));
  const [gatewayPort, restPort] = [await freePort(), await freePort()];
  // A process of its own: its time is not that of the test.
  register = await startRegisterProcess({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
    GATEWAY_PORT: String(gatewayPort),
    REST_PORT: String(restPort),
  });
  const sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData;
  token = await tokenOf({ rest: `http://localhost:${restPort}`, sandbox }, 'data_user');
  wire = wireClient(`http://localhost:${gatewayPort}`);
});
afterAll(async () => {
  wire.close();
  await register.stop();
  rmSync(dataDir, { recursive: true, force: true });
  await database.drop();
});

function post(body: string): Promise<WireAnswer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return wire.send({ method: 'POST', target: '/graphql', headers, body: Buffer.from(body) });
}

/** As many pieces of a text as the limit of tokens allows, with some room. */
const upTo = (tokens: number, piece: (index: number) => string) =>
  Array.from({ length: Math.floor((OPERATION_LIMITS.tokens - 20) / tokens) }, (_, index) => piece(index)).join(' ');
const times = (count: number, piece: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => piece(index)).join(' ');
const REGISTER = 'mutation($a: AccessRecordInput!) { registerAccessRecord(input: $a) { replayed } }';
const manyNames = () => Object.fromEntries(Array.from({ length: 12_000 }, (_, index) => [`k${index}`, 0]));

/** Operations that would cost much if they were run, by what they have too much of; those within the limit of tokens fill it. */
const BOMBS: Readonly<Record<string, () => OperationRequest>> = {
  levels: () => op(`{ viewer ${'{ dataUser '.repeat(150)} { duid } ${'}'.repeat(150)} }`),
  'levels of lists': () => op(`${'{ accessRecords { nodes { dataUser { duid } '.repeat(60)}${'} } }'.repeat(60)}`),
  aliases: () => op(`{ ${upTo(3, (index) => `a${index}: __typename`)} }`),
  'aliases of a costly field': () =>
    op(
      `{ ${times(60, (index) => `a${index}: accessRecords(first: 500) { nodes { id versions { nodes { recordedAt } } } }`)} }`,
    ),
  directives: () => op(`{ __typename ${upTo(6, () => '@skip(if: false)')} }`),
  'unknown directives': () => op(`{ __typename ${upTo(2, () => '@a')} }`),
  tokens: () => op(`{ ${times(20_000, (index) => `f${index}`)} }`),
  'brackets that are never closed': () => op('{a'.repeat(60_000)),
  'a list literal of many levels': () => op(`{ dataUser(duid: ${'['.repeat(450)}${']'.repeat(450)}) { duid } }`),
  'a name': () => op(`{ ${'a'.repeat(200_000)} }`),
  'a comment': () => op(`{ __typename } # ${'x'.repeat(200_000)}`),
  'a text': () => op(`{ dataUser(duid: "${HOSTILE}${'x'.repeat(200_000)}") { duid } }`),
  'fragments in a circle': () =>
    op('{ ...a } fragment a on Query { ...b } fragment b on Query { ...c } fragment c on Query { ...a }'),
  'fragments that double': () =>
    op(
      `{ ...f0 } ${times(60, (index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`)} fragment f60 on Query { __typename }`,
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

function op(query: string, variables: OperationRequest['variables'] = {}): OperationRequest {
  return { query, variables };
}

describe('An operation with too much of something', () => {
  it.each(Object.keys(BOMBS))(
    `(%s) is answered within ${MOST_TIMES} times the time of a small one and of reading its JSON`,
    async (name) => {
      const bomb = (BOMBS[name] as () => OperationRequest)();
      // Other work on the machine can disturb one measurement, not three.
      let measured = await ratioOf(bomb);
      for (let again = 0; again < 2 && measured >= MOST_TIMES; again++)
        measured = Math.min(measured, await ratioOf(bomb));
      expect(measured).toBeLessThan(MOST_TIMES);
    },
  );
});

const SMALL = op('{ viewer { name } }');
let sent = 0;

/** How many times as long as the small operation an operation takes, by the medians of interleaved rounds. */
async function ratioOf(operation: OperationRequest): Promise<number> {
  const [long, short, parsing]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const body = bodyOf(operation);
    long.push(await timeOf(body));
    short.push(await timeOf(bodyOf(SMALL)));
    parsing.push(parsingTime(body));
  }
  return median(long) / (median(short) + median(parsing));
}

/** No text twice: what was prepared for one must not help the next. */
function bodyOf({ query, variables }: OperationRequest): string {
  return JSON.stringify({ query: `#${sent++}\n${query}`, variables });
}

async function timeOf(body: string): Promise<number> {
  const begin = performance.now();
  const answer = await post(body);
  const time = performance.now() - begin;
  expect(graphFaults(answer)).toEqual([]);
  return time;
}

/** Milliseconds in which a body is read as JSON, which nobody is spared. */
function parsingTime(body: string): number {
  const begin = performance.now();
  JSON.parse(body);
  return performance.now() - begin;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
}
