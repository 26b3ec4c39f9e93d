import {
  type DocumentNode,
  GraphQLBoolean,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  defaultFieldResolver,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { Extensions } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../callers/caller';
import { ownerOf } from '../callers/resource-owner';
import { type CheckOrigin, isChecking } from '../database/check-only';
import { fragmentsOf, rootFieldsOf } from './root-fields';

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

/** Returns who checks. */
export function checkOrigin(context: CallContext): CheckOrigin {
  return { owner: ownerOf(context), isPart: context.checkOnly === true };
}

type Variables = Readonly<Record<string, unknown>>;

/** Returns whether an operation is a check, depending on its variables: whether a mutation of it has a true `dryRun`. */
export function checkCondition(
  document: DocumentNode,
  operationName: string | undefined,
): (variables: Variables) => boolean {
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  const conditions = operation ? checkConditions(operation, document) : [];
  return (variables) => conditions.some((isCheck) => isCheck(variables));
}

/**
 * Returns a function that throws VAL003 if some mutations of an operation are checks and others write. A subgraph receives its own mutations
 * only, so the router of the whole operation decides before the first of them.
 */
export function mixtureRejection(
  operation: OperationDefinitionNode,
  document: DocumentNode,
): (variables: Variables) => void {
  const conditions = checkConditions(operation, document);
  return (variables) => {
    if (new Set(conditions.map((isCheck) => isCheck(variables))).size > 1) throw new RegisterError('VAL003', EITHER_OR);
  };
}

/** Returns for each mutation of an operation whether it is a check, depending on the variables. */
function checkConditions(
  operation: OperationDefinitionNode,
  document: DocumentNode,
): ((variables: Variables) => boolean)[] {
  if (operation.operation !== OperationTypeNode.MUTATION) return [];
  const defaults = trueByDefault(operation);
  const fields = rootFieldsOf(operation.selectionSet, fragmentsOf(document));
  const mutations = fields.filter(({ name }) => name.value !== '__typename');
  return mutations.map((mutation) => {
    const value = mutation.arguments?.find(({ name }) => name.value === DRY_RUN)?.value;
    if (value?.kind !== Kind.VARIABLE) return () => value?.kind === Kind.BOOLEAN && value.value;
    const name = value.name.value;
    return (variables) => variables[name] === true || (variables[name] === undefined && defaults.has(name));
  });
}

function trueByDefault({ variableDefinitions = [] }: OperationDefinitionNode): ReadonlySet<string> {
  const defaults = variableDefinitions.filter(
    ({ defaultValue }) => defaultValue?.kind === Kind.BOOLEAN && defaultValue.value,
  );
  return new Set(defaults.map(({ variable }) => variable.name.value));
}
