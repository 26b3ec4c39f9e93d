/** The fields of an access record in a request that the rules use; generated requests also contain the others. */
export interface WireRecord {
  'record-metadata': {
    'schema-version': string;
    'record-identifier'?: string;
    'created-at'?: string;
    'identity-record-ref'?: string | null;
    duid?: string;
    'controller-arrangement': {
      'arrangement-type': 'sole' | 'joint' | 'group';
      'art26-reference'?: string | null;
      controllers: WireController[];
    };
  };
  notice: WireNotice | null;
  processing: {
    'legal-basis': string;
    purpose: string;
    'data-types': string[];
    'data-source'?: string;
    recipients?: { name: string; role: string; 'privacy-url'?: string }[];
  };
  'access-event': {
    state: string;
    'registered-at': string;
    expiry: string | null;
    'controller-reference'?: string;
    consent?: { 'consent-type': string; method?: string } | null;
    'revoked-at'?: string;
  };
  'reidentification-token'?: string | null;
}

/** A controller in a request. */
export interface WireController {
  name: string;
  role: string;
  'contact-url': string;
  'privacy-rights-url'?: string;
  'lia-reference'?: string | null;
  'statutory-reference'?: string | null;
  address?: Record<string, string | null>;
  'storage-conditions'?: { location: string; 'retention-period': string } | null;
}

/** The notice in a request. */
export interface WireNotice {
  'shared-notice'?: WireNoticeDetail | null;
  notices?: (WireNoticeDetail & { 'controller-name': string })[] | null;
}

/** A notice to the customer in a request. */
export interface WireNoticeDetail {
  'terms-url': string;
  'notice-version': string;
  'notice-language'?: string;
}

/** The two legal bases that have a notice and a consent. */
export const CONSENT_BASES = ['uk-consent', 'uk-explicit-consent'];
