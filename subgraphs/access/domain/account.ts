import type { Violation } from '../../../schema/register-error';
import type { AccountRole } from '../../../schema/roles';
import { hasVisibleCharacter } from '../../../schema/visible-text';
import { webAddressFault } from '../../server/web-address';
import { DATA_TYPES, type DataType } from './access-record';

/** Whether an account is let in: a suspended or terminated one is refused at once, also with an unexpired token. */
export type AccountStatus = 'active' | 'suspended' | 'terminated';

/** What an admin may do to the status of an account. */
export type StatusChange = 'suspend' | 'reactivate' | 'terminate';

/** From which status each change leads where; termination is final. */
export const STATUS_CHANGES: Readonly<Record<StatusChange, { from: readonly AccountStatus[]; to: AccountStatus }>> = {
  suspend: { from: ['active'], to: 'suspended' },
  reactivate: { from: ['suspended'], to: 'active' },
  terminate: { from: ['active', 'suspended'], to: 'terminated' },
};

/** Whether a change locks somebody out. */
export function isFarewell(change: StatusChange): boolean {
  return STATUS_CHANGES[change].to !== 'active';
}

/** What an admin onboards. */
export interface AccountInput {
  role: AccountRole;
  displayName: string;
  contactUrl?: string | null;
  privacyUrl?: string | null;
  dataTypesSupported?: DataType[] | null;
  organisationReference?: string | null;
  returnUrls?: string[] | null;
  mpid?: string | null;
}

/** What an admin may set on an account, each by a mutation of its own. */
export type AccountSettings = Partial<Omit<AccountInput, 'role' | 'mpid'>> & {
  oauthIssuer?: string;
  oauthClientId?: string;
};

/** Roles whose accounts stand for an organisation with a DUID. */
export function hasDuid(role: AccountRole): boolean {
  return role === 'data_user' || role === 'portal';
}

const MPID = /^[A-Z0-9]{4}$/;
const URL_FIELDS = ['contactUrl', 'privacyUrl', 'oauthIssuer'] as const;

/** What is wrong with an account's settings: lengths and web addresses, all at once. */
export function settingsViolations(settings: AccountSettings, production: boolean): Violation[] {
  const violations: Violation[] = [];
  const say = (code: Violation['code'], path: (string | number)[], message: string) =>
    violations.push({ code, path, message });
  const lengths = { displayName: 255, organisationReference: 255, oauthClientId: 255 } as const;
  for (const [field, most] of Object.entries(lengths) as [keyof typeof lengths, number][]) {
    const value = settings[field];
    if (value != null && (!hasVisibleCharacter(value) || [...value].length > most))
      say('VAL003', [field], `must have 1 to ${most} characters`);
  }
  for (const field of URL_FIELDS) {
    const fault = settings[field] == null ? undefined : webAddressFault(settings[field], { production });
    if (fault !== undefined) say('VAL008', [field], fault);
  }
  (settings.returnUrls ?? []).forEach((url, index) => {
    const fault = webAddressFault(url, { production });
    if (fault !== undefined) say('VAL008', ['returnUrls', index], fault);
  });
  const dataTypes = settings.dataTypesSupported ?? [];
  if (dataTypes.length > DATA_TYPES.length)
    say('VAL003', ['dataTypesSupported'], `must have 0 to ${DATA_TYPES.length} entries`);
  else if (new Set(dataTypes).size < dataTypes.length)
    say('VAL003', ['dataTypesSupported'], 'must not name a data type twice');
  if ((settings.returnUrls ?? []).length > 50) say('VAL003', ['returnUrls'], 'must have 0 to 50 entries');
  return violations;
}

/** What is wrong with an account to be onboarded: customers see where every organisation with a DUID is reached, and the privacy notice of a Data User. */
export function onboardingViolations(input: AccountInput, production: boolean): Violation[] {
  const violations = settingsViolations(input, production);
  if (hasDuid(input.role) && input.contactUrl == null) {
    violations.push({ code: 'VAL002', path: ['contactUrl'], message: `is required for the role ${input.role}` });
  }
  if (input.role === 'data_user' && input.privacyUrl == null) {
    violations.push({ code: 'VAL002', path: ['privacyUrl'], message: 'is required for the role data_user' });
  }
  if (input.role === 'supplier' && !MPID.test(input.mpid ?? '')) {
    violations.push({
      code: 'VAL001',
      path: ['mpid'],
      message: `is required for a supplier and must match ${MPID.source}`,
    });
  }
  if (input.role !== 'supplier' && input.mpid != null) {
    violations.push({ code: 'VAL003', path: ['mpid'], message: 'is for suppliers only' });
  }
  return violations;
}
