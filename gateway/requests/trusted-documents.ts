import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { type ExecutionResult, Kind, type OperationDefinitionNode, parse, validate } from 'graphql';
import { RegisterError } from '../../schema/register-error';
import type { CallContext } from '../../subgraphs/server/callers/caller';
import { traced } from '../../subgraphs/server/observability/tracing';
import { admit } from '../callers/audiences';
import type { Authentication, Identification } from '../callers/authentication';
import { withDeadline } from './deadline';
import { type Preparation, type PreparedOperation, prepareOperation } from './prepared-operation';
import { withoutValues } from './error-format';
import type { RequestMetadata } from '../client/graph-client';

/** Operations with known text; admitted callers run them by name. */
export interface TrustedDocuments {
  readonly operations: ReadonlyMap<string, PreparedOperation>;
  /** Runs a document; throws the error that rejects it before execution. */
  run(name: string, variables: Record<string, unknown>, metadata: RequestMetadata): Promise<ExecutionResult>;
  /** Returns the context if the caller may run the operation; throws AUT001, AUT002, LIM002 or PRM001 otherwise. */
  admit(name: string, metadata: RequestMetadata): Promise<CallContext>;
}

/**
 * Parses and validates every trusted document, each in its own event-loop tick so that the process stays responsive. The
 * first execution plans it, because a process runs few of them soon after its start. Throws an error that lists all
 * problems.
 */
export async function trustedDocuments(
  texts: Readonly<Record<string, string>>,
  preparation: Preparation,
  callers: Authentication,
): Promise<TrustedDocuments> {
  const problems: string[] = [];
  const operations = new Map<string, PreparedOperation>();
  for (const [name, source] of Object.entries(texts)) {
    const operation = preparedOperation(name, source, preparation, problems);
    if (operation) operations.set(name, operation);
    await eventLoopTick();
  }
  if (problems.length > 0) throw new Error(`trusted documents do not match the supergraph:\n${problems.join('\n')}`);

  const operationNamed = (name: string): PreparedOperation => {
    const operation = operations.get(name);
    if (!operation) throw new RegisterError('VAL003', 'No trusted document has this documentId');
    return operation;
  };
  return {
    operations,
    run: (name, variables, metadata) =>
      withDeadline(
        traced(`gateway ${name}`, metadata.transactionId, async () => {
          const operation = operationNamed(name);
          const identified = callers.identify(metadata);
          const context = admitted(operation, identified instanceof Promise ? await identified : identified);
          operation.checkVariables(variables);
          return operation.execute(variables, context);
        }),
      ),
    async admit(name, metadata) {
      return admitted(operationNamed(name), await withDeadline(Promise.resolve(callers.identify(metadata))));
    },
  };
}

/**
 * Returns the context in which a document may run. Verification runs for an account above its request rate, too. Other documents for anyone
 * then run without the account, so that they count for the client's network. So does any operation that a client wrote: it could select
 * everything that the account may read, without a limit.
 */
function admitted({ audience }: PreparedOperation, identified: Identification): CallContext {
  const context = admit(audience, identified);
  return (audience.verifies ? identified.limitedContext : undefined) ?? context;
}

function preparedOperation(
  name: string,
  source: string,
  preparation: Preparation,
  problems: string[],
): PreparedOperation | undefined {
  const document = parse(source, { noLocation: true });
  const errors = validate(preparation.supergraph.apiSchema, document);
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION && definition.name?.value === name,
  );
  problems.push(...errors.map((error) => `${name}: ${withoutValues(error.message)}`));
  if (!operation) problems.push(`${name}: has no operation of this name`);
  if (errors.length > 0 || !operation) return undefined;
  const plannable = { document, source, operation, operationName: name, queryHash: `trusted:${name}` };
  const prepared = prepareOperation(plannable, preparation, true);
  if (prepared.audience.fields.some((audience) => audience.length === 0))
    problems.push(`${name}: a root field has no audience`);
  return prepared;
}
