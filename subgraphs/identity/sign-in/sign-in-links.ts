import { seal, unseal } from '../../server/sealed';
import { type Session, inTransaction } from '../../server/transaction';
import { OccupancyRepository } from '../database/occupancy.repository';
import type { SignInRepository } from '../database/sign-in.repository';
import type { OccupantRecord } from '../domain/occupant-record';
import type { Language } from '../domain/outgoing-mail';
import { type SignInEntry, type SoughtBy, originIn, soughtBy } from '../domain/sign-in-entry';
import { signInLinkReceivers } from '../domain/sign-in-links';
import type { Foundation } from '../foundation';
import { ANONYMOUS } from '../mails/mails';

/** What somebody asked for: to be mailed a link. */
export interface LinkRequest {
  readonly entry: SignInEntry;
  readonly language: Language;
}

/** Links by mail: asking is the same work whoever is known, everything else is done by a job (2-decisions-a-b.md, section 9). */
export interface SignInLinks {
  request(request: LinkRequest): Promise<void>;
  /** The job: looks up who is meant, and mails each of them a link. */
  mail(payload: unknown): Promise<void>;
}

/** Name of the job. */
export const SIGN_IN_REQUEST = 'sign-in-request';

/** Whoever asks for a link waits for it: a request that failed for some minutes is given up. */
const ATTEMPTS = 6;

/** Links over the jobs and mails of `identity`. */
export function signInLinks(foundation: Foundation, signIns: SignInRepository): SignInLinks {
  const { database, indexes, vault, keys, jobs, mails } = foundation;
  const occupancy = new OccupancyRepository(database, indexes, vault);
  const invite = async (session: Session, { id: recordId }: OccupantRecord, { entry, language }: LinkRequest) => {
    const link = await signIns.addLink(session, recordId, originIn(entry));
    if (link) await mails.enqueue(session, { kind: 'sign-in-link', recordId, ...link, language });
  };
  return {
    async request(request) {
      const sealed = seal(keys.encryptionKey, JSON.stringify(request), SIGN_IN_REQUEST).toString('base64');
      await inTransaction(database.pool, (session) =>
        jobs.add(session, SIGN_IN_REQUEST, { sealed }, { maxAttempts: ATTEMPTS }),
      );
    },
    async mail(payload) {
      const { sealed } = payload as { readonly sealed: string };
      const opened = unseal(keys.encryptionKey, Buffer.from(sealed, 'base64'), SIGN_IN_REQUEST).toString('utf8');
      const request = JSON.parse(opened) as LinkRequest;
      const sought = soughtBy(request.entry);
      if (sought === undefined) return;
      const receivers = signInLinkReceivers(await foundBy(sought, occupancy), sought);
      for (const record of receivers) {
        if ((await mails.permit(record.id, ANONYMOUS)) !== null) continue; // enough mails for now: nobody is told
        await inTransaction(database.pool, (session) => invite(session, record, request));
      }
    },
  };
}

async function foundBy(sought: SoughtBy, occupancy: OccupancyRepository): Promise<OccupantRecord[]> {
  if ('email' in sought) return occupancy.verifiedOfEmail(sought.email);
  if ('mpxn' in sought) return occupancy.verifiedAt(sought.mpxn);
  const record = await occupancy.byRef(sought.ir);
  return record === undefined ? [] : [record];
}
