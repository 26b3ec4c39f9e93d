import {
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  isInputType,
  typeFromAST,
} from 'graphql';
import type { MappingContext } from '../contract/contract-mapping';

/** The variables of one operation. Reports variables that the request sets but the operation lacks, and the reverse. */
export interface OperationVariables {
  has(variable: string): boolean;
  /** Marks the variable as set by a source, such as `the body`; returns its type, or undefined if it does not exist. */
  assign(variable: string, source: string): GraphQLInputType | undefined;
  /** Reports the variables that no source has set. */
  reportUnassigned(): void;
}

/** Reads the variables that an operation declares. */
export function operationVariables(
  { problems }: MappingContext,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): OperationVariables {
  const typed = (operation.variableDefinitions ?? []).map(({ variable, type }) => {
    const found = typeFromAST(schema, type as never) as unknown;
    return [variable.name.value, found] as const;
  });
  const types = new Map(typed.filter((pair): pair is readonly [string, GraphQLInputType] => isInputType(pair[1])));
  const unassigned = new Set(types.keys());
  return {
    has: (variable) => types.has(variable),
    assign(variable, source) {
      if (!types.has(variable)) problems.push(`${source} sets no variable $${variable}`);
      unassigned.delete(variable);
      return types.get(variable);
    },
    reportUnassigned() {
      for (const variable of unassigned) problems.push(`nothing sets the variable $${variable}`);
    },
  };
}
