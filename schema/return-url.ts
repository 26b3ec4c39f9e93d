/** A return URL around the parameters that the register appends to its query. */
interface ReturnUrlParts {
  /** The URL up to the first appended parameter. */
  readonly beginning: string;
  /** The fragment with `#`; empty without one. */
  readonly fragment: string;
}

/** Splits a return URL where parameters are appended (decisions A/B, 4 and 9): query and fragment remain character by character. */
export function returnUrlParts(returnUrl: string): ReturnUrlParts {
  const [, address = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(returnUrl) ?? [];
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return { beginning: address + separator, fragment };
}
