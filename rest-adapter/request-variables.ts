import {
  type GraphQLInputType,
  type GraphQLSchema,
  Kind,
  type ValueNode,
  isInputType,
  isNonNullType,
  typeFromAST,
  visit,
} from 'graphql';
import { graphqlName } from '../schema/naming';
import type { ContractOperation, ContractParameter, ContractSchema } from './contract';
import type { Join } from './join';
import type { OperationDocument } from './operation-documents';
import { type Bind, type Binding, type InputMember, type InputPlace, requestBinding } from './request-binding';
import { routeParameter } from './route-paths';
import type { RouteRow } from './route-table';
import type { Validator } from './validation';

/** A parameter, and the variable that it feeds. */
export interface BoundParameter {
  readonly name: string;
  readonly in: ContractParameter['in'];
  /** Name as it arrives: header names in lower case, path parameters as the router calls them. */
  readonly key: string;
  readonly variable: string;
  readonly preset: unknown;
  /** What its text stands for; a text that is no such value stays one, which the contract refuses. */
  readonly read: ((text: unknown) => unknown) | undefined;
  readonly bind: Bind | undefined;
}

/** What a message calls a parameter. */
export function spokenName({ in: source, name }: Pick<BoundParameter, 'in' | 'name'>): string {
  return `${source} ${source === 'header' ? '' : 'parameter '}${name}`;
}

/** How a request becomes the variables of its operation. */
export interface RequestCompilation {
  readonly parameters: readonly BoundParameter[];
  /** Faults of the parameters, given as one object of their names. */
  readonly checkParameters: Validator;
  readonly body: { readonly check: Validator; readonly bind: BodyBind } | undefined;
  readonly input: InputPlace;
}

/** The variables that a valid body feeds. */
type BodyBind = (body: unknown) => Record<string, unknown>;

interface RequestParts {
  readonly operation: ContractOperation;
  readonly document: OperationDocument;
  readonly row: RouteRow;
  readonly schema: GraphQLSchema;
  readonly validator: (schema: ContractSchema, takesNullAsAbsent: boolean) => Validator;
}

/** Joins the parameters and the body of an operation with its variables: each feeds one, and none is left over. */
export function compileRequest(
  join: Join,
  { operation, document, row, schema, validator }: RequestParts,
): RequestCompilation {
  const types = variableTypes(document, schema);
  const unfed = new Set(types.keys());
  const fed = operation.parameters
    .filter(({ name }) => !(name === 'If-Match' && row.ifMatch))
    .map((parameter) => (isAreaToBeKnown(row, parameter) ? { ...parameter, required: true } : parameter));
  const bound = fed.map((parameter) => boundParameter(join, parameter, types, unfed));
  if (row.ifMatch !== undefined) feed(join, types, unfed, row.ifMatch, 'the header If-Match');
  if (operation.signIn === 'basic') {
    for (const variable of ['accountId', 'secretKey']) feed(join, types, unfed, variable, 'the credentials');
  }
  const body = operation.body && boundBody(join, operation.body, types, unfed);
  for (const variable of unfed) join.problems.push(`nothing feeds the variable $${variable}`);
  const check = (of: ContractSchema) => validator(of, operation.restInterface.takesNullAsAbsent);
  const spoken = bound.map((parameter) => {
    const member: InputMember = { wire: parameter.name, place: {}, spoken: spokenName(parameter) };
    return [parameter.variable, member] as const;
  });
  return {
    parameters: bound,
    checkParameters: check(parametersSchema(fed)),
    body: operation.body && body && { check: check(operation.body), bind: body.bind },
    input: inputPlace(document, new Map([...spoken, ...(body?.variables ?? [])]), body?.input),
  };
}

/** The body feeds `$input`; of an operation that has none, its members feed the variables of their names, and an empty body nothing. */
function boundBody(join: Join, schema: ContractSchema, types: VariableTypes, unfed: Set<string>) {
  const members = Object.entries(schema.properties ?? {});
  if (types.has('input') || schema.properties === undefined) {
    const type = feed(join, types, unfed, 'input', 'the body');
    const { bind, place } = type ? requestBinding(join, schema, type, '') : UNBOUND;
    return { bind: (body: unknown) => ({ input: bind ? bind(body) : body }), input: place, variables: [] };
  }
  const bound = members.map(([name, property]) => {
    const variable = graphqlName(name);
    const type = feed(join, types, unfed, variable, `the member ${name} of the body`);
    const { bind, place } = type ? requestBinding(join, property, type, `/${name}`) : UNBOUND;
    const isOptional = schema.required?.includes(name) !== true && property.default === undefined;
    if (type && isNonNullType(type) && isOptional) join.problems.push(`/${name} is optional, but $${variable} is not`);
    return { name, variable, preset: property.default, bind, place };
  });
  const bind = (body: unknown) =>
    Object.fromEntries(
      bound.flatMap((member) => {
        const value = (body as Record<string, unknown>)[member.name] ?? member.preset;
        return value === undefined ? [] : [[member.variable, member.bind ? member.bind(value) : value] as const];
      }),
    );
  const variables = bound.map(({ name, variable, place }) => [variable, { wire: name, place }] as const);
  return { bind, input: undefined, variables };
}

const UNBOUND: Binding = { bind: undefined, place: {} };

/** In the contract it is optional, for the host or the setting may name it; in the end somebody must have. */
function isAreaToBeKnown({ licenceArea }: RouteRow, { name }: ContractParameter): boolean {
  return licenceArea?.presumed === true && licenceArea.parameter === name;
}

/** Violations name variables, arguments, fields of arguments, and fields of `$input`; the contract names parameters and members. */
function inputPlace(
  { operation }: OperationDocument,
  variables: ReadonlyMap<string, InputMember>,
  input: InputPlace | undefined,
): InputPlace {
  const members = new Map(variables);
  visit(operation, {
    Argument({ name, value }) {
      const member = memberOf(name.value, value, variables);
      if (member) members.set(name.value, member);
    },
  });
  return { members: new Map([...members, ...(input?.members ?? [])]) };
}

function memberOf(
  name: string,
  value: ValueNode,
  variables: ReadonlyMap<string, InputMember>,
): InputMember | undefined {
  if (value.kind === Kind.VARIABLE) return variables.get(value.name.value);
  if (value.kind !== Kind.OBJECT) return undefined;
  const fields = value.fields.flatMap((field) => {
    const member = memberOf(field.name.value, field.value, variables);
    return member ? [[field.name.value, member] as const] : [];
  });
  return { wire: name, place: { members: new Map(fields) } };
}

type VariableTypes = ReadonlyMap<string, GraphQLInputType>;

function variableTypes({ operation }: OperationDocument, schema: GraphQLSchema): VariableTypes {
  const typed = (operation.variableDefinitions ?? []).map(({ variable, type }) => {
    const found = typeFromAST(schema, type as never) as unknown;
    return [variable.name.value, found] as const;
  });
  return new Map(typed.filter((pair): pair is readonly [string, GraphQLInputType] => isInputType(pair[1])));
}

function feed(join: Join, types: VariableTypes, unfed: Set<string>, variable: string, source: string) {
  if (!types.has(variable)) join.problems.push(`${source} feeds no variable $${variable}`);
  unfed.delete(variable);
  return types.get(variable);
}

function boundParameter(
  join: Join,
  parameter: ContractParameter,
  types: VariableTypes,
  unfed: Set<string>,
): BoundParameter {
  const key = arrivalName(parameter);
  const variable = graphqlName(key);
  const source = `the ${parameter.in} parameter ${parameter.name}`;
  const type = feed(join, types, unfed, variable, source);
  const isOptional = parameter.required !== true && parameter.schema.default === undefined;
  if (type && isNonNullType(type) && isOptional) join.problems.push(`${source} is optional, but $${variable} is not`);
  return {
    name: parameter.name,
    in: parameter.in,
    key,
    variable,
    preset: parameter.schema.default,
    read: READERS[String(parameter.schema.type)],
    bind: type && requestBinding(join, parameter.schema, type, source).bind,
  };
}

/** As many digits as a number holds exactly; the contract says which are too large. */
const INTEGER = /^-?[0-9]{1,15}$/;

/** How the text of a parameter is read, by the type that the contract gives it. */
const READERS: Readonly<Record<string, (text: unknown) => unknown>> = {
  integer: (text) => (typeof text === 'string' && INTEGER.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
};

function arrivalName({ in: source, name }: ContractParameter): string {
  if (source === 'header') return name.toLowerCase();
  return source === 'path' ? routeParameter(name) : name;
}

function parametersSchema(parameters: readonly ContractParameter[]): ContractSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}
