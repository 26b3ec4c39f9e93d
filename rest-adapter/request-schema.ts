import type { ContractSchema } from './contract';

/**
 * The contract's schema as requests are checked with it (spikes.md, 1): "T or null" without the noise of `oneOf`; of a read-only
 * field only that it must not be supplied; the form of a URI left to the domain, which says VAL008; an MPxN by its profile.
 */
export function requestSchema(schema: ContractSchema): Record<string, unknown> {
  if (schema.readOnly) return { readOnly: true };
  const other = schema.oneOf?.find(({ type }) => type !== 'null');
  if (other) return { if: { type: 'null' }, then: true, else: requestSchema(other) };
  const { properties, items, pattern, format, maxLength, ...rest } = schema;
  return {
    ...constraintsOf(rest),
    ...(properties ? { properties: mapped(properties) } : {}),
    ...(items ? { items: requestSchema(items) } : {}),
    ...textConstraints({ pattern, format, maxLength }),
  };
}

const CONSTRAINTS = new Set([
  'type',
  'required',
  'enum',
  'additionalProperties',
  'minLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'maxProperties',
  'minimum',
  'maximum',
]);

function constraintsOf(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => CONSTRAINTS.has(keyword)));
}

function mapped(properties: Readonly<Record<string, ContractSchema>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, requestSchema(schema)]));
}

type TextConstraints = { [Keyword in 'pattern' | 'format' | 'maxLength']: ContractSchema[Keyword] | undefined };

function textConstraints({ pattern, format, maxLength }: TextConstraints): Record<string, unknown> {
  if (format === 'uri') return {};
  if (format === 'mpxn') return { mpxn: pattern };
  return Object.fromEntries(Object.entries({ pattern, format, maxLength }).filter(([, value]) => value !== undefined));
}
