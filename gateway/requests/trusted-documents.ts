import { type ExecutionResult, getOperationAST, parse } from 'graphql';
import { RegisterError } from '../../schema/register-error';
import type { CallContext } from '../../subgraphs/server/callers/caller';
import { traced } from '../../subgraphs/server/observability/tracing';
import { admit } from '../callers/audiences';
import { type Authentication, type Identification, anonymous } from '../callers/authentication';
import { ownerOf } from '../../subgraphs/server/callers/resource-owner';
import type { ConcurrentOperations } from './concurrent-operations';
import { withDeadline } from './deadline';
import { type Preparation, type PreparedOperation, prepareOperation } from './prepared-operation';
import type { RequestMetadata } from '../client/graph-client';

/** Operations with known text; admitted callers run them by name. */
export interface TrustedDocuments {
  readonly operations: ReadonlyMap<string, PreparedOperation>;
  /** Runs a document; throws the error that rejects it before execution. */
  run(name: string, variables: Record<string, unknown>, metadata: RequestMetadata): Promise<ExecutionResult>;
  /** Returns the context if the caller may run the operation; throws AUT001, AUT002, LIM002 or PRM001 otherwise. */
  admit(name: string, metadata: RequestMetadata): Promise<CallContext>;
}

/** Parses every trusted document, which `npm run schema` has validated. The first execution plans it, because a process runs few of them soon after its start. */
export function trustedDocuments(
  texts: Readonly<Record<string, string>>,
  preparation: Preparation,
  callers: Authentication,
  { trusted, verification }: ConcurrentOperations,
): TrustedDocuments {
  const operations = new Map(
    Object.entries(texts).map(([name, source]) => [name, preparedOperation(name, source, preparation)]),
  );
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
          const identified = identifiedFor(operation, callers, metadata);
          const context = admitted(operation, identified instanceof Promise ? await identified : identified);
          operation.checkVariables(variables);
          const limited = operation.audience.verifies ? verification : trusted;
          return limited(ownerOf(context), () => operation.execute(variables, context));
        }),
      ),
    async admit(name, metadata) {
      const operation = operationNamed(name);
      const identified = identifiedFor(operation, callers, metadata);
      return admitted(operation, await withDeadline(Promise.resolve(identified)));
    },
  };
}

/** Milliseconds after which verification no longer waits for the service that identifies its caller. */
const MAX_IDENTIFICATION_MS = 1_500;

/** Identifies the caller of an operation. Verification waits for a short time only, because it does not need the caller. */
function identifiedFor(
  { audience }: PreparedOperation,
  callers: Authentication,
  metadata: RequestMetadata,
): Identification | Promise<Identification> {
  const identifying = callers.identify(metadata);
  if (!audience.verifies || !(identifying instanceof Promise)) return identifying;
  return new Promise((resolve, reject) => {
    const withoutCaller = () => resolve({ context: anonymous(metadata), error: new RegisterError('SYS002') });
    const timer = setTimeout(withoutCaller, MAX_IDENTIFICATION_MS);
    identifying.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/**
 * Returns the context in which a document may run. Verification runs for an account above its request rate, too. Other documents for anyone
 * then run without the account, so that they count for the client's network. So does any operation that a client wrote: it could select
 * everything that the account may read, without a limit. A session above its request rate may still be ended, so that neither a thief of its
 * token nor the customer's own downloads prevent the sign-out. The token is invalid afterwards, which is the bound of these requests.
 */
function admitted({ audience }: PreparedOperation, identified: Identification): CallContext {
  if (audience.endsSession && identified.limitedCustomer)
    return admit(audience, { context: identified.limitedCustomer });
  const context = admit(audience, identified);
  return (audience.verifies ? identified.limitedContext : undefined) ?? context;
}

function preparedOperation(name: string, source: string, preparation: Preparation): PreparedOperation {
  const document = parse(source, { noLocation: true });
  const operation = getOperationAST(document, name);
  if (!operation) throw new Error(`the trusted document ${name} has no operation of this name`);
  const plannable = { document, source, operation, operationName: name, queryHash: `trusted:${name}` };
  return prepareOperation(plannable, preparation, true);
}
