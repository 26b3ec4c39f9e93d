import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './repository-root';

/** What `npm run schema` composed (architecture, decision 2). */
export interface GeneratedSchema {
  readonly supergraphSdl: string;
  /** Root field, such as `Query.accessRecord`, to who may call it. */
  readonly audiences: Readonly<Record<string, readonly string[]>>;
  /** Operation name to text. */
  readonly trustedDocuments: Readonly<Record<string, string>>;
}

/** Reads the checked-in files of `schema/generated`. */
export function generatedSchema(): GeneratedSchema {
  const read = (name: string) => readFileSync(join(REPOSITORY_ROOT, 'schema', 'generated', name), 'utf8');
  return {
    supergraphSdl: read('supergraph.graphql'),
    audiences: JSON.parse(read('audiences.json')) as GeneratedSchema['audiences'],
    trustedDocuments: JSON.parse(read('trusted-documents.json')) as GeneratedSchema['trustedDocuments'],
  };
}
