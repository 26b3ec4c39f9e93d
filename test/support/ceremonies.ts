import type { CallContext, Caller } from '../../subgraphs/server/caller';
import type { CredentialJson, Quirks, SoftwareAuthenticator } from './authenticator';
import { mailsOf } from './sign-in-mails';
import type { RoomAnswer, SignInRoom } from './sign-in-room';

/** The site to which customers of a Data User return in tests. */
export const RETURN_URL = 'https://larkhill.example/return?step=2';

const STARTED = `method magicLink { dispatchedTo expiresAt tokenRef redirectUrl }
  passkey { redirectUrl tokenRef expiresAt returnUrl } replayed`;
const OUTCOME = 'organisation returnUrl nextSecret';

/** Operations of re-identification and its ceremonies. */
export const REIDENTIFY = `mutation ($input: CrossReidentificationInput!, $key: String) {
  reidentify(input: $input, idempotencyKey: $key) { ${STARTED} } }`;
export const REIDENTIFY_OWN = `mutation ($ref: IdentityRecordKey!, $input: OwnReidentificationInput!, $key: String) {
  reidentifyOwn(ref: $ref, input: $input, idempotencyKey: $key) { ${STARTED} } }`;
export const STATUS = 'query ($token: TokenRef!) { reidentification(tokenRef: $token) { method status confirmedAt } }';
export const OWN_STATUS = `query ($ref: IdentityRecordKey!, $token: TokenRef!) {
  ownReidentification(ref: $ref, tokenRef: $token) { method status confirmedAt } }`;
export const PROOF = `query ($token: TokenRef!) { reidentificationProof(token: $token) {
  initiator identityRecordId meterPointId status expiresAt anonymised closing } }`;
export const REMOVE = `mutation ($ref: IdentityRecordKey!, $id: CredentialId!) {
  removeCredential(ref: $ref, credentialId: $id) { credentialId } }`;
export const READ = `query ($ref: IdentityRecordKey!) { identityRecord(ref: $ref) {
  credentials { credentialId registeredAt transports } hasEmail } }`;
export const EXISTS = `query ($mpxn: MPxN!) { identityRecordExistence(mpxn: $mpxn) { exists availableMethods } }`;
export const CEREMONY = 'query ($secret: String!) { ceremony(secret: $secret) { kind organisation expiresAt proofs } }';
export const CONFIRM_LINK = `mutation ($secret: String!) { confirmCeremonyLink(secret: $secret) { ${OUTCOME} } }`;
export const OPTIONS = 'mutation ($secret: String!) { passkeyCeremonyOptions(secret: $secret) { kind options } }';
export const FINISH = `mutation ($secret: String!, $response: JSONObject!) {
  finishPasskeyCeremony(secret: $secret, response: $response) { ${OUTCOME} } }`;
export const MAIL_PROOF = `mutation ($secret: String!, $language: Language!) {
  mailCeremonyProof(secret: $secret, language: $language) }`;

/** A re-identification as its initiator got it: the secret is the one of the passkey redirect. */
export interface Started {
  readonly tokenRef: string;
  readonly secret: string;
}

/** Starts a re-identification; fails when it is refused. */
export async function started(room: SignInRoom, caller: Caller, input: object, ref?: string): Promise<Started> {
  const answer = await (ref === undefined
    ? room.ask(REIDENTIFY, { input }, { caller })
    : room.ask(REIDENTIFY_OWN, { ref, input }, { caller }));
  const { magicLink, passkey } = valueOf(answer);
  return { tokenRef: (magicLink ?? passkey).tokenRef, secret: passkey ? lastPart(passkey.redirectUrl) : '' };
}

/** The one value of an answer; fails when the answer is a refusal. */
export function valueOf({ data, codes }: RoomAnswer): ReturnType<typeof JSON.parse> {
  if (codes.length > 0) throw new Error(codes.join());
  return Object.values(data)[0];
}

/** The secret at the end of an address. */
export function lastPart(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** Options of the ceremony that is next, as the browser gets them. */
export async function optionsOf(room: SignInRoom, secret: string): Promise<ReturnType<typeof JSON.parse>> {
  return valueOf(await room.ask(OPTIONS, { secret })).options;
}

/** Sends what an authenticator answered. */
export function finish(room: SignInRoom, secret: string, response: CredentialJson): Promise<RoomAnswer> {
  return room.ask(FINISH, { secret, response });
}

/** Takes one registration ceremony, with an authenticator that may have its quirks. */
export async function registered(
  room: SignInRoom,
  secret: string,
  authenticator: SoftwareAuthenticator,
  quirks: Quirks = {},
): Promise<RoomAnswer> {
  return finish(room, secret, authenticator.create(await optionsOf(room, secret), quirks));
}

/** Takes one assertion ceremony. */
export async function asserted(
  room: SignInRoom,
  secret: string,
  authenticator: SoftwareAuthenticator,
  quirks: Quirks = {},
): Promise<RoomAnswer> {
  return finish(room, secret, authenticator.get(await optionsOf(room, secret), quirks));
}

/** A record of a customer who has enrolled a passkey with its Data User; without e-mail address unless one is given. */
export async function enrolled(
  room: SignInRoom,
  by: Caller,
  authenticator: SoftwareAuthenticator,
  mpxn: string,
  email: string | null = null,
): Promise<string> {
  const ref = await room.newRecord(by, { email }, { mpxn });
  await enrol(room, by, authenticator, ref);
  return ref;
}

/** Has the customer of an own record enrol a passkey: its Data User vouches when the record has no e-mail address. */
export async function enrol(
  room: SignInRoom,
  by: Caller,
  authenticator: SoftwareAuthenticator,
  ref: string,
): Promise<void> {
  const { secret } = await started(room, by, { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL }, ref);
  const { proofs } = valueOf(await room.ask(CEREMONY, { secret }));
  if (proofs.length > 0) throw new Error(`a proof is due: ${proofs}`);
  valueOf(await registered(room, secret, authenticator));
}

/** The secret of the newest of so many mails to an address. */
export async function mailedSecret(room: SignInRoom, email: string, count = 1): Promise<string> {
  const [newest] = await mailsOf(room, email, count);
  const [, secret] = /\/(?:link|proof)\/([\w-]{43})/.exec(newest?.text ?? '') ?? [];
  if (secret === undefined) throw new Error(`there is no link in: ${newest?.text}`);
  return secret;
}

/** A service of the register that asks on its own account. */
export const AS_ACCESS: Partial<CallContext> = { service: 'access' };
