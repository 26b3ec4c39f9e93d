import {
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { enumName, graphqlName } from '../schema/naming';
import { type ContractSchema, withoutNull } from './contract';
import { type Join, enumProblems, leafProblem } from './join';

/** Brings a value of the contract, already valid, into the form of the graph. */
export type Bind = (value: unknown) => unknown;

/** What the graph calls a field of the request, and what the wire does: violations are translated with it. */
export interface InputPlace {
  readonly members?: ReadonlyMap<string, InputMember>;
  readonly items?: InputPlace;
}

/** A field as the wire calls it. */
export interface InputMember {
  readonly wire: string;
  readonly place: InputPlace;
  /** How it is told of where it is no field of a body: `query parameter limit`. */
  readonly spoken?: string;
}

/** How a value is bound; `bind` is undefined where it stays as it is. */
export interface Binding {
  readonly bind: Bind | undefined;
  readonly place: InputPlace;
}

/** Walks a request schema and a GraphQL input type together, once. */
export function requestBinding(join: Join, given: ContractSchema, givenType: GraphQLInputType, wire: string): Binding {
  const { schema, nullable } = withoutNull(given);
  if (nullable && isNonNullType(givenType)) join.problems.push(`${wire}: nullable, but ${String(givenType)} is not`);
  const type = getNullableType(givenType);
  if (schema.type === 'array') return listBinding(join, schema, type, wire);
  if (schema.properties) return objectBinding(join, schema, type, wire);
  const named = getNamedType(type);
  if (schema.enum && isEnumType(named)) {
    join.problems.push(...enumProblems(wire, schema.enum, named));
    const names = new Map(schema.enum.map((value) => [value, enumName(String(value))]));
    return { bind: (value) => names.get(value as string), place: {} };
  }
  const isWholeFloat = schema.type === 'integer' && named.name === 'Float';
  if (!isWholeFloat) join.problems.push(...leafProblem(wire, schema, type));
  return { bind: undefined, place: {} };
}

function listBinding(join: Join, schema: ContractSchema, type: GraphQLInputType, wire: string): Binding {
  if (!isListType(type)) {
    join.problems.push(`${wire}: an array in the contract, but no list in the graph`);
    return { bind: undefined, place: {} };
  }
  const { bind, place } = requestBinding(join, schema.items ?? {}, type.ofType as GraphQLInputType, `${wire}/*`);
  return { bind: bind && ((value) => (value as unknown[]).map(bind)), place: { items: place } };
}

interface Line {
  readonly wire: string;
  readonly key: string;
  readonly bind: Bind | undefined;
  readonly preset: unknown;
  readonly isNullAbsent: boolean;
}

function objectBinding(join: Join, schema: ContractSchema, type: GraphQLInputType, wire: string): Binding {
  if (!isInputObjectType(type)) {
    join.problems.push(`${wire}: an object in the contract, but ${String(type)} in the graph`);
    return { bind: undefined, place: {} };
  }
  const fields = type.getFields();
  const lines: Line[] = [];
  const members = new Map<string, { wire: string; place: InputPlace }>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const key = graphqlName(name);
    const field = fields[key];
    if (members.has(key))
      join.problems.push(`${wire}/${name}: another name of the contract is ${key} in the graph, too`);
    if (!field) {
      join.problems.push(`${wire}/${name}: in the contract, but ${type.name} has no ${key}`);
      continue;
    }
    if (needsValue(field) && !schema.required?.includes(name) && property.default === undefined) {
      join.problems.push(`${wire}/${name}: optional, but ${type.name}.${key} is required`);
    }
    const { bind, place } = requestBinding(join, property, field.type, `${wire}/${name}`);
    const isNullAbsent = join.takesNullAsAbsent === true && schema.required?.includes(name) !== true;
    lines.push({ wire: name, key, bind, preset: property.default, isNullAbsent });
    members.set(key, { wire: name, place });
  }
  for (const key of Object.keys(fields)) {
    if (!members.has(key)) join.problems.push(`${wire}: the contract cannot supply ${type.name}.${key}`);
  }
  return { bind: objectBind(lines), place: { members } };
}

function needsValue(field: GraphQLInputField): boolean {
  return isNonNullType(field.type) && field.defaultValue === undefined;
}

function objectBind(lines: readonly Line[]): Bind {
  return (value) => {
    const source = value as Record<string, unknown>;
    const bound: Record<string, unknown> = {};
    for (const { wire, key, bind, preset, isNullAbsent } of lines) {
      const given = source[wire];
      const member = given === undefined || (given === null && isNullAbsent) ? preset : given;
      if (member !== undefined) bound[key] = bind === undefined || member === null ? member : bind(member);
    }
    return bound;
  };
}

/** Where something of a request stands, in the names of the wire. */
export interface WirePlace {
  /** JSON pointer of the field, or the spoken name of the parameter. */
  readonly pointer: string;
  /** Name of the parameter, if it is one. */
  readonly parameter?: string;
}

/** The place on the wire of a path of the GraphQL input; a name that the contract does not know stays as it is. */
export function wirePlace(place: InputPlace | undefined, path: readonly (string | number)[]): WirePlace {
  let here = place;
  let pointer = '';
  for (const step of path) {
    const member = typeof step === 'string' ? here?.members?.get(step) : undefined;
    if (member?.spoken !== undefined) return { pointer: member.spoken, parameter: member.wire };
    pointer += `/${pointerToken(member?.wire ?? String(step))}`;
    here = typeof step === 'number' ? here?.items : member?.place;
  }
  return { pointer };
}

const LONGEST_NAME = 100;

/** A reference token of a JSON pointer (RFC 6901); a name that a client made up is cut short. */
export function pointerToken(name: string): string {
  const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return shown.replaceAll('~', '~0').replaceAll('/', '~1');
}
