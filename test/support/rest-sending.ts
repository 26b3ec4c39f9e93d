import { responsesServed } from './contract-responses';
import { type TestAdapter } from './rest-graph';

/** Headers of an admitted caller. */
export const GOOD = { authorization: 'Bearer good' };
/** The media type of a body. */
export const JSON_TYPE = { 'content-type': 'application/json' };

/** A request. */
export interface Sent {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS' | 'HEAD';
  url: string;
  headers?: Record<string, string>;
  payload?: unknown;
}

/** Sends a request; a payload other than text is sent as JSON. */
export async function sendTo({ adapter }: TestAdapter, { method = 'GET', url, headers = {}, payload }: Sent) {
  const body =
    payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
      ? payload
      : JSON.stringify(payload);
  const typed = payload === undefined || 'content-type' in headers ? {} : JSON_TYPE;
  const response = await adapter.app.inject({
    method,
    url,
    headers: { ...typed, ...headers },
    ...(body === undefined ? {} : { payload: body as string }),
  });
  const received = {
    status: response.statusCode,
    headers: response.headers,
    body: (response.body === '' ? undefined : response.json()) as Body,
  };
  const promised = await responsesServed(adapter, async (path) => (await adapter.app.inject(path)).json());
  const given = {
    ...received,
    headers: new Headers(Object.entries(received.headers).map(([name, value]) => [name, String(value)])),
  };
  expect(promised.breaches({ method, path: url.replace(/[?#].*$/s, '') }, given)).toEqual([]);
  return received;
}

/** A response body: the envelope and the other members. */
export interface Body {
  response: { resource: string; timestamp: string; 'transaction-id': string };
  errors: { 'error-code': string; message: string }[];
  [property: string]: unknown;
}

/** Error codes of a response. */
export const codes = ({ body }: { body: Body }) => body.errors.map((error) => error['error-code']);
/** Error messages of a response. */
export const messages = ({ body }: { body: Body }) => body.errors.map(({ message }) => message);
