import type { ServiceQuery } from '../service-query';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** State of a re-identification. */
export type ReidentificationState =
  /** The customer can still confirm it. */
  | 'PENDING'
  /** The customer confirmed it; the token can be used until one hour after its issuance. */
  | 'CONFIRMED'
  /** It was not confirmed in time, one hour has passed since its issuance, its token was redeemed, its occupancy ended, its Identity Record was closed, all contacts of its customer were rejected, the one that confirmed it was rejected or removed, or, by meter point, contacts of the current occupancy are contested. */
  | 'EXPIRED';

export type CustomerAdmissionQueryVariables = Exact<{
  token: string;
}>;


export type CustomerAdmissionQuery = { readonly customerScope: { readonly sessionId: string, readonly retryAfter: number | null } | null };

export type CustomerScopeQueryVariables = Exact<{
  token: string;
}>;


export type CustomerScopeQuery = { readonly customerScope: { readonly meterPointId: string, readonly ownRecordIds: ReadonlyArray<string>, readonly isCurrent: boolean, readonly isContested: boolean, readonly since: string, readonly beganAt: string | null, readonly endedAt: string | null } | null };

export type KeepDiscoveredMeterPointMutationVariables = Exact<{
  mpxn: string;
}>;


export type KeepDiscoveredMeterPointMutation = { readonly keepDiscoveredMeterPoint: { readonly meterPointId: string } };

export type MpxnsOfIdentityRecordsQueryVariables = Exact<{
  ids: ReadonlyArray<string | number> | string | number;
}>;


export type MpxnsOfIdentityRecordsQuery = { readonly identityRecordMpxns: ReadonlyArray<{ readonly mpxn: string | null, readonly canBeOpened: boolean }> };

export type ReidentificationProofQueryVariables = Exact<{
  token: string;
}>;


export type ReidentificationProofQuery = { readonly reidentificationProof: { readonly initiator: string, readonly identityRecordId: string, readonly meterPointId: string | null, readonly status: ReidentificationState, readonly expiresAt: string, readonly anonymised: boolean, readonly closing: boolean, readonly ownRecordIds: ReadonlyArray<string>, readonly since: string | null, readonly beganAt: string | null } | null };

export type SourceReferenceOfChangeQueryVariables = Exact<{
  id: string | number;
}>;


export type SourceReferenceOfChangeQuery = { readonly changeOfTenancySourceReference: string | null };

export type VouchForIdentityRecordsQueryVariables = Exact<{
  refs: ReadonlyArray<string> | string;
}>;


export type VouchForIdentityRecordsQuery = { readonly identityRecordLinks: ReadonlyArray<{ readonly id: string, readonly duid: string, readonly meterPointId: string | null, readonly anonymised: boolean, readonly closing: boolean } | null> };

export const CustomerAdmission: ServiceQuery<CustomerAdmissionQuery, CustomerAdmissionQueryVariables> = {
  text: "query CustomerAdmission($token: String!) {\n  customerScope(token: $token) {\n    sessionId\n    retryAfter\n  }\n}",
};

export const CustomerScope: ServiceQuery<CustomerScopeQuery, CustomerScopeQueryVariables> = {
  text: "query CustomerScope($token: String!) {\n  customerScope(token: $token) {\n    meterPointId\n    ownRecordIds\n    isCurrent\n    isContested\n    since\n    beganAt\n    endedAt\n  }\n}",
};

export const KeepDiscoveredMeterPoint: ServiceQuery<KeepDiscoveredMeterPointMutation, KeepDiscoveredMeterPointMutationVariables> = {
  text: "mutation KeepDiscoveredMeterPoint($mpxn: MPxN!) {\n  keepDiscoveredMeterPoint(mpxn: $mpxn) {\n    meterPointId\n  }\n}",
};

export const MpxnsOfIdentityRecords: ServiceQuery<MpxnsOfIdentityRecordsQuery, MpxnsOfIdentityRecordsQueryVariables> = {
  text: "query MpxnsOfIdentityRecords($ids: [ID!]!) {\n  identityRecordMpxns(ids: $ids) {\n    mpxn\n    canBeOpened\n  }\n}",
};

export const ReidentificationProof: ServiceQuery<ReidentificationProofQuery, ReidentificationProofQueryVariables> = {
  text: "query ReidentificationProof($token: TokenRef!) {\n  reidentificationProof(token: $token) {\n    initiator\n    identityRecordId\n    meterPointId\n    status\n    expiresAt\n    anonymised\n    closing\n    ownRecordIds\n    since\n    beganAt\n  }\n}",
};

export const SourceReferenceOfChange: ServiceQuery<SourceReferenceOfChangeQuery, SourceReferenceOfChangeQueryVariables> = {
  text: "query SourceReferenceOfChange($id: ID!) {\n  changeOfTenancySourceReference(id: $id)\n}",
};

export const VouchForIdentityRecords: ServiceQuery<VouchForIdentityRecordsQuery, VouchForIdentityRecordsQueryVariables> = {
  text: "query VouchForIdentityRecords($refs: [IdentityRecordKey!]!) {\n  identityRecordLinks(refs: $refs) {\n    id\n    duid\n    meterPointId\n    anonymised\n    closing\n  }\n}",
};
