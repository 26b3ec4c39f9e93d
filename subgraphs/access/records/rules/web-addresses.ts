import { urlViolations } from '../../../server/web-address';
import type { AccessRecordInput } from '../access-record';
import { fieldsAt } from './field-limits';
import type { RegistrationRule } from './registration-rule';

const WEB_ADDRESSES = [
  'recordMetadata.controllerArrangement.controllers[].contactUrl',
  'recordMetadata.controllerArrangement.controllers[].privacyRightsUrl',
  'notice.sharedNotice.termsUrl',
  'notice.notices[].termsUrl',
  'processing.recipients[].privacyUrl',
];

/** URI fields are https URLs without credentials, of at most 2,048 characters (decisions A/B, 1). */
export const webAddresses: RegistrationRule = (input: AccessRecordInput, { production }) =>
  WEB_ADDRESSES.flatMap((template) => fieldsAt(input, template)).flatMap(({ path, value }) =>
    urlViolations(path, String(value), { production }),
  );
