import { codegen } from '@graphql-codegen/core';
import * as operationTypes from '@graphql-codegen/typescript-operations';
import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  buildASTSchema,
  parse,
  print,
  printSchema,
} from 'graphql';
import { operationsOf } from '../operation-documents';

/** Types of results and variables: scalars are texts, every selected field is present, all members are read-only. */
const CONFIG = {
  skipTypename: true,
  enumsAsTypes: true,
  immutableTypes: true,
  preResolveTypes: true,
  avoidOptionals: { field: true, object: true, inputValue: false, defaultValue: false },
  defaultScalarType: 'string',
  scalars: { Int: 'number', Float: 'number', Boolean: 'boolean', JSONObject: 'object' },
};

const KINDS = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

/** Documents by file name. */
type Documents = ReadonlyMap<string, DocumentNode>;

/**
 * Returns TypeScript types of operation documents: result and variables of each operation, each fragment, and `Operations`, which maps the
 * name of an operation to both; and the names of the mutations.
 *
 * @param api schema of the supergraph as clients see it
 */
export async function operationTypesOf(api: Schema, documents: Documents): Promise<string> {
  const names = typeNamesOf(documents);
  const rows = names.map(
    ({ name, result, variables }) => `  ${name}: { result: ${result}; variables: ${variables} };\n`,
  );
  const mutations = names.flatMap(({ name, kind }) => (kind === KINDS.mutation ? [`  '${name}',\n`] : []));
  return `${await typesOf(api, documents)}
/** Result and variables of each operation, by its name. */
export interface Operations {\n${rows.join('')}}

/** Names of the mutations among the operations. */
export const MUTATIONS: ReadonlySet<string> = new Set([\n${mutations.join('')}]);\n`;
}

/**
 * Returns the queries to a subgraph as TypeScript: the types of each, and a constant of its name.
 *
 * @param subgraph schema of the subgraph, with the fields that only services may read
 */
export async function serviceQueriesOf(subgraph: Schema, documents: Documents): Promise<string> {
  const texts = new Map([...operationsOf(documents).values()].map((operation) => [operation.name?.value, operation]));
  const serviceQueries = typeNamesOf(documents).map(
    ({ name, result, variables }) =>
      `\nexport const ${name}: ServiceQuery<${result}, ${variables}> = {\n  text: ${JSON.stringify(print(texts.get(name) as OperationDefinitionNode))},\n};\n`,
  );
  return `import type { ServiceQuery } from '../service-query';\n\n${await typesOf(subgraph, documents)}${serviceQueries.join('')}`;
}

type Schema = Parameters<typeof printSchema>[0];

async function typesOf(schema: Schema, documents: Documents): Promise<string> {
  const printed = parse(printSchema(schema));
  return codegen({
    filename: 'operations.ts',
    schema: printed,
    schemaAst: buildASTSchema(printed),
    documents: [...documents].map(([location, document]) => ({ location, document })),
    config: CONFIG,
    pluginMap: { operationTypes },
    plugins: [{ operationTypes: {} }],
  });
}

/** Returns the names of the generated types of each operation, sorted by its name. */
function typeNamesOf(documents: Documents) {
  return [...documents.values()]
    .flatMap(({ definitions }) =>
      definitions.flatMap((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION && definition.name
          ? [{ name: definition.name.value, kind: KINDS[definition.operation] }]
          : [],
      ),
    )
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, kind }) => ({ name, kind, result: `${name}${kind}`, variables: `${name}${kind}Variables` }));
}
