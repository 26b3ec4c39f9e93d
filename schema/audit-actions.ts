/** Actions of the audit with their descriptions, by the service that stores them. */
export const AUDIT_ACTIONS = {
  access: {
    onboard: 'Account onboarded',
    'rotate-secret': 'Secret of an account rotated',
    'issue-supplier-api-key': 'API key of a supplier issued',
    suspend: 'Account suspended',
    reactivate: 'Account reactivated',
    terminate: 'Account terminated',
    'withdraw-verification-right': 'Right to assert verified withdrawn',
    'restore-verification-right': 'Right to assert verified restored',
    set: 'Settings of an account changed',
    'set-supplier-oauth': 'Sign-in of a supplier changed',
    'set-clock-offset': 'Clock of the register moved',
    'register-webhook': 'Webhook registered',
    'update-webhook': 'Settings of a webhook changed',
    'rotate-webhook-secret': 'Secret of a webhook rotated',
    'delete-webhook': 'Webhook deleted',
  },
  tariffs: {
    'save-supplier': 'Supplier saved',
    'set-supplier-status': 'Status of a supplier changed',
    'save-rti-user': 'RTI User saved',
    'set-rti-user-status': 'Status of an RTI User changed',
    'register-rti-webhook': 'RTI webhook registered',
    'remove-rti-webhook': 'RTI webhook removed',
    'revoke-tariff-consent': 'Consent of a consumer revoked by an admin',
    'publish-tariff': 'Tariff published or changed by an admin',
    'append-tariff-prices': 'Prices appended to a tariff by an admin',
    'assign-tariff': 'Tariff assigned to an MPxN by an admin',
    'end-tariff-assignment': 'Assignment of a tariff ended by an admin',
    'erase-ended-occupancies': 'Ended occupancies of an MPxN erased',
  },
  identity: {
    'register-credential': 'Passkey registered',
    'remove-credential': 'Passkey removed',
    'judge-contact': 'Contact confirmed or rejected',
    'reject-asserted-contacts': 'Rejection of asserted contacts requested',
    'finish-contact-rejection': 'Rejection of asserted contacts finished',
    'anonymise-identity-record': 'Identity Record anonymised',
    'reject-identity-read': 'Read of an Identity Record rejected',
    'reject-identity-change': 'Change or re-identification of an Identity Record rejected',
  },
  gridModels: {
    'publish-project-version': 'Version of a development project published',
    'publish-base-model': 'Base model published',
  },
} as const;

/** A service that stores an audit. */
export type AuditService = keyof typeof AUDIT_ACTIONS;

/** The name of an audited action. */
export type AuditAction = { [Service in AuditService]: keyof (typeof AUDIT_ACTIONS)[Service] }[AuditService];
