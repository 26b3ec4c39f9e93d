import { RegisterError } from '../../../schema/register-error';
import type { QuestionOrigin } from '../../server/service-question';
import type { StartedCustomerSession } from '../database/customer-session.repository';
import { OccupancyRepository } from '../database/occupancy.repository';
import { PasskeyRepository } from '../database/passkey.repository';
import { SignInRepository } from '../database/sign-in.repository';
import type { SignInOrigin } from '../domain/sign-in-entry';
import type { Area, Foundation } from '../foundation';
import { SignInResolver } from '../resolvers/sign-in.resolver';
import { type StartSession, sessionStart } from './session-start';
import { signInLimit } from './sign-in-limit';
import { SIGN_IN_REQUEST, signInLinks } from './sign-in-links';
import { type RelyingParty, relyingParty } from '../reidentification/webauthn';

/** Sign-in by mailed link and by passkey (2-decisions-a-b.md, section 9). */
export function signInArea(foundation: Foundation): Area {
  const { database, keys, places, indexes, vault } = foundation;
  const signIns = new SignInRepository(database, keys);
  const links = signInLinks(foundation, signIns);
  const start = sessionStart(foundation);
  const occupancy = new OccupancyRepository(database, indexes, vault);
  const party = relyingParty(places, keys);
  const passkeys = new PasskeyRepository(database, vault, party, keys);
  return {
    resolvers: [
      new SignInResolver(
        links,
        signIns,
        linkSignIn(signIns, occupancy, start),
        passkeySignIn(signIns, passkeys, party, occupancy, start),
        signInLimit(foundation),
      ),
    ],
    tasks: { [SIGN_IN_REQUEST]: (payload) => links.mail(payload) },
  };
}

/** Signs in the browser in which the button of a mailed link was pressed; AUT001 when the link is no longer good. */
export type LinkSignIn = (secret: string, origin: QuestionOrigin) => Promise<StartedCustomerSession>;

function linkSignIn(signIns: SignInRepository, occupancy: OccupancyRepository, start: StartSession): LinkSignIn {
  return async (secret, origin) => {
    const from = await signIns.link(secret);
    const by = await verifiedRecord(from?.recordId, occupancy);
    const contact = by?.contacts.find(({ kind }) => kind === 'email')?.contact;
    if (!from || !by || contact === undefined) throw new RegisterError('AUT001');
    const useProof = (session: Parameters<SignInRepository['useLink']>[0]) => signIns.useLink(session, secret);
    return start({ by, contact, means: 'magic-link', from, useProof }, origin);
  };
}

/** The two halves of a passkey sign-in: a challenge that works once, and its answer (AUT001 when it proves nothing). */
export interface PasskeySignIn {
  begin(): Promise<{ readonly secret: string; readonly options: object }>;
  finish(
    secret: string,
    response: unknown,
    from: SignInOrigin,
    origin: QuestionOrigin,
  ): Promise<StartedCustomerSession>;
}

function passkeySignIn(
  signIns: SignInRepository,
  passkeys: PasskeyRepository,
  party: RelyingParty,
  occupancy: OccupancyRepository,
  start: StartSession,
): PasskeySignIn {
  return {
    async begin() {
      const { options, challenge } = await party.assertionOptions([]);
      return { secret: await signIns.addAttempt('passkey', { challenge }), options };
    },
    async finish(secret, response, from, origin) {
      const attempt = await signIns.takeAttempt('passkey', secret);
      const asserted = attempt && (await passkeys.assert(response, attempt.challenge, { isDiscovered: true }));
      const by = await verifiedRecord(asserted?.recordId, occupancy);
      const isHeld = by?.contacts.some(({ contact }) => contact === asserted?.contact) === true;
      if (!asserted || !by || !isHeld) throw new RegisterError('AUT001');
      return start({ by, contact: asserted.contact, means: 'passkey', from }, origin);
    },
  };
}

/** Only an Identity Record whose principal was verified and has moved in, neither anonymised nor closing, signs anybody in. */
async function verifiedRecord(id: string | undefined, occupancy: OccupancyRepository) {
  const record = id === undefined ? undefined : await occupancy.byId(id);
  return record?.isVerified && record.occupancy !== 'to-come' ? record : undefined;
}
