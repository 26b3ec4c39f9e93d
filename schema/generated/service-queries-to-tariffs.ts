import type { ServiceQuery } from '../service-query';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** What happened to the tariff of an MPxN, to its supplier, or to a consent. */
export type TariffEventType =
  /** The MPxN moved to an unrelated tariff, or to a tariff of its new supplier, or no tariff applies to it any more. */
  | 'TARIFF_CHANGE'
  /** A tariff that replaces the MPxN's tariff took effect. */
  | 'TARIFF_UPDATE'
  /** The tariff of another supplier took effect, whose assignment started at most 90 days after that of the former supplier ended; RTI Users of the former supplier receive the event. */
  | 'SUPPLIER_CHANGE'
  /** The consent no longer shares the tariffs of the MPxN. */
  | 'CONSENT_REVOKED'
  /** The supplier left the register. It concerns no MPxN. */
  | 'SUPPLIER_CESSATION';

export type ActiveSuppliersQueryVariables = Exact<{
  mpids: ReadonlyArray<string> | string;
}>;


export type ActiveSuppliersQuery = { readonly activeSuppliers: ReadonlyArray<string> };

export type ConsumerAdmissionQueryVariables = Exact<{
  token: string;
  isCounted: boolean;
}>;


export type ConsumerAdmissionQuery = { readonly consumerAdmission: { readonly mpid: string, readonly issuer: string, readonly subject: string, readonly userId: string, readonly mpxns: ReadonlyArray<string>, readonly scopes: ReadonlyArray<string>, readonly issuedAt: string, readonly inactive: string | null, readonly retryAfter: number | null } };

export type TariffEventAdmissionQueryVariables = Exact<{ [key: string]: never; }>;


export type TariffEventAdmissionQuery = { readonly tariffEvents: { readonly nextCursor: string | null } };

export type TariffEventLogQueryVariables = Exact<{
  after?: string | null | undefined;
  first: number;
  owner?: string | null | undefined;
  types?: ReadonlyArray<TariffEventType> | TariffEventType | null | undefined;
}>;


export type TariffEventLogQuery = { readonly log: { readonly cursor: string, readonly entries: ReadonlyArray<{ readonly id: string, readonly cursor: string, readonly type: TariffEventType, readonly owner: string }> } };

export const ActiveSuppliers: ServiceQuery<ActiveSuppliersQuery, ActiveSuppliersQueryVariables> = {
  text: "query ActiveSuppliers($mpids: [String!]!) {\n  activeSuppliers(mpids: $mpids)\n}",
};

export const ConsumerAdmission: ServiceQuery<ConsumerAdmissionQuery, ConsumerAdmissionQueryVariables> = {
  text: "query ConsumerAdmission($token: String!, $isCounted: Boolean!) {\n  consumerAdmission(token: $token, isCounted: $isCounted) {\n    mpid\n    issuer\n    subject\n    userId\n    mpxns\n    scopes\n    issuedAt\n    inactive\n    retryAfter\n  }\n}",
};

export const TariffEventAdmission: ServiceQuery<TariffEventAdmissionQuery, TariffEventAdmissionQueryVariables> = {
  text: "query TariffEventAdmission {\n  tariffEvents(first: 1) {\n    nextCursor\n  }\n}",
};

export const TariffEventLog: ServiceQuery<TariffEventLogQuery, TariffEventLogQueryVariables> = {
  text: "query TariffEventLog($after: String, $first: Int!, $owner: String, $types: [TariffEventType!]) {\n  log: tariffEventLog(\n    after: $after\n    first: $first\n    filter: {mpid: $owner, types: $types}\n  ) {\n    cursor\n    entries {\n      id\n      cursor\n      type\n      owner: mpid\n    }\n  }\n}",
};
