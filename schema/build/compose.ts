import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeServices } from '@apollo/composition';
import { type DefinitionNode, type DocumentNode, Kind, parse, print } from 'graphql';
import { REPOSITORY_ROOT } from '../repository-root';
import { accessSchema } from '../../subgraphs/access/schema';
import { gridModelSchema } from '../../subgraphs/grid-models/schema';
import { identitySchema } from '../../subgraphs/identity/schema';
import { tariffSchema } from '../../subgraphs/tariffs/schema';

/** What composition needs of a subgraph. */
export interface ComposableSubgraph {
  readonly sdl: string;
  readonly audiences: Readonly<Record<string, readonly string[]>>;
}

/** The files of `schema/generated`: name to content. */
export type GeneratedFiles = Readonly<Record<string, string>>;

/** The subgraphs of the register, in the order of composition; they are built without a database. */
export async function registerSubgraphs(): Promise<Readonly<Record<string, ComposableSubgraph>>> {
  return {
    access: await accessSchema(),
    identity: await identitySchema(),
    'grid-models': await gridModelSchema(),
    tariffs: await tariffSchema(),
  };
}

/** Everything that is generated from the subgraphs and the trusted documents; throws the list of what does not compose. */
export function generatedFiles(
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

/** Routing URLs are placeholders: the gateway's links decide where a subgraph is. */
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

/** Definitions by name, so that the files do not depend on the order in which classes are loaded. */
function inOrder(document: DocumentNode): DocumentNode {
  const nameOf = (definition: DefinitionNode) => ('name' in definition ? (definition.name?.value ?? '') : '');
  return {
    ...document,
    definitions: document.definitions.toSorted((one, other) => compare(nameOf(one), nameOf(other))),
  };
}

function json(content: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(content).toSorted(([one], [other]) => compare(one, other));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The named operations of a folder of `.graphql` files, one in each: operation name to text. */
export function trustedDocumentsIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  return Object.fromEntries(
    files.map((file) => {
      const document = parse(readFileSync(join(folder, file), 'utf8'), { noLocation: true });
      const [operation, ...others] = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
      if (!operation?.name || others.length > 0) throw new Error(`${file} must hold one named operation`);
      return [operation.name.value, print(document)];
    }),
  );
}

/** Rooms with trusted documents: those of the REST routes, of the pages of portal and console, and those that clients of `/graphql` name. */
const OPERATION_FOLDERS = ['rest-adapter', 'gateway', 'portal', 'console'] as const;

/** Writes the generated files into a folder. */
export async function writeGenerated(folder: string): Promise<void> {
  const documents = OPERATION_FOLDERS.map((room) => trustedDocumentsIn(join(REPOSITORY_ROOT, room, 'operations')));
  const files = generatedFiles(await registerSubgraphs(), Object.assign({}, ...documents) as Record<string, string>);
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

if (require.main === module) {
  writeGenerated(join(REPOSITORY_ROOT, 'schema', 'generated')).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
