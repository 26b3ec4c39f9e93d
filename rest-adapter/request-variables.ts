import {
  type GraphQLInputType,
  type GraphQLSchema,
  Kind,
  isInputType,
  isNonNullType,
  typeFromAST,
  visit,
} from 'graphql';
import { graphqlName } from '../schema/naming';
import type { ContractOperation, ContractParameter, ContractSchema } from './contract';
import type { Join } from './join';
import type { OperationDocument } from './operation-documents';
import { type Bind, type InputMember, type InputPlace, requestBinding } from './request-binding';
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
  readonly isInteger: boolean;
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
  readonly body: { readonly check: Validator; readonly bind: Bind } | undefined;
  readonly input: InputPlace;
}

interface RequestParts {
  readonly operation: ContractOperation;
  readonly document: OperationDocument;
  readonly row: RouteRow;
  readonly schema: GraphQLSchema;
  readonly validator: (schema: ContractSchema) => Validator;
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
  const inputType = operation.body && feed(join, types, unfed, 'input', 'the body');
  const binding = operation.body && inputType && requestBinding(join, operation.body, inputType, '');
  for (const variable of unfed) join.problems.push(`nothing feeds the variable $${variable}`);
  const fedArguments = argumentsByVariable(document);
  const places = bound.flatMap((parameter) => {
    const { variable, name } = parameter;
    const member: InputMember = { wire: name, place: {}, spoken: spokenName(parameter) };
    return [variable, ...(fedArguments.get(variable) ?? [])].map((graphName) => [graphName, member] as const);
  });
  return {
    parameters: bound,
    checkParameters: validator(parametersSchema(fed)),
    body: operation.body && { check: validator(operation.body), bind: binding?.bind ?? ((value) => value) },
    input: { members: new Map([...places, ...(binding?.place.members ?? [])]) },
  };
}

/** In the contract it is optional, for the host or the setting may name it; in the end somebody must have. */
function isAreaToBeKnown({ licenceArea }: RouteRow, { name }: ContractParameter): boolean {
  return licenceArea?.presumed === true && licenceArea.parameter === name;
}

/** The arguments that take each variable: violations name arguments, the contract names parameters. */
function argumentsByVariable({ operation }: OperationDocument): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  visit(operation, {
    Argument({ name, value }) {
      if (value.kind === Kind.VARIABLE)
        found.set(value.name.value, [...(found.get(value.name.value) ?? []), name.value]);
    },
  });
  return found;
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
    isInteger: parameter.schema.type === 'integer',
    bind: type && requestBinding(join, parameter.schema, type, source).bind,
  };
}

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
