import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLBoolean,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  defaultFieldResolver,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { Extensions } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../callers/caller';
import { isChecking } from '../database/check-only';

/** Name of the argument that turns a mutation into a check. */
const DRY_RUN = 'dryRun';

const DRY_RUN_DESCRIPTION =
  'True only checks: the result, or all violations, are those of the change, and nothing is stored or sent. Secrets of the result are null or `not issued`, and its new identifiers are not used.';

/** Value of a secret in the result of a check. The generated secret was rolled back, so it would not be valid. */
export const NOT_ISSUED = 'not issued';

const EITHER_OR = 'An operation either checks or writes: set `dryRun` to true on all of its mutations, or on none.';

/** Declares a mutation that cannot be checked without being done; it has no argument `dryRun`. */
export function NotCheckable(reason: 'it is a step of a sign-in or ceremony' | 'it issues a token'): MethodDecorator {
  return Extensions({ notCheckable: reason });
}

/**
 * Declares a field whose value is a secret that is returned once. A check returns null instead, or {@link NOT_ISSUED} if
 * the field cannot be null.
 */
export function ReturnedOnce(): PropertyDecorator {
  return Extensions({ returnedOnce: true });
}

/** Adds `dryRun` to every mutation of a client that can be checked, and hides secrets in the results of checks. */
export function offerChecks(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const audience = (field.extensions['audience'] ?? []) as readonly string[];
    if (!audience.every((each) => each.startsWith('service:')) && field.extensions['notCheckable'] === undefined)
      addDryRun(field);
    rejectMixture(field);
  }
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields()))
      if (field.extensions['returnedOnce'] === true) hideSecret(field);
  }
}

type Field = GraphQLField<unknown, CallContext>;

function addDryRun(field: Field): void {
  const argument = {
    name: DRY_RUN,
    type: GraphQLBoolean,
    defaultValue: false,
    description: DRY_RUN_DESCRIPTION,
    deprecationReason: undefined,
    extensions: {},
    astNode: undefined,
  };
  field.args = [...field.args, argument];
}

/**
 * Throws VAL003 if a mutation writes in an operation that checks. The database transaction of a check contains the whole
 * operation, so the mutation would be rolled back.
 */
function rejectMixture(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (root, { [DRY_RUN]: dryRun, ...parameters }, context, info) => {
    if (context.service === null && (dryRun === true) !== isChecking()) throw new RegisterError('VAL003', EITHER_OR);
    return resolve(root, parameters, context, info) as unknown;
  };
}

function hideSecret(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = async (...parameters) => {
    const secret: unknown = await resolve(...parameters);
    if (!isChecking() || secret == null) return secret;
    return isNonNullType(field.type) ? NOT_ISSUED : null;
  };
}

/** Returns whether an operation is a check, depending on its variables: whether a mutation of it has a true `dryRun`. */
export function checkCondition(
  { definitions }: DocumentNode,
  operationName: string | undefined,
): (variables: Readonly<Record<string, unknown>>) => boolean {
  const operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  if (operation?.operation !== OperationTypeNode.MUTATION) return () => false;
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  const values = rootFields(operation.selectionSet, fragments).flatMap(({ arguments: all = [] }) =>
    all.filter(({ name }) => name.value === DRY_RUN).map(({ value }) => value),
  );
  const isAlways = values.some((value) => value.kind === Kind.BOOLEAN && value.value);
  const names = values.flatMap((value) => (value.kind === Kind.VARIABLE ? [value.name.value] : []));
  const defaults = trueByDefault(operation);
  return (variables) =>
    isAlways || names.some((name) => variables[name] === true || (variables[name] === undefined && defaults.has(name)));
}

function rootFields(
  { selections }: SelectionSetNode,
  fragments: readonly FragmentDefinitionNode[],
): readonly FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : fragments.find(({ name }) => name.value === selection.name.value);
    return fragment ? rootFields(fragment.selectionSet, fragments) : [];
  });
}

function trueByDefault({ variableDefinitions = [] }: OperationDefinitionNode): ReadonlySet<string> {
  const defaults = variableDefinitions.filter(
    ({ defaultValue }) => defaultValue?.kind === Kind.BOOLEAN && defaultValue.value,
  );
  return new Set(defaults.map(({ variable }) => variable.name.value));
}
