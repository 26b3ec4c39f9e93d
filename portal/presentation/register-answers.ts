/** What the register tells of a customer's session, as far as the pages show it. */
export interface CustomerSession {
  readonly mpxn: string;
  readonly address: Address | null;
  readonly moveInDate: string | null;
  readonly isCurrent: boolean;
  /** Whether contacts of the home stand against each other. */
  readonly isContested: boolean;
  readonly returnUrl: string | null;
}

/** An e-mail address or a passkey that is registered for the customer's home. */
export interface CustomerContact {
  /** Identifier within this session. */
  readonly id: string;
  readonly kind: 'EMAIL' | 'PASSKEY';
  /** Of an address, masked; null for a passkey. */
  readonly shown: string | null;
  readonly since: string;
  readonly standing: 'OWN' | 'OTHER' | 'CONFIRMED' | 'REJECTED';
  readonly dataUsers: readonly ({ readonly displayName: string; readonly contactUrl: string } | null)[];
}

/** A UKAddress. */
export interface Address {
  readonly addressLine1: string;
  readonly addressLine2: string | null;
  readonly townCity: string;
  readonly county: string | null;
  readonly postcode: string;
}

/** An access record, as its customer may read it. */
export interface CustomerRecord {
  readonly id: string;
  readonly state: 'ACTIVE' | 'REVOKED' | 'EXPIRED' | 'DISCOVERED';
  readonly legalBasis: LegalBasis | null;
  readonly purpose: string | null;
  readonly dataTypes: readonly string[];
  readonly leadControllerName: string | null;
  readonly registeredAt: string | null;
  readonly expiry: string | null;
  readonly recordMetadata: {
    readonly createdAt: string;
    readonly controllerArrangement: { readonly controllers: readonly Controller[] };
  };
  readonly notice: {
    readonly sharedNotice: Notice | null;
    readonly notices: readonly (Notice & { readonly controllerName: string })[] | null;
  } | null;
  readonly processing: { readonly dataSource: string | null; readonly recipients: readonly Recipient[] | null };
  readonly accessEvent: { readonly revokedAt: string | null };
  readonly dataUser: { readonly displayName: string; readonly contactUrl: string } | null;
  readonly discoveredAccess: DiscoveredAccess | null;
}

/** An access record with the changes of its state. */
export interface EndedRecord extends CustomerRecord {
  readonly transitions: { readonly nodes: readonly { readonly at: string; readonly cause: string }[] };
}

/** A legal basis. */
export type LegalBasis =
  | 'UK_CONSENT'
  | 'UK_EXPLICIT_CONSENT'
  | 'UK_PUBLIC_TASK'
  | 'UK_LEGITIMATE_INTERESTS'
  | 'UK_LEGAL_OBLIGATION'
  | 'UK_CONTRACT';

/** A Data Controller. */
export interface Controller {
  readonly name: string;
  readonly role: 'SOLE' | 'LEAD' | 'JOINT' | 'MEMBER';
  readonly contactUrl: string | null;
  readonly privacyRightsUrl: string | null;
}

/** The terms that a customer agreed to. */
export interface Notice {
  readonly termsUrl: string;
  readonly noticeVersion: string;
}

/** Who may receive data. */
export interface Recipient {
  readonly name: string;
  readonly role: string;
  readonly privacyUrl: string | null;
}

/** What the communications operator saw of an organisation that is not registered. */
export interface DiscoveredAccess {
  readonly organisationName: string;
  readonly firstSeen: string;
  readonly lastSeen: string | null;
  readonly dataTypesObserved: readonly string[];
}

/** Looks at the access records of the meter point, counted by hour. */
export interface AccessLook {
  /** Null for a holder of the key who did not say who they are. */
  readonly organisation: string | null;
  readonly kind: 'VERIFICATION' | 'LISTING';
  readonly hour: string;
  readonly count: number;
}

/** Looks at the Identity Records of the customer, counted by hour. */
export interface IdentityLook {
  readonly dataUser: { readonly displayName: string } | null;
  readonly kind: 'EXISTENCE_CHECK' | 'REIDENTIFICATION' | 'SHOW_CONSENTS';
  readonly hour: string;
  readonly count: number;
}

/** A supplier that offers a sign-in. */
export interface SupplierSignIn {
  readonly mpid: string;
  readonly displayName: string;
}

/** A re-identification that a person is to confirm or a passkey that is to be added. */
export interface Ceremony {
  readonly kind: 'CONFIRM_LINK' | 'CONFIRM_PROOF' | 'ASSERT_PASSKEY' | 'REGISTER_PASSKEY';
  /** The initiating organisation. */
  readonly organisation: string;
  /** What must be given first, one of them; empty when nothing is needed. */
  readonly proofs: readonly ('PASSKEY' | 'MAIL')[];
}

/** What came of a ceremony. */
export interface CeremonyOutcome {
  readonly organisation: string;
  readonly returnUrl: string | null;
  /** Goes on under this secret, in this browser only. */
  readonly nextSecret: string | null;
}
