import { RegisterError } from '../../../schema/register-error';
import type { CallOrigin } from '../../server/graph/service-query';
import { keyedHash } from '../../server/keyed-hash';
import { type StartedCustomerSession, tokenOf } from './customer-session.repository';
import type { CustomerSessions } from './customer-sessions.flow';
import type { IdentityDependencies } from '../dependencies';
import { isReadable } from '../occupancy/occupancy';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import type { PasskeyRepository } from '../passkeys/passkey.repository';
import { type PressedLink, pressOrRepeat, nextSecretOf } from '../pressed-link';
import { SignInRepository } from './sign-in.repository';
import type { SignInOrigin } from './sign-in-hint';
import type { StartSession } from './session-start.flow';
import { type RelyingParty, challengeIn } from '../passkeys/webauthn.flow';

/**
 * Signs in by a mailed link, which starts one session. A second press in the same browser returns that session until the link expires or the
 * session ends. Throws AUT001 if another browser used the link, or it has expired.
 */
export type LinkSignIn = (link: PressedLink, origin: CallOrigin) => Promise<StartedCustomerSession>;

/** Sign-in by mailed link. */
export function linkSignIn(
  signIns: SignInRepository,
  sessions: CustomerSessions,
  { occupants, keys }: Pick<IdentityDependencies, 'occupants' | 'keys'>,
  start: StartSession,
): LinkSignIn {
  const hash = keyedHash(keys.hashKey, 'session-of-link');
  const press = async (link: string, secret: string, origin: CallOrigin) => {
    const from = await signIns.link(link);
    const by = await verifiedRecord(from?.recordId, occupants);
    const contact = by?.contacts.find(({ kind }) => kind === 'email')?.contact;
    if (!from || !by || contact === undefined) throw new RegisterError('AUT001');
    const useProof = (session: Parameters<SignInRepository['useLink']>[0]) => signIns.useLink(session, link);
    return start({ by, contact, means: 'magic-link', from, useProof, secret }, origin);
  };
  const earlier = async (link: string, token: string) => {
    const session = (await signIns.isUsed(link)) ? await sessions.of(token) : undefined;
    return session && { token, startedAt: session.startedAt, expiresAt: session.expiresAt };
  };
  return (link, origin) => {
    const secret = nextSecretOf(hash, link);
    return pressOrRepeat(
      () => press(link.secret, secret, origin),
      'AUT001',
      () => earlier(link.secret, tokenOf(secret)),
    );
  };
}

/** Sign-in by passkey in two steps: a challenge for one attempt, and its response. Throws AUT001 for a rejected response. */
export interface PasskeySignIn {
  start(): Promise<{ readonly secret: string; readonly options: object }>;
  finish(secret: string, response: unknown, from: SignInOrigin, origin: CallOrigin): Promise<StartedCustomerSession>;
}

/** Sign-in by passkey. */
export function passkeySignIn(
  signIns: SignInRepository,
  passkeys: PasskeyRepository,
  party: RelyingParty,
  occupants: OccupancyRepository,
  start: StartSession,
): PasskeySignIn {
  return {
    async start() {
      const { options, challenge } = await party.assertionOptions([]);
      return { secret: await signIns.addAttempt('passkey', { challenge }), options };
    },
    async finish(secret, response, from, origin) {
      const signed = challengeIn(response);
      const attempt = await signIns.takeAttempt('passkey', secret, ({ challenge }) => challenge === signed);
      const asserted = attempt && (await passkeys.assert(response, attempt.challenge, { isDiscovered: true }));
      const by = await verifiedRecord(asserted?.recordId, occupants);
      const isContact = by?.contacts.some(({ contact }) => contact === asserted?.contact) === true;
      if (!asserted || !by || !isContact) throw new RegisterError('AUT001');
      return start({ by, contact: asserted.contact, means: 'passkey', from }, origin);
    },
  };
}

/** Returns a record that allows sign-in: verified, moved in, readable, and neither closed nor anonymised. */
async function verifiedRecord(id: string | undefined, occupants: OccupancyRepository) {
  const record = id === undefined ? undefined : await occupants.byId(id);
  if (record === undefined || !isReadable(record)) return undefined;
  return record.isVerified && record.occupancy !== 'to-come' ? record : undefined;
}
