import { CLOSED_IDENTITY_RECORD } from '../../../schema/closed-identity-record';
import { RegisterError, throwViolations } from '../../../schema/register-error';
import { type CallContext, callerOf, duidOf } from '../../server/callers/caller';
import { type RateLimit, rateLimit, rejectLimited, withinLimit } from '../../server/callers/rate-limits';
import type { Database } from '../../server/database/database';
import { type Session, inTransaction } from '../../server/database/transaction';
import { type Idempotency, type IdempotentRequest, replayable, storeResponse } from '../../server/idempotency';
import { currentContacts, isContested } from '../contacts/contacts';
import type { IdentityDependencies } from '../dependencies';
import type { IdentityLookupRepository } from '../lookups/identity-lookup.repository';
import type { Mails } from '../mails/mail-queue.flow';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import { type OccupantRecord, isReadable } from '../occupancy/occupancy';
import type { Organisation, Organisations } from '../organisations.client';
import type { IdentityRecordRepository } from '../records/identity-record.repository';
import type { OwnRecords } from '../records/own-records.repository';
import { type CeremonyIssuer, type IssuedCeremony, initiatorOf } from './ceremony-issuer.flow';
import { lockLiveRecord } from './ceremony.repository';
import {
  type ReidentificationResponse,
  type ReidentificationScope,
  type StartedReidentification,
  maskedEmail,
} from './reidentification';
import { type ReidentificationChoice, chosenRecord, mayVouch } from './reidentification-choice';
import { TOO_MANY_EXISTENCE_CHECKS, TOO_MANY_MAILS } from '../records/identity-record-rules';
import { type ReidentificationRequest, reidentificationViolations, returnUrlOf } from './reidentification-rules';

/** Dependencies of the initiation of re-identifications. */
interface InitiationDependencies {
  readonly database: Database;
  readonly records: IdentityRecordRepository;
  readonly ownRecords: OwnRecords;
  readonly occupants: OccupancyRepository;
  readonly lookups: IdentityLookupRepository;
  readonly issuer: CeremonyIssuer;
  readonly organisations: Organisations;
  readonly mails: Mails;
  readonly idempotency: Idempotency;
  /** Limits per account, shared with existence checks. */
  readonly limits: readonly RateLimit[];
  readonly production: boolean;
}

interface Initiation {
  readonly request: ReidentificationRequest;
  readonly scope: ReidentificationScope;
  readonly context: CallContext;
  readonly idempotent: IdempotentRequest;
  /** Returns the records to choose from, newest first. Throws if the caller has none. */
  readonly candidates: () => Promise<readonly OccupantRecord[]>;
}

type Choice = ReidentificationChoice<OccupantRecord>;

const MAY_NOT_VOUCH =
  'The right to assert the outcome `verified` has been withdrawn from this Data User: it cannot vouch for a passkey of a verified record.';

/** Starts re-identifications for Data Users and portals (decisions A/B, 4). */
export class ReidentificationInitiation {
  constructor(private readonly dependencies: InitiationDependencies) {}

  /** Starts one by MPxN. A record of any Data User may confirm it; the initiator cannot learn which. */
  byMpxn(
    { mpxn, ...request }: ReidentificationRequest & { readonly mpxn: string },
    key: string | null,
    context: CallContext,
  ): Promise<ReidentificationResponse> {
    const { accountId } = callerOf(context);
    const idempotent = this.dependencies.idempotency.request(accountId, 'reidentify', key, { mpxn, ...request });
    const candidates = async () => {
      const records = await this.dependencies.occupants.recordsAt(mpxn);
      if (records.length === 0) throw new RegisterError('NTF001');
      return records;
    };
    return this.start({ request, scope: 'cross', context, idempotent, candidates });
  }

  /** Starts one for an own record by its key. */
  ofOwnRecord(
    ref: string,
    request: ReidentificationRequest,
    key: string | null,
    context: CallContext,
  ): Promise<ReidentificationResponse> {
    const { accountId } = callerOf(context);
    const idempotent = this.dependencies.idempotency.request(accountId, `reidentifyOwn ${ref}`, key, request);
    const candidates = async () => {
      const link = await this.dependencies.records.link(ref);
      if (!link) throw new RegisterError('NTF001');
      await this.dependencies.ownRecords.require(link, ref, context, 'reject-identity-change');
      const record = await this.dependencies.occupants.byRef(ref);
      if (!record) throw new RegisterError('CNF003', CLOSED_IDENTITY_RECORD.anonymised);
      if (record.isClosing) throw new RegisterError('CNF003', CLOSED_IDENTITY_RECORD.closing);
      return [record];
    };
    return this.start({ request, scope: 'own', context, idempotent, candidates });
  }

  private async start(initiation: Initiation): Promise<ReidentificationResponse> {
    const { response, replayed } = await replayable(initiation.idempotent, () => this.initiate(initiation));
    return { ...response, replayed };
  }

  /** Steps of a request in order. Returns undefined if another request claimed the idempotency key. */
  private async initiate(initiation: Initiation): Promise<StartedReidentification | undefined> {
    const { database, limits } = this.dependencies;
    const { idempotent, request, context } = initiation;
    const organisation = await this.initiator(request, context);
    for (const limit of limits) await withinLimit(limit, callerOf(context).accountId, TOO_MANY_EXISTENCE_CHECKS);
    const choice = await this.choose(initiation);
    if (!mayVouch(choice.start, choice.record, organisation)) throw new RegisterError('PRM001', MAY_NOT_VOUCH);
    const issued = await this.issue(initiation, choice);
    const response = this.responseOf(issued, choice);
    return inTransaction(database.pool, async (session) => {
      // with the record that the response discloses, so that anonymising deletes the response
      if (!(await storeResponse(session, idempotent, response, choice.record.id))) return undefined;
      await this.store(session, issued, choice, organisation);
      return response;
    }).catch(async (error: unknown) => {
      if (error instanceof RegisterError && error.code === 'LIM002') await this.countLookup(choice.record, context);
      throw error;
    });
  }

  /** Returns the caller's organisation. Throws the violations of the request, which include return URLs not registered for it. */
  private async initiator(request: ReidentificationRequest, context: CallContext): Promise<Organisation> {
    const organisation = await this.dependencies.organisations.of(duidOf(context), context);
    const { production } = this.dependencies;
    throwViolations(reidentificationViolations(request, { production, returnUrls: organisation.returnUrls }));
    return organisation;
  }

  /** Chooses the record that confirms. A rejected attempt is counted as a lookup, too. */
  private async choose({ request, scope, context, candidates }: Initiation): Promise<Choice> {
    const records = await candidates();
    const { role } = callerOf(context);
    const isBlocked = scope === 'cross' && isContested(currentContacts(records).groups);
    const demand = { method: request.method, scope, verifiedOnly: role === 'portal' };
    const choice = isBlocked ? undefined : chosenRecord(records, demand);
    if (choice) return choice;
    const attempted = records.find((record) => isReadable(record) && record.occupancy === 'current') ?? records[0];
    if (attempted) await this.countLookup(attempted, context);
    throw new RegisterError('REI001');
  }

  private issue({ request, scope, context }: Initiation, { record, start }: Choice): Promise<IssuedCeremony> {
    const { method, state } = request;
    const returnUrl = returnUrlOf(request);
    const reidentification = { ...initiatorOf(context), scope, method, recordId: record.id, returnUrl, state };
    return this.dependencies.issuer.issue(reidentification, start);
  }

  private responseOf(issued: IssuedCeremony, { record }: Choice): StartedReidentification {
    const { method, tokenRef, returnUrl } = issued.reidentification;
    const expiresAt = issued.expiresAt.toISOString();
    if (method === 'magic-link') {
      const dispatchedTo = maskedEmail(record.email ?? '');
      return { method, magicLink: { dispatchedTo, expiresAt, tokenRef, redirectUrl: returnUrl }, passkey: null };
    }
    const redirectUrl = this.dependencies.issuer.passkeyRedirect(issued);
    return { method, magicLink: null, passkey: { redirectUrl, tokenRef, expiresAt, returnUrl } };
  }

  private async store(
    session: Session,
    issued: IssuedCeremony,
    { record }: Choice,
    { displayName: organisation }: Organisation,
  ): Promise<void> {
    const { reidentification, secret, expiresAt } = issued;
    if (!(await lockLiveRecord(session, record.id))) {
      if (reidentification.scope !== 'own') throw new RegisterError('NTF001');
      throw new RegisterError('CNF003', CLOSED_IDENTITY_RECORD.either);
    }
    await this.dependencies.issuer.store(session, issued);
    await this.dependencies.lookups.countReidentification(session, record.id, reidentification.duid);
    if (reidentification.method !== 'magic-link') return;
    // counted after the claim of the idempotency key, so that concurrent repeats count one mail
    rejectLimited(await this.dependencies.mails.permit(record.id, reidentification.duid, session), TOO_MANY_MAILS);
    const mail = { kind: 'reidentification-link', recordId: record.id, organisation, secret, expiresAt } as const;
    await this.dependencies.mails.enqueue(session, mail);
  }

  private countLookup({ id }: OccupantRecord, context: CallContext): Promise<void> {
    const { database, lookups } = this.dependencies;
    return lookups.countReidentification(database.pool, id, duidOf(context));
  }
}

/** Limits per account of existence checks and re-identifications together, in a minute and in a day. */
export function existenceLimits({
  rateLimits,
  limits,
}: Pick<IdentityDependencies, 'rateLimits' | 'limits'>): RateLimit[] {
  return [
    rateLimit(rateLimits, 'exists-minute', limits.existsMinute, 60),
    rateLimit(rateLimits, 'exists-day', limits.existsDay, 24 * 3600),
  ];
}
