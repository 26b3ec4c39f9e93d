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
import { enumName, graphqlName } from '../schema/naming';
import type { ContractSchema } from './contract';
import { type Join, enumProblems, isDecimalText, leafProblem } from './join';
import { variantsAsOne } from './variants';

/** Brings a value of the graph into the form of the contract. */
export type Shape = (value: unknown) => unknown;

/** A value of the answer: its schema, its GraphQL type and what is selected of it. */
export interface Selected {
  readonly schema: ContractSchema;
  readonly type: GraphQLOutputType;
  readonly selection: SelectionSetNode | undefined;
  /** JSON pointer of the answer, and path of the data. */
  readonly wire: string;
  readonly data: string;
}

/** Walks schema, selection and types together, once: the shaping closure, or undefined where the value stays as it is. */
export function answerShape(join: Join, { schema: given, type: givenType, ...rest }: Selected): Shape | undefined {
  const { schema } = variantsAsOne(given);
  const type = getNullableType(givenType);
  if (schema.type === 'array' && rest.data === join.listOfOne) return shapeOfOne(join, { schema, type, ...rest });
  if (schema.type === 'array') return listShape(join, { schema, type, ...rest });
  if (schema.properties) return objectShape(join, { schema, type, ...rest });
  const named = getNamedType(type);
  if (schema.enum && isEnumType(named)) {
    join.problems.push(...enumProblems(rest.wire, schema.enum, named));
    const wireOf = Object.fromEntries(schema.enum.map((value) => [enumName(String(value)), value]));
    return (value) => wireOf[value as string];
  }
  if (isDecimalText(schema, type)) return Number;
  join.problems.push(...leafProblem(rest.wire, schema, type));
  return undefined;
}

/** A list of the contract that always has one item. */
function shapeOfOne(join: Join, { schema, wire, ...rest }: Selected): Shape {
  const item = answerShape(join, { schema: schema.items ?? {}, wire: `${wire}/0`, ...rest });
  return (value) => [item ? item(value) : value];
}

function listShape(join: Join, { schema, type, wire, ...rest }: Selected): Shape | undefined {
  if (!isListType(type)) {
    join.problems.push(`${wire}: an array in the contract, but no list in the graph`);
    return undefined;
  }
  const items = schema.items ?? {};
  if (!variantsAsOne(items).nullable && !isNonNullType(type.ofType)) {
    join.problems.push(`${wire}: its items are not nullable, but those of the graph are`);
  }
  const item = answerShape(join, { schema: items, type: type.ofType as GraphQLOutputType, wire: `${wire}/*`, ...rest });
  return item && ((value) => (value as unknown[]).map(item));
}

interface Line {
  readonly wire: string;
  readonly key: string;
  readonly nullable: boolean;
  readonly shape: Shape | undefined;
}

function objectShape(join: Join, selected: Selected): Shape {
  const fill = filling(linesOf(join, selected));
  return (value) => {
    const shaped: Record<string, unknown> = {};
    fill(shaped, value as Record<string, unknown>);
    return shaped;
  };
}

/** Like {@link answerShape} for the members of an answer: they are written into an object that is already begun. */
export function answerMembers(
  join: Join,
  selected: Selected,
): (target: Record<string, unknown>, data: unknown) => void {
  const fill = filling(linesOf(join, selected));
  return (target, data) => fill(target, data as Record<string, unknown>);
}

type Fill = (target: Record<string, unknown>, source: Record<string, unknown>) => void;

/**
 * Null is written where the contract allows it, else the property is left out. The lines become a function of their own, as validators
 * and operations do: one loop for all objects would look every property up by its name, which takes three times as long.
 */
function filling(lines: readonly Line[]): Fill {
  const statements = lines.map(({ wire, key, nullable, shape }, index) => {
    const [target, source] = [`target[${JSON.stringify(wire)}]`, `source[${JSON.stringify(key)}]`];
    const value = shape === undefined ? 'value' : `shapes[${index}](value)`;
    return `value = ${source}; if (value != null) ${target} = ${value};${nullable ? ` else ${target} = null;` : ''}`;
  });
  const make = new Function('shapes', `return (target, source) => { let value; ${statements.join(' ')} };`);
  return make(lines.map(({ shape }) => shape)) as Fill;
}

function linesOf(join: Join, { schema, type, selection, wire, data }: Selected): Line[] {
  const named = getNamedType(type);
  if (!isObjectType(named)) {
    join.problems.push(`${wire}: an object in the contract, but ${named.name} in the graph`);
    return [];
  }
  const chosen = chosenFields(join, selection, wire);
  const claimed = new Set<string>();
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const key = graphqlName(name);
    const at = { wire: `${wire}/${name}`, data: dataPath(data, key) };
    const field = chosen.get(key);
    if (claimed.has(key)) join.problems.push(`${at.wire}: another name of the contract is ${key} in the graph, too`);
    if (!field) join.problems.push(`${at.wire}: in the contract, not selected`);
    claimed.add(key);
    const definition = field && named.getFields()[field.name.value];
    if (!definition) return [];
    const { nullable } = variantsAsOne(property);
    const omissible = nullable || !schema.required?.includes(name) || join.excused.has(at.data);
    if (!omissible && !isNonNullType(definition.type)) {
      join.problems.push(`${at.wire}: required and not nullable, but ${named.name}.${field.name.value} is nullable`);
    }
    const shape = answerShape(join, { schema: property, type: definition.type, selection: field.selectionSet, ...at });
    return [{ wire: name, key, nullable, shape }];
  });
  const unclaimed = [...chosen.keys()].filter((key) => !claimed.has(key) && !join.consumed.has(dataPath(data, key)));
  join.problems.push(...unclaimed.map((key) => `${wire}: selected field ${key} is not in the contract`));
  return lines;
}

function dataPath(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`;
}

/** The selected fields by their names in the data (an alias, if there is one). */
export function chosenFields(join: Join, selection: SelectionSetNode | undefined, wire: string) {
  const fields = (selection?.selections ?? []).flatMap((node) => {
    if (node.kind === 'Field') return [node];
    join.problems.push(`${wire}: operations of the adapter use no fragments`);
    return [];
  });
  return new Map(fields.map((field) => [field.alias?.value ?? field.name.value, field]));
}
