import { refuse } from '../../../schema/register-error';
import { isStorable } from '../../../schema/storable-text';

/** VAL001 at every argument that no column can hold, so that nothing can be found by it. */
export function requireStorable(texts: Readonly<Record<string, string | null | undefined>>): void {
  const unstorable = Object.entries(texts).filter(([, text]) => typeof text === 'string' && !isStorable(text));
  refuse(
    unstorable.map(([argument]) => ({
      code: 'VAL001',
      path: [argument],
      message: 'must be text without NUL and unpaired surrogates',
    })),
  );
}
