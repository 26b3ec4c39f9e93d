import { isNonNullType } from 'graphql';
import { graphqlName } from '../../schema/naming';
import type { ContractParameter } from '../contract/contract';
import type { MappingContext } from '../contract/contract-mapping';
import type { ContractSchema } from '../contract/contract-schema';
import type { OperationVariables } from './operation-variables';
import { type Bind, requestBinding } from './request-binding';

/** A parameter of the contract and its GraphQL variable. */
export interface BoundParameter {
  readonly name: string;
  readonly in: ContractParameter['in'];
  /** Received name: header names in lower case, path parameters as the router names them. */
  readonly key: string;
  /** Undefined for the parameter that selects the document. */
  readonly variable: string | undefined;
  readonly defaultValue: unknown;
  /** Parses the text. Returns a malformed text unchanged, so that validation rejects it. */
  readonly parse: ((text: unknown) => unknown) | undefined;
  readonly bind: Bind | undefined;
}

/** Returns the name of a parameter in messages. */
export function parameterLabel({ in: source, name }: Pick<BoundParameter, 'in' | 'name'>): string {
  return `${source} ${source === 'header' ? '' : 'parameter '}${name}`;
}

/** Maps a parameter to the variable of its name. */
export function boundParameter(
  mapping: MappingContext,
  parameter: ContractParameter,
  variables: OperationVariables,
): BoundParameter {
  const key = receivedName(parameter);
  const variable = graphqlName(key);
  const source = `the ${parameter.in} parameter ${parameter.name}`;
  const type = variables.assign(variable, source);
  const isOptional = parameter.required !== true && parameter.schema.default === undefined;
  if (type && isNonNullType(type) && isOptional)
    mapping.problems.push(`${source} is optional, but $${variable} is not`);
  return {
    name: parameter.name,
    in: parameter.in,
    key,
    variable,
    defaultValue: parameter.schema.default,
    parse: parserOf(parameter.schema),
    bind: type && requestBinding(mapping, parameter.schema, type, source).bind,
  };
}

/** Returns the parameter that selects the document of a request. */
export function selectingParameter(parameter: ContractParameter): BoundParameter {
  const { name, in: source, schema } = parameter;
  const [variable, bind] = [undefined, undefined];
  return {
    name,
    in: source,
    key: receivedName(parameter),
    variable,
    defaultValue: schema.default,
    parse: undefined,
    bind,
  };
}

/** Up to 15 digits, which a number represents exactly. The contract limits the value further. */
const INTEGER = /^-?[0-9]{1,15}$/;

/**
 * Returns the parser of a parameter by its type in the contract. The `pattern` of an integer limits its text: four digits for a year.
 * A text that is not parsed violates the type.
 */
function parserOf({ type, pattern }: ContractSchema): ((text: unknown) => unknown) | undefined {
  if (type === 'boolean') return (text) => (text === 'true' || text === 'false' ? text === 'true' : text);
  if (type !== 'integer') return undefined;
  const form = pattern === undefined ? INTEGER : new RegExp(pattern);
  return (text) => (typeof text === 'string' && form.test(text) ? Number(text) : text);
}

/** Name of a parameter in a request: of a path parameter, that of the router (`routePath`). */
function receivedName({ in: source, name }: ContractParameter): string {
  if (source === 'header') return name.toLowerCase();
  return source === 'path' ? graphqlName(name) : name;
}

/** Returns the schema of all parameters as one object. */
export function parametersSchema(parameters: readonly ContractParameter[]): ContractSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}
