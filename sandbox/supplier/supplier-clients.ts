import type { AdapterPayload, ClientMetadata } from 'oidc-provider';

/** The register as an OAuth client of a supplier, for the supplier sign-in of customers. */
export interface RegisterClient {
  readonly id: string;
  readonly secret: string;
}

/** An RTI User as an OAuth client of a supplier, to which consumers grant access to their tariffs. */
export interface RtiClient {
  /** `client_id`, the RTI User's id: `usr_…`. */
  readonly id: string;
  readonly secret: string;
  /** Shown to consumers. */
  readonly name: string;
}

/** Scopes of RTI Users, with their description for consumers (decisions D.1). */
export const RTI_SCOPES = {
  'tariff:read': 'See which tariffs you are on, with their prices',
  'consent:write': 'Register your consent to that, and end it',
  'webhook:write': 'Be notified when your tariff changes',
} as const;

/** Audience of RTI Users' tokens: Interface D of the register. Each supplier may use a different one. */
export const TARIFF_AUDIENCE = 'urn:central-data-access-register:tariffs';

/** Redirect URIs of clients on a developer's machine; any port is accepted (RFC 8252 section 7.3). */
export const RTI_REDIRECT_URIS = ['http://localhost/callback', 'http://127.0.0.1/callback'] as const;

/** Returns the client metadata of the register at the supplier. */
export function registerClient({ id, secret }: RegisterClient, redirectUris: readonly string[]): ClientMetadata {
  return {
    client_id: id,
    client_secret: secret,
    redirect_uris: [...redirectUris],
    grant_types: ['authorization_code'],
    response_types: ['code'],
  };
}

/** Returns true if a client is an RTI User. */
export function isRtiClient(clientId: string | undefined): boolean {
  return clientId?.startsWith('usr_') === true;
}

/**
 * Returns the client metadata of an RTI User, which receives tokens for consumers and, for webhooks, tokens for itself.
 */
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
