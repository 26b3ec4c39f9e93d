import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './repository-root';

/** Output of `npm run schema`. It is checked in, so that the process starts without composing the subgraphs. */
interface GeneratedSchema {
  readonly supergraphSdl: string;
  /** Who may call a root field, by its name: `Query.accessRecord`. */
  readonly audiences: Readonly<Record<string, readonly string[]>>;
  /** The schema for clients as SDL: `schema/build/client-schema.ts`. */
  readonly clientSdl: string;
  /** Text of an operation, by its name. */
  readonly trustedDocuments: Readonly<Record<string, string>>;
}

/** Reads the checked-in files of `schema/generated`. */
export function generatedSchema(): GeneratedSchema {
  const read = (name: string) => readFileSync(join(REPOSITORY_ROOT, 'schema', 'generated', name), 'utf8');
  return {
    supergraphSdl: read('supergraph.graphql'),
    clientSdl: read('client-schema.graphql'),
    audiences: JSON.parse(read('audiences.json')) as GeneratedSchema['audiences'],
    trustedDocuments: JSON.parse(read('trusted-documents.json')) as GeneratedSchema['trustedDocuments'],
  };
}
