import type { SupplierLogin } from '../../sandbox/supplier/supplier-pages';

const MOST_STEPS = 10;

/**
 * A browser at a supplier: follows redirects with its cookies, submits the login form, decides, and stops at the
 * redirect to the client.
 */
export async function signInAtSupplier(
  url: string,
  { login, password }: Pick<SupplierLogin, 'login' | 'password'>,
  decision: 'allow' | 'refuse' = 'allow',
): Promise<string> {
  const jar = new Map<string, string>();
  const origin = new URL(url).origin;
  let [at, body]: [string, URLSearchParams | undefined] = [url, undefined];
  for (let step = 0; step < MOST_STEPS; step++) {
    const response = await follow(at, jar, body);
    body = undefined;
    const location = response.headers.get('location');
    if (location === null) {
      if (response.status !== 200) throw new Error(`the supplier responded with ${response.status}`);
      const isConsentPage = (await response.text()).includes('name="decision"');
      body = new URLSearchParams(isConsentPage ? { decision } : { login, password });
      continue;
    }
    at = new URL(location, at).href;
    if (new URL(at).origin !== origin) return at;
  }
  throw new Error('the supplier sends in circles');
}

async function follow(url: string, jar: Map<string, string>, body: URLSearchParams | undefined): Promise<Response> {
  const response = await fetch(url, {
    redirect: 'manual',
    method: body === undefined ? 'GET' : 'POST',
    headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(body === undefined ? {} : { body }),
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (name !== undefined) jar.set(name, value ?? '');
  }
  return response;
}
