import { refuse } from '../../schema/register-error';
import { isStorable } from '../../schema/storable-text';

/** Throws VAL001 for every argument with NUL or an unpaired surrogate: PostgreSQL can neither store nor compare such text. */
export function requireStorable(texts: Readonly<Record<string, string | null | undefined>>): void {
  const unstorable = Object.entries(texts).filter(([, text]) => typeof text === 'string' && !isStorable(text));
  refuse(
    unstorable.map(([argument]) => ({
      code: 'VAL001',
      path: [argument],
      message: 'must be text without NUL or unpaired surrogates',
    })),
  );
}
