import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { type BodyBuilder, compileBody, emptyBodyProblems } from '../responses/response-body';
import type { Contract, ContractOperation } from './contract';
import { type OperationVariant, variantsOf } from './operation-variants';
import { type FileOperation, compileFile } from '../files/file-mapping';
import type { MappingContext } from './contract-mapping';
import { type RowReaders, missingCodes, rowReaders } from './row-readers';
import { acceptsJson } from '../requests/media-types';
import { type RequestCompilation, compileRequest } from '../requests/request-variables';
import type { RouteRow } from '../route-table';
import { requestValidators } from '../requests/validation';

/** The four sources that an `operationId` connects: contracts, GraphQL documents, route table and GraphQL schema. */
interface CompilationInput {
  readonly contracts: readonly Contract[];
  readonly documents: ReadonlyMap<string, OperationDefinitionNode>;
  readonly rows: Readonly<Record<string, RouteRow>>;
  readonly schema: GraphQLSchema;
}

/** An operation ready to serve, by one of its documents. Requests never read the contract itself. */
export interface CompiledOperation extends RowReaders {
  readonly contract: ContractOperation;
  /** The operation by its second document, with the query parameter that selects it. */
  readonly alternative?: { readonly parameter: string; readonly value: string; readonly operation: CompiledOperation };
  /** Name of the trusted document. */
  readonly name: string;
  readonly row: RouteRow;
  readonly request: RequestCompilation;
  /** True for a GET without effects: HEAD is served too. */
  readonly takesHead: boolean;
  /** Returns true if `Accept` admits a media type of the response. */
  accepts(accept: string | undefined): boolean;
  /** The served file, for operations that return one. */
  readonly file: FileOperation | undefined;
  /** Undefined for files and empty responses. */
  readonly body: BodyBuilder | undefined;
}

/**
 * Compiles contracts, documents, route table and schema once at start, and returns all mismatches between them: the
 * adapter starts only without problems. Each operation takes its own event-loop tick, so that the process stays responsive.
 */
export async function compile({ contracts, ...sources }: CompilationInput) {
  const { documents, rows } = sources;
  const problems: string[] = [];
  const operations: CompiledOperation[] = [];
  const validators = requestValidators();
  const variants = contracts.flatMap((contract) => contract.operations).map((each) => variantsOf(each, rows, problems));
  for (const each of variants) {
    const [operation, other] = each.map((variant) => compileVariant({ ...sources, ...variant, problems, validators }));
    const selector = operation?.row.alternative;
    if (operation)
      operations.push(selector && other ? { ...operation, alternative: { ...selector, operation: other } } : operation);
    await eventLoopTick();
  }
  const known = new Set(variants.flat().map(({ id }) => id));
  for (const id of documents.keys()) if (!known.has(id)) problems.push(`operations/${id}.graphql: not in the contract`);
  for (const id of Object.keys(rows)) if (!known.has(id)) problems.push(`route table, ${id}: not in the contract`);
  return { operations, problems };
}

type VariantInput = Omit<CompilationInput, 'contracts'> &
  OperationVariant &
  Pick<OperationInput, 'problems' | 'validators'>;

function compileVariant({ documents, rows, problems, ...input }: VariantInput): CompiledOperation | undefined {
  const { id } = input;
  const document = documents.get(id);
  if (!document) {
    problems.push(`${id}: has no document in operations/`);
    return undefined;
  }
  const ofDocument: string[] = [];
  const compiled = compileOperation({ ...input, document, row: rows[id] ?? {}, problems: ofDocument });
  problems.push(...ofDocument.map((problem) => `${id}: ${problem}`));
  return compiled;
}

interface OperationInput extends OperationVariant {
  readonly document: OperationDefinitionNode;
  readonly row: RouteRow;
  readonly schema: GraphQLSchema;
  readonly problems: string[];
  readonly validators: ReturnType<typeof requestValidators>;
}

function compileOperation(input: OperationInput): CompiledOperation | undefined {
  const { id, operation, selector, document, row, schema, problems, validators } = input;
  const name = operationName(id);
  if (document.name?.value !== name) problems.push(`its operation is not named ${name}`);
  const root = schema.getRootType(document.operation);
  if (!root) {
    problems.push(`the graph has no ${document.operation}`);
    return undefined;
  }
  const headerSources = [row.etag, row.replayed, row.isNew, row.location?.key].filter((path) => path !== undefined);
  const mapping: MappingContext = {
    problems,
    headerSources: new Set(headerSources),
    nullableByRow: new Set([...(row.always ?? []), ...Object.keys(missingCodes(row))]),
    listOfOne: row.listOfOne,
    takesNullAsAbsent: operation.restInterface.takesNullAsAbsent,
  };
  const request = compileRequest(mapping, { operation, selector, document, row, schema, validator: validators });
  const file = row.file === undefined ? undefined : compileFile(mapping, row.file, operation, root, document);
  const body = file ? undefined : operation.responseBody && compileBody(mapping, input, operation.responseBody, root);
  if (!body) problems.push(...emptyBodyProblems(mapping, input, root));
  problems.push(...headerProblems(operation, row, request.checkSupport === 'checkable'));
  if ((operation.statusUnlessNew === operation.status) !== (row.isNew === undefined))
    problems.push('the contract must document two success statuses exactly if the row has isNew');
  const accepts = file ? (accept: string | undefined) => file.mediaTypes.choose(accept) !== undefined : acceptsJson;
  const takesHead =
    operation.method === 'GET' && document.operation === OperationTypeNode.QUERY && row.hasEffect !== true;
  return {
    contract: operation,
    name,
    row,
    request,
    takesHead,
    accepts,
    file,
    body,
    ...rowReaders(mapping, document, row, root),
  };
}

/** Returns the operation name of a document's file: `VerifyAccessRecord` for `verifyAccessRecord`. */
export function operationName(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}

/** Reports headers of success responses that are documented but not set by the row, or set but not documented. */
function headerProblems({ responseHeaders }: ContractOperation, row: RouteRow, isCheckable: boolean): string[] {
  if (row.file !== undefined)
    return responseHeaders.includes('ETag') ? [] : ['files have an ETag, but the contract does not document it'];
  const filled = {
    ETag: row.etag,
    Location: row.location,
    'Idempotency-Replayed': row.replayed,
    'Preference-Applied': isCheckable || undefined,
  };
  return Object.entries(filled)
    .filter(([header, source]) => responseHeaders.includes(header) !== (source !== undefined))
    .map(([header]) => `the header ${header} must be both in the contract and in the row, or in neither`);
}
