import {
  type GraphQLOutputType,
  type SelectionSetNode,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { enumName, graphqlName } from '../../schema/naming';
import { type MappingContext, enumProblems, isDecimalText, leafProblem } from '../contract/contract-mapping';
import { variantsAsOne } from '../contract/variants';
import type { ContractSchema } from '../contract/contract-schema';

/** Converts a GraphQL value to its form in the contract. */
type ValueMapper = (value: unknown) => unknown;

/** A value of a response: its schema, its GraphQL type and its selection. */
interface SelectedValue {
  readonly schema: ContractSchema;
  readonly type: GraphQLOutputType;
  readonly selection: SelectionSetNode | undefined;
  /** `wire` is the JSON pointer in the response, `data` the path in the GraphQL data. */
  readonly wire: string;
  readonly data: string;
}

/**
 * Compiles the mapper of a response value and reports mismatches of schema, type and selection. Returns undefined if
 * the value stays unchanged.
 */
function responseMapper(
  mapping: MappingContext,
  { schema: original, type: givenType, ...rest }: SelectedValue,
): ValueMapper | undefined {
  const { schema } = variantsAsOne(original);
  const type = getNullableType(givenType);
  if (schema.type === 'array' && rest.data === mapping.listOfOne)
    return singleItemMapper(mapping, { schema, type, ...rest });
  if (schema.type === 'array') return listMapper(mapping, { schema, type, ...rest });
  if (schema.properties) return objectMapper(mapping, { schema, type, ...rest });
  const named = getNamedType(type);
  if (schema.enum && isEnumType(named)) {
    mapping.problems.push(...enumProblems(rest.wire, schema.enum, named));
    const wireOf = Object.fromEntries(schema.enum.map((value) => [enumName(String(value)), value]));
    return (value) => wireOf[value as string];
  }
  if (isDecimalText(schema, type)) return Number;
  mapping.problems.push(...leafProblem(rest.wire, schema, type));
  return undefined;
}

/** Wraps the value in a list of one item. */
function singleItemMapper(mapping: MappingContext, { schema, wire, ...rest }: SelectedValue): ValueMapper {
  const item = responseMapper(mapping, { schema: schema.items ?? {}, wire: `${wire}/0`, ...rest });
  return (value) => [item ? item(value) : value];
}

function listMapper(mapping: MappingContext, { schema, type, wire, ...rest }: SelectedValue): ValueMapper | undefined {
  if (!isListType(type)) {
    mapping.problems.push(`${wire}: an array in the contract, but no list in the graph`);
    return undefined;
  }
  const items = schema.items ?? {};
  if (!variantsAsOne(items).nullable && !isNonNullType(type.ofType)) {
    mapping.problems.push(`${wire}: its items are not nullable, but those of the graph are`);
  }
  const item = responseMapper(mapping, {
    schema: items,
    type: type.ofType as GraphQLOutputType,
    wire: `${wire}/*`,
    ...rest,
  });
  return item && ((value) => (value as unknown[]).map(item));
}

interface PropertyMapping {
  readonly wire: string;
  readonly key: string;
  readonly nullable: boolean;
  readonly map: ValueMapper | undefined;
}

function objectMapper(mapping: MappingContext, selected: SelectedValue): ValueMapper {
  const write = propertyWriter(propertyMappings(mapping, selected));
  return (value) => {
    const mapped: Record<string, unknown> = {};
    write(mapped, value as Record<string, unknown>);
    return mapped;
  };
}

/** Like {@link responseMapper}, but writes the members of an object into an existing one. */
export function responseMembers(
  mapping: MappingContext,
  selected: SelectedValue,
): (target: Record<string, unknown>, data: unknown) => void {
  const write = propertyWriter(propertyMappings(mapping, selected));
  return (target, data) => write(target, data as Record<string, unknown>);
}

type PropertyWriter = (target: Record<string, unknown>, source: Record<string, unknown>) => void;

/**
 * Writes null where the contract allows it; otherwise omits the property. The properties are compiled to a function: a
 * loop over them is three times slower, because it looks up every property by name.
 */
function propertyWriter(mappings: readonly PropertyMapping[]): PropertyWriter {
  const statements = mappings.map(({ wire, key, nullable, map }, index) => {
    const [target, source] = [`target[${JSON.stringify(wire)}]`, `source[${JSON.stringify(key)}]`];
    const value = map === undefined ? 'value' : `mappers[${index}](value)`;
    return `value = ${source}; if (value != null) ${target} = ${value};${nullable ? ` else ${target} = null;` : ''}`;
  });
  const make = new Function('mappers', `return (target, source) => { let value; ${statements.join(' ')} };`);
  return make(mappings.map(({ map }) => map)) as PropertyWriter;
}

function propertyMappings(
  mapping: MappingContext,
  { schema, type, selection, wire, data }: SelectedValue,
): PropertyMapping[] {
  const named = getNamedType(type);
  if (!isObjectType(named)) {
    mapping.problems.push(`${wire}: an object in the contract, but ${named.name} in the graph`);
    return [];
  }
  const selected = selectedFields(mapping, selection, wire);
  const mappedKeys = new Set<string>();
  const mappings = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const key = graphqlName(name);
    const at = { wire: `${wire}/${name}`, data: dataPath(data, key) };
    const field = selected.get(key);
    if (mappedKeys.has(key)) mapping.problems.push(`${at.wire}: another property of the contract also maps to ${key}`);
    if (!field) mapping.problems.push(`${at.wire}: in the contract, not selected`);
    mappedKeys.add(key);
    const definition = field && named.getFields()[field.name.value];
    if (!definition) return [];
    const { nullable } = variantsAsOne(property);
    const omissible = nullable || !schema.required?.includes(name) || mapping.nullableByRow.has(at.data);
    if (!omissible && !isNonNullType(definition.type)) {
      mapping.problems.push(`${at.wire}: required and not nullable, but ${named.name}.${field.name.value} is nullable`);
    }
    const map = responseMapper(mapping, {
      schema: property,
      type: definition.type,
      selection: field.selectionSet,
      ...at,
    });
    return [{ wire: name, key, nullable, map }];
  });
  const unmappedKeys = [...selected.keys()].filter(
    (key) => !mappedKeys.has(key) && !mapping.headerSources.has(dataPath(data, key)),
  );
  mapping.problems.push(...unmappedKeys.map((key) => `${wire}: selected field ${key} is not in the contract`));
  return mappings;
}

function dataPath(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`;
}

/** Returns the selected fields by response key. Reports fragments. */
export function selectedFields(mapping: MappingContext, selection: SelectionSetNode | undefined, wire: string) {
  const fields = (selection?.selections ?? []).flatMap((node) => {
    if (node.kind === 'Field') return [node];
    mapping.problems.push(`${wire}: an operation of the adapter must not contain fragments`);
    return [];
  });
  return new Map(fields.map((field) => [field.alias?.value ?? field.name.value, field]));
}
