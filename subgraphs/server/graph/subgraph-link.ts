import { compileQuery, isCompiledQuery } from 'graphql-jit';
import {
  type ASTNode,
  BREAK,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  execute,
  parse,
  ValuesOfCorrectTypeRule,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../callers/caller';
import { outsideCheck, runCheck } from '../database/check-only';
import { formatError, loggedName, unquoted } from '../observability/failures';
import { traced } from '../observability/tracing';
import { checkCondition, checkOrigin } from './checked-mutations';
import { selectsTextField, textSchema } from './text-fields';

/** A GraphQL request to a subgraph. */
export interface SubgraphRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown> | undefined;
  readonly operationName?: string | undefined;
  /**
   * True if the text is one of a fixed set (trusted documents and their plans), which are compiled at their first
   * execution.
   */
  readonly fixed?: boolean;
  /** True if the caller passes a result on as it is: it may contain {@link JsonText}. */
  readonly acceptsText?: boolean;
}

/** Executes requests in a subgraph, in this process or over a link. */
export interface SubgraphLink {
  readonly name: string;
  execute(request: SubgraphRequest, context: CallContext): Promise<ExecutionResult>;
}

type Run = (context: CallContext, variables: Record<string, unknown>) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Bounds of the cache of fixed documents, and of that of other documents: their number and their total characters. A client
 * chooses the length of its aliases. The fixed ones are far fewer, unless another service sends invented ones.
 */
const DOCUMENT_CACHE = { max: 1_000, maxSize: 1_000_000 } as const;

/**
 * Number of executions at which a cached document is compiled. Compiling costs as much as some tens of executions, so
 * that documents with values in their text, each executed once, are never compiled.
 */
const EXECUTIONS_UNTIL_COMPILED = 100;

/** Problems of an invalid document that its log line lists. */
const MAX_LOGGED_PROBLEMS = 5;

/**
 * Returns the link to a subgraph in this process. Parses and validates each document once, and compiles fixed ones
 * and those that are executed often (graphql-jit). Every error of a result has a code of the catalogue. Runs checks in a
 * transaction of `pool` that is rolled back ({@link runCheck}).
 *
 * A document that does not fit the schema is one of another release, because callers validate what clients send: it is logged once, and
 * fails with SYS002. A wrong value in a document is the client's: other routers do not know the register's scalars.
 *
 * @param textFields fields `Type.field` whose resolvers write their list as {@link JsonText} if the request accepts it
 */
export function localLink(
  name: string,
  schema: GraphQLSchema,
  logger: Logger,
  pool?: Pool,
  textFields: readonly string[] = [],
): SubgraphLink {
  const [compiled, cached] = [documentCache(), documentCache()];
  let withTexts: GraphQLSchema | undefined;

  const prepare = ({ query, operationName, fixed, acceptsText }: SubgraphRequest, context: CallContext): Run => {
    const document = parse(query, { noLocation: true });
    const wrongValues = validate(schema, document, [ValuesOfCorrectTypeRule]);
    if (wrongValues.length > 0) return () => ({ errors: wrongValues });
    const errors = validate(schema, document);
    if (errors.length > 0) return rejection(errors, { service: name, operation: operationName }, logger, context);
    const writesText = acceptsText === true && selectsTextField(document, textFields);
    if (writesText) withTexts ??= textSchema(schema, textFields);
    const run = writesText
      ? interpret(withTexts as GraphQLSchema, document, operationName)
      : fixed === true
        ? compile(schema, document, operationName)
        : compileWhenOften(schema, document, operationName);
    return pool === undefined ? run : checking(run, checkCondition(document, operationName), pool);
  };

  return {
    name,
    async execute(request, context) {
      const cache = request.fixed === true ? compiled : cached;
      // A fixed document has one operation. No document starts with a name and a colon.
      const { query, fixed, acceptsText = false, operationName = '' } = request;
      const key = fixed === true ? query : `${operationName}:${acceptsText}:${query}`;
      let run = cache.get(key);
      if (run === undefined) {
        run = prepare(request, context);
        cache.set(key, run);
      }
      const execution = run;
      const result = await traced(`subgraph ${name}`, context.transactionId, async () =>
        execution(context, request.variables ?? {}),
      ).catch((error: unknown): ExecutionResult => ({ errors: [error as GraphQLError] }));
      if (!result.errors) return result;
      return { ...result, errors: result.errors.map((error) => formatError(error, logger, context.transactionId)) };
    },
  };
}

function documentCache(): LRUCache<string, Run> {
  return new LRUCache({ ...DOCUMENT_CACHE, sizeCalculation: (_, query) => query.length });
}

/** Logs why a document is invalid, with both services, and returns its execution: it fails with SYS002. */
function rejection(
  errors: readonly GraphQLError[],
  { service: called, operation = '' }: { readonly service: string; readonly operation: string | undefined },
  logger: Logger,
  { transactionId, service }: CallContext,
): Run {
  const problems = errors.slice(0, MAX_LOGGED_PROBLEMS).map(({ message }) => unquoted(message));
  const fields = {
    'transaction-id': transactionId,
    from: service ?? 'gateway',
    service: called,
    operation: loggedName(operation.replace(/__\d{1,3}$/, '')), // a planned query has the name of the client's operation and a number
    problems,
  };
  logger.error(fields, 'request of another release rejected');
  return () => ({ errors: [new RegisterError('SYS002')] });
}

/** Runs an operation as a check if its caller is one or its variables make it one; otherwise outside any check. */
function checking(run: Run, isCheck: ReturnType<typeof checkCondition>, pool: Pool): Run {
  return (context, variables) =>
    context.checkOnly === true || isCheck(variables)
      ? runCheck(pool, async () => run(context, variables), checkOrigin(context))
      : outsideCheck(() => run(context, variables));
}

/** Compiles a document; interprets one that graphql-jit would execute otherwise than GraphQL.js. */
function compile(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined): Run {
  if (!isCompilable(document)) return interpret(schema, document, operationName);
  const query = compileQuery(schema, document, operationName);
  if (!isCompiledQuery(query)) return interpret(schema, document, operationName);
  return (context, variables) => query.query({}, context, variables);
}

/**
 * Returns whether graphql-jit (0.8.9) executes a document as GraphQL.js does. It does not if the document contains a directive (the condition
 * of one fragment spread also excludes the fields of others), a variable with a default (a required one must be given nevertheless), or a
 * variable within an object or list (an absent one becomes null in place of the field's default).
 */
function isCompilable(document: DocumentNode): boolean {
  let compilable = true;
  const reject = () => {
    compilable = false;
    return BREAK;
  };
  visit(document, {
    Directive: reject,
    VariableDefinition: ({ defaultValue }) => (defaultValue === undefined ? undefined : reject()),
    Variable: (_node, _key, _parent, _path, ancestors) => (ancestors.some(isComposite) ? reject() : undefined),
  });
  return compilable;
}

const isComposite = (ancestor: ASTNode | readonly ASTNode[]) =>
  'kind' in ancestor && (ancestor.kind === Kind.OBJECT || ancestor.kind === Kind.LIST);

function compileWhenOften(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined): Run {
  let run = interpret(schema, document, operationName);
  let executions = 0;
  return (context, variables) => {
    executions += 1;
    if (executions === EXECUTIONS_UNTIL_COMPILED) run = compile(schema, document, operationName);
    return run(context, variables);
  };
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
