/**
 * Returns a copy of a document in which no object may have undescribed properties: clients must ignore added fields,
 * tests must not. An object with `allOf` is closed as a whole, its parts are not.
 */
export function closedSchemas<Document extends object>(document: Document): Document {
  const parts = new Set<unknown>();
  walk(document, ({ allOf }) => {
    for (const part of (allOf ?? []) as Schema[])
      parts.add(part.$ref === undefined ? part : named(document, part.$ref));
  });
  const copies = new Map<unknown, unknown>();
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (!copies.has(value)) copies.set(value, Array.isArray(value) ? value.map(copy) : copyOf(value));
    return copies.get(value);
  };
  const copyOf = (schema: Schema) => {
    const copied = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, copy(value)]));
    const isObject = [schema.type].flat().includes('object') && typeof schema.properties === 'object';
    if (isObject && !parts.has(schema)) return { additionalProperties: false, ...copied };
    return Array.isArray(schema.allOf) ? { unevaluatedProperties: false, ...copied } : copied;
  };
  return copy(document) as Document;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly allOf?: unknown;
}

function walk(value: unknown, inspect: (schema: Schema) => void): void {
  if (typeof value !== 'object' || value === null) return;
  inspect(value);
  for (const each of Object.values(value)) walk(each, inspect);
}

function named(document: object, reference: string): unknown {
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
}
