import type { ServiceQuery } from '../service-query';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
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

/** Internal: origin of a request of Interface B. */
export type LegacyRequestInput = {
  /** The account of the caller. */
  readonly accountId: string | number;
  /** DUID of the account. */
  readonly duid: string;
  /** Idempotency key of the request. */
  readonly idempotencyKey?: string | null | undefined;
  /** Keyed hash of the content of the request. */
  readonly contentHash: string;
};

/** Internal: claims of a bearer token whose signature is verified. */
export type AccountTokenInput = {
  /** Series of the tokens of the account at the sign-in; null before the first revocation. */
  readonly series?: string | null | undefined;
  /** Start of its validity. */
  readonly validFrom: string;
  /** End of its validity. */
  readonly expiresAt: string;
};

/** Internal: the Identity Record of a consent. */
export type ConsentedIdentityRecordInput = {
  /** Internal identifier. */
  readonly id: string | number;
  /** Its key. */
  readonly ref: string;
  /** Opaque id of its meter point. */
  readonly meterPointId: string | number;
};

/** Internal: a consent of Interface B without personal data. */
export type LegacyConsentInput = {
  /** When the customer consented. */
  readonly consentDate: string;
  /** The Data User's own reference. */
  readonly userDefinedReference?: string | null | undefined;
  /** Terms that the customer agreed to. */
  readonly termsUrl: string;
  /** When the consent ends. */
  readonly consentExpiry?: string | null | undefined;
  /** How consent was given. */
  readonly method: string;
  /** Categories of data that are covered. */
  readonly dataTypes: ReadonlyArray<DataType>;
};

export type AccountStandingsQueryVariables = Exact<{
  accountIds: ReadonlyArray<string> | string;
}>;


export type AccountStandingsQuery = { readonly accountStandings: ReadonlyArray<{ readonly accountId: string, readonly active: boolean, readonly role: AccountRole, readonly duid: string | null, readonly tokenSeries: string | null, readonly now: string }> };

export type AdmissionQueryVariables = Exact<{
  accountId: string;
  token: AccountTokenInput;
  isCounted: boolean;
}>;


export type AdmissionQuery = { readonly admission: { readonly allowed: boolean, readonly retryAfter: number | null, readonly role: string, readonly duid: string | null, readonly mpid: string | null } | null };

export type EventLogQueryVariables = Exact<{
  after?: string | null | undefined;
  first: number;
  owner?: string | null | undefined;
  types?: ReadonlyArray<RegisterEventType> | RegisterEventType | null | undefined;
}>;


export type EventLogQuery = { readonly log: { readonly cursor: string, readonly entries: ReadonlyArray<{ readonly id: string, readonly cursor: string, readonly type: RegisterEventType, readonly owner: string | null }> } };

export type LiveSupplierKeysQueryVariables = Exact<{
  keyIds: ReadonlyArray<string | number> | string | number;
}>;


export type LiveSupplierKeysQuery = { readonly liveSupplierKeys: ReadonlyArray<string> };

export type SupplierAdmissionQueryVariables = Exact<{
  key: string;
  isCounted: boolean;
}>;


export type SupplierAdmissionQuery = { readonly supplierAdmission: { readonly accountId: string, readonly mpid: string, readonly keyId: string, readonly retryAfter: number | null } | null };

export type UploadingAccountsQueryVariables = Exact<{
  accountIds: ReadonlyArray<string> | string;
}>;


export type UploadingAccountsQuery = { readonly accountStandings: ReadonlyArray<{ readonly active: boolean, readonly tokenSeries: string | null }> };

export type AnnounceChangeOfTenancyMutationVariables = Exact<{
  id: string | number;
  meterPointId: string | number;
  effectiveDate: string;
}>;


export type AnnounceChangeOfTenancyMutation = { readonly announceChangeOfTenancy: { readonly activeRecordsAffected: number, readonly dataUsersNotified: ReadonlyArray<string> } };

export type CloseIdentityRecordMutationVariables = Exact<{
  id: string | number;
  duid: string;
}>;


export type CloseIdentityRecordMutation = { readonly closeIdentityRecord: { readonly closed: boolean, readonly refused: boolean } };

export type IsTokenRedeemedQueryVariables = Exact<{
  token: string;
}>;


export type IsTokenRedeemedQuery = { readonly isTokenRedeemed: boolean };

export type OrganisationsQueryVariables = Exact<{
  duids: ReadonlyArray<string> | string;
}>;


export type OrganisationsQuery = { readonly organisations: ReadonlyArray<{ readonly displayName: string, readonly status: string, readonly returnUrls: ReadonlyArray<string>, readonly mayAssertVerified: boolean, readonly tokenSeries: string | null } | null> };

export type RecordConsentMutationVariables = Exact<{
  request: LegacyRequestInput;
  consent: LegacyConsentInput;
  identityRecord: ConsentedIdentityRecordInput;
}>;


export type RecordConsentMutation = { readonly recorded: { readonly key: string, readonly consentExpiry: string | null, readonly replayed: boolean } };

export type SettleIdentityRecordMutationVariables = Exact<{
  id: string | number;
}>;


export type SettleIdentityRecordMutation = { readonly linked: boolean };

export type ShownConsentsQueryVariables = Exact<{
  meterPointId: string | number;
  duid: string;
  withOthers: boolean;
}>;


export type ShownConsentsQuery = { readonly shown: ReadonlyArray<{ readonly duid: string, readonly identityRecordId: string | null, readonly consentDate: string, readonly userDefinedReference: string | null, readonly termsUrl: string, readonly consentExpiry: string | null, readonly method: string, readonly dataTypes: ReadonlyArray<DataType> }> };

export type StandingConsentQueryVariables = Exact<{
  request: LegacyRequestInput;
  ck: string;
}>;


export type StandingConsentQuery = { readonly kept: { readonly key: string, readonly consentExpiry: string | null, readonly replayed: boolean } | null, readonly standing: { readonly duid: string, readonly state: AccessState, readonly identityRecordId: string, readonly meterPointId: string | null } | null };

export type SupplierClientQueryVariables = Exact<{
  mpid: string;
}>;


export type SupplierClientQuery = { readonly supplierClient: { readonly issuer: string, readonly clientId: string, readonly clientSecret: string } | null };

export type SupplierSignInsQueryVariables = Exact<{ [key: string]: never; }>;


export type SupplierSignInsQuery = { readonly supplierSignIns: ReadonlyArray<{ readonly mpid: string }> };

export type UpdateConsentMutationVariables = Exact<{
  request: LegacyRequestInput;
  ck: string;
  consent: LegacyConsentInput;
  identityRecord?: ConsentedIdentityRecordInput | null | undefined;
  stillLinkedTo?: string | number | null | undefined;
}>;


export type UpdateConsentMutation = { readonly recorded: { readonly key: string, readonly consentExpiry: string | null, readonly replayed: boolean } | null };

export const AccountStandings: ServiceQuery<AccountStandingsQuery, AccountStandingsQueryVariables> = {
  text: "query AccountStandings($accountIds: [String!]!) {\n  accountStandings(accountIds: $accountIds) {\n    accountId\n    active\n    role\n    duid\n    tokenSeries\n    now\n  }\n}",
};

export const Admission: ServiceQuery<AdmissionQuery, AdmissionQueryVariables> = {
  text: "query Admission($accountId: String!, $token: AccountTokenInput!, $isCounted: Boolean!) {\n  admission(accountId: $accountId, token: $token, isCounted: $isCounted) {\n    allowed\n    retryAfter\n    role\n    duid\n    mpid\n  }\n}",
};

export const AnnounceChangeOfTenancy: ServiceQuery<AnnounceChangeOfTenancyMutation, AnnounceChangeOfTenancyMutationVariables> = {
  text: "mutation AnnounceChangeOfTenancy($id: ID!, $meterPointId: ID!, $effectiveDate: Date!) {\n  announceChangeOfTenancy(\n    id: $id\n    meterPointId: $meterPointId\n    effectiveDate: $effectiveDate\n  ) {\n    activeRecordsAffected\n    dataUsersNotified\n  }\n}",
};

export const CloseIdentityRecord: ServiceQuery<CloseIdentityRecordMutation, CloseIdentityRecordMutationVariables> = {
  text: "mutation CloseIdentityRecord($id: ID!, $duid: DUID!) {\n  closeIdentityRecord(id: $id, duid: $duid) {\n    closed\n    refused\n  }\n}",
};

export const EventLog: ServiceQuery<EventLogQuery, EventLogQueryVariables> = {
  text: "query EventLog($after: String, $first: Int!, $owner: DUID, $types: [RegisterEventType!]) {\n  log: eventLog(after: $after, first: $first, duid: $owner, types: $types) {\n    cursor\n    entries {\n      id\n      cursor\n      type\n      owner: duid\n    }\n  }\n}",
};

export const IsTokenRedeemed: ServiceQuery<IsTokenRedeemedQuery, IsTokenRedeemedQueryVariables> = {
  text: "query IsTokenRedeemed($token: TokenRef!) {\n  isTokenRedeemed(token: $token)\n}",
};

export const LiveSupplierKeys: ServiceQuery<LiveSupplierKeysQuery, LiveSupplierKeysQueryVariables> = {
  text: "query LiveSupplierKeys($keyIds: [ID!]!) {\n  liveSupplierKeys(keyIds: $keyIds)\n}",
};

export const Organisations: ServiceQuery<OrganisationsQuery, OrganisationsQueryVariables> = {
  text: "query Organisations($duids: [DUID!]!) {\n  organisations(duids: $duids) {\n    displayName\n    status\n    returnUrls\n    mayAssertVerified\n    tokenSeries\n  }\n}",
};

export const RecordConsent: ServiceQuery<RecordConsentMutation, RecordConsentMutationVariables> = {
  text: "mutation RecordConsent($request: LegacyRequestInput!, $consent: LegacyConsentInput!, $identityRecord: ConsentedIdentityRecordInput!) {\n  recorded: recordConsent(\n    request: $request\n    consent: $consent\n    identityRecord: $identityRecord\n  ) {\n    key\n    consentExpiry\n    replayed\n  }\n}",
};

export const SettleIdentityRecord: ServiceQuery<SettleIdentityRecordMutation, SettleIdentityRecordMutationVariables> = {
  text: "mutation SettleIdentityRecord($id: ID!) {\n  linked: settleIdentityRecord(id: $id)\n}",
};

export const ShownConsents: ServiceQuery<ShownConsentsQuery, ShownConsentsQueryVariables> = {
  text: "query ShownConsents($meterPointId: ID!, $duid: DUID!, $withOthers: Boolean!) {\n  shown: shownConsents(\n    meterPointId: $meterPointId\n    duid: $duid\n    withOthers: $withOthers\n  ) {\n    duid\n    identityRecordId\n    consentDate\n    userDefinedReference\n    termsUrl\n    consentExpiry\n    method\n    dataTypes\n  }\n}",
};

export const StandingConsent: ServiceQuery<StandingConsentQuery, StandingConsentQueryVariables> = {
  text: "query StandingConsent($request: LegacyRequestInput!, $ck: ConsentKey!) {\n  kept: keptConsent(request: $request) {\n    key\n    consentExpiry\n    replayed\n  }\n  standing: standingConsent(ck: $ck) {\n    duid\n    state\n    identityRecordId\n    meterPointId\n  }\n}",
};

export const SupplierAdmission: ServiceQuery<SupplierAdmissionQuery, SupplierAdmissionQueryVariables> = {
  text: "query SupplierAdmission($key: String!, $isCounted: Boolean!) {\n  supplierAdmission(key: $key, isCounted: $isCounted) {\n    accountId\n    mpid\n    keyId\n    retryAfter\n  }\n}",
};

export const SupplierClient: ServiceQuery<SupplierClientQuery, SupplierClientQueryVariables> = {
  text: "query SupplierClient($mpid: String!) {\n  supplierClient(mpid: $mpid) {\n    issuer\n    clientId\n    clientSecret\n  }\n}",
};

export const SupplierSignIns: ServiceQuery<SupplierSignInsQuery, SupplierSignInsQueryVariables> = {
  text: "query SupplierSignIns {\n  supplierSignIns {\n    mpid\n  }\n}",
};

export const UpdateConsent: ServiceQuery<UpdateConsentMutation, UpdateConsentMutationVariables> = {
  text: "mutation UpdateConsent($request: LegacyRequestInput!, $ck: ConsentKey!, $consent: LegacyConsentInput!, $identityRecord: ConsentedIdentityRecordInput, $stillLinkedTo: ID) {\n  recorded: updateRecordedConsent(\n    request: $request\n    ck: $ck\n    consent: $consent\n    identityRecord: $identityRecord\n    stillLinkedTo: $stillLinkedTo\n  ) {\n    key\n    consentExpiry\n    replayed\n  }\n}",
};

export const UploadingAccounts: ServiceQuery<UploadingAccountsQuery, UploadingAccountsQueryVariables> = {
  text: "query UploadingAccounts($accountIds: [String!]!) {\n  accountStandings(accountIds: $accountIds) {\n    active\n    tokenSeries\n  }\n}",
};
