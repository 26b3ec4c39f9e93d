import type { ErrorCode } from '../../../../schema/error-catalogue';
import type { RegistrationRule } from './registration-rule';

const ASSIGNED = 'is assigned by the register and must not be supplied';
const SET_ON_REVOCATION = 'is set by the register on revocation and must not be supplied';

/**
 * Fields that the register sets (specification, record-metadata and access-event; rejected condition 1). A client may send back its own
 * `duid` and the jurisdiction `GB`.
 */
export const readOnlyFields: RegistrationRule = ({ recordMetadata, accessEvent, processing }, { duid }) => {
  const fields: readonly (readonly [isRejected: boolean, code: ErrorCode, path: string[], message: string])[] = [
    [recordMetadata.recordIdentifier != null, 'VAL004', ['recordMetadata', 'recordIdentifier'], ASSIGNED],
    [recordMetadata.createdAt != null, 'VAL004', ['recordMetadata', 'createdAt'], ASSIGNED],
    [accessEvent.revokedAt != null, 'VAL004', ['accessEvent', 'revokedAt'], SET_ON_REVOCATION],
    [(recordMetadata.duid ?? duid) !== duid, 'VAL004', ['recordMetadata', 'duid'], 'is not the Data User of the token'],
    [(processing.jurisdiction ?? 'GB') !== 'GB', 'VAL003', ['processing', 'jurisdiction'], 'must be GB'],
  ];
  return fields.flatMap(([isRejected, code, path, message]) => (isRejected ? [{ code, path, message }] : []));
};

const STATE = ['accessEvent', 'state'];

/**
 * The state that a client may supply (decisions A/B, 3): ACTIVE; in a POST also EXPIRED with a past expiry, for a historic record. Only a
 * revocation sets REVOKED, only the communications operator DISCOVERED.
 */
export const registeredState: RegistrationRule = ({ accessEvent }, { now, replaces }) => {
  const { state, expiry } = accessEvent;
  if (state === 'ACTIVE') return [];
  if (state !== 'EXPIRED' || replaces) {
    return [
      {
        code: 'VAL003',
        path: STATE,
        message: replaces ? 'must be ACTIVE' : 'must be ACTIVE, or EXPIRED for a historic record',
      },
    ];
  }
  const past = expiry != null && expiry.getTime() <= now.getTime();
  return past ? [] : [{ code: 'VAL003', path: STATE, message: 'EXPIRED requires an expiry in the past' }];
};
