import { compileQuery, isCompiledQuery } from 'graphql-jit';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  execute,
  parse,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { CallContext } from './caller';
import { presentable } from './failures';
import { traced } from './tracing';

/** An operation for a subgraph. */
export interface SubgraphRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown> | undefined;
  readonly operationName?: string | undefined;
  /** The text is one of a fixed set (trusted documents and their plans): worth compiling once. */
  readonly fixed?: boolean;
}

/** A way to a subgraph: in this process, or over HTTP. */
export interface SubgraphLink {
  readonly name: string;
  execute(request: SubgraphRequest, context: CallContext): Promise<ExecutionResult>;
}

type Run = (context: CallContext, variables: Record<string, unknown>) => ExecutionResult | Promise<ExecutionResult>;

/** Documents that are kept, and how many characters they have together: a client may have chosen names of any length. */
const KEPT_DOCUMENTS = { max: 1_000, maxSize: 1_000_000 } as const;

/**
 * A subgraph in this process. Documents are parsed and validated once; fixed ones are compiled (graphql-jit). Every error that
 * leaves is one of the catalogue.
 */
export function localLink(name: string, schema: GraphQLSchema, logger: Logger): SubgraphLink {
  const kept = new LRUCache<string, Run | readonly GraphQLError[]>({
    ...KEPT_DOCUMENTS,
    sizeCalculation: (_, query) => query.length,
  });
  const compiled = new Map<string, Run | readonly GraphQLError[]>();

  const prepare = ({ query, operationName, fixed }: SubgraphRequest): Run | readonly GraphQLError[] => {
    const document = parse(query, { noLocation: true });
    const faults = validate(schema, document);
    if (faults.length > 0) return faults;
    return fixed === true ? compile(schema, document, operationName) : interpret(schema, document, operationName);
  };

  const refused = (errors: readonly GraphQLError[], { transactionId }: CallContext): ExecutionResult => ({
    errors: errors.map((error) => presentable(error, logger, transactionId)),
  });

  return {
    name,
    async execute(request, context) {
      const cache = request.fixed === true ? compiled : kept;
      let run = cache.get(request.query);
      if (run === undefined) {
        run = prepare(request);
        cache.set(request.query, run);
      }
      if (typeof run !== 'function') return refused(run, context);
      const execution = run;
      const result = await traced(`subgraph ${name}`, context.transactionId, async () =>
        execution(context, request.variables ?? {}),
      );
      if (!result.errors) return result;
      return { ...result, ...refused(result.errors, context) };
    },
  };
}

function compile(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined): Run {
  const query = compileQuery(schema, document, operationName);
  if (!isCompiledQuery(query)) return interpret(schema, document, operationName);
  return (context, variables) => query.query({}, context, variables);
}

function interpret(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined): Run {
  return (contextValue, variableValues) =>
    execute({
      schema,
      document,
      contextValue,
      variableValues,
      ...(operationName === undefined ? {} : { operationName }),
    }) as ExecutionResult | Promise<ExecutionResult>;
}
