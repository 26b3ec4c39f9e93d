/** An ISO 8601 duration. Only its last component may have a decimal fraction. */
export const DURATION_PATTERN =
  /^P(?!$|.*[.,]\d+[A-Z].)(?:\d+(?:[.,]\d+)?Y)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?W)?(?:\d+(?:[.,]\d+)?D)?(?:T(?=\d)(?:\d+(?:[.,]\d+)?H)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?S)?)?$/;

/** Violation of {@link DURATION_PATTERN}, and of the wider pattern of the contract, in words. */
export const DURATION_MESSAGE =
  'must be an ISO 8601 duration, such as P1Y6M; only its last component may have a decimal fraction';
