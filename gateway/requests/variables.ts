import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLScalarType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  coerceInputValue,
  isEnumType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  isScalarType,
  getNullableType,
  typeFromAST,
} from 'graphql';
import * as registerScalars from '../../schema/scalars';
import { type ErrorCode, isErrorCode } from '../../schema/error-catalogue';
import { MAX_VIOLATIONS, type Violation, throwViolations } from '../../schema/register-error';
import { withoutValues } from './error-format';
import { type InputCheck, inputCheck } from './input-check';

/** Checks the values of an operation's variables; throws all violations as one error. */
export type VariableCheck = (values: Readonly<Record<string, unknown>>) => void;

/**
 * Sets the register's scalars in the API schema. Composition retains only their names; with the scalars the gateway
 * rejects a malformed value with its code and path before calling a subgraph.
 */
export function useRegisterScalars(schema: GraphQLSchema): void {
  for (const scalar of Object.values(registerScalars)) {
    const scalarType = schema.getType(scalar.name);
    if (!isScalarType(scalarType)) continue;
    scalarType.parseValue = scalar.parseValue;
    scalarType.parseLiteral = located(scalar.parseLiteral);
  }
}

/** Adds the location of the literal to the error of a scalar. */
function located(valueOf: GraphQLScalarType['parseLiteral']): GraphQLScalarType['parseLiteral'] {
  return (literal, variables) => {
    try {
      return valueOf(literal, variables);
    } catch (error) {
      throw error instanceof GraphQLError
        ? new GraphQLError(error.message, { nodes: literal, originalError: error })
        : error;
    }
  };
}

/**
 * Makes the error of an enum literal name the values of the enum if the schema for clients contains it: documents are validated before the
 * caller is identified. The error suggests no similar value, because that search takes 50 milliseconds for a literal of 200,000 characters.
 */
export function nameEnumValues(schema: GraphQLSchema, clientSdl: string): void {
  const clientEnums = new Set(Array.from(clientSdl.matchAll(/^enum (\w+)/gm), ([, name]) => name));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isEnumType(type)) continue;
    const values = clientEnums.has(type.name) ? permittedValues(type) : '';
    const valueOf = type.parseLiteral.bind(type);
    type.parseLiteral = (literal, variables) => {
      try {
        return valueOf(literal, variables, true);
      } catch {
        throw new GraphQLError(`The value does not exist in the enum "${type.name}"${values}`, { nodes: literal });
      }
    };
  }
}

interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly hasDefault: boolean;
  readonly isInputObject: boolean;
  readonly isValid: InputCheck;
  readonly schema: GraphQLSchema;
}

/** Compiles the check of an operation's variables against the API schema. */
export function variableCheck(operation: OperationDefinitionNode, schema: GraphQLSchema): VariableCheck {
  const variables = (operation.variableDefinitions ?? []).map((definition): Variable => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType | undefined;
    if (!isInputType(type)) throw new Error(`variable $${name} has no input type of the schema`);
    const hasDefault = definition.defaultValue !== undefined;
    const isInputObject = isInputObjectType(getNullableType(type));
    return { name, type, hasDefault, isInputObject, isValid: inputCheck(type), schema };
  });
  return (values) => {
    const violations: Violation[] = [];
    for (const variable of variables) checkVariable(variable, values, violations);
    if (violations.length > 0) throwViolations(violations);
  };
}

function checkVariable(variable: Variable, values: Readonly<Record<string, unknown>>, violations: Violation[]): void {
  const { name, type, hasDefault, isInputObject, isValid, schema } = variable;
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) {
    if (!hasDefault && isNonNullType(type)) violations.push({ code: 'VAL002', path: [name], message: 'is required' });
    return;
  }
  if (isValid(value)) return;
  const add = (inner: readonly (string | number)[], _: unknown, error: GraphQLError) => {
    if (violations.length >= MAX_VIOLATIONS) throw LIMIT_REACHED;
    const violation = violationAt(inner, error, schema);
    violations.push(
      isInputObject && violation.path.length > 0 ? violation : { ...violation, path: [name, ...violation.path] },
    );
  };
  try {
    coerceInputValue(value, type, add, true);
  } catch (error) {
    if (error !== LIMIT_REACHED) throw error;
  }
}

/**
 * Ends the check of a value at the maximum: a body may contain thousands of unknown names, and each creates an error.
 */
const LIMIT_REACHED = new Error('enough violations');

const MISSING = /^Field "([^"]+)" of required type /;
const UNKNOWN = /^Field "([^"]+)" is not defined by type /;

function violationAt(path: readonly (string | number)[], error: GraphQLError, schema: GraphQLSchema): Violation {
  const missing = MISSING.exec(error.message)?.[1];
  if (missing !== undefined) return { code: 'VAL002', path: [...path, missing], message: 'is required' };
  const unknown = UNKNOWN.exec(error.message)?.[1];
  if (unknown !== undefined) return { code: 'VAL003', path: [...path, unknown], message: 'is not a known field' };
  const message = withoutValues(error.message);
  // Nothing is disclosed: the caller may run the operation, and validation admits only variables of the types of its arguments.
  const values = permittedValues(schema.getType(ENUM.exec(message)?.[1] ?? ''));
  return { code: codeOf(error), path, message: `${message}${values}` };
}

/** The enum of a wrong value, in a message that quotes no value: a value may contain the name of another enum. */
const ENUM = /^The value does not exist in the enum "([^"]+)"$/;

/** Returns the values of an enum as the end of a message; empty for other types. */
function permittedValues(type: GraphQLNamedType | undefined): string {
  if (!isEnumType(type)) return '';
  const names = type.getValues().map(({ name }) => name);
  return `, which has ${names.join(', ')}`;
}

function codeOf(error: GraphQLError): ErrorCode {
  const code = error.extensions['code'];
  return isErrorCode(code) ? code : 'VAL003';
}
