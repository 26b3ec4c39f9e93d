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
import { enumName, graphqlName } from '../../schema/naming';
import { type MappingContext, enumProblems, leafProblem } from '../contract/contract-mapping';
import { type ContractSchema, withoutNull } from '../contract/contract-schema';

/** Converts a valid value of the contract to its GraphQL form. */
export type Bind = (value: unknown) => unknown;

/** Wire names of a GraphQL input type's fields. They translate the paths of violations. */
export interface InputNames {
  readonly members?: ReadonlyMap<string, InputMember>;
  readonly items?: InputNames;
}

/** A field under its wire name. */
export interface InputMember {
  readonly wire: string;
  readonly names: InputNames;
  /** Label in messages if it is not a member of the body: `query parameter limit`. */
  readonly label?: string;
}

/** Converter of a value, undefined if the value stays unchanged, and the wire names below it. */
export interface Binding {
  readonly bind: Bind | undefined;
  readonly names: InputNames;
}

/** Maps a request schema to a GraphQL input type once, and reports mismatches. */
export function requestBinding(
  mapping: MappingContext,
  original: ContractSchema,
  originalType: GraphQLInputType,
  wire: string,
): Binding {
  const { schema, nullable } = withoutNull(original);
  if (nullable && isNonNullType(originalType))
    mapping.problems.push(`${wire}: nullable, but ${String(originalType)} is not`);
  const type = getNullableType(originalType);
  if (schema.type === 'array') return listBinding(mapping, schema, type, wire);
  if (schema.properties) return objectBinding(mapping, schema, type, wire);
  const named = getNamedType(type);
  if (schema.enum && isEnumType(named)) {
    mapping.problems.push(...enumProblems(wire, schema.enum, named));
    const enumNames = new Map(schema.enum.map((value) => [value, enumName(String(value))]));
    return { bind: (value) => enumNames.get(value as string), names: {} };
  }
  const isWholeFloat = schema.type === 'integer' && named.name === 'Float';
  if (!isWholeFloat) mapping.problems.push(...leafProblem(wire, schema, type));
  return { bind: undefined, names: {} };
}

function listBinding(mapping: MappingContext, schema: ContractSchema, type: GraphQLInputType, wire: string): Binding {
  if (!isListType(type)) {
    mapping.problems.push(`${wire}: an array in the contract, but no list in the graph`);
    return { bind: undefined, names: {} };
  }
  const { bind, names } = requestBinding(mapping, schema.items ?? {}, type.ofType as GraphQLInputType, `${wire}/*`);
  return { bind: bind && ((value) => (value as unknown[]).map(bind)), names: { items: names } };
}

interface MemberBinding {
  readonly wire: string;
  readonly key: string;
  readonly bind: Bind | undefined;
  readonly defaultValue: unknown;
  readonly isNullAbsent: boolean;
}

function objectBinding(mapping: MappingContext, schema: ContractSchema, type: GraphQLInputType, wire: string): Binding {
  if (!isInputObjectType(type)) {
    mapping.problems.push(`${wire}: an object in the contract, but ${String(type)} in the graph`);
    return { bind: undefined, names: {} };
  }
  const fields = type.getFields();
  const bindings: MemberBinding[] = [];
  const members = new Map<string, { wire: string; names: InputNames }>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const key = graphqlName(name);
    const field = fields[key];
    if (members.has(key))
      mapping.problems.push(`${wire}/${name}: another property of the contract also maps to ${key}`);
    if (!field) {
      mapping.problems.push(`${wire}/${name}: in the contract, but ${type.name} has no ${key}`);
      continue;
    }
    if (needsValue(field) && !schema.required?.includes(name) && property.default === undefined) {
      mapping.problems.push(`${wire}/${name}: optional, but ${type.name}.${key} is required`);
    }
    const { bind, names } = requestBinding(mapping, property, field.type, `${wire}/${name}`);
    const isNullAbsent = mapping.takesNullAsAbsent === true && schema.required?.includes(name) !== true;
    bindings.push({ wire: name, key, bind, defaultValue: property.default, isNullAbsent });
    members.set(key, { wire: name, names });
  }
  for (const key of Object.keys(fields)) {
    if (!members.has(key)) mapping.problems.push(`${wire}: the contract cannot supply ${type.name}.${key}`);
  }
  return { bind: objectBind(bindings), names: { members } };
}

function needsValue(field: GraphQLInputField): boolean {
  return isNonNullType(field.type) && field.defaultValue === undefined;
}

function objectBind(bindings: readonly MemberBinding[]): Bind {
  return (value) => {
    const source = value as Record<string, unknown>;
    const bound: Record<string, unknown> = {};
    for (const { wire, key, bind, defaultValue, isNullAbsent } of bindings) {
      const sent = source[wire];
      const member = sent === undefined || (sent === null && isNullAbsent) ? defaultValue : sent;
      if (member !== undefined) bound[key] = bind === undefined || member === null ? member : bind(member);
    }
    return bound;
  };
}

/** Location of a violation in the request, in wire names. */
interface WireLocation {
  /** JSON pointer of the field, or the label of the parameter. */
  readonly pointer: string;
  /** Name of the parameter, if it is one. */
  readonly parameter?: string;
}

/** Returns the wire location of a GraphQL input path. A name that the contract does not have stays unchanged. */
export function wireLocation(names: InputNames | undefined, path: readonly (string | number)[]): WireLocation {
  let current = names;
  let pointer = '';
  for (const step of path) {
    const member = typeof step === 'string' ? current?.members?.get(step) : undefined;
    if (member?.label !== undefined) return { pointer: member.label, parameter: member.wire };
    pointer += `/${pointerToken(member?.wire ?? String(step))}`;
    current = typeof step === 'number' ? current?.items : member?.names;
  }
  return { pointer };
}

const MAX_NAME_LENGTH = 100;

/** Returns a JSON pointer token (RFC 6901). Shortens long names, which the client may have invented. */
export function pointerToken(name: string): string {
  const shown = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  return shown.replaceAll('~', '~0').replaceAll('/', '~1');
}
