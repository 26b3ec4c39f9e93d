import { RegisterError, refuse } from '../../../schema/register-error';
import { type CallContext, callerOf, duidOf } from '../../server/caller';
import type { Database } from '../../server/database';
import type { Idempotency, IdempotentRequest } from '../../server/idempotency';
import { type RateLimit, refuseLimited, withinLimit } from '../../server/rate-limits';
import { type Session, inTransaction } from '../../server/transaction';
import type { CeremonyIssuer, IssuedCeremony } from './ceremony-issuer';
import type { IdentityLookRepository } from '../database/identity-look.repository';
import type { IdentityRecordRepository } from '../database/identity-record.repository';
import { holdLiveRecord } from '../database/live-record';
import type { OccupancyRepository } from '../database/occupancy.repository';
import type { ReidentificationRepository } from '../database/reidentification.repository';
import { currentContacts, isContested } from '../domain/contacts';
import type { ReidentificationAnswer, StartedReidentification } from '../domain/started-reidentification';
import { isOwnedBy } from '../domain/ownership';
import { maskedEmail } from '../domain/masked-email';
import type { OccupantRecord } from '../domain/occupant-record';
import type { ReidentificationScope } from '../domain/reidentification';
import { type ReidentificationChoice, chosenRecord } from '../domain/reidentification-choice';
import {
  type ReidentificationRequest,
  reidentificationViolations,
  returnUrlOf,
  unregisteredReturnUrls,
} from '../domain/reidentification-rules';
import type { Mails } from '../mails/mails';
import type { Organisation, Organisations } from '../organisations';

/** What the initiation of re-identifications stands on. */
export interface InitiationParts {
  readonly database: Database;
  readonly records: IdentityRecordRepository;
  readonly occupants: OccupancyRepository;
  readonly looks: IdentityLookRepository;
  readonly reidentifications: ReidentificationRepository;
  readonly issuer: CeremonyIssuer;
  readonly organisations: Organisations;
  readonly mails: Mails;
  readonly idempotency: Idempotency;
  /** Of an account, shared with existence checks. */
  readonly limits: readonly RateLimit[];
  readonly production: boolean;
}

interface Initiation {
  readonly request: ReidentificationRequest;
  readonly scope: ReidentificationScope;
  readonly context: CallContext;
  readonly idempotent: IdempotentRequest;
  /** The records to choose from, newest first; refuses when there is none for the caller. */
  readonly candidates: () => Promise<readonly OccupantRecord[]>;
}

type Choice = ReidentificationChoice<OccupantRecord>;

/** How Data Users and portals start re-identifications (2-decisions-a-b.md, section 4). */
export class ReidentificationInitiation {
  constructor(private readonly parts: InitiationParts) {}

  /** By MPxN: a record of any Data User may confirm it, and the initiator never learns which. */
  byMpxn(
    { mpxn, ...request }: ReidentificationRequest & { readonly mpxn: string },
    key: string | null,
    context: CallContext,
  ): Promise<ReidentificationAnswer> {
    const { accountId } = callerOf(context);
    const idempotent = this.parts.idempotency.request(accountId, 'reidentify', key, { mpxn, ...request });
    const candidates = async () => {
      const records = await this.parts.occupants.recordsAt(mpxn);
      if (records.length === 0) throw new RegisterError('NTF001');
      return records;
    };
    return this.start({ request, scope: 'cross', context, idempotent, candidates });
  }

  /** Of an own record by its key. */
  ofOwnRecord(
    ref: string,
    request: ReidentificationRequest,
    key: string | null,
    context: CallContext,
  ): Promise<ReidentificationAnswer> {
    const { accountId } = callerOf(context);
    const idempotent = this.parts.idempotency.request(accountId, `reidentifyOwn ${ref}`, key, request);
    const candidates = async () => {
      const link = await this.parts.records.link(ref);
      if (!link) throw new RegisterError('NTF001');
      if (!isOwnedBy(link, duidOf(context))) throw new RegisterError('PRM002');
      const record = await this.parts.occupants.byRef(ref);
      if (!record) throw new RegisterError('CNF003');
      return [record];
    };
    return this.start({ request, scope: 'own', context, idempotent, candidates });
  }

  /** What happens to a request, in this order. */
  private async start(initiation: Initiation): Promise<ReidentificationAnswer> {
    const { database, limits } = this.parts;
    const { idempotent, request, context } = initiation;
    const kept = await idempotent.recallKept<StartedReidentification>(database.reads);
    if (kept) return { ...kept, replayed: true };
    refuse(reidentificationViolations(request, this.parts));
    const organisation = await this.initiator(request, context);
    for (const limit of limits) await withinLimit(limit, callerOf(context).accountId);
    const choice = await this.choose(initiation);
    const issued = await this.issue(initiation, choice);
    const answer = this.answer(issued, choice);
    const isFirst = await inTransaction(database.pool, async (session) => {
      if (!(await this.parts.reidentifications.claim(session, idempotent, answer, choice.record.id))) return false;
      await this.store(session, issued, choice, organisation);
      return true;
    });
    if (isFirst) return { ...answer, replayed: false };
    return { ...(await idempotent.recall<StartedReidentification>(database.pool)), replayed: true };
  }

  /** The caller's organisation; refuses return URLs that are not registered for it. */
  private async initiator(request: ReidentificationRequest, context: CallContext): Promise<Organisation> {
    const organisation = await this.parts.organisations.of(duidOf(context), context);
    refuse(unregisteredReturnUrls(request, organisation.returnUrls));
    return organisation;
  }

  /** The record that is to confirm; an attempt that is refused is a look all the same. */
  private async choose({ request, scope, context, candidates }: Initiation): Promise<Choice> {
    const records = await candidates();
    const { role } = callerOf(context);
    const isRefused = scope === 'cross' && isContested(currentContacts(records).groups);
    const demand = { method: request.method, scope, verifiedOnly: role === 'portal' };
    const choice = isRefused ? undefined : chosenRecord(records, demand);
    const retryAfter =
      choice && request.method === 'magic-link'
        ? await this.parts.mails.permit(choice.record.id, duidOf(context))
        : null;
    if (choice && retryAfter === null) return choice;
    const attempted = choice?.record ?? records.find(({ occupancy }) => occupancy === 'current') ?? records[0];
    if (attempted) await this.countLook(this.parts.database.pool, attempted, context);
    refuseLimited(retryAfter);
    throw new RegisterError('REI001');
  }

  private issue({ request, scope, context }: Initiation, { record, start }: Choice): Promise<IssuedCeremony> {
    const { accountId } = callerOf(context);
    const { method, state } = request;
    const returnUrl = returnUrlOf(request);
    const facts = { duid: duidOf(context), accountId, scope, method, recordId: record.id, returnUrl, state };
    return this.parts.issuer.issue(facts, start);
  }

  private answer(issued: IssuedCeremony, { record }: Choice): StartedReidentification {
    const { method, tokenRef, returnUrl } = issued.reidentification;
    const expiresAt = issued.expiresAt.toISOString();
    if (method === 'magic-link') {
      const dispatchedTo = maskedEmail(record.email ?? '');
      return { method, magicLink: { dispatchedTo, expiresAt, tokenRef, redirectUrl: returnUrl }, passkey: null };
    }
    const redirectUrl = this.parts.issuer.passkeyRedirect(issued);
    return { method, magicLink: null, passkey: { redirectUrl, tokenRef, expiresAt, returnUrl } };
  }

  private async store(
    session: Session,
    issued: IssuedCeremony,
    { record }: Choice,
    { displayName: organisation }: Organisation,
  ): Promise<void> {
    const { reidentification, secret, expiresAt } = issued;
    if (!(await holdLiveRecord(session, record.id))) {
      throw new RegisterError(reidentification.scope === 'own' ? 'CNF003' : 'NTF001');
    }
    await this.parts.issuer.store(session, issued);
    await this.parts.looks.countReidentification(session, record.id, reidentification.duid);
    if (reidentification.method !== 'magic-link') return;
    const mail = { kind: 'reidentification-link', recordId: record.id, organisation, secret, expiresAt } as const;
    await this.parts.mails.enqueue(session, mail);
  }

  private countLook(session: Session, { id }: OccupantRecord, context: CallContext): Promise<void> {
    return this.parts.looks.countReidentification(session, id, duidOf(context));
  }
}
