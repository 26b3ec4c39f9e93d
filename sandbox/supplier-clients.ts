import type { AdapterPayload, ClientMetadata } from 'oidc-provider';

/** The register as client of a supplier: its customers sign in there. */
export interface RegisterClient {
  readonly id: string;
  readonly secret: string;
}

/** An RTI User as client of a supplier: consumers let it have their tariffs. */
export interface RtiClient {
  /** `client_id`, the RTI User's id: `usr_…`. */
  readonly id: string;
  readonly secret: string;
  /** Shown to consumers. */
  readonly name: string;
}

/** What an RTI User may be allowed, in words for consumers (3-decisions-c-d.md, D.1). */
export const RTI_SCOPES = {
  'tariff:read': 'See which tariffs you are on, with their prices',
  'consent:write': 'Tell the register that you agree to that, or no longer do',
  'webhook:write': 'Be told when your tariff changes',
} as const;

/** The audience of their tokens: the register's Interface D. Each supplier could name another. */
export const TARIFF_AUDIENCE = 'urn:central-data-access-register:tariffs';

/** Where clients on a developer's machine are sent back to: any port of it will do (RFC 8252, section 7.3). */
export const RTI_REDIRECT_URIS = ['http://localhost/callback', 'http://127.0.0.1/callback'] as const;

/** The register's registration at the supplier. */
export function registerClient({ id, secret }: RegisterClient, redirectUris: readonly string[]): ClientMetadata {
  return {
    client_id: id,
    client_secret: secret,
    redirect_uris: [...redirectUris],
    grant_types: ['authorization_code'],
    response_types: ['code'],
  };
}

/** Whether a client is an RTI User. */
export function isRtiClient(clientId: string | undefined): boolean {
  return clientId?.startsWith('usr_') === true;
}

/** An RTI User's registration at the supplier. It gets tokens for consumers, and for webhooks one of its own. */
export function rtiRegistration({ id, secret, name }: RtiClient): AdapterPayload {
  return {
    client_id: id,
    client_secret: secret,
    client_name: name,
    application_type: 'native',
    redirect_uris: [...RTI_REDIRECT_URIS],
    grant_types: ['authorization_code', 'client_credentials'],
    response_types: ['code'],
  };
}
