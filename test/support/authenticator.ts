import { type KeyObject, createHash, randomBytes, sign } from 'node:crypto';
import { keyPair } from './key-pair';

/** Deviations of an authenticator from its usual behaviour. */
export interface Quirks {
  /** Origin that the browser reports for the page. */
  readonly origin?: string;
  /** Relying party id whose hash is in the authenticator data. */
  readonly rpId?: string;
  /** Signed challenge, instead of the one in the options. */
  readonly challenge?: string;
  /** Whether the user was verified (flag UV); true by default. */
  readonly userVerified?: boolean;
  /** Whether the user was present (flag UP); true by default. */
  readonly userPresent?: boolean;
  /** Value of the signature counter instead of the next one. */
  readonly counter?: number;
  /** Flags BE and BS; by default those of the passkey's creation. */
  readonly backupEligible?: boolean;
  readonly backedUp?: boolean;
  /** Type of the client data, instead of the one of the ceremony. */
  readonly type?: string;
  /** Signs with a different key from that of the passkey. */
  readonly otherKey?: boolean;
  /** User handle in the assertion; by default that of the registration, null for none. */
  readonly userHandle?: string | null;
}

/** A passkey in a software authenticator. */
export interface SoftwarePasskey {
  readonly id: string;
  readonly rpId: string;
  readonly userHandle: string;
  readonly userName: string;
}

/** A WebAuthn response in its JSON form. */
export type CredentialJson = Record<string, unknown>;

/** The part of the options of both ceremonies that an authenticator reads. */
export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id?: string };
  readonly user: { readonly id: string; readonly name: string };
  readonly excludeCredentials?: readonly { readonly id: string }[];
}

export interface RequestOptions {
  readonly challenge: string;
  readonly rpId?: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

interface HeldPasskey extends SoftwarePasskey {
  readonly privateKey: KeyObject;
  readonly backupEligible: boolean;
  counter: number;
}

/** Settings of an authenticator. */
export interface AuthenticatorOptions {
  /** Origin of the pages that use it. */
  readonly origin: string;
  /** Whether its signature counter increases; otherwise it stays 0, as with synchronised passkeys. */
  readonly counts?: boolean;
  /** Flag BE of the passkeys that it creates. */
  readonly backupEligible?: boolean;
}

/**
 * A software authenticator with its browser: ES256, attestation `none`, discoverable passkeys. It rejects nothing, so
 * that the register has to.
 */
export class SoftwareAuthenticator {
  private readonly held: HeldPasskey[] = [];

  constructor(private readonly options: AuthenticatorOptions) {}

  get passkeys(): readonly SoftwarePasskey[] {
    return this.held;
  }

  /** `navigator.credentials.create`; a test can give the credential id. */
  create(
    { challenge, rp, user }: CreationOptions,
    quirks: Quirks = {},
    id = randomBytes(20).toString('base64url'),
  ): CredentialJson {
    const { privateKey, publicKey } = keyPair('ES256');
    const { origin, counts = true, backupEligible = false } = this.options;
    const passkey: HeldPasskey = {
      id,
      rpId: quirks.rpId ?? rp.id ?? new URL(origin).hostname,
      userHandle: user.id,
      userName: user.name,
      privateKey,
      backupEligible,
      counter: counts ? 1 : 0,
    };
    this.held.push(passkey);
    const attested = Buffer.concat([
      Buffer.alloc(16), // AAGUID without a model
      uint16(Buffer.from(passkey.id, 'base64url').length),
      Buffer.from(passkey.id, 'base64url'),
      coseKey(publicKey),
    ]);
    const authenticatorData = Buffer.concat([this.authenticatorData(passkey, quirks, true), attested]);
    return credential(passkey.id, {
      clientDataJSON: this.clientData('webauthn.create', challenge, quirks),
      attestationObject: cborMap([
        ['fmt', cborText('none')],
        ['attStmt', cborMap([])],
        ['authData', cborBytes(authenticatorData)],
      ]).toString('base64url'),
      transports: ['internal', 'hybrid'],
    });
  }

  /** `navigator.credentials.get` with the first allowed passkey, or the given one. */
  get({ challenge, allowCredentials = [] }: RequestOptions, quirks: Quirks = {}, id?: string): CredentialJson {
    const isAllowed = (each: HeldPasskey) => allowCredentials.some((allowed) => allowed.id === each.id);
    const passkey = this.held.find((each) =>
      id === undefined ? allowCredentials.length === 0 || isAllowed(each) : each.id === id,
    );
    if (!passkey) throw new Error('the authenticator has no such passkey');
    const { counts = true } = this.options;
    if (counts) passkey.counter += 1;
    const clientDataJSON = this.clientData('webauthn.get', challenge, quirks);
    const authenticatorData = this.authenticatorData(passkey, quirks, false);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const key = quirks.otherKey ? keyPair('ES256').privateKey : passkey.privateKey;
    const userHandle = quirks.userHandle === undefined ? passkey.userHandle : quirks.userHandle;
    return credential(passkey.id, {
      clientDataJSON,
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, key).toString('base64url'),
      ...(userHandle === null ? {} : { userHandle }),
    });
  }

  private clientData(type: string, challenge: string, quirks: Quirks): string {
    const { origin } = this.options;
    const data = {
      type: quirks.type ?? type,
      challenge: quirks.challenge ?? challenge,
      origin: quirks.origin ?? origin,
      crossOrigin: false,
    };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }

  private authenticatorData({ rpId, counter, backupEligible }: HeldPasskey, quirks: Quirks, attests: boolean): Buffer {
    const isEligible = quirks.backupEligible ?? backupEligible;
    const flags =
      (quirks.userPresent === false ? 0 : 0x01) |
      (quirks.userVerified === false ? 0 : 0x04) |
      (isEligible ? 0x08 : 0) |
      ((quirks.backedUp ?? isEligible) ? 0x10 : 0) |
      (attests ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(quirks.counter ?? counter);
    return Buffer.concat([sha256(Buffer.from(quirks.rpId ?? rpId)), Buffer.from([flags]), count]);
  }
}

function credential(id: string, response: Record<string, unknown>): CredentialJson {
  return {
    id,
    rawId: id,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response,
  };
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** COSE key (RFC 9053) of a P-256 public key for ES256. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const [KTY, ALG, CRV, X, Y] = [0x01, 0x03, 0x20, 0x21, 0x22];
  const [EC2, ES256, P256] = [0x02, 0x26, 0x01];
  return Buffer.concat([
    Buffer.from([0xa5, KTY, EC2, ALG, ES256, CRV, P256, X]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([Y]),
    cborBytes(Buffer.from(y, 'base64url')),
  ]);
}

/** The subset of CBOR (RFC 8949) for attestation objects: heads with up to two bytes of length. */
function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.concat([Buffer.from([(major << 5) | 25]), uint16(length)]);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes]);
}

function cborText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([cborHead(3, bytes.length), bytes]);
}

function cborMap(entries: readonly (readonly [string, Buffer])[]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flatMap(([key, value]) => [cborText(key), value])]);
}
