import type { FetchNode, FlattenNode, PlanNode, QueryPlan } from '@apollo/query-planner';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { RegisterError } from '../../schema/register-error';
import type { CallContext } from '../../subgraphs/server/callers/caller';
import { formatError } from '../../subgraphs/server/observability/failures';
import { type ResultObject, referenceOf, referencesOf } from './entity-references';
import { entitiesAt, mergeInto, pathsAt, planPath } from './merged-result';
import { type PlanContext, type Send, fetchDocument, fetchOf, fetchedKeys } from './plan-fetch';
import { type Projection, type Selection, isSameSelection, projectionOf, selectionOf } from './projection';

/** Runs one operation by its compiled plan. The variables are checked already. */
export type CompiledPlan = (
  variables: Readonly<Record<string, unknown>>,
  context: CallContext,
) => Promise<ExecutionResult>;

/** State of one execution. */
interface Run {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: CallContext;
  readonly merged: ResultObject;
  errors: GraphQLError[] | undefined;
}

type Step = (run: Run) => Promise<void>;

/**
 * Compiles a query plan once, so that a request costs little more than its fetches. Supports the plan nodes that the
 * planner emits for this supergraph; returns undefined for any other, and `@apollo/gateway` executes the plan.
 */
export function compilePlan(
  { node }: QueryPlan,
  selection: Selection,
  planContext: PlanContext,
): CompiledPlan | undefined {
  if (!node || node.kind === 'Subscription') return undefined;
  const direct = node.kind === 'Fetch' ? directPlan(node, selection, planContext) : undefined;
  if (direct) return direct;
  const step = stepOf(node, planContext);
  return step && mergingPlan(step, projectionOf(selection));
}

/**
 * Returns a plan that forwards the subgraph's result unchanged, if the plan is one fetch with exactly the document's
 * selection.
 */
function directPlan(node: FetchNode, selection: Selection, planContext: PlanContext): CompiledPlan | undefined {
  const send = fetchOf(node, planContext);
  if (!send || !isSameSelection(fetchSelection(node, selection), selection)) return undefined;
  const empty = projectionOf(selection)({}, { missing: false });
  const { logger } = planContext;
  return (variables, context) =>
    send(variables, context).catch((error: unknown) => ({
      data: empty,
      errors: [formatError(error, logger, context.transactionId)],
    }));
}

const NOTHING: Omit<Selection, 'type'> = { keys: [] };

function fetchSelection(node: FetchNode, { type }: Selection): Selection {
  const { sets, fragments } = fetchDocument(node);
  return selectionOf(type, sets, fragments) ?? { type, ...NOTHING };
}

function mergingPlan(step: Step, project: Projection): CompiledPlan {
  return async (variables, context) => {
    const run: Run = { variables, context, merged: {}, errors: undefined };
    await step(run);
    const problems = { missing: false };
    const data = project(run.merged, problems);
    if (run.errors) return { data, errors: run.errors };
    return problems.missing ? { data, errors: [new RegisterError('SYS001')] } : { data };
  };
}

function stepOf(node: PlanNode, planContext: PlanContext): Step | undefined {
  switch (node.kind) {
    case 'Fetch':
      return rootStep(node, planContext);
    case 'Flatten':
      return entityStep(node, planContext);
    case 'Sequence':
      return sequence(node.nodes.map((each) => stepOf(each, planContext)));
    case 'Parallel':
      return parallel(node.nodes.map((each) => stepOf(each, planContext)));
    default:
      return undefined;
  }
}

function sequence(steps: readonly (Step | undefined)[]): Step | undefined {
  if (!steps.every((step) => step !== undefined)) return undefined;
  return async (run) => {
    for (const step of steps) await step(run);
  };
}

function parallel(steps: readonly (Step | undefined)[]): Step | undefined {
  if (!steps.every((step) => step !== undefined)) return undefined;
  return async (run) => {
    await Promise.all(steps.map((step) => step(run)));
  };
}

function rootStep(node: FetchNode, planContext: PlanContext): Step | undefined {
  const send = node.requires ? undefined : fetchOf(node, planContext);
  if (!send) return undefined;
  const keys = fetchedKeys(node);
  return async (run) => {
    const result = await sendOrError(send, run, planContext.logger);
    if (result.data) mergeInto(run.merged, result.data, keys);
    for (const error of result.errors ?? []) addError(run, error, error.path);
  };
}

function entityStep({ node, path }: FlattenNode, planContext: PlanContext): Step | undefined {
  const at = planPath(path);
  if (node.kind !== 'Fetch' || !node.requires || !at) return undefined;
  const send = fetchOf(node, planContext);
  const reference = referenceOf(node.requires, planContext.apiSchema);
  const keys = fetchedKeys(node).find(({ key }) => key === '_entities')?.nested;
  if (!send || !reference || !keys) return undefined;
  return async (run) => {
    const entities = entitiesAt(run.merged, at);
    const { references, positions } = referencesOf(entities, reference);
    if (references.length === 0) return;
    const { data, errors } = await sendOrError(send, run, planContext.logger, references);
    const received = data?.['_entities'] as readonly (ResultObject | null)[] | undefined;
    received?.forEach((entity, index) => {
      if (!entity) return;
      for (const position of positions[index] ?? []) mergeInto(entities[position] as ResultObject, entity, keys);
    });
    if (errors) addErrorsAtPaths(run, errors, positions, pathsAt(run.merged, at));
  };
}

async function sendOrError(
  send: Send,
  run: Run,
  logger: Logger,
  references?: readonly ResultObject[],
): Promise<ExecutionResult> {
  try {
    return await send(run.variables, run.context, references);
  } catch (error) {
    return { errors: [formatError(error, logger, run.context.transactionId)] };
  }
}

/** Reports an error below `_entities[i]` at every path that shares reference i. */
function addErrorsAtPaths(
  run: Run,
  errors: readonly GraphQLError[],
  positions: readonly (readonly number[])[],
  paths: readonly (readonly (string | number)[])[],
): void {
  for (const error of errors) {
    const [, index, ...rest] = error.path ?? [];
    const affected = typeof index === 'number' ? (positions[index] ?? []) : [];
    if (affected.length === 0) addError(run, error, undefined);
    for (const position of affected) addError(run, error, [...(paths[position] ?? []), ...rest]);
  }
}

function addError(
  run: Run,
  { message, extensions }: GraphQLError,
  path: readonly (string | number)[] | undefined,
): void {
  (run.errors ??= []).push(new GraphQLError(message, { extensions, ...(path ? { path } : {}) }));
}
