import { type GraphQLSchema, Kind, type OperationDefinitionNode, type ValueNode, isNonNullType, visit } from 'graphql';
import { graphqlName } from '../../schema/naming';
import type { ContractOperation, ContractParameter } from '../contract/contract';
import type { MappingContext } from '../contract/contract-mapping';
import { type OperationVariables, operationVariables } from './operation-variables';
import { type CheckSupport, DRY_RUN, checkSupportOf } from './preferences';
import { type Binding, type InputMember, type InputNames, requestBinding } from './request-binding';
import {
  type BoundParameter,
  boundParameter,
  parameterLabel,
  parametersSchema,
  selectingParameter,
} from './request-parameters';
import type { RouteRow } from '../route-table';
import type { Validator } from './validation';
import type { ContractSchema } from '../contract/contract-schema';

/** Converts a request to the variables of its operation. */
export interface RequestCompilation {
  readonly parameters: readonly BoundParameter[];
  /** Returns the violations of the parameters, passed as one object. */
  readonly checkParameters: Validator;
  readonly body: { readonly check: Validator; readonly bind: BodyBind } | undefined;
  /** Whether the operation writes, and can be checked. */
  readonly checkSupport: CheckSupport;
  readonly input: InputNames;
}

/** Converts a valid body to variables. */
type BodyBind = (body: unknown) => Record<string, unknown>;

interface RequestInput {
  readonly operation: ContractOperation;
  /** Query parameter that selects the document. It is validated, and sets no variable. */
  readonly selector: string | undefined;
  readonly document: OperationDefinitionNode;
  readonly row: RouteRow;
  readonly schema: GraphQLSchema;
  readonly validator: (schema: ContractSchema, takesNullAsAbsent: boolean) => Validator;
}

/** Maps the parameters and the body of an operation to its variables, and reports any that have no counterpart. */
export function compileRequest(
  mapping: MappingContext,
  { operation, selector, document, row, schema, validator }: RequestInput,
): RequestCompilation {
  const variables = operationVariables(mapping, document, schema);
  const support = checkSupportOf(document);
  const expected = operation.parameters
    .filter(({ name }) => !(name === 'If-Match' && row.ifMatch) && name !== 'Prefer')
    .map((parameter) => (requiresArea(row, parameter) ? { ...parameter, required: true } : parameter));
  const bound = expected.map((parameter) =>
    parameter.name === selector ? selectingParameter(parameter) : boundParameter(mapping, parameter, variables),
  );
  if (row.ifMatch !== undefined) variables.assign(row.ifMatch, 'the header If-Match');
  if (support === 'checkable') variables.assign(DRY_RUN, 'the header Prefer');
  if (operation.parameters.some(({ name }) => name === 'Prefer') !== (support === 'checkable'))
    mapping.problems.push('the header Prefer must be in the contract exactly if the operation has $dryRun');
  if (operation.signIn === 'basic') {
    for (const variable of ['accountId', 'secretKey']) variables.assign(variable, 'the credentials');
  }
  const body = operation.body && boundBody(mapping, operation.body, variables);
  variables.reportUnassigned();
  const check = (of: ContractSchema) => validator(of, operation.restInterface.takesNullAsAbsent);
  const labelled = bound.flatMap((parameter) => {
    const member: InputMember = { wire: parameter.name, names: {}, label: parameterLabel(parameter) };
    return parameter.variable === undefined ? [] : [[parameter.variable, member] as const];
  });
  return {
    parameters: bound,
    checkParameters: check(parametersSchema(expected)),
    body: operation.body && body && { check: check(operation.body), bind: body.bind },
    checkSupport: support,
    input: inputNames(document, new Map([...labelled, ...(body?.members ?? [])]), body?.input),
  };
}

/** Maps the body to `$input`. If the operation has no such variable, maps each member to the variable of its name. */
function boundBody(mapping: MappingContext, schema: ContractSchema, variables: OperationVariables) {
  if (variables.has('input') || schema.properties === undefined) {
    const type = variables.assign('input', 'the body');
    const { bind, names } = type ? requestBinding(mapping, schema, type, '') : UNBOUND;
    return { bind: (body: unknown) => ({ input: bind ? bind(body) : body }), input: names, members: [] };
  }
  const bound = Object.entries(schema.properties).map(([name, property]) => {
    const variable = graphqlName(name);
    const type = variables.assign(variable, `the member ${name} of the body`);
    const { bind, names } = type ? requestBinding(mapping, property, type, `/${name}`) : UNBOUND;
    const isOptional = schema.required?.includes(name) !== true && property.default === undefined;
    if (type && isNonNullType(type) && isOptional)
      mapping.problems.push(`/${name} is optional, but $${variable} is not`);
    return { name, variable, defaultValue: property.default, bind, names };
  });
  const bind = (body: unknown) =>
    Object.fromEntries(
      bound.flatMap((member) => {
        const value = (body as Record<string, unknown>)[member.name] ?? member.defaultValue;
        return value === undefined ? [] : [[member.variable, member.bind ? member.bind(value) : value] as const];
      }),
    );
  const members = bound.map(({ name, variable, names }) => [variable, { wire: name, names }] as const);
  return { bind, input: undefined, members };
}

const UNBOUND: Binding = { bind: undefined, names: {} };

/** Optional in the contract, because the host or the setting may supply it; required after that. */
function requiresArea({ licenceArea }: RouteRow, { name }: ContractParameter): boolean {
  return licenceArea?.hasDefault === true && licenceArea.parameter === name;
}

/**
 * Returns wire names for paths of violations, which start with a variable, an argument, or a field of an argument or of
 * `$input`.
 */
function inputNames(
  operation: OperationDefinitionNode,
  variables: ReadonlyMap<string, InputMember>,
  input: InputNames | undefined,
): InputNames {
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
  return { wire: name, names: { members: new Map(fields) } };
}
