import { emailInputViolation } from '../../../schema/email-address';
import type { Violation } from '../../../schema/register-error';
import { type CallbackUrlPolicy, callbackUrlViolation } from '../../delivery/requests/callback-url';
import { NOTIFY_DAYS, WEBHOOK_EVENT_TYPES, type WebhookUpdate } from './webhook';

/** Returns all violations of the input of a registration or an update (specification, Webhook subscription). */
export function webhookViolations(input: WebhookUpdate, policy: CallbackUrlPolicy): Violation[] {
  return RULES.flatMap((rule) => rule(input, policy));
}

type WebhookRule = (input: WebhookUpdate, policy: CallbackUrlPolicy) => Violation[];

const callbackUrl: WebhookRule = ({ callbackUrl: url }, policy) => {
  const message = url == null ? undefined : callbackUrlViolation(url, policy);
  return message === undefined ? [] : [{ code: 'VAL008', path: ['callbackUrl'], message }];
};

const alertEmail: WebhookRule = ({ alertEmail: address }) => {
  const violation = address == null ? undefined : emailInputViolation(address);
  return violation === undefined ? [] : [{ ...violation, path: ['alertEmail'] }];
};

const notifyDaysBefore: WebhookRule = ({ notifyDaysBefore: days }) => {
  const { min, max } = NOTIFY_DAYS;
  if (days == null || (days >= min && days <= max)) return [];
  return [{ code: 'VAL003', path: ['notifyDaysBefore'], message: `must be ${min} to ${max}` }];
};

const eventTypes: WebhookRule = ({ eventTypes: types }) => {
  if (types == null) return [];
  const message =
    types.length === 0 || types.length > WEBHOOK_EVENT_TYPES.length
      ? `must have 1 to ${WEBHOOK_EVENT_TYPES.length} entries`
      : 'must not name an event type twice';
  const isRejected = types.length === 0 || new Set(types).size < types.length;
  return isRejected ? [{ code: 'VAL003', path: ['eventTypes'], message }] : [];
};

const RULES: readonly WebhookRule[] = [callbackUrl, alertEmail, notifyDaysBefore, eventTypes];
