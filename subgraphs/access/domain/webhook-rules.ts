import { emailAddressFault } from '../../../schema/email-address';
import type { Violation } from '../../../schema/register-error';
import { type CallbackRealm, callbackUrlFault } from '../../delivery/callback-url';
import { NOTIFY_DAYS, WEBHOOK_EVENT_TYPES, type WebhookUpdate } from './webhook';

/** What is wrong with what a subscription or an update of one supplies (1-specification.md, Webhook subscription), all at once. */
export function webhookViolations(supplied: WebhookUpdate, realm: CallbackRealm): Violation[] {
  return RULES.flatMap((rule) => rule(supplied, realm));
}

type WebhookRule = (supplied: WebhookUpdate, realm: CallbackRealm) => Violation[];

const callbackUrl: WebhookRule = ({ callbackUrl: url }, realm) => {
  const fault = url == null ? undefined : callbackUrlFault(url, realm);
  return fault === undefined ? [] : [{ code: 'VAL008', path: ['callbackUrl'], message: fault }];
};

const alertEmail: WebhookRule = ({ alertEmail: address }) => {
  const fault = address == null ? undefined : emailAddressFault(address.trim());
  return fault === undefined ? [] : [{ ...fault, path: ['alertEmail'] }];
};

const notifyDaysBefore: WebhookRule = ({ notifyDaysBefore: days }) => {
  const { least, most } = NOTIFY_DAYS;
  if (days == null || (days >= least && days <= most)) return [];
  return [{ code: 'VAL003', path: ['notifyDaysBefore'], message: `must be ${least} to ${most}` }];
};

const eventTypes: WebhookRule = ({ eventTypes: types }) => {
  if (types == null) return [];
  const message =
    types.length === 0 || types.length > WEBHOOK_EVENT_TYPES.length
      ? `must have 1 to ${WEBHOOK_EVENT_TYPES.length} entries`
      : 'must not name an event type twice';
  const isRefused = types.length === 0 || new Set(types).size < types.length;
  return isRefused ? [{ code: 'VAL003', path: ['eventTypes'], message }] : [];
};

const RULES: readonly WebhookRule[] = [callbackUrl, alertEmail, notifyDaysBefore, eventTypes];
