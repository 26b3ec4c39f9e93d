import type { Logger } from 'pino';
import { mixtureRejection } from '../../subgraphs/server/graph/checked-mutations';
import { fragmentsOf } from '../../subgraphs/server/graph/root-fields';
import { type Audiences, type OperationAudience, audienceOf } from '../callers/audiences';
import { errorSort } from '../plans/error-order';
import { type CompiledPlan, compilePlan } from '../plans/plan-executor';
import { selectionOf } from '../plans/projection';
import type { GraphOperation, LoadedSupergraph } from '../supergraph';
import { type VariableCheck, variableCheck } from './variables';

/** An operation with everything that is computed once, before its first request. */
export interface PreparedOperation {
  readonly audience: OperationAudience;
  readonly checkVariables: VariableCheck;
  /** Throws VAL003 if some mutations are checks and others write. */
  readonly rejectMixture: ReturnType<typeof mixtureRejection>;
  readonly execute: CompiledPlan;
  /**
   * Plans the operation now instead of at its first execution. Returns false if only Apollo's general executor can run
   * it.
   */
  plan(): boolean;
}

/** Supergraph and audiences that operations are prepared with. */
export interface Preparation {
  readonly supergraph: LoadedSupergraph;
  readonly audiences: Audiences;
  readonly introspection: readonly string[];
  readonly logger: Logger;
}

/** Prepares a valid operation: audience, variable check, plan. `isTrusted` marks trusted documents. */
export function prepareOperation(
  operation: GraphOperation,
  preparation: Preparation,
  isTrusted: boolean,
): PreparedOperation {
  const { supergraph, audiences, introspection } = preparation;
  const general: CompiledPlan = (variables, context) => supergraph.execute(operation, variables, context);
  const sortErrors = errorSort(operation.document);
  let executor: CompiledPlan | undefined;
  const chooseExecutor = () => (executor ??= compiledPlan(operation, preparation, isTrusted) ?? general);
  return {
    audience: audienceOf(operation.operation, fragmentsOf(operation.document), audiences, introspection),
    checkVariables: variableCheck(operation.operation, supergraph.apiSchema),
    rejectMixture: mixtureRejection(operation.operation, operation.document),
    execute: async (variables, context) => sortErrors(await (executor ?? chooseExecutor())(variables, context)),
    plan: () => chooseExecutor() !== general,
  };
}

function compiledPlan(
  operation: GraphOperation,
  { supergraph, logger }: Preparation,
  isTrusted: boolean,
): CompiledPlan | undefined {
  const { apiSchema, links } = supergraph;
  const root = apiSchema.getRootType(operation.operation.operation);
  const selection = root && selectionOf(root, [operation.operation.selectionSet], fragmentsOf(operation.document));
  return selection
    ? compilePlan(supergraph.plan(operation), selection, { apiSchema, links, logger, fixed: isTrusted })
    : undefined;
}
