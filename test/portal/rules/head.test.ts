import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { OperationTypeNode } from 'graphql';
import type { GraphClient } from '../../../gateway/client/graph-client';
import type { Operations } from '../../../schema/generated/operations';
import { operationsOf, parsedDocumentsIn } from '../../../schema/operation-documents';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { operationRunner } from '../../../web/shared/operation-runner';

const OPERATIONS = ['portal', 'console'].flatMap((service) => [
  ...operationsOf(parsedDocumentsIn(join(REPOSITORY_ROOT, 'web', service, 'operations'))).values(),
]);
const namesOf = (type: OperationTypeNode) =>
  OPERATIONS.flatMap(({ name, operation }) => (name && operation === type ? [name.value as keyof Operations] : []));

/** Returns the operations that reach the gateway if a page executes one in a request with this method. */
async function executedBy(method: string, operation: keyof Operations): Promise<string[]> {
  const executed: string[] = [];
  const run = (name: string) => Promise.resolve((executed.push(name), { data: {}, failures: [] }));
  const execute = operationRunner(
    'portal',
    { run } as unknown as GraphClient,
    {
      method,
      id: 'tid_1',
      ip: '127.0.0.1',
      headers: {},
    } as FastifyRequest,
  );
  await execute(operation, {} as never).catch((error: Error) => executed.push(error.message));
  return executed;
}

describe('A page', () => {
  it.each(namesOf(OperationTypeNode.MUTATION))('executes %s for GET and POST, not for HEAD', async (name) => {
    expect(await executedBy('GET', name)).toEqual([name]);
    expect(await executedBy('POST', name)).toEqual([name]);
    expect(await executedBy('HEAD', name)).toEqual(['MET001']);
  });

  it('executes every query for HEAD, too', async () => {
    for (const name of namesOf(OperationTypeNode.QUERY)) expect(await executedBy('HEAD', name)).toEqual([name]);
  });
});
