import type { Caller } from '../../subgraphs/server/callers/caller';
import { newMpxn } from './customers';

export const REGISTER_CONSENT = `mutation ($input: ConsentRegistrationInput!, $ck: ConsentKey, $key: String) {
  registerConsent(input: $input, ck: $ck, idempotencyKey: $key) { consentToken { key consentExpiry } isNew replayed } }`;

export const ADDRESS = { addressLine1: '9 Kestrel Mews', townCity: 'Otterby', postcode: 'OX1 2JD' };
export const EVIDENCE = {
  consentDate: '2026-01-12T10:00:00.000Z',
  userDefinedReference: 'REF-77',
  termsUrl: 'https://larkhill.example/terms',
  method: 'Web form',
};

/** Returns a consent in the caller's form. */
export function consentOf(caller: Pick<Caller, 'duid'>, mpxn = newMpxn(), evidence: object = {}, change: object = {}) {
  return {
    duid: caller.duid,
    moveInDate: '2022-03-01',
    evidence: { ...EVIDENCE, mpxn, address: ADDRESS, ...evidence },
    dataType: ['HH_CONSUMPTION', 'ANNUAL_EXPORT'],
    ...change,
  };
}
