/** Returns the fields of a submitted form. A field that occurs twice counts as absent. */
export function formFields(body: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
