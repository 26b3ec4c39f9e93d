import type { ErrorCode } from '../../../schema/error-catalogue';
import type { Violation } from '../../../schema/register-error';
import type { RegistrationRule } from './registration-rules';

/**
 * Fields that the register sets (1-specification.md, record-metadata and access-event; rejected condition 1). A client may send
 * back its own `duid` and the jurisdiction `GB` as it read them.
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
