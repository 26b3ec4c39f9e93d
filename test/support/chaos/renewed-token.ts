/** Milliseconds after which a new token is issued: bearer tokens are valid for two hours. */
const RENEWED_AFTER = 20 * 60_000;

/** Returns a function that returns a token, a new one every 20 minutes; concurrent callers wait for the same one. */
export function renewedToken(make: () => Promise<string>): () => Promise<string> {
  let token: Promise<string> | undefined;
  let madeAt = Number.NEGATIVE_INFINITY;
  const checked = async () => {
    const made = await make();
    if (made === '' || made === 'undefined') throw new Error('the register gave no token');
    return made;
  };
  return () => {
    if (token !== undefined && performance.now() - madeAt < RENEWED_AFTER) return token;
    madeAt = performance.now();
    const making = checked();
    making.catch(() => {
      if (token === making) token = undefined;
    });
    token = making;
    return making;
  };
}
