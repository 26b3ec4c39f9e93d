import { createHmac, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { EncryptJWT, type JWK, decodeJwt } from 'jose';

/** Tokens and keys of a forger of bearer tokens, and keys that only a defective register would accept or sign with. */
export interface ForgersTools {
  /** A valid token, and another one of the same account. */
  readonly good: string;
  readonly another: string;
  /** The current private signing key, with its own `kid`. */
  readonly signingKey: JWK;
  /** A private key that is no longer published. */
  readonly retiredKey: JWK;
  /** The forger's own Ed25519 key. */
  readonly forgersKey: JWK;
  /** URL of the forger's own key set. */
  readonly forgersKeySet: string;
  /** Another account than the token's, with its Data User. */
  readonly otherAccount: { readonly accountId: string; readonly duid: string };
}

type Make = (tools: ForgersTools) => string | Promise<string>;
/** The expected code; AUT001 by default. */
type Forgery = readonly [what: string, make: Make, code?: 'AUT002'];

type Fields = Readonly<Record<string, unknown>>;

const HEADER = { alg: 'EdDSA', typ: 'at+jwt' };
const HOUR = 3_600;
const YEARS = 10 * 365 * 24 * HOUR;
/**
 * Order of the Ed25519 group (RFC 8032 section 5.1). Added to the second half of a signature, it yields another
 * signature that old implementations accept.
 */
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

const now = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const partsOf = (token: string) => token.split('.') as [header: string, payload: string, signature: string];
/** The public key, as published at `/.well-known/jwks.json`. */
const publicBytes = ({ x }: JWK) => Buffer.from(String(x), 'base64url');
const publicHalf = ({ kty, crv, x, kid }: JWK) => ({ kty, crv, x, kid });
const pemOf = (key: JWK) =>
  createPublicKey({ key: key as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string;

/** Signs two parts unchanged with an Ed25519 key. */
function signedText(header: string, payload: string, key: JWK): string {
  const text = `${header}.${payload}`;
  const privateKey = createPrivateKey({ key: key as never, format: 'jwk' });
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

/** A token with another header, the valid token's claims, and a signature by `key`, the forger's by default. */
function withHeader(header: Fields | string, tools: ForgersTools, key: JWK = tools.forgersKey): string {
  const fields = typeof header === 'string' ? header : { ...HEADER, kid: tools.signingKey.kid, ...header };
  return signedText(encoded(fields), partsOf(tools.good)[1], key);
}

/** The valid token with other claims (undefined removes one), signed by the register's own key. */
function withClaims(claims: Fields, { good, signingKey }: ForgersTools): string {
  return signedText(partsOf(good)[0], encoded({ ...decodeJwt(good), ...claims }), signingKey);
}

/** The valid token with other claims and its original signature. */
function changed(claims: Fields, { good }: ForgersTools): string {
  const [header, , signature] = partsOf(good);
  return [header, encoded({ ...decodeJwt(good), ...claims }), signature].join('.');
}

/** The valid token with one part rewritten and its original signature. */
function rewritten(part: 0 | 1, change: (json: string) => string, { good }: ForgersTools): string {
  const parts = partsOf(good);
  parts[part] = encoded(change(Buffer.from(parts[part], 'base64url').toString()));
  return parts.join('.');
}

/** The valid token with another signature. */
function resigned(change: (signature: string) => string, { good }: ForgersTools): string {
  const [header, payload, signature] = partsOf(good);
  return [header, payload, change(signature)].join('.');
}

/** A token signed by HMAC with public data as the secret. */
function hmac(alg: 'HS256' | 'HS512', secret: (key: JWK) => Buffer | string, tools: ForgersTools): string {
  const text = `${encoded({ ...HEADER, alg, kid: tools.signingKey.kid })}.${partsOf(tools.good)[1]}`;
  return `${text}.${createHmac(alg === 'HS256' ? 'sha256' : 'sha512', secret(tools.signingKey))
    .update(text)
    .digest('base64url')}`;
}

function flipped(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  bytes[10] = (bytes[10] as number) ^ 1;
  return bytes.toString('base64url');
}

/** An equivalent signature, for verifiers that do not check that its second half is reduced. */
function malleable(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const second = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`) + GROUP_ORDER;
  bytes.set(Buffer.from(second.toString(16).padStart(64, '0'), 'hex').toReversed(), 32);
  return bytes.toString('base64url');
}

/** Returns the signature in another base64url form with equal bytes: the last character has unused bits. */
function lastBitsSet(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return signature.slice(0, -1) + alphabet.charAt(alphabet.indexOf(signature.slice(-1)) ^ 1);
}

const NONE = ['none', 'None', 'NONE', 'nOnE', 'none ', '', null, undefined, ['none'], ['EdDSA', 'none']];
const ODD_KEY_IDS = [
  '../../../../dev/null',
  "x' or '1'='1",
  'https://forger.example/key',
  '__proto__',
  '\0',
  7,
  ['a'],
  {},
  'k'.repeat(4_000),
];

const ALGORITHMS: Forgery[] = [
  ...NONE.flatMap((alg): Forgery[] => [
    [`alg ${JSON.stringify(alg)}, no signature`, (tools) => withHeader({ alg }, tools).replace(/[^.]+$/, '')],
    [
      `alg ${JSON.stringify(alg)}, the signature that it had`,
      (tools) => [encoded({ ...HEADER, kid: tools.signingKey.kid, alg }), ...partsOf(tools.good).slice(1)].join('.'),
    ],
  ]),
  ['HS256 with the bytes of the public key', (tools) => hmac('HS256', publicBytes, tools)],
  ['HS256 with the text of the public key', (tools) => hmac('HS256', ({ x }) => String(x), tools)],
  ['HS256 with the PEM of the public key', (tools) => hmac('HS256', pemOf, tools)],
  ['HS256 with the JWK of the public key', (tools) => hmac('HS256', (key) => JSON.stringify(publicHalf(key)), tools)],
  ['HS256 with an empty key', (tools) => hmac('HS256', () => '', tools)],
  ['HS512 with the bytes of the public key', (tools) => hmac('HS512', publicBytes, tools)],
  ...['ES256', 'ES256K', 'RS256', 'PS256', 'Ed448', 'Ed25519', 'eddsa', 'dir'].map((alg): Forgery => [
    `alg ${alg}, signed by the register's key`,
    (tools) => withHeader({ alg }, tools, tools.signingKey),
  ]),
];

const KEYS: Forgery[] = [
  ['another key under the kid', (tools) => withHeader({}, tools)],
  ['another key under a kid of its own', (tools) => withHeader({ kid: 'of-the-forger' }, tools)],
  ['another key without a kid', (tools) => withHeader({ kid: undefined }, tools)],
  ['a retired key', (tools) => withHeader({ kid: tools.retiredKey.kid }, tools, tools.retiredKey)],
  ['a retired key under the kid of the present one', (tools) => withHeader({}, tools, tools.retiredKey)],
  ...ODD_KEY_IDS.map((kid): Forgery => [
    `kid ${JSON.stringify(kid).slice(0, 40)}`,
    (tools) => withHeader({ kid }, tools, tools.signingKey),
  ]),
  ['a key of its own in the header (jwk)', (tools) => withHeader({ jwk: publicHalf(tools.forgersKey) }, tools)],
  [
    'a key of its own in the header, no kid',
    (tools) => withHeader({ kid: undefined, jwk: publicHalf(tools.forgersKey) }, tools),
  ],
  ['a key set of its own (jku)', (tools) => withHeader({ kid: 'of-the-forger', jku: tools.forgersKeySet }, tools)],
  ['a certificate of its own (x5u)', (tools) => withHeader({ kid: 'of-the-forger', x5u: tools.forgersKeySet }, tools)],
  [
    'a certificate of its own (x5c)',
    (tools) => withHeader({ x5c: [publicBytes(tools.forgersKey).toString('base64')] }, tools),
  ],
];

const HEADERS: Forgery[] = [
  ...['JWT', 'register-service', 'id_token', '', 5, undefined].map((typ): Forgery => [
    `typ ${JSON.stringify(typ)}`,
    (tools) => withHeader({ typ }, tools, tools.signingKey),
  ]),
  ...[{ crit: ['x'], x: 1 }, { crit: ['exp'] }, { crit: [] }, { crit: 5 }, { crit: ['b64'], b64: false }].map(
    (more): Forgery => [`header ${JSON.stringify(more)}`, (tools) => withHeader(more, tools, tools.signingKey)],
  ),
  ['a detached payload (b64=false)', detached],
  ['a header that is no object', (tools) => withHeader('[1]', tools, tools.signingKey)],
  ['a header that is no JSON', (tools) => withHeader('{', tools, tools.signingKey)],
  ['an algorithm that is named twice', (tools) => rewritten(0, (json) => json.replace('{', '{"alg":"none",'), tools)],
  ['a header with white space', (tools) => rewritten(0, (json) => `${json} `, tools)],
];

function detached(tools: ForgersTools): string {
  const header = encoded({ ...HEADER, kid: tools.signingKey.kid, crit: ['b64'], b64: false });
  const [, , signature] = partsOf(signedText(header, JSON.stringify(decodeJwt(tools.good)), tools.signingKey));
  return `${header}..${signature}`;
}

const CLAIMS: Forgery[] = [
  ...[undefined, null, '', 'https://forger.example/v1', ['x'], 5].map((iss): Forgery => [
    `iss ${JSON.stringify(iss)}`,
    (tools) => withClaims({ iss }, tools),
  ]),
  ['the iss of the forger', (tools) => withClaims({ iss: new URL(tools.forgersKeySet).origin }, tools)],
  ['iss with a slash at its end', (tools) => withClaims({ iss: `${decodeJwt(tools.good).iss}/` }, tools)],
  ['iss in a list', (tools) => withClaims({ iss: [decodeJwt(tools.good).iss] }, tools)],
  ...[undefined, null, '', 'gateway', ['gateway', 'access'], [], [['central-data-access-register']], '*'].map(
    (aud): Forgery => [`aud ${JSON.stringify(aud)}`, (tools) => withClaims({ aud }, tools)],
  ),
  ...[undefined, null, '9999999999', 1e300, {}].map((exp): Forgery => [
    `exp ${JSON.stringify(exp)}`,
    (tools) => withClaims({ exp }, tools),
  ]),
  ['exp in ten years', (tools) => withClaims({ exp: now() + YEARS }, tools)],
  ['exp a minute ago', (tools) => withClaims({ iat: now() - HOUR, exp: now() - 60 }, tools), 'AUT002'],
  ['exp 0', (tools) => withClaims({ exp: 0 }, tools), 'AUT002'],
  ['exp -1e300', (tools) => withClaims({ exp: -1e300 }, tools)],
  ...[undefined, null, 'now', {}].map((iat): Forgery => [
    `iat ${JSON.stringify(iat)}`,
    (tools) => withClaims({ iat }, tools),
  ]),
  ['iat in an hour', (tools) => withClaims({ iat: now() + HOUR, exp: now() + 2 * HOUR }, tools)],
  ['iat and exp 1e300', (tools) => withClaims({ iat: 1e300, exp: 1e300 }, tools)],
  ['nbf in an hour', (tools) => withClaims({ nbf: now() + HOUR }, tools)],
  ['nbf 1e300', (tools) => withClaims({ nbf: 1e300 }, tools)],
  ['nbf that is no number', (tools) => withClaims({ nbf: '0' }, tools)],
  ['no jti', (tools) => withClaims({ jti: undefined }, tools)],
  ...[undefined, null, '', 5, `acc_${'0'.repeat(24)}`, "' or true --", '\0'].map((sub): Forgery => [
    `sub ${JSON.stringify(sub)}`,
    (tools) => withClaims({ sub }, tools),
  ]),
  ['sub in a list', (tools) => withClaims({ sub: [decodeJwt(tools.good).sub] }, tools)],
  ...[undefined, 'root', 'customer', 'consumer', 'service', ['data_user']].map((role): Forgery => [
    `role ${JSON.stringify(role)}`,
    (tools) => withClaims({ role }, tools),
  ]),
];

const CHANGES: Forgery[] = [
  ['the sub of another account', (tools) => changed({ sub: tools.otherAccount.accountId }, tools)],
  ['the duid of another Data User', (tools) => changed({ duid: tools.otherAccount.duid }, tools)],
  ['the role admin', (tools) => changed({ role: 'admin' }, tools)],
  ['a later exp', (tools) => changed({ exp: now() + YEARS }, tools)],
  ['a claim that is there twice', (tools) => rewritten(1, (json) => json.replace('{', '{"role":"admin",'), tools)],
  ['a payload with white space', (tools) => rewritten(1, (json) => `${json}\n`, tools)],
  ['a payload with a byte order mark', (tools) => rewritten(1, (json) => `\ufeff${json}`, tools)],
  ['a payload that is padded', ({ good }) => good.replace(/[.]([^.]+)[.]/, '.$1==.')],
  ['a payload that is no JSON', (tools) => signedText(partsOf(tools.good)[0], 'e30x', tools.signingKey)],
  ['a payload that is a list', (tools) => signedText(partsOf(tools.good)[0], encoded([1]), tools.signingKey)],
  ['a payload that is empty', (tools) => signedText(partsOf(tools.good)[0], '', tools.signingKey)],
  ['a payload that is compressed', compressed],
  ['no signature and no dot', ({ good }) => good.replace(/[.][^.]*$/, '')],
  ['no signature', (tools) => resigned(() => '', tools)],
  ['half a signature', (tools) => resigned((signature) => signature.slice(0, 43), tools)],
  ['a signature one byte short', (tools) => resigned((signature) => signature.slice(0, -2), tools)],
  ['a signature with a bit flipped', (tools) => resigned(flipped, tools)],
  ['a signature that is not reduced', (tools) => resigned(malleable, tools)],
  ['a signature of zeros', (tools) => resigned(() => Buffer.alloc(64).toString('base64url'), tools)],
  ['the signature of another token', (tools) => resigned(() => partsOf(tools.another)[2], tools)],
  ['the signature twice', (tools) => resigned((signature) => signature + signature, tools)],
  ['a signature that is padded', (tools) => resigned((signature) => `${signature}==`, tools)],
  ['a signature whose last bits differ', (tools) => resigned(lastBitsSet, tools)],
  ['a signature that is no base64', (tools) => resigned(() => '*', tools)],
  ['a fourth part', ({ good }) => `${good}.x`],
];

function compressed(tools: ForgersTools): string {
  const header = encoded({ ...HEADER, kid: tools.signingKey.kid, zip: 'DEF' });
  const payload = deflateRawSync(JSON.stringify(decodeJwt(tools.good))).toString('base64url');
  return signedText(header, payload, tools.signingKey);
}

const ENVELOPES: Forgery[] = [
  ['encrypted (JWE) instead of signed', (tools) => encrypted(decodeJwt(tools.good), tools)],
  ['a good token, encrypted', (tools) => encrypted({ token: tools.good }, tools)],
  [
    'a good token within a forged one',
    (tools) => signedText(encoded({ ...HEADER, cty: 'JWT' }), encoded(tools.good), tools.forgersKey),
  ],
  [
    'a good token within a signed one',
    (tools) =>
      signedText(encoded({ ...HEADER, cty: 'JWT', kid: tools.signingKey.kid }), encoded(tools.good), tools.signingKey),
  ],
  ['the JSON form of a JWS', jsonForm],
  ['none at all', () => 'nonsense'],
  ['dots', () => '..'],
  ['random bytes', () => [32, 64, 64].map((size) => randomBytes(size).toString('base64url')).join('.')],
  ['the token percent-encoded', ({ good }) => good.replaceAll('.', '%2E')],
  ['the token in quotation marks', ({ good }) => `"${good}"`],
  ['letters beyond ASCII', ({ good }) => good.replace('e', 'é')],
  ['12 KiB of a name', (tools) => withClaims({ role: 'x'.repeat(8_500) }, tools)],
  ['the form of a session token of a customer', () => `cst_${'A'.repeat(43)}`],
];

function encrypted(claims: Fields, { signingKey }: ForgersTools): Promise<string> {
  return new EncryptJWT(claims)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'at+jwt', kid: String(signingKey.kid) })
    .encrypt(publicBytes(signingKey));
}

function jsonForm({ good }: ForgersTools): string {
  const [header, payload, signature] = partsOf(good);
  return JSON.stringify({ protected: header, payload, signature });
}

/**
 * Kinds of forged and outdated tokens, each rejected for one reason: its description, the token, and the expected code.
 */
export const FORGERIES = [...ALGORITHMS, ...KEYS, ...HEADERS, ...CLAIMS, ...CHANGES, ...ENVELOPES].map(
  ([what, make, code = 'AUT001' as const]): [what: string, make: Make, code: 'AUT001' | 'AUT002'] => [what, make, code],
);
