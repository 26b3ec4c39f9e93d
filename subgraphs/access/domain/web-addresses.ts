import type { Violation } from '../../../schema/register-error';
import { webAddressFault } from '../../server/web-address';
import type { AccessRecordInput } from './access-record';
import { fieldsAt } from './field-paths';
import type { RegistrationRule } from './registration-rules';

const WEB_ADDRESSES = [
  'recordMetadata.controllerArrangement.controllers[].contactUrl',
  'recordMetadata.controllerArrangement.controllers[].privacyRightsUrl',
  'notice.sharedNotice.termsUrl',
  'notice.notices[].termsUrl',
  'processing.recipients[].privacyUrl',
];

/** Every URI field: https, without credentials, at most 2,048 characters (2-decisions-a-b.md, section 1). */
export const webAddresses: RegistrationRule = (input: AccessRecordInput, { production }) =>
  WEB_ADDRESSES.flatMap((template) => fieldsAt(input, template)).flatMap(({ path, value }): Violation[] => {
    const fault = webAddressFault(String(value), { production });
    return fault === undefined ? [] : [{ code: 'VAL008', path, message: fault }];
  });
