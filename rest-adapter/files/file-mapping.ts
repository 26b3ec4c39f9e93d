import type { GraphQLObjectType, OperationDefinitionNode } from 'graphql';
import { selectedFields } from '../responses/response-mapper';
import type { ContractOperation } from '../contract/contract';
import { type Data, dataAt, descendUnchecked } from '../contract/data-path';
import type { MappingContext } from '../contract/contract-mapping';
import { type MediaTypes, mediaTypes } from './media-negotiation';
import type { PublishedFile } from './published-file';

/** An operation that returns a file. */
export interface FileOperation {
  readonly mediaTypes: MediaTypes;
  /** Reads the file from the data. */
  file(data: Data): PublishedFile;
}

/** Exact selection of a file operation. */
const SELECTED: Readonly<Record<string, readonly string[]>> = {
  '': ['name', 'publishedAt', 'representations'],
  representations: ['view', 'encoding', 'size', 'sha256', 'address'],
};

/** Compiles an operation that returns a file. Reports a selection that differs from what serving a file needs. */
export function compileFile(
  mapping: MappingContext,
  path: string,
  operation: ContractOperation,
  root: GraphQLObjectType,
  document: OperationDefinitionNode,
): FileOperation {
  for (const [below, expected] of Object.entries(SELECTED)) {
    const at = below === '' ? path : `${path}.${below}`;
    const { selection } = descendUnchecked(at.split('.'), root, document);
    const selected = [...selectedFields(mapping, selection, '').keys()].toSorted();
    if (selected.join() !== expected.toSorted().join())
      mapping.problems.push(`a file operation must select exactly ${expected.join(', ')} of ${at}`);
  }
  const file = dataAt(path);
  return {
    mediaTypes: mediaTypes(operation.mediaTypes, mapping.problems),
    file: (data) => file(data) as PublishedFile,
  };
}
