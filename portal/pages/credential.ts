/** The answer of an authenticator, which the page's script puts into a field as JSON; undefined when it is none. */
export function credentialOf(field: string | undefined): object | undefined {
  try {
    const credential: unknown = JSON.parse(field ?? '');
    return typeof credential === 'object' && credential !== null && !Array.isArray(credential) ? credential : undefined;
  } catch {
    return undefined;
  }
}
