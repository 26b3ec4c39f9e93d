import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';

/** The documents that explain how to use the register: paths from the root. */
export const USER_DOCUMENTS: readonly string[] = [
  'README.md',
  ...readdirSync(join(REPOSITORY_ROOT, 'docs')).map((name) => `docs/${name}`),
];

/** Languages of code blocks: `bash` is executed by a test; `sh` needs an installation, or never ends. */
export type BlockLanguage = 'bash' | 'sh' | 'js' | 'graphql' | 'sql';

/** Returns the text of a document. */
export function documentText(document: string): string {
  return readFileSync(join(REPOSITORY_ROOT, document), 'utf8');
}

/** Returns the code blocks of a document in one language, in order. */
export function codeBlocks(document: string, language: BlockLanguage): string[] {
  const blocks = documentText(document).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'));
  return [...blocks].map(([, block]) => block ?? '');
}
