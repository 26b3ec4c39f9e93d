import { MPID_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import type { AccountRole } from '../../../schema/roles';
import { textViolations } from '../../../schema/text-limits';
import { urlViolations } from '../../server/web-address';
import { DATA_TYPES, type DataType } from '../../../schema/data-types';

/** Status of an account. Requests of a suspended or terminated account are rejected even if their token has not expired. */
export type AccountStatus = 'active' | 'suspended' | 'terminated';

/** Kinds of secrets of an account: of its sign-in, and of Interface D. */
export type SecretKind = 'sign-in' | 'supplier-api';

/** Changes of an account's status by an admin. */
export type StatusChange = 'suspend' | 'reactivate' | 'terminate';

/** Allowed changes of status; termination is final. */
export const STATUS_CHANGES: Readonly<Record<StatusChange, { from: readonly AccountStatus[]; to: AccountStatus }>> = {
  suspend: { from: ['active'], to: 'suspended' },
  reactivate: { from: ['suspended'], to: 'active' },
  terminate: { from: ['active', 'suspended'], to: 'terminated' },
};

/** Whether a change makes the account inactive. */
export function isDeactivation(change: StatusChange): boolean {
  return STATUS_CHANGES[change].to !== 'active';
}

/** A stored account and its directory entry. */
export interface Account {
  readonly accountId: string;
  readonly role: AccountRole;
  readonly displayName: string;
  readonly status: AccountStatus;
  readonly registeredAt: Date;
  readonly suspendedAt: Date | null;
  readonly verificationWithdrawnAt: Date | null;
  readonly duid: string | null;
  readonly mpid: string | null;
  readonly contactUrl: string | null;
  readonly privacyUrl: string | null;
  readonly dataTypesSupported: readonly DataType[];
  readonly organisationReference: string | null;
  readonly returnUrls: readonly string[];
  readonly oauthIssuer: string | null;
  readonly oauthClientId: string | null;
}

/** Selects accounts: all stated conditions must hold. */
export interface AccountFilter {
  /** A part of the name, in any letter case, or a whole `accountId`, `duid` or `mpid`. */
  readonly text?: string | null;
  /** Values of `accountId`, `duid` or `mpid`. */
  readonly ids?: readonly string[] | null;
}

/** An account to onboard. */
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

/** Settings that an admin can change, each by its own mutation. */
export type AccountSettings = Partial<Omit<AccountInput, 'role' | 'mpid'>> & {
  oauthIssuer?: string;
  oauthClientId?: string;
};

/** Whether accounts with this role represent an organisation with a DUID. */
export function hasDuid(role: AccountRole): boolean {
  return role === 'data_user' || role === 'portal';
}

const URL_FIELDS = ['contactUrl', 'privacyUrl', 'oauthIssuer'] as const;

/** Returns all violations of settings: text lengths, web addresses and list sizes. */
export function settingsViolations(settings: AccountSettings, production: boolean): Violation[] {
  const violations: Violation[] = [];
  const add = (code: Violation['code'], path: (string | number)[], message: string) =>
    violations.push({ code, path, message });
  const lengths = { displayName: 255, organisationReference: 255, oauthClientId: 255 } as const;
  for (const [field, max] of Object.entries(lengths) as [keyof typeof lengths, number][])
    violations.push(...textViolations([field], settings[field], { min: 1, max }));
  for (const field of URL_FIELDS) violations.push(...urlViolations([field], settings[field], { production }));
  (settings.returnUrls ?? []).forEach((url, index) =>
    violations.push(...urlViolations(['returnUrls', index], url, { production })),
  );
  const dataTypes = settings.dataTypesSupported ?? [];
  if (dataTypes.length > DATA_TYPES.length)
    add('VAL003', ['dataTypesSupported'], `must have 0 to ${DATA_TYPES.length} entries`);
  else if (new Set(dataTypes).size < dataTypes.length)
    add('VAL003', ['dataTypesSupported'], 'must not name a data type twice');
  if ((settings.returnUrls ?? []).length > 50) add('VAL003', ['returnUrls'], 'must have 0 to 50 entries');
  return violations;
}

/**
 * Returns all violations of a new account. Organisations with a DUID need a contact URL, and Data Users a privacy notice, because customers
 * read them.
 */
export function onboardingViolations(input: AccountInput, production: boolean): Violation[] {
  const violations = settingsViolations(input, production);
  if (hasDuid(input.role) && input.contactUrl == null) {
    violations.push({ code: 'VAL002', path: ['contactUrl'], message: `is required for the role ${input.role}` });
  }
  if (input.role === 'data_user' && input.privacyUrl == null) {
    violations.push({ code: 'VAL002', path: ['privacyUrl'], message: 'is required for the role data_user' });
  }
  if (input.role === 'supplier' && !MPID_PATTERN.test(input.mpid ?? '')) {
    violations.push({
      code: 'VAL001',
      path: ['mpid'],
      message: `is required for a supplier and must match ${MPID_PATTERN.source}`,
    });
  }
  if (input.role !== 'supplier' && input.mpid != null) {
    violations.push({ code: 'VAL003', path: ['mpid'], message: 'is for suppliers only' });
  }
  return violations;
}

/** Settings of a new account; absent lists are empty. */
export function withLists({ returnUrls, dataTypesSupported, ...settings }: Omit<AccountInput, 'role' | 'mpid'>) {
  return { ...settings, returnUrls: returnUrls ?? [], dataTypesSupported: dataTypesSupported ?? [] };
}

/** Whether the settings include one by which the communications operator identifies an organisation. */
export function isNaming(settings: AccountSettings): boolean {
  return 'organisationReference' in settings || 'displayName' in settings;
}

/** Details for the audit: previous and new value of each setting. */
export function changedSettings(
  before: Record<keyof AccountSettings, unknown>,
  after: Record<keyof AccountSettings, unknown>,
  settings: AccountSettings,
) {
  const names = Object.keys(settings) as (keyof AccountSettings)[];
  const valuesOf = (account: Record<keyof AccountSettings, unknown>) =>
    Object.fromEntries(names.map((name) => [name, account[name]]));
  return { from: valuesOf(before), to: valuesOf(after) };
}
