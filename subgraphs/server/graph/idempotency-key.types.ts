import { Arg } from 'type-graphql';
import type { ResponseRetention } from '../idempotency';
import { optional } from './decorator-options';

/**
 * Declares the argument `idempotencyKey` of a mutation.
 *
 * @param duration how long the response is stored
 * @param note a further sentence of the description
 */
export function IdempotencyKey(duration: ResponseRetention, note?: string): ReturnType<typeof Arg> {
  const description = `Key under which the response is stored for repeats, for ${duration}.`;
  return Arg('idempotencyKey', () => String, optional(note === undefined ? description : `${description} ${note}`));
}

/** Description of the field `replayed` of a response. */
export const REPLAYED = 'Whether this is the stored response of an earlier request with the same idempotency key.';
