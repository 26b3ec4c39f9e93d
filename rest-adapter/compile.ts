import { setImmediate as turn } from 'node:timers/promises';
import { type GraphQLObjectType, type GraphQLSchema, OperationTypeNode, isNonNullType } from 'graphql';
import type { ErrorCode } from '../schema/error-catalogue';
import { answerMembers, chosenFields } from './answer-shape';
import type { Contract, ContractOperation, ContractSchema } from './contract';
import { type FileAnswer, compileFile } from './files/file-join';
import { type Data, dataAt, descend, descendQuietly } from './data-path';
import type { ResponseMetadata } from './envelope';
import type { Join } from './join';
import { acceptsJson } from './media-types';
import { type OperationDocument, operationName } from './operation-documents';
import { type RequestCompilation, compileRequest } from './request-variables';
import type { RouteRow } from './route-table';
import { requestValidators } from './validation';

/** The four things that an `operationId` joins: contracts, named operations, route table and the graph. */
export interface Parts {
  readonly contracts: readonly Contract[];
  readonly documents: ReadonlyMap<string, OperationDocument>;
  readonly rows: Readonly<Record<string, RouteRow>>;
  readonly schema: GraphQLSchema;
}

/** An operation ready to serve: nothing of the contract is looked up while a request is answered. */
export interface CompiledOperation {
  readonly contract: ContractOperation;
  /** Name of the trusted document. */
  readonly name: string;
  readonly row: RouteRow;
  readonly request: RequestCompilation;
  /** Whether HEAD is served, too: of a GET that has no effect. */
  readonly takesHead: boolean;
  /** The code of a 404, if the data say that there is nothing. */
  missing(data: Data): ErrorCode | undefined;
  /** Whether a media type of the answer suits `Accept`. */
  accepts(accept: string | undefined): boolean;
  /** The file that is answered, where it is one. */
  readonly file: FileAnswer | undefined;
  /** The body of the answer, if it is JSON of the graph's data; `repeated` holds the parameters that it repeats. */
  readonly answer: Answer | undefined;
  readonly location: ((data: Data) => string) | undefined;
  readonly etag: ((data: Data) => string) | undefined;
  readonly isReplayed: ((data: Data) => boolean) | undefined;
  /** Whether the data tell of something new; false is answered with `statusUnlessNew`. */
  isNew(data: Data): boolean;
}

type Answer = (
  data: Data,
  metadata: ResponseMetadata,
  repeated: Readonly<Record<string, unknown>>,
) => Record<string, unknown>;

/** The operations of a contract, and everything that does not fit together; the structure test demands no problems. */
export interface Compilation {
  readonly operations: readonly CompiledOperation[];
  readonly problems: readonly string[];
}

/**
 * Joins contracts, operations, route table and graph once at start (spikes.md, 1); each operation in a turn of the event loop of its own,
 * so that the rest of the process goes on meanwhile.
 */
export async function compile({ contracts, documents, rows, schema }: Parts): Promise<Compilation> {
  const problems: string[] = [];
  const operations: CompiledOperation[] = [];
  const validators = requestValidators();
  const promised = contracts.flatMap((contract) => contract.operations);
  for (const operation of promised) {
    const document = documents.get(operation.operationId);
    if (!document) {
      problems.push(`${operation.operationId}: has no document in operations/`);
      continue;
    }
    const row = rows[operation.operationId] ?? {};
    const found: string[] = [];
    const compiled = compileOperation({ operation, document, row, schema, problems: found, validators });
    problems.push(...found.map((problem) => `${operation.operationId}: ${problem}`));
    if (compiled) operations.push(compiled);
    await turn();
  }
  const known = new Set(promised.map(({ operationId }) => operationId));
  for (const id of documents.keys()) if (!known.has(id)) problems.push(`operations/${id}.graphql: not in the contract`);
  for (const id of Object.keys(rows)) if (!known.has(id)) problems.push(`route table, ${id}: not in the contract`);
  return { operations, problems };
}

interface OperationParts {
  readonly operation: ContractOperation;
  readonly document: OperationDocument;
  readonly row: RouteRow;
  readonly schema: GraphQLSchema;
  readonly problems: string[];
  readonly validators: ReturnType<typeof requestValidators>;
}

function compileOperation(parts: OperationParts): CompiledOperation | undefined {
  const { operation, document, row, schema, problems, validators } = parts;
  const name = operationName(operation.operationId);
  if (document.operation.name?.value !== name) problems.push(`its operation is not named ${name}`);
  const root = schema.getRootType(document.operation.operation);
  if (!root) {
    problems.push(`the graph has no ${document.operation.operation}`);
    return undefined;
  }
  const consumed = [row.etag, row.replayed, row.isNew, row.location?.key].filter((path) => path !== undefined);
  const join: Join = {
    problems,
    consumed: new Set(consumed),
    excused: new Set([...(row.always ?? []), ...Object.keys(missingCodes(row))]),
    listOfOne: row.listOfOne,
    takesNullAsAbsent: operation.restInterface.takesNullAsAbsent,
  };
  const request = compileRequest(join, { operation, document, row, schema, validator: validators });
  const file = row.file === undefined ? undefined : compileFile(join, row.file, operation, root, document);
  const answer = file ? undefined : operation.answer && compileAnswer(join, parts, operation.answer, root);
  if (!answer) problems.push(...silenceProblems(join, parts, root));
  problems.push(...headerProblems(operation, row));
  if ((operation.statusUnlessNew === operation.status) !== (row.isNew === undefined))
    problems.push('what is new has a status of its own exactly when the row reads whether it is');
  const accepts = file ? (accept: string | undefined) => file.mediaTypes.chosen(accept) !== undefined : acceptsJson;
  const takesHead =
    operation.method === 'GET' && document.operation.operation === OperationTypeNode.QUERY && row.hasEffect !== true;
  return {
    contract: operation,
    name,
    row,
    request,
    takesHead,
    accepts,
    file,
    answer,
    ...rowReaders(join, parts, root),
  };
}

/** A header of the good answer is documented exactly when the row fills it. */
function headerProblems({ answerHeaders }: ContractOperation, row: RouteRow): string[] {
  if (row.file !== undefined)
    return answerHeaders.includes('ETag') ? [] : ['a file has an ETag, which is not documented'];
  const filled = { ETag: row.etag, Location: row.location, 'Idempotency-Replayed': row.replayed };
  return Object.entries(filled)
    .filter(([header, source]) => answerHeaders.includes(header) !== (source !== undefined))
    .map(([header]) => `the header ${header} is either documented or filled, not both`);
}

function compileAnswer(
  join: Join,
  { operation, document, row }: OperationParts,
  { properties = {}, ...schema }: ContractSchema,
  root: GraphQLObjectType,
): Answer {
  const apart = new Set(['response', ...(row.echo ?? [])]);
  const echo = (row.echo ?? []).filter((name) => name in properties);
  for (const name of row.echo ?? []) {
    if (!(name in properties)) join.problems.push(`/${name}: repeated by the row, but not in the contract`);
    if (!operation.parameters.some((parameter) => parameter.name === name))
      join.problems.push(`/${name}: no such parameter`);
  }
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => !apart.has(name)));
  const at = descend(join, row.spread, root, document);
  const members = answerMembers(join, {
    ...at,
    schema: { ...schema, properties: own },
    wire: '',
    data: row.spread ?? '',
  });
  const payload = dataAt(row.spread);
  const enveloped = 'response' in properties;
  return (data, metadata, repeated) => {
    const answer: Record<string, unknown> = enveloped ? { response: metadata } : {};
    for (const name of echo) answer[name] = repeated[name];
    members(answer, payload(data));
    return answer;
  };
}

/** Of an answer without a body nothing is told, so what it stands for must be there. */
function silenceProblems(join: Join, { document, row }: OperationParts, root: GraphQLObjectType): string[] {
  const apart = [row.spread, ...(row.echo ?? [])].filter((path) => path !== undefined);
  const fields = [...chosenFields(join, document.operation.selectionSet, '')];
  const nullable = fields.filter(([key, { name }]) => {
    const type = root.getFields()[name.value]?.type;
    return !isNonNullType(type) && !join.excused.has(key);
  });
  return [
    ...apart.map((path) => `the row names ${path}, but the answer has no body`),
    ...nullable.map(([key]) => `the answer has no body, but ${key} is nullable`),
  ];
}

/** Where null is answered 404, and with which code. */
function missingCodes({ nullIs404 = {} }: RouteRow): Readonly<Record<string, ErrorCode>> {
  return typeof nullIs404 === 'string' ? { [nullIs404]: 'NTF001' } : nullIs404;
}

function rowReaders(join: Join, { document, row }: OperationParts, root: GraphQLObjectType) {
  const read = (path: string | undefined) => {
    if (path === undefined) return undefined;
    const steps = path.split('.');
    const last = steps.pop() as string;
    const { selection } = descendQuietly(steps, root, document);
    if (!chosenFields(join, selection, '').has(last))
      join.problems.push(`the row reads ${path}, which is not selected`);
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
