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
import { keyedHash } from '../../server/keyed-hash';
import type { NewPasskey, PasskeyAssertion, PasskeyMaterial } from '../domain/passkey';
import type { IdentityKeys, IdentityPlaces } from '../foundation';

/** Options for the browser, and the challenge in them, which the server keeps. */
export interface CeremonyOptions<Options> {
  readonly options: Options;
  readonly challenge: string;
}

/** For whom a passkey is registered. */
export interface PasskeyUser {
  readonly recordId: string;
  /** How an authenticator names the passkey: nothing personal. */
  readonly label: string;
  /** WebAuthn ids of the passkeys that the record has: an authenticator makes no second one beside them. */
  readonly exclude: readonly string[];
}

/** The passkey of an assertion, as stored. */
export interface StoredPasskey extends PasskeyMaterial {
  readonly recordId: string;
  readonly backupEligible: boolean;
  /** Whether no passkey was named to the browser: the response must then name the user (WebAuthn, section 7.2). */
  readonly isDiscovered: boolean;
}

/**
 * The register as WebAuthn relying party: user verification is required, passkeys are discoverable, no attestation is asked for
 * (2-decisions-a-b.md, section 4). Verifying a response is pure: challenges are kept, and counters compared, by the database.
 */
export interface RelyingParty {
  /** Options of an assertion by one of these passkeys (WebAuthn ids); by any passkey of the register when there are none. */
  assertionOptions(allow: readonly string[]): Promise<CeremonyOptions<PublicKeyCredentialRequestOptionsJSON>>;
  registrationOptions(user: PasskeyUser): Promise<CeremonyOptions<PublicKeyCredentialCreationOptionsJSON>>;
  /** The new passkey; undefined when anything about the response is not as it must be. */
  verifyRegistration(response: unknown, challenge: string): Promise<NewPasskey | undefined>;
  /** What the assertion says; undefined when anything about the response is not as it must be. */
  verifyAssertion(response: unknown, challenge: string, passkey: StoredPasskey): Promise<PasskeyAssertion | undefined>;
}

const NAME = 'Central Data Access Register';
/** EdDSA, ES256 and RS256, as COSE numbers them. */
const ALGORITHMS = [-8, -7, -257];
/** How long a browser lets the customer take; the challenge itself lives no longer than its ceremony. */
const TIMEOUT_MILLISECONDS = 300_000;
/** The database compares counters, so that two assertions at once cannot both pass. */
const NO_COUNTER = 0;

/** The relying party on the origins of the ceremony pages and the portal. */
export function relyingParty(
  { identityRedirectUrl, portalUrl, relyingPartyId }: IdentityPlaces,
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

interface Expected {
  readonly expectedOrigin: string[];
  readonly expectedRPID: string;
  readonly requireUserVerification: boolean;
}

async function newPasskey(
  response: RegistrationResponseJSON,
  expectedChallenge: string,
  expected: Expected,
): Promise<NewPasskey | undefined> {
  const { verified, registrationInfo } = await orRefused(() =>
    verifyRegistrationResponse({ response, expectedChallenge, ...expected, supportedAlgorithmIDs: ALGORITHMS }),
  );
  if (!verified || !registrationInfo) return undefined;
  const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
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
  const { verified, authenticationInfo } = await orRefused(() =>
    verifyAuthenticationResponse({ response, expectedChallenge, ...expected, credential }),
  );
  if (!verified || !authenticationInfo || response.id !== webauthnId) return undefined;
  if ((authenticationInfo.credentialDeviceType === 'multiDevice') !== backupEligible) return undefined;
  return { signCount: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
}

interface Refused {
  readonly verified: false;
  readonly registrationInfo?: never;
  readonly authenticationInfo?: never;
}

/** The library throws for every fault of a response, also for one that is no such object: each is a refusal, none says why. */
async function orRefused<Result>(verify: () => Promise<Result>): Promise<Result | Refused> {
  try {
    return await verify();
  } catch {
    return { verified: false };
  }
}

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** The transports that the browser named and the standard knows; null when it named none. */
function transportsOf({ response }: RegistrationResponseJSON): readonly string[] | null {
  const named: unknown = response.transports;
  if (!Array.isArray(named)) return null;
  return TRANSPORTS.filter((transport) => named.includes(transport));
}
