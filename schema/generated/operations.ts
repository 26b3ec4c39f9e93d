/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Kind of lookup of an access record. */
export type AccessLookKind =
  /** A caller with its access key verified it. */
  | 'VERIFICATION'
  /** An organisation read a list that contains it. */
  | 'LISTING';

/** The state of an access record. */
export type AccessState =
  /** The access is lawful until its expiry. */
  | 'ACTIVE'
  /** The customer withdrew consent, the Controller removed its registration, or the Data User was terminated. */
  | 'REVOKED'
  /** The expiry has passed. */
  | 'EXPIRED'
  /** Found by the communications operator; it cannot authorise data release. */
  | 'DISCOVERED';

/** Role of an account. */
export type AccountRole =
  /** Registers, replaces and revokes its own access records, and receives their events. */
  | 'DATA_USER'
  /** Holds meter data and verifies access records before it releases data. */
  | 'DATA_PROVIDER'
  /** Reports discovered accesses and Changes of Tenancy. */
  | 'COMMUNICATIONS_OPERATOR'
  /** Re-identifies customers, shows them the access records of their meter point and withdraws consent for them. */
  | 'PORTAL'
  /** Publishes tariffs and assigns them to meter points. */
  | 'SUPPLIER'
  /** Manages accounts, suppliers, RTI Users and the publication of grid models. */
  | 'ADMIN'
  /** Reads records, events and statistics for the back office, without changing them. */
  | 'ANALYST';

/** Selects entries of the audit: both conditions must hold. */
export type AuditFilter = {
  /** Entries of this action. VAL003, with all actions, if there is no such action. */
  readonly action?: string | null | undefined;
  /** Entries of this actor. */
  readonly actor?: string | null | undefined;
};

/** The licence area of a base model, with year and cycle. */
export type BaseModelPublicationInput = {
  /** Code or alias of the licence area, case-insensitive. */
  readonly area: string;
  /** The year of the publication, 2000 to 2100. */
  readonly publicationYear: number;
  /** The publication cycle of the year: `01` (May) or `02` (November). */
  readonly period: string;
};

/** Steps of a customer on the register's own pages. */
export type CeremonyKind =
  /** Confirms a re-identification by a mailed link. */
  | 'CONFIRM_LINK'
  /** Proves the customer's identity by a mailed link before a passkey is added. */
  | 'CONFIRM_PROOF'
  /** Confirms a re-identification by a passkey. */
  | 'ASSERT_PASSKEY'
  /** Adds a passkey. */
  | 'REGISTER_PASSKEY';

/** Proof of the customer's identity before a passkey is added. */
export type CeremonyProof =
  /** By a passkey registered earlier. */
  | 'PASSKEY'
  /** By a link mailed to the stored address. */
  | 'MAIL';

/** A file of the archive of a development project. */
export type CimFile =
  /** EQ.xml: equipment. */
  | 'EQ_XML'
  /** SC.xml: short circuit data. */
  | 'SC_XML'
  /** GL.xml: geographical locations. */
  | 'GL_XML';

/** Kinds of contacts. */
export type ContactKind =
  /** An e-mail address. */
  | 'EMAIL'
  /** A passkey. */
  | 'PASSKEY';

/** Relation of a contact to the calling customer. */
export type ContactStanding =
  /** The customer signed in by it, or it was proven to be the same person or household. */
  | 'OWN'
  /** The register does not know whether it belongs to the customer. */
  | 'OTHER'
  /** A customer who signed in at the energy supplier confirmed it. */
  | 'CONFIRMED'
  /** A customer who signed in at the energy supplier, or an admin, rejected it. It gives access to nothing. */
  | 'REJECTED';

/** Verdict on a contact of a customer who signed in at the energy supplier. */
export type ContactVerdict =
  /** It belongs to the customer or their household. */
  | 'CONFIRMED'
  /** It does not. It gives access to nothing from now on. */
  | 'REJECTED';

/** Role of a controller in its arrangement. */
export type ControllerRole =
  /** The only controller. */
  | 'SOLE'
  /** The lead of a joint or group arrangement. */
  | 'LEAD'
  /** A joint controller beside the lead. */
  | 'JOINT'
  /** A member of the group beside the lead. */
  | 'MEMBER';

/** Present or past access. */
export type CustomerRecordPart =
  /** What the communications operator DISCOVERED first, then ACTIVE access; the newest first. */
  | 'CURRENT'
  /** Records that were revoked, have expired or were claimed; the latest end first. */
  | 'HISTORY';

/** The customers that a tariff is for. */
export type CustomerType =
  /** Households. */
  | 'RESIDENTIAL'
  /** Businesses. */
  | 'BUSINESS';

/** A category of meter data. */
export type DataType =
  /** Energy consumed in each half-hour. */
  | 'HH_CONSUMPTION'
  /** Energy exported in each half-hour. */
  | 'HH_EXPORT'
  /** Energy consumed in each month. */
  | 'MTH_CONSUMPTION'
  /** Energy exported in each month. */
  | 'MTH_EXPORT'
  /** Energy consumed in each year. */
  | 'ANNUAL_CONSUMPTION'
  /** Energy exported in each year. */
  | 'ANNUAL_EXPORT'
  /** The tariff for consumed energy. */
  | 'TARIFF_IMPORT'
  /** The tariff for exported energy. */
  | 'TARIFF_EXPORT';

/** Status of an organisation. */
export type DataUserStatus =
  /** In good standing. */
  | 'ACTIVE'
  /** Suspended; its records verify as before. */
  | 'SUSPENDED'
  /** No longer a user of the register. */
  | 'TERMINATED';

/** Type of a delivered event. */
export type DeliveredEventType =
  /** An access on consent is about to expire. */
  | 'CONSENT_EXPIRING'
  /** A change of tenancy was recorded at a meter point with ACTIVE records of the Data User. */
  | 'TENANCY_CHANGE'
  /** A customer has withdrawn consent; the record is already REVOKED. */
  | 'CONSENT_WITHDRAWAL'
  /** A test event that the Data User requested. */
  | 'WEBHOOK_TEST';

/** State of a delivery. */
export type DeliveryState =
  /** Attempts continue until the last one. */
  | 'PENDING'
  /** The receiver responded with 2xx. */
  | 'DELIVERED'
  /** The last attempt failed, or the body could not be made and nothing was sent. */
  | 'UNDELIVERED'
  /** It became obsolete before it was delivered, the subscription was removed, or the Data User was terminated. */
  | 'SUPERSEDED';

/** A section of a difference model. */
export type DifferenceSection =
  /** Objects, attributes and associations to add to the base model. */
  | 'FORWARD'
  /** Objects, attributes and associations to delete from the base model. */
  | 'REVERSE';

/** Direction of the energy, from the customer's point of view. */
export type EnergyFlow =
  /** From the network to the customer. */
  | 'IMPORT'
  /** From the customer to the network. */
  | 'EXPORT';

/** How a statement of a version does not fit the base model. */
export type FindingKind =
  /** The version deletes the statement, and the base model lacks it. */
  | 'MISSING_STATEMENT'
  /** After the version, the association refers to an object that does not exist. */
  | 'DANGLING_ASSOCIATION'
  /** The version adds the object, which exists. */
  | 'ADDED_TWICE';

/** Kind of energy. */
export type FuelType =
  /** Electricity. */
  | 'ELECTRICITY'
  /** Gas. */
  | 'GAS';

/** The development project of an archive, by licence area, year and cycle. */
export type GridPublicationInput = {
  /** Code or alias of the licence area, case-insensitive. */
  readonly area: string;
  /** The year of the publication, 2000 to 2100. */
  readonly publicationYear: number;
  /** The publication cycle of the year: `01` (May) or `02` (November). */
  readonly period: string;
  /** The identifier of the project, at most 24 characters. */
  readonly projectId: string;
};

/** Kind of lookup of a customer. */
export type IdentityLookKind =
  /** It checked whether a customer is registered at the meter point. */
  | 'EXISTENCE_CHECK'
  /** It started or tried to start a re-identification of the customer. */
  | 'REIDENTIFICATION'
  /** It read the consents at the meter point. */
  | 'SHOW_CONSENTS';

/** A language of pages and mails. */
export type Language =
  /** English. */
  | 'EN'
  /** Welsh. */
  | 'CY';

/** A local distribution zone. */
export type LdzRegion =
  /** Scotland. */
  | 'SC'
  /** Northern. */
  | 'NO'
  /** North East. */
  | 'NE'
  /** North West. */
  | 'NWT'
  /** West Midlands. */
  | 'WMD'
  /** East Midlands. */
  | 'EM'
  /** East Anglia. */
  | 'EA'
  /** North Thames. */
  | 'NT'
  /** Southern. */
  | 'SO'
  /** South East. */
  | 'SE'
  /** Wales North. */
  | 'WN'
  /** Wales and the West. */
  | 'WW'
  /** South West. */
  | 'SW';

/** The legal basis of the access under UK GDPR; it applies to all controllers. */
export type LegalBasis =
  /** The customer consented (Article 6(1)(a)) and may withdraw the consent. */
  | 'UK_CONSENT'
  /** The customer consented in an explicit statement (Article 6(1)(a)) and may withdraw the consent. */
  | 'UK_EXPLICIT_CONSENT'
  /** A task in the public interest or under official authority (Article 6(1)(e)). */
  | 'UK_PUBLIC_TASK'
  /** Legitimate interests of the controller, which an assessment (LIA) weighs against those of the customer (Article 6(1)(f)). */
  | 'UK_LEGITIMATE_INTERESTS'
  /** An obligation of the controller under law (Article 6(1)(c)). */
  | 'UK_LEGAL_OBLIGATION'
  /** Performance of a contract with the customer (Article 6(1)(b)). */
  | 'UK_CONTRACT';

/** The meter that a tariff is for. */
export type MeterType =
  /** It has one register. */
  | 'SINGLE_RATE'
  /** It has a register for each of several rates. */
  | 'MULTI_RATE'
  /** It is a smart meter. */
  | 'SMART'
  /** It takes payment in advance. */
  | 'PREPAYMENT';

/** How a version changes an object. */
export type ObjectChangeKind =
  /** The version adds it. */
  | 'ADDED'
  /** The version removes it. */
  | 'REMOVED'
  /** The version changes its class, attributes or associations. */
  | 'CHANGED';

/** Ceremonies of WebAuthn. */
export type PasskeyCeremonyKind =
  /** Assertion by a passkey: `navigator.credentials.get`. */
  | 'ASSERTION'
  /** Registration of a passkey: `navigator.credentials.create`. */
  | 'REGISTRATION';

/** How a tariff is paid. */
export type PaymentMethod =
  /** By direct debit. */
  | 'DIRECT_DEBIT'
  /** On a bill, not by direct debit. */
  | 'NON_DIRECT_DEBIT'
  /** In advance. */
  | 'PREPAYMENT';

/** A day of the week on which rates hold, or all of them. */
export type RateDay =
  /** Monday. */
  | 'MON'
  /** Tuesday. */
  | 'TUE'
  /** Wednesday. */
  | 'WED'
  /** Thursday. */
  | 'THU'
  /** Friday. */
  | 'FRI'
  /** Saturday. */
  | 'SAT'
  /** Sunday. */
  | 'SUN'
  /** All days. */
  | 'ALL';

/** A month in which rates hold, or all of them. */
export type RateMonth =
  /** January. */
  | 'JAN'
  /** February. */
  | 'FEB'
  /** March. */
  | 'MAR'
  /** April. */
  | 'APR'
  /** May. */
  | 'MAY'
  /** June. */
  | 'JUN'
  /** July. */
  | 'JUL'
  /** August. */
  | 'AUG'
  /** September. */
  | 'SEP'
  /** October. */
  | 'OCT'
  /** November. */
  | 'NOV'
  /** December. */
  | 'DEC'
  /** All months. */
  | 'ALL';

/** A section of the content of an access record. */
export type RecordSection =
  /** The controllers: how they share responsibility, their contacts, references and storage conditions. */
  | 'CONTROLLERS'
  /** The notices that the customer agreed to. */
  | 'NOTICE'
  /** Third parties who may receive data. */
  | 'RECIPIENTS'
  /** Who supplies the meter data. */
  | 'DATA_SOURCE'
  /** How consent was given. */
  | 'CONSENT';

/** Status of the register entry of a supplier or an RTI User; removal is final. */
export type RegisterEntryStatus =
  /** In good standing; only active entries exchange data of consumers. */
  | 'ACTIVE'
  /** Temporarily suspended. */
  | 'SUSPENDED'
  /** Disabled; may become active again. */
  | 'DISABLED'
  /** Removed from the register. */
  | 'REMOVED';

/** Type of an event. */
export type RegisterEventType =
  /** A record on consent expires within the notice period of a subscription. */
  | 'CONSENT_EXPIRING'
  /** A change of tenancy was recorded at a meter point with ACTIVE records of the Data User. */
  | 'TENANCY_CHANGE'
  /** A customer has withdrawn consent; the record is already REVOKED. */
  | 'CONSENT_WITHDRAWAL'
  /** A Data User sent a test event to a subscription. */
  | 'WEBHOOK_TEST'
  /** A record was registered. */
  | 'ACCESS_REGISTERED'
  /** The Controller removed its registration. */
  | 'ACCESS_REVOKED'
  /** The expiry of a record has passed. */
  | 'ACCESS_EXPIRED'
  /** The communications operator reported access by an organisation that has not registered it. */
  | 'ACCESS_DISCOVERED'
  /** The organisation of a discovered access has registered it. */
  | 'ACCESS_CLAIMED';

/** Sign-in hints: typed by the customer (email, else mpxn), or from the link by which the customer came (ir). Typed hints take precedence. */
export type SignInEntry = {
  /** The meter point. */
  readonly mpxn?: string | null | undefined;
  /** Key of an Identity Record, from the link of its Data User. */
  readonly ir?: string | null | undefined;
  /** An e-mail address. */
  readonly email?: string | null | undefined;
  /** Return URL. It is ignored unless it is registered for the organisation that sent the customer. */
  readonly returnUrl?: string | null | undefined;
};

/** Selects tariffs: all conditions must hold. */
export type TariffFilter = {
  /** Of this supplier. */
  readonly mpid?: string | null | undefined;
  /** Whether every minute has a price. */
  readonly tariffType?: TariffType | null | undefined;
  /** Kind of energy. */
  readonly fuelType?: FuelType | null | undefined;
  /** Direction of the energy. */
  readonly energyFlow?: EnergyFlow | null | undefined;
  /** How they are paid. */
  readonly paymentMethod?: PaymentMethod | null | undefined;
  /** Region in which the tariffs are offered. */
  readonly ldzRegion?: LdzRegion | null | undefined;
  /** The meter that they are for. */
  readonly meterType?: MeterType | null | undefined;
  /** The customers that they are for. */
  readonly customerType?: CustomerType | null | undefined;
  /** Valid at this instant or later. */
  readonly validFrom?: string | null | undefined;
  /** Valid before this instant. */
  readonly validTo?: string | null | undefined;
  /** On sale at this instant: within the period of sale, before the end of the validity. */
  readonly onSaleAt?: string | null | undefined;
  /** Whose `lastModified` is this instant or later. A tariff becomes readable within a minute after its `lastModified`: to miss no change, send the latest one that you have read, less one minute. */
  readonly modifiedSince?: string | null | undefined;
};

/** Whether every minute of the validity has a price. */
export type TariffType =
  /** Every minute of its validity has a price. */
  | 'STATIC'
  /** A time may have no price here. */
  | 'DYNAMIC';

/** Period over which consumption counts towards the tiers. */
export type TierPeriod =
  /** Each local day. */
  | 'DAY'
  /** Each calendar month. */
  | 'MONTH'
  /** Each year. */
  | 'YEAR';

/** Cause of a state transition. */
export type TransitionCause =
  /** The record was registered. */
  | 'REGISTERED'
  /** The record was replaced by one whose expiry has passed. */
  | 'REPLACED'
  /** The record was revoked. */
  | 'REVOKED'
  /** The customer withdrew consent in a portal. */
  | 'WITHDRAWN'
  /** The Data User was terminated. */
  | 'DATA_USER_TERMINATED'
  /** The expiry passed. */
  | 'EXPIRED'
  /** The communications operator reported the access. */
  | 'DISCOVERED'
  /** The discovered organisation registered its access. The record remains for audit. */
  | 'CLAIMED';

export type ConfirmCeremonyLinkMutationVariables = Exact<{
  secret: string;
  browser?: string | null | undefined;
}>;


export type ConfirmCeremonyLinkMutation = { readonly outcome: { readonly organisation: string, readonly returnUrl: string | null, readonly nextSecret: string | null } };

export type CustomerRecordFragment = { readonly id: string, readonly state: AccessState, readonly legalBasis: LegalBasis | null, readonly purpose: string | null, readonly dataTypes: ReadonlyArray<DataType>, readonly leadControllerName: string | null, readonly registeredAt: string | null, readonly expiry: string | null, readonly recordMetadata: { readonly createdAt: string, readonly controllerArrangement: { readonly controllers: ReadonlyArray<{ readonly name: string, readonly role: ControllerRole, readonly contactUrl: string | null, readonly privacyRightsUrl: string | null }> } }, readonly notice: { readonly sharedNotice: { readonly termsUrl: string, readonly noticeVersion: string } | null, readonly notices: ReadonlyArray<{ readonly controllerName: string, readonly termsUrl: string, readonly noticeVersion: string }> | null } | null, readonly processing: { readonly dataSource: string | null, readonly recipients: ReadonlyArray<{ readonly name: string, readonly role: string, readonly privacyUrl: string | null }> | null }, readonly accessEvent: { readonly revokedAt: string | null }, readonly dataUser: { readonly duid: string, readonly displayName: string, readonly contactUrl: string } | null, readonly transitions: { readonly nodes: ReadonlyArray<{ readonly at: string, readonly cause: TransitionCause }> } | null, readonly versions: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly recordedAt: string, readonly legalBasis: LegalBasis | null, readonly purpose: string | null, readonly dataTypes: ReadonlyArray<DataType>, readonly expiry: string | null, readonly leadControllerName: string | null, readonly replacedSections: ReadonlyArray<RecordSection> }> } | null, readonly discoveredAccess: { readonly organisationName: string, readonly firstSeen: string, readonly lastSeen: string | null, readonly dataTypesObserved: ReadonlyArray<DataType> } | null };

export type CustomerVersionsFragment = { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly recordedAt: string, readonly legalBasis: LegalBasis | null, readonly purpose: string | null, readonly dataTypes: ReadonlyArray<DataType>, readonly expiry: string | null, readonly leadControllerName: string | null, readonly replacedSections: ReadonlyArray<RecordSection> }> };

export type EndCustomerSessionMutationVariables = Exact<{ [key: string]: never; }>;


export type EndCustomerSessionMutation = { readonly endCustomerSession: boolean };

export type FinishPasskeyCeremonyMutationVariables = Exact<{
  secret: string;
  response: object;
}>;


export type FinishPasskeyCeremonyMutation = { readonly outcome: { readonly organisation: string, readonly returnUrl: string | null, readonly nextSecret: string | null } };

export type FinishSupplierSignInMutationVariables = Exact<{
  secret: string;
  callbackUrl: string;
}>;


export type FinishSupplierSignInMutation = { readonly signIn: { readonly token: string } };

export type JudgeContactMutationVariables = Exact<{
  contact: string | number;
  verdict: ContactVerdict;
}>;


export type JudgeContactMutation = { readonly judged: boolean };

export type ListSupplierSignInsQueryVariables = Exact<{ [key: string]: never; }>;


export type ListSupplierSignInsQuery = { readonly suppliers: ReadonlyArray<{ readonly mpid: string, readonly displayName: string }> };

export type MailCeremonyProofMutationVariables = Exact<{
  secret: string;
  language: Language;
}>;


export type MailCeremonyProofMutation = { readonly mailCeremonyProof: boolean };

export type MailContactLinkMutationVariables = Exact<{
  contact: string | number;
  language: Language;
}>;


export type MailContactLinkMutation = { readonly mailed: boolean };

export type ProveContactByLinkMutationVariables = Exact<{
  secret: string;
}>;


export type ProveContactByLinkMutation = { readonly proven: boolean };

export type ProveContactByPasskeyMutationVariables = Exact<{
  secret: string;
  response: object;
}>;


export type ProveContactByPasskeyMutation = { readonly proven: boolean };

export type ReadCeremonyQueryVariables = Exact<{
  secret: string;
}>;


export type ReadCeremonyQuery = { readonly ceremony: { readonly kind: CeremonyKind, readonly organisation: string, readonly proofs: ReadonlyArray<CeremonyProof>, readonly cancelUrl: string | null } | null };

export type ReadContactLinkQueryVariables = Exact<{
  secret: string;
}>;


export type ReadContactLinkQuery = { readonly link: { readonly expiresAt: string } | null };

export type ReadCustomerContactsQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadCustomerContactsQuery = { readonly session: { readonly mpxn: string, readonly isCurrent: boolean, readonly isContested: boolean, readonly mayJudge: boolean, readonly returnUrl: string | null }, readonly contacts: ReadonlyArray<{ readonly id: string, readonly kind: ContactKind, readonly shown: string | null, readonly since: string | null, readonly standing: ContactStanding, readonly dataUsers: ReadonlyArray<{ readonly displayName: string, readonly contactUrl: string } | null> }> };

export type ReadCustomerRecordQueryVariables = Exact<{
  id: string | number;
}>;


export type ReadCustomerRecordQuery = { readonly session: { readonly mpxn: string, readonly moveInDate: string | null, readonly isCurrent: boolean, readonly returnUrl: string | null, readonly returnDuid: string | null, readonly address: { readonly addressLine1: string, readonly addressLine2: string | null, readonly townCity: string, readonly county: string | null, readonly postcode: string } | null }, readonly record: { readonly id: string, readonly state: AccessState, readonly legalBasis: LegalBasis | null, readonly purpose: string | null, readonly dataTypes: ReadonlyArray<DataType>, readonly leadControllerName: string | null, readonly registeredAt: string | null, readonly expiry: string | null, readonly recordMetadata: { readonly createdAt: string, readonly controllerArrangement: { readonly controllers: ReadonlyArray<{ readonly name: string, readonly role: ControllerRole, readonly contactUrl: string | null, readonly privacyRightsUrl: string | null }> } }, readonly notice: { readonly sharedNotice: { readonly termsUrl: string, readonly noticeVersion: string } | null, readonly notices: ReadonlyArray<{ readonly controllerName: string, readonly termsUrl: string, readonly noticeVersion: string }> | null } | null, readonly processing: { readonly dataSource: string | null, readonly recipients: ReadonlyArray<{ readonly name: string, readonly role: string, readonly privacyUrl: string | null }> | null }, readonly accessEvent: { readonly revokedAt: string | null }, readonly dataUser: { readonly duid: string, readonly displayName: string, readonly contactUrl: string } | null, readonly transitions: { readonly nodes: ReadonlyArray<{ readonly at: string, readonly cause: TransitionCause }> } | null, readonly versions: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly recordedAt: string, readonly legalBasis: LegalBasis | null, readonly purpose: string | null, readonly dataTypes: ReadonlyArray<DataType>, readonly expiry: string | null, readonly leadControllerName: string | null, readonly replacedSections: ReadonlyArray<RecordSection> }> } | null, readonly discoveredAccess: { readonly organisationName: string, readonly firstSeen: string, readonly lastSeen: string | null, readonly dataTypesObserved: ReadonlyArray<DataType> } | null } | null };

export type ReadCustomerRecordsQueryVariables = Exact<{
  part: CustomerRecordPart;
  after?: string | null | undefined;
}>;


export type ReadCustomerRecordsQuery = { readonly page: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly state: AccessState, readonly legalBasis: LegalBasis | null, readonly purpose: string | null, readonly dataTypes: ReadonlyArray<DataType>, readonly leadControllerName: string | null, readonly registeredAt: string | null, readonly expiry: string | null, readonly recordMetadata: { readonly createdAt: string, readonly controllerArrangement: { readonly controllers: ReadonlyArray<{ readonly name: string, readonly role: ControllerRole, readonly contactUrl: string | null, readonly privacyRightsUrl: string | null }> } }, readonly notice: { readonly sharedNotice: { readonly termsUrl: string, readonly noticeVersion: string } | null, readonly notices: ReadonlyArray<{ readonly controllerName: string, readonly termsUrl: string, readonly noticeVersion: string }> | null } | null, readonly processing: { readonly dataSource: string | null, readonly recipients: ReadonlyArray<{ readonly name: string, readonly role: string, readonly privacyUrl: string | null }> | null }, readonly accessEvent: { readonly revokedAt: string | null }, readonly dataUser: { readonly duid: string, readonly displayName: string, readonly contactUrl: string } | null, readonly transitions: { readonly nodes: ReadonlyArray<{ readonly at: string, readonly cause: TransitionCause }> } | null, readonly versions: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly recordedAt: string, readonly legalBasis: LegalBasis | null, readonly purpose: string | null, readonly dataTypes: ReadonlyArray<DataType>, readonly expiry: string | null, readonly leadControllerName: string | null, readonly replacedSections: ReadonlyArray<RecordSection> }> } | null, readonly discoveredAccess: { readonly organisationName: string, readonly firstSeen: string, readonly lastSeen: string | null, readonly dataTypesObserved: ReadonlyArray<DataType> } | null }> } };

export type ReadCustomerSessionQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadCustomerSessionQuery = { readonly session: { readonly mpxn: string, readonly moveInDate: string | null, readonly isCurrent: boolean, readonly isContested: boolean, readonly returnUrl: string | null, readonly address: { readonly addressLine1: string, readonly addressLine2: string | null, readonly townCity: string, readonly county: string | null, readonly postcode: string } | null } };

export type ReadEarlierVersionsQueryVariables = Exact<{
  id: string | number;
  after: string;
}>;


export type ReadEarlierVersionsQuery = { readonly record: { readonly versions: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly recordedAt: string, readonly legalBasis: LegalBasis | null, readonly purpose: string | null, readonly dataTypes: ReadonlyArray<DataType>, readonly expiry: string | null, readonly leadControllerName: string | null, readonly replacedSections: ReadonlyArray<RecordSection> }> } | null } | null };

export type ReadSignInLinkQueryVariables = Exact<{
  secret: string;
}>;


export type ReadSignInLinkQuery = { readonly link: { readonly expiresAt: string } | null };

export type ReadWhoLookedQueryVariables = Exact<{
  before?: string | null | undefined;
}>;


export type ReadWhoLookedQuery = { readonly accessLooks: ReadonlyArray<{ readonly organisation: string | null, readonly kind: AccessLookKind, readonly hour: string, readonly count: number }>, readonly identityLooks: ReadonlyArray<{ readonly kind: IdentityLookKind, readonly hour: string, readonly count: number, readonly dataUser: { readonly displayName: string } | null }> };

export type RequestSignInLinkMutationVariables = Exact<{
  entry: SignInEntry;
  language: Language;
}>;


export type RequestSignInLinkMutation = { readonly requestSignInLink: boolean };

export type SignInWithLinkMutationVariables = Exact<{
  secret: string;
  browser?: string | null | undefined;
}>;


export type SignInWithLinkMutation = { readonly signIn: { readonly token: string } };

export type SignInWithPasskeyMutationVariables = Exact<{
  secret: string;
  response: object;
  entry?: SignInEntry | null | undefined;
}>;


export type SignInWithPasskeyMutation = { readonly signIn: { readonly token: string } };

export type StartPasskeyCeremonyMutationVariables = Exact<{
  secret: string;
}>;


export type StartPasskeyCeremonyMutation = { readonly started: { readonly kind: PasskeyCeremonyKind, readonly options: object } };

export type StartPasskeySignInMutationVariables = Exact<{ [key: string]: never; }>;


export type StartPasskeySignInMutation = { readonly started: { readonly secret: string, readonly options: object } };

export type StartSupplierSignInMutationVariables = Exact<{
  mpid: string;
  entry: SignInEntry;
}>;


export type StartSupplierSignInMutation = { readonly started: { readonly secret: string, readonly url: string } };

export type WithdrawConsentMutationVariables = Exact<{
  id: string | number;
}>;


export type WithdrawConsentMutation = { readonly withdrawal: { readonly id: string, readonly revokedAt: string } };

export type ObjectNameFieldsFragment = { readonly mRID: string, readonly type: string, readonly proposedType: string | null, readonly kind: ObjectChangeKind, readonly name: string | null, readonly inBaseModel: { readonly type: string, readonly name: string | null } | null };

export type PrepareBaseModelPublicationMutationVariables = Exact<{
  input: BaseModelPublicationInput;
}>;


export type PrepareBaseModelPublicationMutation = { readonly upload: { readonly address: string, readonly expiresAt: string } };

export type PrepareGridPublicationMutationVariables = Exact<{
  input: GridPublicationInput;
}>;


export type PrepareGridPublicationMutation = { readonly upload: { readonly address: string, readonly expiresAt: string } };

export type ReadAccountNamesQueryVariables = Exact<{
  first: number;
  ids: ReadonlyArray<string | number> | string | number;
}>;


export type ReadAccountNamesQuery = { readonly accounts: { readonly nodes: ReadonlyArray<{ readonly accountId: string, readonly displayName: string, readonly duid: string | null, readonly mpid: string | null }> } };

export type ReadAccountsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  text?: string | null | undefined;
}>;


export type ReadAccountsQuery = { readonly accounts: { readonly nextCursor: string | null, readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly accountId: string, readonly role: AccountRole, readonly displayName: string, readonly status: DataUserStatus, readonly registeredAt: string, readonly duid: string | null, readonly mpid: string | null }> } };

export type ReadAuditQueryVariables = Exact<{
  first: number;
  filter?: AuditFilter | null | undefined;
  afterAccess?: string | null | undefined;
  afterTariffs?: string | null | undefined;
  afterIdentity?: string | null | undefined;
  afterGridModels?: string | null | undefined;
}>;


export type ReadAuditQuery = { readonly access: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly at: string, readonly actor: string, readonly action: string, readonly subject: string, readonly detail: object }> }, readonly tariffs: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly at: string, readonly actor: string, readonly action: string, readonly subject: string, readonly detail: object }> }, readonly identity: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly at: string, readonly actor: string, readonly action: string, readonly subject: string, readonly detail: object }> }, readonly gridModels: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly at: string, readonly actor: string, readonly action: string, readonly subject: string, readonly detail: object }> } };

export type ReadConsoleViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadConsoleViewerQuery = { readonly viewer: { readonly role: AccountRole } };

export type ReadContactCountsQueryVariables = Exact<{
  days: number;
}>;


export type ReadContactCountsQuery = { readonly counts: ReadonlyArray<{ readonly asserted: number, readonly contests: number, readonly rejections: number, readonly isAlert: boolean, readonly dataUser: { readonly duid: string, readonly displayName: string, readonly status: DataUserStatus } | null }> };

export type ReadContactRejectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadContactRejectionsQuery = { readonly rejections: ReadonlyArray<{ readonly since: string | null, readonly requestedBy: string, readonly requestedAt: string, readonly recordsReviewed: number, readonly recordsRemaining: number, readonly contactsRejected: number, readonly finishedAt: string | null, readonly dataUser: { readonly duid: string, readonly displayName: string } | null }> };

export type ReadFailedDeliveriesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type ReadFailedDeliveriesQuery = { readonly deliveries: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly wid: string, readonly eventId: string, readonly eventType: DeliveredEventType, readonly status: DeliveryState, readonly nextAttemptAt: string | null, readonly dataUser: { readonly duid: string, readonly displayName: string }, readonly lastFailure: { readonly at: string, readonly status: number | null, readonly error: string | null } | null }> } };

export type ReadGridAreasQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadGridAreasQuery = { readonly areas: ReadonlyArray<{ readonly code: string, readonly name: string, readonly group: string, readonly aliases: ReadonlyArray<string> }> };

export type ReadGridComparisonQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
  from: number;
  to: number;
  first: number;
  after?: string | null | undefined;
  file?: CimFile | null | undefined;
  kind?: ObjectChangeKind | null | undefined;
}>;


export type ReadGridComparisonQuery = { readonly project: { readonly comparison: { readonly differentFiles: ReadonlyArray<CimFile>, readonly headers: ReadonlyArray<{ readonly file: CimFile, readonly name: string, readonly isAssociation: boolean, readonly before: ReadonlyArray<string>, readonly after: ReadonlyArray<string> }>, readonly counts: ReadonlyArray<{ readonly file: CimFile, readonly added: number, readonly removed: number, readonly changed: number }>, readonly differences: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly file: CimFile, readonly section: DifferenceSection, readonly mRID: string, readonly type: string, readonly name: string | null, readonly kind: ObjectChangeKind, readonly values: ReadonlyArray<{ readonly file: CimFile, readonly name: string, readonly isAssociation: boolean, readonly before: ReadonlyArray<string>, readonly after: ReadonlyArray<string> }> }> } } | null } | null };

export type ReadGridFitQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
  version: number;
  first: number;
  after?: string | null | undefined;
}>;


export type ReadGridFitQuery = { readonly project: { readonly version: { readonly baseModel: { readonly publicationYear: number, readonly period: string, readonly version: number, readonly publishedAt: string, readonly warnings: ReadonlyArray<{ readonly file: CimFile, readonly message: string }>, readonly files: ReadonlyArray<{ readonly file: CimFile, readonly items: number, readonly statements: number, readonly header: { readonly mRID: string, readonly description: string } }> } | null, readonly unfittingObjects: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly mRID: string, readonly type: string, readonly name: string | null, readonly existed: boolean, readonly exists: boolean, readonly findings: ReadonlyArray<{ readonly kind: FindingKind, readonly file: CimFile, readonly mRID: string, readonly name: string, readonly value: string, readonly instead: ReadonlyArray<string> }> }> } | null } | null } | null };

export type ReadGridLocationsQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
  version: number;
  first: number;
  after?: string | null | undefined;
}>;


export type ReadGridLocationsQuery = { readonly project: { readonly version: { readonly locations: { readonly nextCursor: string | null, readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly mRID: string, readonly kind: ObjectChangeKind, readonly name: string | null, readonly object: string | null, readonly objectType: string | null, readonly objectName: string | null, readonly changedObject: string | null, readonly coordinateSystem: string | null, readonly points: ReadonlyArray<{ readonly x: number, readonly y: number }>, readonly pointsBefore: ReadonlyArray<{ readonly x: number, readonly y: number }> }> } } | null } | null };

export type ReadGridNamesAfterQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
  version: number;
  mRIDs: ReadonlyArray<string> | string;
}>;


export type ReadGridNamesAfterQuery = { readonly project: { readonly version: { readonly objectsAfter: ReadonlyArray<{ readonly mRID: string, readonly type: string, readonly name: string | null }> } | null } | null };

export type ReadGridObjectQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
  version: number;
  mRID: string;
  references: number;
  after?: string | null | undefined;
}>;


export type ReadGridObjectQuery = { readonly project: { readonly version: { readonly baseModel: { readonly version: number } | null, readonly object: { readonly files: ReadonlyArray<CimFile>, readonly mRID: string, readonly type: string, readonly proposedType: string | null, readonly kind: ObjectChangeKind, readonly name: string | null, readonly values: ReadonlyArray<{ readonly file: CimFile, readonly name: string, readonly isAssociation: boolean, readonly before: ReadonlyArray<string>, readonly after: ReadonlyArray<string> }>, readonly incomingReferences: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly name: string, readonly file: CimFile, readonly isAdded: boolean, readonly isDeleted: boolean, readonly source: { readonly mRID: string, readonly type: string, readonly proposedType: string | null, readonly kind: ObjectChangeKind, readonly name: string | null, readonly inBaseModel: { readonly type: string, readonly name: string | null } | null } }> }, readonly inBaseModel: { readonly type: string, readonly name: string | null } | null } | null } | null } | null };

export type ReadGridObjectAfterQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
  version: number;
  mRID: string;
}>;


export type ReadGridObjectAfterQuery = { readonly project: { readonly version: { readonly baseModel: { readonly publicationYear: number, readonly period: string, readonly version: number } | null, readonly object: { readonly kind: ObjectChangeKind } | null, readonly objectAfter: { readonly mRID: string, readonly type: string, readonly name: string | null, readonly existed: boolean, readonly exists: boolean, readonly statements: ReadonlyArray<{ readonly file: CimFile, readonly name: string, readonly isAssociation: boolean, readonly value: string, readonly isNew: boolean, readonly targetExists: boolean }>, readonly findings: ReadonlyArray<{ readonly kind: FindingKind, readonly file: CimFile, readonly mRID: string, readonly name: string, readonly value: string, readonly instead: ReadonlyArray<string> }> } | null } | null } | null };

export type ReadGridObjectNamesQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
  version: number;
  mRIDs: ReadonlyArray<string> | string;
}>;


export type ReadGridObjectNamesQuery = { readonly project: { readonly version: { readonly objectsByMRID: ReadonlyArray<{ readonly mRID: string, readonly type: string, readonly proposedType: string | null, readonly kind: ObjectChangeKind, readonly name: string | null, readonly inBaseModel: { readonly type: string, readonly name: string | null } | null }> } | null } | null };

export type ReadGridObjectsQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
  version: number;
  first: number;
  after?: string | null | undefined;
  kind?: ObjectChangeKind | null | undefined;
  type?: string | null | undefined;
  search?: string | null | undefined;
}>;


export type ReadGridObjectsQuery = { readonly project: { readonly version: { readonly objects: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly files: ReadonlyArray<CimFile>, readonly mRID: string, readonly type: string, readonly proposedType: string | null, readonly kind: ObjectChangeKind, readonly name: string | null, readonly inBaseModel: { readonly type: string, readonly name: string | null } | null }> } } | null } | null };

export type ReadGridProjectQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
}>;


export type ReadGridProjectQuery = { readonly project: { readonly publicationYear: number, readonly period: string, readonly projectId: string, readonly licenceArea: { readonly code: string, readonly name: string, readonly group: string }, readonly versions: ReadonlyArray<{ readonly version: number, readonly publishedAt: string }> } | null };

export type ReadGridProjectsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  area?: string | null | undefined;
  publicationYear?: number | null | undefined;
  period?: string | null | undefined;
}>;


export type ReadGridProjectsQuery = { readonly projects: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly publicationYear: number, readonly period: string, readonly projectId: string, readonly licenceArea: { readonly code: string, readonly name: string, readonly group: string }, readonly latestVersion: { readonly version: number, readonly publishedAt: string, readonly classCounts: ReadonlyArray<{ readonly type: string, readonly added: number, readonly removed: number, readonly changed: number }> } }> } };

export type ReadGridVersionQueryVariables = Exact<{
  area: string;
  publicationYear: number;
  period: string;
  projectId: string;
  version: number;
}>;


export type ReadGridVersionQuery = { readonly project: { readonly version: { readonly version: number, readonly publishedAt: string, readonly unplacedPoints: number, readonly baseModel: { readonly publicationYear: number, readonly period: string, readonly version: number, readonly publishedAt: string } | null, readonly archive: { readonly name: string, readonly size: number }, readonly warnings: ReadonlyArray<{ readonly file: CimFile, readonly message: string }>, readonly classCounts: ReadonlyArray<{ readonly type: string, readonly added: number, readonly removed: number, readonly changed: number }>, readonly models: ReadonlyArray<{ readonly file: CimFile, readonly stored: { readonly name: string, readonly size: number }, readonly header: { readonly mRID: string, readonly created: string, readonly scenarioTime: string, readonly modelingAuthoritySet: string, readonly profile: ReadonlyArray<string>, readonly description: string, readonly version: string, readonly supersedes: ReadonlyArray<string> }, readonly forwardDifferences: { readonly items: number, readonly statements: number } | null, readonly reverseDifferences: { readonly items: number, readonly statements: number } | null, readonly preconditions: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly mRID: string, readonly type: string, readonly name: string | null, readonly description: string | null, readonly attributes: ReadonlyArray<{ readonly name: string, readonly value: string }>, readonly associations: ReadonlyArray<{ readonly name: string, readonly target: string }> }> }, readonly dependentOn: ReadonlyArray<{ readonly mRID: string, readonly baseModel: { readonly publicationYear: number, readonly period: string, readonly version: number } | null, readonly models: ReadonlyArray<{ readonly file: CimFile, readonly projectVersion: { readonly version: number, readonly project: { readonly publicationYear: number, readonly period: string, readonly projectId: string, readonly licenceArea: { readonly code: string } } } }> }> }> } | null } | null };

export type ReadLiveEventsQueryVariables = Exact<{
  first: number;
  types?: ReadonlyArray<RegisterEventType> | RegisterEventType | null | undefined;
  duid?: string | null | undefined;
}>;


export type ReadLiveEventsQuery = { readonly events: ReadonlyArray<{ readonly id: string, readonly cursor: string, readonly type: RegisterEventType, readonly occurredAt: string, readonly affectedRecordCount: number | null, readonly daysRemaining: number | null, readonly effectiveDate: string | null, readonly dataUser: { readonly duid: string, readonly displayName: string } | null, readonly transition: { readonly to: AccessState } | null, readonly accessRecord: { readonly discoveredAccess: { readonly organisationName: string } | null } | null }> };

export type ReadLiveFiguresQueryVariables = Exact<{
  minutes: number;
}>;


export type ReadLiveFiguresQuery = { readonly counts: ReadonlyArray<{ readonly minute: string, readonly type: RegisterEventType, readonly count: number }>, readonly health: { readonly pending: number, readonly oldestPendingSeconds: number | null, readonly deliveredLastHour: number, readonly failedAttemptsLastHour: number, readonly faulty: number, readonly undeliveredLastDay: number, readonly subscriptions: ReadonlyArray<{ readonly wid: string, readonly active: boolean, readonly pending: number, readonly failedAttemptsLastHour: number, readonly faulty: number, readonly undelivered: number, readonly lastDeliveredAt: string | null, readonly dataUser: { readonly duid: string, readonly displayName: string } }> } };

export type ReadLiveStartQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadLiveStartQuery = { readonly newest: ReadonlyArray<{ readonly cursor: string }> };

export type ReadTariffQueryVariables = Exact<{
  tariffId: string;
  versionsAfter?: string | null | undefined;
}>;


export type ReadTariffQuery = { readonly registerTime: string, readonly tariff: { readonly description: string | null, readonly version: number, readonly tariffType: TariffType, readonly fuelType: FuelType, readonly energyFlow: EnergyFlow, readonly paymentMethod: PaymentMethod, readonly meterType: MeterType, readonly customerType: CustomerType, readonly ldzRegion: LdzRegion, readonly percentageGreen: number | null, readonly standingCharge: string, readonly standingChargeIncludingVat: string, readonly standingChargeExcludingVat: string | null, readonly tierPeriod: TierPeriod, readonly vatIncluded: boolean, readonly vatRate: number | null, readonly comments: string | null, readonly sellableFrom: string | null, readonly sellableTo: string | null, readonly lastModified: string, readonly supplierStatus: RegisterEntryStatus | null, readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null, readonly rates: ReadonlyArray<{ readonly months: ReadonlyArray<RateMonth>, readonly dates: ReadonlyArray<number> | null, readonly daysAndHours: ReadonlyArray<{ readonly days: ReadonlyArray<RateDay>, readonly hours: ReadonlyArray<{ readonly validFrom: string, readonly validTo: string, readonly rate: ReadonlyArray<{ readonly unitPrice: string, readonly toKwh: string | null }> }> }> }>, readonly supplier: { readonly mpid: string, readonly displayName: string, readonly support: string }, readonly versions: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly version: number, readonly name: string, readonly description: string | null, readonly comments: string | null, readonly percentageGreen: number | null, readonly publishedAt: string }> }, readonly replaces: { readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null, readonly replaces: { readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null, readonly replaces: { readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null, readonly replaces: { readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null } | null } | null } | null } | null, readonly replacedBy: { readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null, readonly replacedBy: { readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null, readonly replacedBy: { readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null, readonly replacedBy: { readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null } | null } | null } | null } | null } | null };

export type NamedTariffFragment = { readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null };

export type ReadTariffPricesQueryVariables = Exact<{
  tariffId: string;
  from: string;
  to: string;
}>;


export type ReadTariffPricesQuery = { readonly tariff: { readonly prices: ReadonlyArray<{ readonly from: string, readonly to: string, readonly unitPriceIncludingVat: string | null, readonly unitPriceExcludingVat: string | null, readonly tiers: ReadonlyArray<{ readonly toKwh: string | null, readonly unitPriceExcludingVat: string | null, readonly unitPriceIncludingVat: string }>, readonly entry: { readonly schedule: number, readonly daysAndHours: number, readonly hours: number } | null }> } | null };

export type ReadTariffSupplierQueryVariables = Exact<{
  mpid: string;
}>;


export type ReadTariffSupplierQuery = { readonly supplier: { readonly mpid: string, readonly displayName: string } | null };

export type ReadTariffSuppliersQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type ReadTariffSuppliersQuery = { readonly registerTime: string, readonly suppliers: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly mpid: string, readonly displayName: string }> } };

export type ReadTariffsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: TariffFilter | null | undefined;
  from: string;
  to: string;
}>;


export type ReadTariffsQuery = { readonly tariffs: { readonly nextCursor: string | null, readonly nodes: ReadonlyArray<{ readonly tariffId: string, readonly name: string, readonly validFrom: string, readonly validTo: string | null, readonly tariffType: TariffType, readonly fuelType: FuelType, readonly energyFlow: EnergyFlow, readonly paymentMethod: PaymentMethod, readonly meterType: MeterType, readonly customerType: CustomerType, readonly ldzRegion: LdzRegion, readonly supplier: { readonly mpid: string, readonly displayName: string }, readonly prices: ReadonlyArray<{ readonly from: string, readonly to: string, readonly unitPriceIncludingVat: string | null, readonly tiers: ReadonlyArray<{ readonly unitPriceIncludingVat: string }> }> }> } };

export type RejectAssertedContactsMutationVariables = Exact<{
  duid: string;
  since?: string | null | undefined;
  dryRun: boolean;
}>;


export type RejectAssertedContactsMutation = { readonly rejection: { readonly recordsRemaining: number, readonly dataUser: { readonly duid: string, readonly displayName: string } | null } };

export type SignInToConsoleMutationVariables = Exact<{
  accountId: string;
  secretKey: string;
}>;


export type SignInToConsoleMutation = { readonly issued: { readonly bearerToken: string } };

/** Result and variables of each operation, by its name. */
export interface Operations {
  ConfirmCeremonyLink: { result: ConfirmCeremonyLinkMutation; variables: ConfirmCeremonyLinkMutationVariables };
  EndCustomerSession: { result: EndCustomerSessionMutation; variables: EndCustomerSessionMutationVariables };
  FinishPasskeyCeremony: { result: FinishPasskeyCeremonyMutation; variables: FinishPasskeyCeremonyMutationVariables };
  FinishSupplierSignIn: { result: FinishSupplierSignInMutation; variables: FinishSupplierSignInMutationVariables };
  JudgeContact: { result: JudgeContactMutation; variables: JudgeContactMutationVariables };
  ListSupplierSignIns: { result: ListSupplierSignInsQuery; variables: ListSupplierSignInsQueryVariables };
  MailCeremonyProof: { result: MailCeremonyProofMutation; variables: MailCeremonyProofMutationVariables };
  MailContactLink: { result: MailContactLinkMutation; variables: MailContactLinkMutationVariables };
  PrepareBaseModelPublication: { result: PrepareBaseModelPublicationMutation; variables: PrepareBaseModelPublicationMutationVariables };
  PrepareGridPublication: { result: PrepareGridPublicationMutation; variables: PrepareGridPublicationMutationVariables };
  ProveContactByLink: { result: ProveContactByLinkMutation; variables: ProveContactByLinkMutationVariables };
  ProveContactByPasskey: { result: ProveContactByPasskeyMutation; variables: ProveContactByPasskeyMutationVariables };
  ReadAccountNames: { result: ReadAccountNamesQuery; variables: ReadAccountNamesQueryVariables };
  ReadAccounts: { result: ReadAccountsQuery; variables: ReadAccountsQueryVariables };
  ReadAudit: { result: ReadAuditQuery; variables: ReadAuditQueryVariables };
  ReadCeremony: { result: ReadCeremonyQuery; variables: ReadCeremonyQueryVariables };
  ReadConsoleViewer: { result: ReadConsoleViewerQuery; variables: ReadConsoleViewerQueryVariables };
  ReadContactCounts: { result: ReadContactCountsQuery; variables: ReadContactCountsQueryVariables };
  ReadContactLink: { result: ReadContactLinkQuery; variables: ReadContactLinkQueryVariables };
  ReadContactRejections: { result: ReadContactRejectionsQuery; variables: ReadContactRejectionsQueryVariables };
  ReadCustomerContacts: { result: ReadCustomerContactsQuery; variables: ReadCustomerContactsQueryVariables };
  ReadCustomerRecord: { result: ReadCustomerRecordQuery; variables: ReadCustomerRecordQueryVariables };
  ReadCustomerRecords: { result: ReadCustomerRecordsQuery; variables: ReadCustomerRecordsQueryVariables };
  ReadCustomerSession: { result: ReadCustomerSessionQuery; variables: ReadCustomerSessionQueryVariables };
  ReadEarlierVersions: { result: ReadEarlierVersionsQuery; variables: ReadEarlierVersionsQueryVariables };
  ReadFailedDeliveries: { result: ReadFailedDeliveriesQuery; variables: ReadFailedDeliveriesQueryVariables };
  ReadGridAreas: { result: ReadGridAreasQuery; variables: ReadGridAreasQueryVariables };
  ReadGridComparison: { result: ReadGridComparisonQuery; variables: ReadGridComparisonQueryVariables };
  ReadGridFit: { result: ReadGridFitQuery; variables: ReadGridFitQueryVariables };
  ReadGridLocations: { result: ReadGridLocationsQuery; variables: ReadGridLocationsQueryVariables };
  ReadGridNamesAfter: { result: ReadGridNamesAfterQuery; variables: ReadGridNamesAfterQueryVariables };
  ReadGridObject: { result: ReadGridObjectQuery; variables: ReadGridObjectQueryVariables };
  ReadGridObjectAfter: { result: ReadGridObjectAfterQuery; variables: ReadGridObjectAfterQueryVariables };
  ReadGridObjectNames: { result: ReadGridObjectNamesQuery; variables: ReadGridObjectNamesQueryVariables };
  ReadGridObjects: { result: ReadGridObjectsQuery; variables: ReadGridObjectsQueryVariables };
  ReadGridProject: { result: ReadGridProjectQuery; variables: ReadGridProjectQueryVariables };
  ReadGridProjects: { result: ReadGridProjectsQuery; variables: ReadGridProjectsQueryVariables };
  ReadGridVersion: { result: ReadGridVersionQuery; variables: ReadGridVersionQueryVariables };
  ReadLiveEvents: { result: ReadLiveEventsQuery; variables: ReadLiveEventsQueryVariables };
  ReadLiveFigures: { result: ReadLiveFiguresQuery; variables: ReadLiveFiguresQueryVariables };
  ReadLiveStart: { result: ReadLiveStartQuery; variables: ReadLiveStartQueryVariables };
  ReadSignInLink: { result: ReadSignInLinkQuery; variables: ReadSignInLinkQueryVariables };
  ReadTariff: { result: ReadTariffQuery; variables: ReadTariffQueryVariables };
  ReadTariffPrices: { result: ReadTariffPricesQuery; variables: ReadTariffPricesQueryVariables };
  ReadTariffSupplier: { result: ReadTariffSupplierQuery; variables: ReadTariffSupplierQueryVariables };
  ReadTariffSuppliers: { result: ReadTariffSuppliersQuery; variables: ReadTariffSuppliersQueryVariables };
  ReadTariffs: { result: ReadTariffsQuery; variables: ReadTariffsQueryVariables };
  ReadWhoLooked: { result: ReadWhoLookedQuery; variables: ReadWhoLookedQueryVariables };
  RejectAssertedContacts: { result: RejectAssertedContactsMutation; variables: RejectAssertedContactsMutationVariables };
  RequestSignInLink: { result: RequestSignInLinkMutation; variables: RequestSignInLinkMutationVariables };
  SignInToConsole: { result: SignInToConsoleMutation; variables: SignInToConsoleMutationVariables };
  SignInWithLink: { result: SignInWithLinkMutation; variables: SignInWithLinkMutationVariables };
  SignInWithPasskey: { result: SignInWithPasskeyMutation; variables: SignInWithPasskeyMutationVariables };
  StartPasskeyCeremony: { result: StartPasskeyCeremonyMutation; variables: StartPasskeyCeremonyMutationVariables };
  StartPasskeySignIn: { result: StartPasskeySignInMutation; variables: StartPasskeySignInMutationVariables };
  StartSupplierSignIn: { result: StartSupplierSignInMutation; variables: StartSupplierSignInMutationVariables };
  WithdrawConsent: { result: WithdrawConsentMutation; variables: WithdrawConsentMutationVariables };
}

/** Names of the mutations among the operations. */
export const MUTATIONS: ReadonlySet<string> = new Set([
  'ConfirmCeremonyLink',
  'EndCustomerSession',
  'FinishPasskeyCeremony',
  'FinishSupplierSignIn',
  'JudgeContact',
  'MailCeremonyProof',
  'MailContactLink',
  'PrepareBaseModelPublication',
  'PrepareGridPublication',
  'ProveContactByLink',
  'ProveContactByPasskey',
  'RejectAssertedContacts',
  'RequestSignInLink',
  'SignInToConsole',
  'SignInWithLink',
  'SignInWithPasskey',
  'StartPasskeyCeremony',
  'StartPasskeySignIn',
  'StartSupplierSignIn',
  'WithdrawConsent',
]);
