import 'reflect-metadata';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { composeServices } from '@apollo/composition';
import { Supergraph } from '@apollo/federation-internals';
import {
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  buildASTSchema,
  parse,
  print,
  validate,
} from 'graphql';
import { load } from 'js-yaml';
import { operationsOf, parsedDocumentsIn } from '../operation-documents';
import { REPOSITORY_ROOT } from '../repository-root';
import { clientSchemaOf } from './client-schema';
import { operationTypesOf, serviceQueriesOf } from './operation-types';
import { accessSchema } from '../../subgraphs/access/schema';
import { gridModelSchema } from '../../subgraphs/grid-models/schema';
import { identitySchema } from '../../subgraphs/identity/schema';
import { tariffSchema } from '../../subgraphs/tariffs/schema';

/** The part of a subgraph that composition uses: its SDL, and who may call its root fields. */
interface ComposableSubgraph {
  readonly sdl: string;
  readonly audiences: Readonly<Record<string, readonly string[]>>;
}

/** Files of `schema/generated`: name to content. */
type GeneratedFiles = Readonly<Record<string, string>>;

/** Builds the subgraphs, in the order of composition, without a database. */
async function registerSubgraphs(): Promise<Readonly<Record<string, ComposableSubgraph>>> {
  return {
    access: await accessSchema(),
    identity: await identitySchema(),
    'grid-models': await gridModelSchema(),
    tariffs: await tariffSchema(),
  };
}

/** Generates the files from subgraphs and trusted documents. Throws the list of composition errors. */
function generatedFiles(
  subgraphs: Readonly<Record<string, ComposableSubgraph>>,
  trustedDocuments: Readonly<Record<string, string>>,
): GeneratedFiles {
  const definitions = Object.entries(subgraphs).map(([name, { sdl }]) => ({
    name,
    typeDefs: inOrder(parse(sdl, { noLocation: true })),
  }));
  const audiences = Object.assign({}, ...Object.values(subgraphs).map((subgraph) => subgraph.audiences)) as Record<
    string,
    unknown
  >;
  return {
    ...Object.fromEntries(definitions.map(({ name, typeDefs }) => [`${name}.graphql`, `${print(typeDefs)}\n`])),
    'supergraph.graphql': `${supergraphOf(definitions)}\n`,
    'audiences.json': json(audiences),
    'trusted-documents.json': json(trustedDocuments),
  };
}

/** Composes the supergraph. Its routing URLs are placeholders, because the gateway addresses subgraphs by its own links. */
function supergraphOf(definitions: readonly { name: string; typeDefs: DocumentNode }[]): string {
  const composed = composeServices(
    definitions.map((each) => ({ ...each, url: `http://${each.name}.internal/graphql` })),
  );
  if (composed.supergraphSdl === undefined) {
    throw new Error(
      `the subgraphs do not compose:\n${(composed.errors ?? []).map((error) => error.message).join('\n')}`,
    );
  }
  return composed.supergraphSdl.trimEnd();
}

/** Sorts definitions by name, so that the files do not depend on the order in which classes are loaded. */
function inOrder(document: DocumentNode): DocumentNode {
  const nameOf = (definition: DefinitionNode) => ('name' in definition ? (definition.name?.value ?? '') : '');
  return {
    ...document,
    definitions: document.definitions.toSorted((one, other) => compare(nameOf(one), nameOf(other))),
  };
}

function apiSchemaOf(supergraph: string): GraphQLSchema {
  return Supergraph.build(supergraph).apiSchema().toGraphQLJSSchema();
}

/** Throws the list of operations that do not match the API schema. */
export function validateDocuments(api: GraphQLSchema, documents: Readonly<Record<string, string>>): void {
  const problems = Object.entries(documents).flatMap(([name, text]) =>
    validate(api, parse(text)).map(({ message }) => `${name}: ${message}`),
  );
  if (problems.length > 0) throw new Error(`trusted documents do not match the supergraph:\n${problems.join('\n')}`);
}

function json(content: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(content).toSorted(([one], [other]) => compare(one, other));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns the trusted documents of a folder: operation name to text. */
function trustedDocumentsIn(folder: string): Readonly<Record<string, string>> {
  const operations = [...operationsOf(parsedDocumentsIn(folder)).values()];
  return Object.fromEntries(operations.map((operation) => [operation.name?.value ?? '', print(operation)]));
}

/** Folders with trusted documents: of REST routes, of documents that clients of `/graphql` run by name, of pages. */
const OPERATION_FOLDERS = ['rest-adapter', 'gateway', 'web/portal', 'web/console'] as const;

/** Folders whose documents TypeScript runs by name: results and variables are typed. */
const TYPED_FOLDERS = ['web/portal', 'web/console'] as const;

/** Folders with queries to other services, in `service-queries/<called service>/`. */
const QUERYING_FOLDERS = ['gateway', 'subgraphs/access', 'subgraphs/grid-models', 'subgraphs/identity'] as const;

/** Returns `service-queries-to-<subgraph>.ts` for each subgraph that other services query. */
async function serviceQueryFiles(subgraphs: Readonly<Record<string, ComposableSubgraph>>): Promise<GeneratedFiles> {
  const files: Record<string, string> = {};
  for (const [name, { sdl }] of Object.entries(subgraphs)) {
    const folders = QUERYING_FOLDERS.map((part) => join(REPOSITORY_ROOT, part, 'service-queries', name)).filter(
      existsSync,
    );
    if (folders.length === 0) continue;
    const documents = new Map(folders.flatMap((folder) => [...parsedDocumentsIn(folder)]));
    const schema = buildASTSchema(parse(sdl), { assumeValidSDL: true });
    files[`service-queries-to-${name}.ts`] = await serviceQueriesOf(schema, documents);
  }
  return files;
}

/** Returns `contract-<name>.json` for each contract: to read YAML at each start of the REST adapter would take a quarter of a second. */
function contractFiles(): GeneratedFiles {
  const folder = join(REPOSITORY_ROOT, 'schema', 'openapi');
  const converted = readdirSync(folder).map((file) => [
    `contract-${basename(file, '.yaml')}.json`,
    `${JSON.stringify(load(readFileSync(join(folder, file), 'utf8')))}\n`,
  ]);
  return Object.fromEntries(converted) as GeneratedFiles;
}

/** Writes the generated files into a folder. */
export async function writeGenerated(folder: string): Promise<void> {
  const documents = Object.assign(
    {},
    ...OPERATION_FOLDERS.map((part) => trustedDocumentsIn(join(REPOSITORY_ROOT, part, 'operations'))),
  ) as Record<string, string>;
  const subgraphs = await registerSubgraphs();
  const files = generatedFiles(subgraphs, documents);
  const typed = TYPED_FOLDERS.flatMap((part) => [...parsedDocumentsIn(join(REPOSITORY_ROOT, part, 'operations'))]);
  const api = apiSchemaOf(files['supergraph.graphql'] ?? '');
  validateDocuments(api, documents);
  const audiences = JSON.parse(files['audiences.json'] ?? '') as Record<string, readonly string[]>;
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries({
    ...files,
    ...contractFiles(),
    ...(await serviceQueryFiles(subgraphs)),
  }))
    writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, 'client-schema.graphql'), clientSchemaOf(api, audiences));
  writeFileSync(join(folder, 'operations.ts'), await operationTypesOf(api, new Map(typed)));
}

if (require.main === module) {
  writeGenerated(join(REPOSITORY_ROOT, 'schema', 'generated')).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
