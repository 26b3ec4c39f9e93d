import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import type { CredentialJson, Quirks, SoftwareAuthenticator } from './authenticator';
import { mailsOf } from './sign-in-mails';
import type { FixtureResponse, SignInFixture } from './sign-in-fixture';

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
  initiator identityRecordId meterPointId status expiresAt anonymised closing ownRecordIds since beganAt } }`;
export const REMOVE = `mutation ($ref: IdentityRecordKey!, $id: CredentialId!) {
  removeCredential(ref: $ref, credentialId: $id) { credentialId } }`;
export const READ = `query ($ref: IdentityRecordKey!) { identityRecord(ref: $ref) {
  credentials { credentialId registeredAt transports } hasEmail } }`;
export const EXISTS = `query ($mpxn: MPxN!) { identityRecordExistence(mpxn: $mpxn) { exists availableMethods } }`;
export const CEREMONY = 'query ($secret: String!) { ceremony(secret: $secret) { kind organisation expiresAt proofs } }';
export const CONFIRM_LINK = `mutation ($secret: String!, $browser: String) {
  confirmCeremonyLink(secret: $secret, browser: $browser) { ${OUTCOME} } }`;
export const OPTIONS = 'mutation ($secret: String!) { passkeyCeremonyOptions(secret: $secret) { kind options } }';
export const FINISH = `mutation ($secret: String!, $response: JSONObject!) {
  finishPasskeyCeremony(secret: $secret, response: $response) { ${OUTCOME} } }`;
export const MAIL_PROOF = `mutation ($secret: String!, $language: Language!) {
  mailCeremonyProof(secret: $secret, language: $language) }`;

/** A re-identification, as its initiator receives it: the secret is that of the passkey redirect. */
export interface Started {
  readonly tokenRef: string;
  readonly secret: string;
}

/** Starts a re-identification; fails if it is rejected. */
export async function started(fixture: SignInFixture, caller: Caller, input: object, ref?: string): Promise<Started> {
  const response = await (ref === undefined
    ? fixture.execute(REIDENTIFY, { input }, { caller })
    : fixture.execute(REIDENTIFY_OWN, { ref, input }, { caller }));
  const { magicLink, passkey } = valueOf(response);
  return { tokenRef: (magicLink ?? passkey).tokenRef, secret: passkey ? lastPart(passkey.redirectUrl) : '' };
}

/** Returns the only value of a response; fails if the response has errors. */
export function valueOf({ data, codes }: FixtureResponse): ReturnType<typeof JSON.parse> {
  if (codes.length > 0) throw new Error(codes.join());
  return Object.values(data)[0];
}

/** Returns the secret at the end of a URL. */
export function lastPart(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** Returns the options of the next ceremony, as the browser receives them. */
export async function optionsOf(fixture: SignInFixture, secret: string): Promise<ReturnType<typeof JSON.parse>> {
  return valueOf(await fixture.execute(OPTIONS, { secret })).options;
}

/** Sends an authenticator's response. */
export function finish(fixture: SignInFixture, secret: string, response: CredentialJson): Promise<FixtureResponse> {
  return fixture.execute(FINISH, { secret, response });
}

/** Runs one registration ceremony, with an authenticator that may deviate. */
export async function registered(
  fixture: SignInFixture,
  secret: string,
  authenticator: SoftwareAuthenticator,
  quirks: Quirks = {},
): Promise<FixtureResponse> {
  return finish(fixture, secret, authenticator.create(await optionsOf(fixture, secret), quirks));
}

/** Runs one assertion ceremony. */
export async function asserted(
  fixture: SignInFixture,
  secret: string,
  authenticator: SoftwareAuthenticator,
  quirks: Quirks = {},
): Promise<FixtureResponse> {
  return finish(fixture, secret, authenticator.get(await optionsOf(fixture, secret), quirks));
}

/** Creates a record of a customer with a passkey; by default without e-mail address. */
export async function enrolled(
  fixture: SignInFixture,
  by: Caller,
  authenticator: SoftwareAuthenticator,
  mpxn: string,
  email: string | null = null,
): Promise<string> {
  const ref = await fixture.newRecord(by, { email }, { mpxn });
  await enrol(fixture, by, authenticator, ref);
  return ref;
}

/** Lets the customer of a new record enrol a passkey: if the record has no e-mail address, its Data User vouches. */
export async function enrol(
  fixture: SignInFixture,
  by: Caller,
  authenticator: SoftwareAuthenticator,
  ref: string,
): Promise<void> {
  const { secret } = await started(fixture, by, { method: 'PASSKEY_REGISTER', passkeyReturnUrl: RETURN_URL }, ref);
  const { proofs } = valueOf(await fixture.execute(CEREMONY, { secret }));
  if (proofs.length > 0) throw new Error(`a proof is due: ${proofs}`);
  valueOf(await registered(fixture, secret, authenticator));
}

/** Waits for a number of mails to an address; returns the secret in the newest. */
export async function mailedSecret(fixture: SignInFixture, email: string, count = 1): Promise<string> {
  const [newest] = await mailsOf(fixture, email, count);
  const [, secret] = /\/(?:link|proof)\/([\w-]{43})/.exec(newest?.text ?? '') ?? [];
  if (secret === undefined) throw new Error(`there is no link in: ${newest?.text}`);
  return secret;
}

/** A service of the register as caller. */
export const AS_ACCESS: Partial<CallContext> = { service: 'access' };
