import type { Logger } from 'pino';
import { type Audiences, type OperationAudience, audienceOf } from './audiences';
import { type CompiledPlan, compilePlan } from './plan-executor';
import { fragmentsOf, selectionOf } from './projection';
import type { GraphOperation, LoadedSupergraph } from './supergraph';
import { type VariableCheck, variableCheck } from './variables';

/** An operation with everything that can be known before its first request. */
export interface PreparedOperation {
  readonly audience: OperationAudience;
  readonly checkVariables: VariableCheck;
  readonly execute: CompiledPlan;
  /** Plans it now, not with its first execution; false when only the general executor can run it. */
  plan(): boolean;
}

/** What operations are prepared with. */
export interface Preparation {
  readonly supergraph: LoadedSupergraph;
  readonly audiences: Audiences;
  readonly introspection: readonly string[];
  readonly logger: Logger;
}

/** Prepares a valid operation: audience, variables, plan. `fixed` when its text is one of the trusted documents. */
export function prepareOperation(
  operation: GraphOperation,
  preparation: Preparation,
  fixed: boolean,
): PreparedOperation {
  const { supergraph, audiences, introspection } = preparation;
  const general: CompiledPlan = (variables, context) => supergraph.execute(operation, variables, context);
  let chosen: CompiledPlan | undefined;
  const choose = () => (chosen ??= compiledPlan(operation, preparation, fixed) ?? general);
  return {
    audience: audienceOf(operation.operation, fragmentsOf(operation.document), audiences, introspection),
    checkVariables: variableCheck(operation.operation, supergraph.apiSchema),
    execute: (variables, context) => (chosen ?? choose())(variables, context),
    plan: () => choose() !== general,
  };
}

function compiledPlan(
  operation: GraphOperation,
  { supergraph, logger }: Preparation,
  fixed: boolean,
): CompiledPlan | undefined {
  const { apiSchema, links } = supergraph;
  const root = apiSchema.getRootType(operation.operation.operation);
  const selection = root && selectionOf(root, [operation.operation.selectionSet], fragmentsOf(operation.document));
  return selection
    ? compilePlan(supergraph.plan(operation), selection, { apiSchema, links, logger, fixed })
    : undefined;
}
