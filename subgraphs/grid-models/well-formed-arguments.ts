import { throwViolations } from '../../schema/register-error';
import { isWellFormed } from '../../schema/well-formed-text';

/** Throws VAL001 for every argument with NUL or an unpaired surrogate: PostgreSQL can neither store nor compare such text. */
export function requireWellFormed(texts: Readonly<Record<string, string | null | undefined>>): void {
  const unstorable = Object.entries(texts).filter(([, text]) => typeof text === 'string' && !isWellFormed(text));
  throwViolations(
    unstorable.map(([argument]) => ({
      code: 'VAL001',
      path: [argument],
      message: 'must be text without NUL or unpaired surrogates',
    })),
  );
}
