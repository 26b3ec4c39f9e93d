import {
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeClientDataJSON } from '@simplewebauthn/server/helpers';
import { keyedHash } from '../../server/keyed-hash';
import type { NewPasskey, PasskeyAssertion, PasskeyMaterial } from './passkey';
import type { IdentityKeys } from '../keys';

/** Options for the browser, and their challenge, which the server stores. */
interface CeremonyOptions<Options> {
  readonly options: Options;
  readonly challenge: string;
}

/** The user of a passkey registration. */
interface PasskeyUser {
  readonly recordId: string;
  /** Label of the passkey in the authenticator: no personal data. */
  readonly label: string;
  /** WebAuthn ids of the record's passkeys; their authenticators create no second one. */
  readonly exclude: readonly string[];
}

/** The stored passkey of an assertion. */
interface StoredPasskey extends PasskeyMaterial {
  readonly recordId: string;
  readonly backupEligible: boolean;
  /** Whether the options named no passkey: the response must then contain the user handle (WebAuthn Level 3 section 7.2). */
  readonly isDiscovered: boolean;
}

/**
 * The register as WebAuthn relying party: user verification required, passkeys discoverable, no attestation (decisions A/B, 4). It verifies
 * responses only; the database stores challenges and compares counters.
 */
export interface RelyingParty {
  /** Options of an assertion by one of these passkeys (WebAuthn ids), or by any passkey if the list is empty. */
  assertionOptions(allow: readonly string[]): Promise<CeremonyOptions<PublicKeyCredentialRequestOptionsJSON>>;
  registrationOptions(user: PasskeyUser): Promise<CeremonyOptions<PublicKeyCredentialCreationOptionsJSON>>;
  /** Returns the new passkey; undefined for an invalid response. */
  verifyRegistration(response: unknown, challenge: string): Promise<NewPasskey | undefined>;
  /** Returns the result of the assertion; undefined for an invalid response. */
  verifyAssertion(response: unknown, challenge: string, passkey: StoredPasskey): Promise<PasskeyAssertion | undefined>;
}

const NAME = 'Central Data Access Register';
/** EdDSA, ES256 and RS256 by their COSE numbers. */
const ALGORITHMS = [-8, -7, -257];
/** Time that the browser gives the customer in milliseconds. The challenge expires with its ceremony. */
const TIMEOUT_MILLISECONDS = 300_000;
/** Counters are compared by the database, so that of two concurrent assertions with one counter one fails. */
const NO_COUNTER = 0;

/** Domain of the passkeys, and the pages that create and assert them. */
interface RelyingPartyUrls {
  readonly relyingPartyId: string;
  readonly identityRedirectUrl: string;
  readonly portalUrl: string;
}

/** The relying party with the origins of ceremony pages and portal. */
export function relyingParty(
  { identityRedirectUrl, portalUrl, relyingPartyId }: RelyingPartyUrls,
  { hashKey }: Pick<IdentityKeys, 'hashKey'>,
): RelyingParty {
  const hashOfUser = keyedHash(hashKey, 'passkey-user');
  const expected = {
    expectedOrigin: [...new Set([identityRedirectUrl, portalUrl].map((url) => new URL(url).origin))],
    expectedRPID: relyingPartyId,
    requireUserVerification: true,
  };
  return {
    async assertionOptions(allow) {
      const options = await generateAuthenticationOptions({
        rpID: relyingPartyId,
        allowCredentials: allow.map((id) => ({ id })),
        userVerification: 'required',
        timeout: TIMEOUT_MILLISECONDS,
      });
      return { options, challenge: options.challenge };
    },
    async registrationOptions({ recordId, label, exclude }) {
      const options = await generateRegistrationOptions({
        rpName: NAME,
        rpID: relyingPartyId,
        userName: label,
        userDisplayName: label,
        userID: new Uint8Array(hashOfUser(recordId)),
        attestationType: 'none',
        excludeCredentials: exclude.map((id) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
        timeout: TIMEOUT_MILLISECONDS,
      });
      return { options, challenge: options.challenge };
    },
    verifyRegistration: (response, challenge) => newPasskey(response as RegistrationResponseJSON, challenge, expected),
    async verifyAssertion(response, challenge, passkey) {
      const assertion = response as AuthenticationResponseJSON;
      const userHandle = hashOfUser(passkey.recordId).toString('base64url');
      const verified = await verifiedAssertion(assertion, challenge, passkey, expected);
      const named = assertion.response?.userHandle ?? (passkey.isDiscovered ? null : userHandle);
      return named === userHandle ? verified : undefined;
    },
  };
}

/** Returns the challenge to which a browser's response belongs, before it is verified; undefined if it contains none. */
export function challengeIn(response: unknown): string | undefined {
  try {
    const { clientDataJSON } = (response as AuthenticationResponseJSON).response;
    const { challenge }: { readonly challenge: unknown } = decodeClientDataJSON(clientDataJSON);
    return typeof challenge === 'string' && BASE64URL.test(challenge) ? challenge : undefined;
  } catch {
    return undefined;
  }
}

const BASE64URL = /^[\w-]+$/;

interface Expected {
  readonly expectedOrigin: string[];
  readonly expectedRPID: string;
  readonly requireUserVerification: boolean;
}

/** Maximum length of a credential id (WebAuthn Level 3, section 7.1). */
const MAX_CREDENTIAL_ID_BYTES = 1_023;

async function newPasskey(
  response: RegistrationResponseJSON,
  expectedChallenge: string,
  expected: Expected,
): Promise<NewPasskey | undefined> {
  const { verified, registrationInfo } = await orRejected(() =>
    verifyRegistrationResponse({ response, expectedChallenge, ...expected, supportedAlgorithmIDs: ALGORITHMS }),
  );
  if (!verified || !registrationInfo) return undefined;
  const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
  if (Buffer.byteLength(credential.id, 'base64url') > MAX_CREDENTIAL_ID_BYTES) return undefined;
  return {
    webauthnId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    signCount: credential.counter,
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
    transports: transportsOf(response),
  };
}

async function verifiedAssertion(
  response: AuthenticationResponseJSON,
  expectedChallenge: string,
  { webauthnId, publicKey, backupEligible }: StoredPasskey,
  expected: Expected,
): Promise<PasskeyAssertion | undefined> {
  const credential = {
    id: webauthnId,
    publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
    counter: NO_COUNTER,
  };
  const { verified, authenticationInfo } = await orRejected(() =>
    verifyAuthenticationResponse({ response, expectedChallenge, ...expected, credential }),
  );
  if (!verified || !authenticationInfo || response.id !== webauthnId) return undefined;
  if ((authenticationInfo.credentialDeviceType === 'multiDevice') !== backupEligible) return undefined;
  return { signCount: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
}

interface Rejected {
  readonly verified: false;
  readonly registrationInfo?: never;
  readonly authenticationInfo?: never;
}

/** The library throws for every invalid response, even one of another type; each is rejected without a reason. */
async function orRejected<Result>(verify: () => Promise<Result>): Promise<Result | Rejected> {
  try {
    return await verify();
  } catch {
    return { verified: false };
  }
}

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** Returns the transports of the standard that the browser reported; null if it reported none. */
function transportsOf({ response }: RegistrationResponseJSON): readonly string[] | null {
  const named: unknown = response.transports;
  if (!Array.isArray(named)) return null;
  return TRANSPORTS.filter((transport) => named.includes(transport));
}
