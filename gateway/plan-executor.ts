import type { FetchNode, FlattenNode, PlanNode, QueryPlan } from '@apollo/query-planner';
import { type ExecutionResult, GraphQLError, Kind, parse } from 'graphql';
import type { Logger } from 'pino';
import { RegisterError } from '../schema/register-error';
import type { CallContext } from '../subgraphs/server/caller';
import { presentable } from '../subgraphs/server/failures';
import { type Merged, referenceOf, referencesOf } from './entity-references';
import { entitiesAt, mergeInto, placesAt, planPath } from './merged-answer';
import { type PlanSurroundings, type Send, fetchOf } from './plan-fetch';
import { type Projection, type Selection, fragmentsOf, isSameSelection, projectionOf, selectionOf } from './projection';

/** Runs one operation whose plan was compiled: variables as sent, already checked. */
export type CompiledPlan = (
  variables: Readonly<Record<string, unknown>>,
  context: CallContext,
) => Promise<ExecutionResult>;

/** One execution: the answer so far, and what went wrong. */
interface Run {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: CallContext;
  readonly answer: Merged;
  errors: GraphQLError[] | undefined;
}

type Step = (run: Run) => Promise<void>;

/**
 * Compiles a query plan once, so that a request costs its fetches and little else (stack.md, section 5). The plan nodes that
 * the planner emits for this supergraph are supported; undefined for anything else, which `@apollo/gateway` then executes.
 */
export function compilePlan(
  { node }: QueryPlan,
  selection: Selection,
  surroundings: PlanSurroundings,
): CompiledPlan | undefined {
  if (!node || node.kind === 'Subscription') return undefined;
  const direct = node.kind === 'Fetch' ? directPlan(node, selection, surroundings) : undefined;
  if (direct) return direct;
  const step = stepOf(node, surroundings);
  return step && mergingPlan(step, projectionOf(selection));
}

/** A plan of one fetch that asks for exactly the document's selection: the subgraph's answer is the answer. */
function directPlan(node: FetchNode, selection: Selection, surroundings: PlanSurroundings): CompiledPlan | undefined {
  const send = fetchOf(node, surroundings);
  if (!send || !isSameSelection(fetchSelection(node, selection), selection)) return undefined;
  const empty = projectionOf(selection)({}, { missing: false });
  const { logger } = surroundings;
  return (variables, context) =>
    send(variables, context).catch((error: unknown) => ({
      data: empty,
      errors: [presentable(error, logger, context.transactionId)],
    }));
}

const NOTHING: Omit<Selection, 'type'> = { keys: [] };

function fetchSelection(node: FetchNode, { type }: Selection): Selection {
  const document = parse(node.operation, { noLocation: true });
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return (operation && selectionOf(type, [operation.selectionSet], fragmentsOf(document))) ?? { type, ...NOTHING };
}

function mergingPlan(step: Step, project: Projection): CompiledPlan {
  return async (variables, context) => {
    const run: Run = { variables, context, answer: {}, errors: undefined };
    await step(run);
    const faults = { missing: false };
    const data = project(run.answer, faults);
    if (run.errors) return { data, errors: run.errors };
    return faults.missing ? { data, errors: [new RegisterError('SYS001')] } : { data };
  };
}

function stepOf(node: PlanNode, surroundings: PlanSurroundings): Step | undefined {
  switch (node.kind) {
    case 'Fetch':
      return rootStep(node, surroundings);
    case 'Flatten':
      return entityStep(node, surroundings);
    case 'Sequence':
      return sequence(node.nodes.map((each) => stepOf(each, surroundings)));
    case 'Parallel':
      return parallel(node.nodes.map((each) => stepOf(each, surroundings)));
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

function rootStep(node: FetchNode, surroundings: PlanSurroundings): Step | undefined {
  const send = node.requires ? undefined : fetchOf(node, surroundings);
  return (
    send &&
    (async (run) => {
      const result = await answered(send, run, surroundings.logger);
      if (result.data) mergeInto(run.answer, result.data);
      for (const error of result.errors ?? []) addError(run, error, error.path);
    })
  );
}

function entityStep({ node, path }: FlattenNode, surroundings: PlanSurroundings): Step | undefined {
  const at = planPath(path);
  if (node.kind !== 'Fetch' || !node.requires || !at) return undefined;
  const send = fetchOf(node, surroundings);
  const reference = referenceOf(node.requires, surroundings.apiSchema);
  if (!send || !reference) return undefined;
  return async (run) => {
    const entities = entitiesAt(run.answer, at);
    const { references, places } = referencesOf(entities, reference);
    if (references.length === 0) return;
    const { data, errors } = await answered(send, run, surroundings.logger, references);
    const received = data?.['_entities'] as readonly (Merged | null)[] | undefined;
    received?.forEach((entity, index) => {
      if (entity) for (const place of places[index] ?? []) mergeInto(entities[place] as Merged, entity);
    });
    if (errors) placeErrors(run, errors, places, placesAt(run.answer, at));
  };
}

async function answered(
  send: Send,
  run: Run,
  logger: Logger,
  references?: readonly Merged[],
): Promise<ExecutionResult> {
  try {
    return await send(run.variables, run.context, references);
  } catch (error) {
    return { errors: [presentable(error, logger, run.context.transactionId)] };
  }
}

/** An error below `_entities[i]` is told at every place that the reference stands for. */
function placeErrors(
  run: Run,
  errors: readonly GraphQLError[],
  places: readonly (readonly number[])[],
  paths: readonly (readonly (string | number)[])[],
): void {
  for (const error of errors) {
    const [, index, ...rest] = error.path ?? [];
    const affected = typeof index === 'number' ? (places[index] ?? []) : [];
    if (affected.length === 0) addError(run, error, undefined);
    for (const place of affected) addError(run, error, [...(paths[place] ?? []), ...rest]);
  }
}

function addError(
  run: Run,
  { message, extensions }: GraphQLError,
  path: readonly (string | number)[] | undefined,
): void {
  (run.errors ??= []).push(new GraphQLError(message, { extensions, ...(path ? { path } : {}) }));
}
