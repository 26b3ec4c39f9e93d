/** Milliseconds in which the service that holds the keys answers. */
const ANSWER_WITHIN = 3_000;

/** Reads the key set of another service; rejects when there is none, for whatever reason. */
export function remoteKeySet(url: string): () => Promise<unknown> {
  return async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN) });
    const keySet: unknown = response.ok ? await response.json() : undefined;
    if (!isKeySet(keySet)) throw new Error(`no key set (${response.status})`);
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
