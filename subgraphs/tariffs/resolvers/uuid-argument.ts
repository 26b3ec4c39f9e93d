import { isUuid } from '../../../schema/identifiers';
import { refuse } from '../../../schema/register-error';

/** VAL001 at an argument that is no identifier of a consent or a webhook (3-decisions-c-d.md, D.1). */
export function requireUuid(argument: string, text: string): void {
  if (!isUuid(text)) refuse([{ code: 'VAL001', path: [argument], message: 'is not a UUID' }]);
}
