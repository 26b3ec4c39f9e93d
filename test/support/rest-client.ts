import { randomUUID } from 'node:crypto';
import type { DemoAccount, DemoData } from '../../sandbox/sandbox-file';
import type { AccountRole } from '../../schema/roles';
import { documentedFetch } from './documented-fetch';
import type { SharedRegister } from './register';
import { until } from './until';

/** A body of any kind: tests read its fields by name; an absent field is undefined. */
type JsonBody = Record<string, ReturnType<typeof JSON.parse>>;

/** A response of the REST interface. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonBody;
}

/** Sends one request; a body is sent as JSON. */
export type RestClient = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<RestResponse>;

/** Returns a client without a token, or with the given credential. */
export function anonymousClient(rest: string, authorization?: string): RestClient {
  return async (method, path, body, headers = {}) => {
    const response = await documentedFetch(`${rest}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(authorization === undefined ? {} : { authorization }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as RestResponse['body']),
    };
  };
}

/** Repetitions of a step that a busy register rejects; more would hide that it always does. */
export const MAX_REPEATS = 3;

/**
 * Sends a request as a client does on a busy register: repeats it, with the same idempotency key, while the response is 503. After
 * `maxRepeats` it returns that response.
 */
export function persistent(send: RestClient, maxRepeats = Infinity): RestClient {
  return async (method, path, body, headers) => {
    const key: Record<string, string> = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
    let repeats = 0;
    return until(async () => {
      const response = await send(method, path, body, { ...key, ...headers });
      return response.status === 503 && repeats++ < maxRepeats ? undefined : response;
    });
  };
}

/** Returns a successful response; throws for any other. For steps that are not under test. */
export function good(response: RestResponse): RestResponse {
  if (response.status >= 300) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  return response;
}

/** Returns a demo account by role: the n-th of its kind. */
export function accountOf({ accounts }: DemoData, role: AccountRole, index = 0): DemoAccount {
  const account = accounts.filter((each) => each.role === role)[index];
  if (!account) throw new Error(`no demo account ${role} ${index}`);
  return account;
}

/** Returns the bearer token of a demo account. */
export async function tokenOf(
  { rest, sandbox }: Pick<SharedRegister, 'rest' | 'sandbox'>,
  role: AccountRole,
  index = 0,
): Promise<string> {
  const { account_id, secret_key } = accountOf(sandbox, role, index);
  const basic = `Basic ${Buffer.from(`${account_id}:${secret_key}`).toString('base64')}`;
  const { body } = await anonymousClient(rest, basic)('GET', '/v1/auth/token');
  return String(body['bearer-token']);
}

/** Returns a client that is signed in with a demo account. */
export async function signedInClient(
  register: Pick<SharedRegister, 'rest' | 'sandbox'>,
  role: AccountRole,
  index = 0,
): Promise<RestClient> {
  return anonymousClient(register.rest, `Bearer ${await tokenOf(register, role, index)}`);
}
