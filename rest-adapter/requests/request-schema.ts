import type { ContractSchema } from '../contract/contract-schema';

/**
 * Returns the contract's schema for validating requests. Nullable types yield one error instead of one per `oneOf`
 * branch. A read-only field must be absent. Formats of URIs are left to the graph (VAL008), MPxNs are checked by the
 * profile. With `takesNullAsAbsent`, optional members may be null.
 */
export function requestSchema(schema: ContractSchema, takesNullAsAbsent: boolean): Record<string, unknown> {
  if (schema.readOnly) return { readOnly: true };
  const other = schema.oneOf?.find(({ type }) => type !== 'null');
  if (other) return orNull(requestSchema(other, takesNullAsAbsent));
  const { properties, items, pattern, format, maxLength, ...rest } = schema;
  const isNullable = (name: string) => takesNullAsAbsent && rest.required?.includes(name) !== true;
  const member = (name: string, property: ContractSchema) => {
    const checked = requestSchema(property, takesNullAsAbsent);
    return isNullable(name) ? orNull(checked) : checked;
  };
  return {
    ...constraintsOf(rest),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, member(name, each)])) }
      : {}),
    ...(items ? { items: requestSchema(items, takesNullAsAbsent) } : {}),
    ...textConstraints({ pattern, format, maxLength }),
  };
}

function orNull(schema: Record<string, unknown>): Record<string, unknown> {
  return { if: { type: 'null' }, then: true, else: schema };
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

type TextConstraints = { [Keyword in 'pattern' | 'format' | 'maxLength']: ContractSchema[Keyword] | undefined };

function textConstraints({ pattern, format, maxLength }: TextConstraints): Record<string, unknown> {
  if (format === 'uri') return {};
  if (format === 'mpxn') return { mpxn: pattern };
  return Object.fromEntries(Object.entries({ pattern, format, maxLength }).filter(([, value]) => value !== undefined));
}
