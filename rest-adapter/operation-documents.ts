import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type OperationDefinitionNode, parse } from 'graphql';
import { REPOSITORY_ROOT } from '../schema/repository-root';

/** The named GraphQL operation of an operation of the contract. */
export interface OperationDocument {
  readonly text: string;
  readonly operation: OperationDefinitionNode;
}

/** Reads `operations/*.graphql`, by file name, which is the `operationId` of the contract. */
export function loadOperationDocuments(
  folder = join(REPOSITORY_ROOT, 'rest-adapter', 'operations'),
): ReadonlyMap<string, OperationDocument> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  return new Map(
    files
      .toSorted()
      .map((file) => [basename(file, '.graphql'), operationDocument(readFileSync(join(folder, file), 'utf8'))]),
  );
}

/** A document of exactly one operation; fragments are not used, so that a file shows all it selects. */
export function operationDocument(text: string): OperationDocument {
  const [operation, ...others] = parse(text, { noLocation: true }).definitions;
  if (operation?.kind !== 'OperationDefinition' || others.length > 0) {
    throw new Error('a document of the adapter holds exactly one operation, and no fragment');
  }
  return { text, operation };
}

/** The name that the operation of an `operationId` has: `verifyAccessRecord` is `VerifyAccessRecord`. */
export function operationName(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}
