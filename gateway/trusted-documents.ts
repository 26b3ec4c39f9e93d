import { setImmediate as turn } from 'node:timers/promises';
import { type ExecutionResult, Kind, type OperationDefinitionNode, parse, validate } from 'graphql';
import { RegisterError } from '../schema/register-error';
import type { CallContext } from '../subgraphs/server/caller';
import { traced } from '../subgraphs/server/tracing';
import { admit } from './audiences';
import type { Authentication } from './authentication';
import { inTime } from './deadline';
import { type Preparation, type PreparedOperation, prepareOperation } from './graph-operation';
import { withoutValues } from './presentation';
import type { RequestFacts } from './client/graph-client';

/** Operations whose text is known beforehand: whoever may call them, runs them by name. */
export interface TrustedDocuments {
  readonly operations: ReadonlyMap<string, PreparedOperation>;
  /** Runs a document; throws what refuses it before execution. */
  run(name: string, variables: Record<string, unknown>, facts: RequestFacts): Promise<ExecutionResult>;
  /** Whether the caller would be let in to the operation; throws AUT001, AUT002, LIM002 or PRM001 if not. */
  admit(name: string, facts: RequestFacts): Promise<CallContext>;
}

/**
 * Parses, validates and plans every trusted document once, each in a turn of the event loop of its own, so that the rest of the process
 * goes on meanwhile; throws a list of what is wrong with them.
 */
export async function trustedDocuments(
  texts: Readonly<Record<string, string>>,
  preparation: Preparation,
  callers: Authentication,
): Promise<TrustedDocuments> {
  const faults: string[] = [];
  const operations = new Map<string, PreparedOperation>();
  for (const [name, source] of Object.entries(texts)) {
    const operation = prepared(name, source, preparation, faults);
    if (operation) operations.set(name, operation);
    await turn();
  }
  if (faults.length > 0) throw new Error(`trusted documents do not fit the supergraph:\n${faults.join('\n')}`);

  const named = (name: string): PreparedOperation => {
    const operation = operations.get(name);
    if (!operation) throw new RegisterError('VAL003', 'No trusted document has this documentId');
    return operation;
  };
  return {
    operations,
    run: (name, variables, facts) =>
      inTime(
        traced(`gateway ${name}`, facts.transactionId, async () => {
          const operation = named(name);
          const identified = callers.identify(facts);
          const context = admit(operation.audience, identified instanceof Promise ? await identified : identified);
          operation.checkVariables(variables);
          return operation.execute(variables, context);
        }),
      ),
    async admit(name, facts) {
      return admit(named(name).audience, await inTime(Promise.resolve(callers.identify(facts))));
    },
  };
}

function prepared(
  name: string,
  source: string,
  preparation: Preparation,
  faults: string[],
): PreparedOperation | undefined {
  const document = parse(source, { noLocation: true });
  const errors = validate(preparation.supergraph.apiSchema, document);
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION && definition.name?.value === name,
  );
  faults.push(...errors.map((error) => `${name}: ${withoutValues(error.message)}`));
  if (!operation) faults.push(`${name}: has no operation of this name`);
  if (errors.length > 0 || !operation) return undefined;
  const plannable = { document, source, operation, operationName: name, queryHash: `trusted:${name}` };
  const ready = prepareOperation(plannable, preparation, true);
  ready.plan();
  if (ready.audience.fields.some((audience) => audience.length === 0))
    faults.push(`${name}: a root field has no audience`);
  return ready;
}
