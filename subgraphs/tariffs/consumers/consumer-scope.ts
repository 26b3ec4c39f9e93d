import type { ConsumerScope } from '../../../schema/consumer-claims';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, callerOf } from '../../server/caller';
import type { AdmittedConsumer } from './consumer-tokens';

/** Scopes that are about a consumer's meter points: a token with one of them names some. */
const OF_METER_POINTS: readonly string[] = ['tariff:read', 'consent:write'] satisfies ConsumerScope[];

/** Whether scopes are about a consumer's meter points. */
export function concernsMeterPoints(scopes: readonly string[]): boolean {
  return scopes.some((scope) => OF_METER_POINTS.includes(scope));
}

/** The consumer for whom the caller of a field asks that `MayCall` opens to a scope: whether the token has it is decided there. */
export function consumerOf(context: CallContext): AdmittedConsumer {
  const { consumer, mpid } = callerOf(context);
  if (!consumer || mpid === null) throw new RegisterError('PRM001');
  return { ...consumer, mpid };
}
