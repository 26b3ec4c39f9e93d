import type { ErrorCode } from '../../../../schema/error-catalogue';
import type { Violation } from '../../../../schema/register-error';
import type { RegistrationRule } from './registration-rule';

/**
 * Fields that the register sets (specification, record-metadata and access-event; rejected condition 1). A client may send back its own
 * `duid` and the jurisdiction `GB`.
 */
export const readOnlyFields: RegistrationRule = ({ recordMetadata, accessEvent, processing }, { duid }) => {
  const supplied = (code: ErrorCode, path: string[], message: string): Violation => ({ code, path, message });
  const violations: Violation[] = [];
  if (recordMetadata.recordIdentifier != null) {
    violations.push(
      supplied(
        'VAL004',
        ['recordMetadata', 'recordIdentifier'],
        'is assigned by the register and must not be supplied',
      ),
    );
  }
  if (recordMetadata.createdAt != null) {
    violations.push(
      supplied('VAL004', ['recordMetadata', 'createdAt'], 'is assigned by the register and must not be supplied'),
    );
  }
  if (accessEvent.revokedAt != null) {
    violations.push(
      supplied('VAL004', ['accessEvent', 'revokedAt'], 'is set by the register on revocation and must not be supplied'),
    );
  }
  if (recordMetadata.duid != null && recordMetadata.duid !== duid) {
    violations.push(supplied('VAL004', ['recordMetadata', 'duid'], 'is not the Data User of the token'));
  }
  if (processing.jurisdiction != null && processing.jurisdiction !== 'GB') {
    violations.push(supplied('VAL003', ['processing', 'jurisdiction'], 'must be GB'));
  }
  return violations;
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
