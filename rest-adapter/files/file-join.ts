import type { GraphQLObjectType } from 'graphql';
import { chosenFields } from '../answer-shape';
import type { ContractOperation } from '../contract';
import { type Data, dataAt, descendQuietly } from '../data-path';
import type { Join } from '../join';
import type { OperationDocument } from '../operation-documents';
import { type MediaTypes, mediaTypes } from './media-negotiation';
import type { PublishedFile } from './published-file';

/** An operation that answers a file. */
export interface FileAnswer {
  readonly mediaTypes: MediaTypes;
  /** The file that the data tell of. */
  file(data: Data): PublishedFile;
}

/** The selection that serving a file takes. */
const SELECTED: Readonly<Record<string, readonly string[]>> = {
  '': ['name', 'publishedAt', 'representations'],
  representations: ['view', 'encoding', 'size', 'sha256', 'address'],
};

/** Joins an operation that answers a file with its document: everything that serving takes is selected, and nothing else. */
export function compileFile(
  join: Join,
  path: string,
  operation: ContractOperation,
  root: GraphQLObjectType,
  document: OperationDocument,
): FileAnswer {
  for (const [below, expected] of Object.entries(SELECTED)) {
    const at = below === '' ? path : `${path}.${below}`;
    const { selection } = descendQuietly(at.split('.'), root, document);
    const chosen = [...chosenFields(join, selection, '').keys()].toSorted();
    if (chosen.join() !== expected.toSorted().join())
      join.problems.push(`of ${at} a file takes exactly ${expected.join(', ')}`);
  }
  const file = dataAt(path);
  return { mediaTypes: mediaTypes(operation.mediaTypes, join.problems), file: (data) => file(data) as PublishedFile };
}
