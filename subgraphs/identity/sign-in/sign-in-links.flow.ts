import { encryptValue, decryptValue } from '../../server/encryption';
import { type Session, inTransaction } from '../../server/database/transaction';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import type { SignInRepository } from './sign-in.repository';
import { type OccupantRecord, isReadable } from '../occupancy/occupancy';
import type { HomeOfLink, Language } from '../mails/outgoing-mail';
import { type SignInHint, type SoughtBy, originIn, soughtBy } from './sign-in-hint';
import { signInLinkReceivers } from './sign-in-recipients';
import type { IdentityDependencies } from '../dependencies';
import { ANONYMOUS } from '../mails/mail-queue.flow';

/** A request for sign-in links. */
interface LinkRequest {
  readonly entry: SignInHint;
  readonly language: Language;
}

/**
 * Sign-in by mailed link. A request does the same work whether or not the customer is registered; a job does the rest (decisions A/B, 9).
 */
export interface SignInLinks {
  request(request: LinkRequest): Promise<void>;
  /** The job: finds the Identity Records of a request and mails a link to each. An attempt that fails counts and mails nothing. */
  mail(payload: unknown): Promise<void>;
}

/** Name of the job. */
export const SIGN_IN_REQUEST = 'sign-in-request';

/** Attempts of the job, some minutes in total: the customer is waiting for the mail. */
const ATTEMPTS = 6;

/** Links over the job queue and mails of `identity`. */
export function signInLinks(dependencies: IdentityDependencies, signIns: SignInRepository): SignInLinks {
  const { database, keys, jobs, mails, occupants } = dependencies;
  const invite = async (
    session: Session,
    receiver: OccupantRecord,
    { entry, language }: LinkRequest,
    home?: HomeOfLink,
  ) => {
    const link = await signIns.addLink(session, receiver.id, originIn(entry));
    const mail = { kind: 'sign-in-link', recordId: receiver.id, language, ...(home ? { home } : {}) } as const;
    if (link) await mails.enqueue(session, { ...mail, ...link });
  };
  return {
    async request(request) {
      const sealed = encryptValue(keys.encryptionKey, JSON.stringify(request), SIGN_IN_REQUEST).toString('base64');
      await inTransaction(database.pool, (session) =>
        jobs.add(session, SIGN_IN_REQUEST, { sealed }, { maxAttempts: ATTEMPTS }),
      );
    },
    async mail(payload) {
      const { sealed } = payload as { readonly sealed: string };
      const opened = decryptValue(keys.encryptionKey, Buffer.from(sealed, 'base64'), SIGN_IN_REQUEST).toString('utf8');
      const request = JSON.parse(opened) as LinkRequest;
      const sought = soughtBy(request.entry);
      if (sought === undefined) return;
      const receivers = signInLinkReceivers(await foundBy(sought, occupants), sought);
      await inTransaction(database.pool, async (session) => {
        const ids = receivers.map(({ id }) => id);
        const permitted = await mails.permitEach(ids, ANONYMOUS, session);
        const invited = receivers.filter(({ id }) => permitted.has(id));
        for (const record of invited)
          await invite(session, record, request, 'email' in sought ? homeAmong(invited, record) : undefined);
      });
    },
  };
}

/** Returns what distinguishes the link of a record from the other links of a request; undefined for the only one. */
function homeAmong(receivers: readonly OccupantRecord[], record: OccupantRecord): HomeOfLink | undefined {
  const { duid, createdAt: registeredAt, occupancy } = record;
  const [number, total] = [receivers.indexOf(record) + 1, receivers.length];
  return total > 1 ? { number, total, isCurrent: occupancy === 'current', duid, registeredAt } : undefined;
}

async function foundBy(sought: SoughtBy, occupants: OccupancyRepository): Promise<OccupantRecord[]> {
  if ('email' in sought) return occupants.verifiedOfEmail(sought.email);
  if ('mpxn' in sought) return (await occupants.verifiedAt(sought.mpxn)).filter(isReadable);
  const record = await occupants.byRef(sought.ir);
  return record === undefined || !isReadable(record) ? [] : [record];
}
