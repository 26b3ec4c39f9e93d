import isISO31661Alpha2 from 'validator/lib/isISO31661Alpha2';
import isISO6391 from 'validator/lib/isISO6391';
import type { Violation } from '../../../../schema/register-error';
import type { AccessRecordInput } from '../access-record';
import { fieldsAt } from './field-limits';
import type { RegistrationRule } from './registration-rule';

interface CodeList {
  readonly fields: readonly string[];
  readonly has: (code: string) => boolean;
  readonly message: string;
}

const CODE_LISTS: readonly CodeList[] = [
  {
    fields: ['notice.sharedNotice.noticeLanguage', 'notice.notices[].noticeLanguage'],
    has: isISO6391,
    message: 'is not a language code of ISO 639-1',
  },
  {
    fields: ['recordMetadata.controllerArrangement.controllers[].storageConditions.location'],
    has: (code) => isISO31661Alpha2(code),
    message: 'is not a country code of ISO 3166-1 alpha-2',
  },
];

/** Language and country codes are in the lists of their standards; {@link fieldLimits} checks their form. */
export const codeLists: RegistrationRule = (input: AccessRecordInput) =>
  CODE_LISTS.flatMap(({ fields, has, message }) =>
    fields
      .flatMap((template) => fieldsAt(input, template))
      .filter(({ value }) => !has(String(value)))
      .map(({ path }): Violation => ({ code: 'VAL003', path, message })),
  );
