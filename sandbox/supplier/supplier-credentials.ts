import { randomBytes } from 'node:crypto';

/** Login of a demo customer at the supplier, in `sandbox.json`. */
export interface SupplierCredentials {
  readonly oidc_login: string;
  readonly oidc_password: string;
}

/** Creates the login of a customer at the supplier. */
export function supplierCredentials(email: string): SupplierCredentials {
  const [login = ''] = email.split('@');
  return { oidc_login: login, oidc_password: randomBytes(12).toString('base64url') };
}
