import { ACCOUNT_ROLES } from '../../schema/roles';
import { type ReceivedResponse, type SentRequest, breaches, contractBreaches } from './response-violations';
import type { ConsumerParties } from './consumer-parties';
import type { ContractResponses } from './contract-responses';
import type { WrittenResponse, WrittenExchange } from './http-file';
import { passkeyStep } from './passkey-step';
import { type Variables, differences, filled } from './placeholders';
import type { SharedRegister } from './register';
import { accountOf, tokenOf } from './rest-client';
import { zipOf } from './grid-archives';
import { until } from './until';

/** Plays exchanges against one register. */
export interface ExchangePlayer {
  /** Initial variables of every file. */
  readonly variables: Variables;
  /** Sends the request and returns all differences from the expected response. */
  play(exchange: WrittenExchange, variables: Variables): Promise<string[]>;
  /** `operationId status` of every response received. */
  readonly had: ReadonlySet<string>;
}

/** Maximum number of concurrent repetitions of a request. */
const AT_ONCE = 25;

/**
 * Creates a player. Its files can use every demo account as `{{role.token}}`, `{{role.account}}`, `{{role.secret}}` and
 * `{{role.duid}}`, and the parties of Interface D.
 */
export async function exchangePlayer(
  register: SharedRegister,
  contract: ContractResponses,
  parties: ConsumerParties,
): Promise<ExchangePlayer> {
  const had = new Set<string>();
  const transactions = new Set<string>();
  const customer = passkeyStep(register);
  return {
    variables: new Map([...(await variablesOf(register)), ...(await consumerVariables(parties))]),
    had,
    async play(exchange, variables) {
      const request = await sentRequest(exchange, register, variables);
      for (let left = exchange.times - 1; left > 0; left -= AT_ONCE) {
        await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, () => send(request)));
      }
      const takeStep = request.method === 'PASSKEY' ? () => customer(request.url) : () => send(request);
      const { response, mismatches } = await responseTo(exchange, takeStep, variables);
      if (request.method === 'PASSKEY' || request.url.href.startsWith(register.mailbox)) return mismatches;
      mismatches.push(...breaches(request, response, transactions));
      const isRest = request.url.href.startsWith(register.rest);
      return isRest ? [...mismatches, ...contractBreaches(request, response, contract, had)] : mismatches;
    },
  };
}

/**
 * Returns the response and its differences from the expected one. An awaited exchange is repeated until there are none.
 */
async function responseTo(exchange: WrittenExchange, takeStep: () => Promise<ReceivedResponse>, variables: Variables) {
  const sendOnce = async () => {
    const response = await takeStep();
    return { response, mismatches: differencesFromExpected(exchange.expected, response, variables) };
  };
  let last = await sendOnce();
  if (!exchange.isAwaited || last.mismatches.length === 0) return last;
  const isSo = async () => ((last = await sendOnce()).mismatches.length === 0 ? last : undefined);
  return until(isSo).catch(() => last);
}

async function variablesOf(register: SharedRegister): Promise<Variables> {
  const { samples, customers } = register.sandbox;
  const variables: Variables = new Map([
    ['graphql', `${register.gateway}/graphql`],
    ['mailbox', register.mailbox],
    ...Object.entries(samples.access_keys),
    ['demo.ir', samples.identity_record],
    ['demo.mpxn', samples.mpxn],
    ['demo.email', customers[0]?.email ?? ''],
  ]);
  const introduce = async (name: string, role: (typeof ACCOUNT_ROLES)[number], index = 0) => {
    const { account_id, secret_key, duid, return_urls } = accountOf(register.sandbox, role, index);
    variables.set(`${name}.token`, await tokenOf(register, role, index));
    variables.set(`${name}.account`, account_id).set(`${name}.secret`, secret_key);
    if (duid !== undefined) variables.set(`${name}.duid`, duid);
    if (return_urls?.[0] !== undefined) variables.set(`${name}.return`, return_urls[0]);
  };
  for (const role of ACCOUNT_ROLES) await introduce(role, role);
  await introduce('other_data_user', 'data_user', 1);
  return variables;
}

/** Tokens that one supplier issued for one consumer, and invalid ones. */
async function consumerVariables({ supplier, otherSupplier, users, tariffId, mpxn }: ConsumerParties) {
  const consumer = { sub: 'anna', client_id: users.active, mpxn: [mpxn] };
  const claims = {
    consumer,
    'consumer.reading': { ...consumer, scope: 'tariff:read' },
    'consumer.expired': { ...consumer, exp: 1_000_000_000 },
    'consumer.moved': { ...consumer, mpxn: [] },
    'consumer.unlisted': { ...consumer, mpxn: null },
    'consumer.other': { ...consumer, sub: 'ben' },
    'consumer.suspended': { ...consumer, client_id: users.suspended },
  };
  const tokens = Object.entries(claims).map(async ([name, of]) => [name, await supplier.issuer.token(of)] as const);
  return new Map([
    ...(await Promise.all(tokens)),
    ...Object.entries({ lark: supplier.mpid, 'lark.key': supplier.apiKey, 'other.key': otherSupplier.apiKey }),
    ...Object.entries({ rti: users.active, 'rti.suspended': users.suspended }),
    ...Object.entries({ 'consumer.mpxn': mpxn, 'consumer.tariff': tariffId }),
  ]);
}

async function sentRequest(
  exchange: WrittenExchange,
  { rest }: SharedRegister,
  variables: Variables,
): Promise<SentRequest> {
  const archive = exchange.archive && (await zipOf(exchange.archive));
  const headers = Object.entries(exchange.headers).map(
    ([name, value]) => [name, encoded(filled(value, variables))] as const,
  );
  return {
    method: exchange.method,
    url: new URL(filled(exchange.target, variables), rest),
    headers: Object.fromEntries(headers),
    body: archive ?? (exchange.body === undefined ? undefined : filled(exchange.body, variables)),
  };
}

/** Encodes `Basic id:secret`, as REST Client does. */
function encoded(value: string): string {
  const [, credentials] = /^Basic (.*:.*)$/.exec(value) ?? [];
  return credentials === undefined ? value : `Basic ${Buffer.from(credentials).toString('base64')}`;
}

async function send({ method, url, headers, body }: SentRequest): Promise<ReceivedResponse> {
  const sent = typeof body === 'object' ? new Uint8Array(body) : body;
  const response = await fetch(url, { method, headers, ...(sent === undefined ? {} : { body: sent }) });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  const read = () => (isJson && response.status !== 206 ? (JSON.parse(text) as unknown) : text);
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : read() };
}

const ERROR_LINE = /^([A-Z]{3}\d{3}) (.+)$/;

function differencesFromExpected(
  expected: WrittenResponse,
  { status, headers, body }: ReceivedResponse,
  variables: Variables,
): string[] {
  if (status !== expected.status) return [`expected ${expected.status}, found ${status} ${JSON.stringify(body)}`];
  const inBody = expected.body === undefined ? [] : bodyDifferences(expected.body, body, variables);
  const inHeaders = Object.entries(expected.headers).flatMap(([name, value]) =>
    value === '(none)'
      ? headers.has(name)
        ? [`${name}: not expected`]
        : []
      : differences(value, headers.get(name), variables, name),
  );
  return [...inBody, ...inHeaders];
}

/**
 * Compares a body. Lines `CODE message` mean the error envelope with exactly these errors, in any order; a body that is
 * not JSON must be equal.
 */
function bodyDifferences(expected: string, body: unknown, variables: Variables): string[] {
  if (typeof body === 'string') return body === expected ? [] : [`expected ${expected}, found ${body}`];
  const { response: _, extensions: __, ...members } = (body ?? {}) as Record<string, unknown>;
  const payload = Array.isArray(body) ? body : members;
  if (/^[{[]/.test(expected)) return differences(JSON.parse(expected), payload, variables);
  const lines = expected.split('\n').map((line) => filled(line, variables));
  if (!lines.every((line) => ERROR_LINE.test(line))) return [`not an expectation: ${expected}`];
  const { errors = [] } = payload as { errors?: { 'error-code': string; message: string }[] };
  const found = errors.map((error) => `${error['error-code']} ${error.message}`);
  return [
    ...surplus(lines, found).map((line) => `expected the error ${line}`),
    ...surplus(found, lines).map((line) => `found the error ${line}`),
  ];
}

/** Returns the distinct lines that occur more often than in other lines. */
function surplus(lines: readonly string[], others: readonly string[]): string[] {
  return [...new Set(lines)].filter((line) => countOf(lines, line) > countOf(others, line));
}

const countOf = (lines: readonly string[], line: string): number => lines.filter((each) => each === line).length;
