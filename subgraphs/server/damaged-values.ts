/** Text of the audit for a former value that cannot be decrypted. */
const UNREADABLE = 'unreadable';

/** Returns the result of a decryption; undefined if it fails, because the stored bytes are damaged. Passes the error to `report`. */
export function decrypted<Value>(decrypt: () => Value, report?: (error: unknown) => void): Value | undefined {
  try {
    return decrypt();
  } catch (error) {
    report?.(error);
    return undefined;
  }
}

/** Returns the fingerprint of a stored value for the audit. A damaged value has a fixed text, so that it can be replaced and deleted. */
export function storedFingerprint<Value>(value: Value | undefined, fingerprint: (value: Value) => string): string {
  return value === undefined ? UNREADABLE : fingerprint(value);
}
