import type { GraphQLObjectType, OperationDefinitionNode } from 'graphql';
import type { ErrorCode } from '../../schema/error-catalogue';
import { selectedFields } from '../responses/response-mapper';
import type { RouteRow } from '../route-table';
import type { MappingContext } from './contract-mapping';
import { type Data, dataAt, descendUnchecked } from './data-path';

/** Reads status and headers of a response from the data, at the paths that the row of the operation names. */
export interface RowReaders {
  /** Returns the code of a 404 if the data contain null at a path of `nullIs404`. */
  missing(data: Data): ErrorCode | undefined;
  readonly location: ((data: Data) => string) | undefined;
  readonly etag: ((data: Data) => string) | undefined;
  readonly isReplayed: ((data: Data) => boolean) | undefined;
  /** Returns false if the request created nothing: the status is then `statusUnlessNew`. */
  isNew(data: Data): boolean;
}

/** Returns the data paths at which null means 404, with the code of the error. */
export function missingCodes({ nullIs404 = {} }: RouteRow): Readonly<Record<string, ErrorCode>> {
  return typeof nullIs404 === 'string' ? { [nullIs404]: 'NTF001' } : nullIs404;
}

/** Compiles the readers of a row, and reports paths that the document does not select. */
export function rowReaders(
  mapping: MappingContext,
  document: OperationDefinitionNode,
  row: RouteRow,
  root: GraphQLObjectType,
): RowReaders {
  const read = (path: string | undefined) => {
    if (path === undefined) return undefined;
    const steps = path.split('.');
    const last = steps.pop() as string;
    const { selection } = descendUnchecked(steps, root, document);
    if (!selectedFields(mapping, selection, '').has(last))
      mapping.problems.push(`the row reads ${path}, which is not selected`);
    return dataAt(path);
  };
  const [key, version] = [row.location?.key, row.etag].map(read);
  const missing = Object.entries(missingCodes(row)).map(([path, code]) => ({ code, valueOf: read(path) }));
  const [replayed, fresh] = [row.replayed, row.isNew].map(read);
  return {
    missing: (data: Data) => missing.find(({ valueOf }) => valueOf?.(data) == null)?.code,
    location: key && ((data: Data) => `${String(row.location?.collection)}/${String(key(data))}`),
    etag: version && ((data: Data) => `"${String(version(data))}"`),
    isReplayed: replayed && ((data: Data) => replayed(data) === true),
    isNew: fresh ? (data: Data) => fresh(data) === true : () => true,
  };
}
