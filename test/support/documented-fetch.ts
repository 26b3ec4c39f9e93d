import { servedResponses } from './contract-responses';

/** `fetch` for the REST interfaces of a register: throws if its own documents do not describe the response. */
export async function documentedFetch(address: URL | string, init: RequestInit = {}): Promise<Response> {
  const { origin, pathname } = new URL(address);
  const { method = 'GET' } = init;
  const promised = await servedResponses(origin);
  const response = await fetch(address, init);
  const { status, headers } = response;
  const body = bodyOf(await response.clone().text(), response);
  const breaches = promised.breaches({ method, path: pathname }, { status, headers, body });
  if (breaches.length > 0) throw new Error(`${method} ${pathname}, response ${status}: ${breaches.join('; ')}`);
  return response;
}

function bodyOf(text: string, { status, headers }: Response): unknown {
  if (text === '') return undefined;
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  return isJson && status !== 206 ? JSON.parse(text) : text;
}
