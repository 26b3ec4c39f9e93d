import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  coerceInputValue,
  isInputObjectType,
  isInputType,
  isNonNullType,
  isScalarType,
  getNullableType,
  typeFromAST,
} from 'graphql';
import * as registerScalars from '../schema/scalars';
import { type ErrorCode, isErrorCode } from '../schema/error-catalogue';
import { type Violation, refuse } from '../schema/register-error';
import { withoutValues } from './presentation';

/** Checks the values of an operation's variables; throws all violations as one error of the catalogue. */
export type VariableCheck = (values: Readonly<Record<string, unknown>>) => void;

const MOST_VIOLATIONS = 100;

/**
 * Teaches the API schema the register's own scalars: composition knows them by name only, and a pattern is better refused
 * at the gateway, with its code and path, than in a subgraph.
 */
export function teachScalars(schema: GraphQLSchema): void {
  for (const scalar of Object.values(registerScalars)) {
    const known = schema.getType(scalar.name);
    if (!isScalarType(known)) continue;
    known.parseValue = scalar.parseValue;
    known.parseLiteral = scalar.parseLiteral;
  }
}

interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly hasDefault: boolean;
  readonly isInputObject: boolean;
}

/** Compiles the check of an operation's variables against the API schema. */
export function variableCheck(operation: OperationDefinitionNode, schema: GraphQLSchema): VariableCheck {
  const variables = (operation.variableDefinitions ?? []).map((definition): Variable => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType | undefined;
    if (!isInputType(type)) throw new Error(`variable $${name} has no input type of the schema`);
    const hasDefault = definition.defaultValue !== undefined;
    return { name, type, hasDefault, isInputObject: isInputObjectType(getNullableType(type)) };
  });
  return (values) => {
    const violations: Violation[] = [];
    for (const variable of variables) checkVariable(variable, values, violations);
    if (violations.length > 0) refuse(violations);
  };
}

function checkVariable(variable: Variable, values: Readonly<Record<string, unknown>>, violations: Violation[]): void {
  const { name, type, hasDefault, isInputObject } = variable;
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) {
    if (!hasDefault && isNonNullType(type))
      violations.push({ code: 'VAL002', path: [name], message: `${name} is required` });
    return;
  }
  const add = (inner: readonly (string | number)[], _: unknown, error: GraphQLError) => {
    if (violations.length >= MOST_VIOLATIONS) throw ENOUGH;
    const violation = violationAt(inner, error);
    violations.push(
      isInputObject && violation.path.length > 0 ? violation : { ...violation, path: [name, ...violation.path] },
    );
  };
  try {
    coerceInputValue(value, type, add, true);
  } catch (error) {
    if (error !== ENOUGH) throw error;
  }
}

/** Ends the check of a value: a body has room for thousands of wrong names, and each costs an error. */
const ENOUGH = new Error('enough violations');

const MISSING = /^Field "([^"]+)" of required type /;
const UNKNOWN = /^Field "([^"]+)" is not defined by type /;

function violationAt(path: readonly (string | number)[], error: GraphQLError): Violation {
  const missing = MISSING.exec(error.message)?.[1];
  if (missing !== undefined) return { code: 'VAL002', path: [...path, missing], message: `${missing} is required` };
  const unknown = UNKNOWN.exec(error.message)?.[1];
  if (unknown !== undefined) return { code: 'VAL003', path: [...path, unknown], message: 'This field is not known' };
  return { code: codeOf(error), path, message: withoutValues(error.message) };
}

function codeOf(error: GraphQLError): ErrorCode {
  const code = error.extensions['code'];
  return isErrorCode(code) ? code : 'VAL003';
}
