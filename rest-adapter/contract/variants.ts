import { type ContractSchema, withoutNull } from './contract-schema';

/** Schema of a response value without null, and whether it may be null. */
interface ResponseValueSchema {
  readonly schema: ContractSchema;
  readonly nullable: boolean;
}

/**
 * Merges the variants of a response schema (`oneOf`) into one with the members of all; a member is nullable if any
 * variant allows null. The graph selects the same fields for every variant and returns null for absent ones, so that
 * the data determine the variant and no request selects one.
 */
export function variantsAsOne(given: ContractSchema): ResponseValueSchema {
  if (!given.oneOf) return isNull(given) ? { schema: {}, nullable: true } : withoutNull(given);
  const variants = given.oneOf.filter((variant) => !isNull(variant)).map(variantsAsOne);
  const [first = {}, ...others] = variants.map(({ schema }) => schema);
  return {
    schema: others.reduce(together, first),
    nullable: given.oneOf.some(isNull) || variants.some(({ nullable }) => nullable),
  };
}

function isNull({ type }: ContractSchema): boolean {
  return type === 'null';
}

function together(one: ContractSchema, other: ContractSchema): ContractSchema {
  if (one.type === undefined) return other;
  if (other.type === undefined) return one;
  if (one.type !== other.type)
    throw new Error(`variants of a response have the types ${String(one.type)} and ${String(other.type)}`);
  const { properties, items, required = [] } = other;
  return {
    ...one,
    ...(one.properties && properties ? { properties: members(one.properties, properties) } : {}),
    ...(one.items && items ? { items: { oneOf: [one.items, items] } } : {}),
    ...(one.enum && other.enum ? { enum: [...new Set([...one.enum, ...other.enum])] } : {}),
    required: (one.required ?? []).filter((name) => required.includes(name)),
  };
}

type Members = Readonly<Record<string, ContractSchema>>;

function members(one: Members, other: Members): Members {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [first, ...others] = [one[name], other[name]].filter((schema) => schema !== undefined);
      return [name, others.length === 0 ? (first as ContractSchema) : { oneOf: [first as ContractSchema, ...others] }];
    }),
  );
}
