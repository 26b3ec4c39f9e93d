/** Maximum time for the response of the service that holds the keys. */
const TIMEOUT_MS = 3_000;

/** Sends a GET request, as `fetch` does. */
type Get = (url: string, options: { readonly signal: AbortSignal }) => Promise<Response>;

/** Reads the key set of another service; rejects if it is unavailable. */
export function remoteKeySet(url: string, get: Get): () => Promise<unknown> {
  return async () => {
    const response = await get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const keySet: unknown = response.ok ? await response.json() : undefined;
    if (!isKeySet(keySet)) throw new Error(`the response is not a key set (status ${response.status})`);
    return keySet;
  };
}

/** A JWK Set (RFC 7517, section 5) with at least one key. */
function isKeySet(value: unknown): boolean {
  const keys = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : undefined;
  return (
    Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof (key as { kty?: unknown })?.kty === 'string')
  );
}
