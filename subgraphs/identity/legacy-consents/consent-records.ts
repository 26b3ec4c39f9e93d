import { DATA_TYPES, type DataType } from '../../../schema/data-types';
import { enumName } from '../../../schema/naming';
import { type QuestionOrigin, askSubgraph } from '../../server/service-question';
import type { SubgraphLink } from '../../server/subgraph-link';
import type { ProvisionalRecord } from '../database/provisional-record.repository';
import type { ConsentEvidence, NewConsent, StandingConsent } from '../domain/legacy-consent';

/** Data types by the names that GraphQL gives them. */
const DATA_TYPE_OF = new Map(DATA_TYPES.map((dataType) => [enumName(dataType), dataType]));

/** Whose request it is, as `access` keeps its idempotency key: with a keyed hash of what was sent, which is personal. */
export interface ConsentRequester {
  readonly accountId: string;
  readonly duid: string;
  readonly idempotencyKey: string | null;
  readonly contentHash: string;
}

/** What `access` answers when it has recorded a consent, or had recorded it for the same request before. */
export interface RecordedConsent {
  readonly key: string;
  readonly consentExpiry: Date | null;
  readonly replayed: boolean;
}

/** An ACTIVE consent as `access` knows it: without MPxN and address. */
export type ShownConsent = Omit<ConsentEvidence, 'mpxn' | 'address'> & {
  readonly duid: string;
  /** Null where a re-identification linked it, not its Data User. */
  readonly identityRecordId: string | null;
  readonly dataTypes: NewConsent['dataType'];
};

const RECORDED = '{ key consentExpiry replayed }';

const RECORD = `mutation RecordConsent($request: LegacyRequestInput!, $consent: LegacyConsentInput!, $identityRecord: ConsentedIdentityRecordInput!) {
  recorded: recordConsent(request: $request, consent: $consent, identityRecord: $identityRecord) ${RECORDED}
}`;

const UPDATE = `mutation UpdateConsent($request: LegacyRequestInput!, $ck: ConsentKey!, $consent: LegacyConsentInput!, $identityRecord: ConsentedIdentityRecordInput, $stillLinkedTo: ID) {
  recorded: updateRecordedConsent(request: $request, ck: $ck, consent: $consent, identityRecord: $identityRecord, stillLinkedTo: $stillLinkedTo) ${RECORDED}
}`;

const STANDING = `query StandingConsent($request: LegacyRequestInput!, $ck: ConsentKey!) {
  kept: keptConsent(request: $request) ${RECORDED}
  standing: standingConsent(ck: $ck) { duid state identityRecordId meterPointId }
}`;

const SHOWN = `query ShownConsents($meterPointId: ID!, $duid: DUID!, $withOthers: Boolean!) {
  shown: shownConsents(meterPointId: $meterPointId, duid: $duid, withOthers: $withOthers) {
    duid identityRecordId consentDate userDefinedReference termsUrl consentExpiry method dataTypes
  }
}`;

const SETTLED = 'mutation SettleIdentityRecord($id: ID!) { linked: settleIdentityRecord(id: $id) }';

/** The answers as GraphQL gives them: instants as texts, enum values by their names. */
interface RecordedAnswer {
  readonly key: string;
  readonly consentExpiry: string | null;
  readonly replayed: boolean;
}

type ShownAnswer = Omit<ShownConsent, 'consentDate' | 'consentExpiry' | 'dataTypes'> & {
  readonly consentDate: string;
  readonly consentExpiry: string | null;
  readonly dataTypes: readonly string[];
};

/**
 * The access records that consents are: `access` keeps them and sees nothing personal, only the opaque id of a meter point and the
 * Identity Record's own.
 */
export class ConsentRecords {
  constructor(private readonly access: SubgraphLink) {}

  /** Registers a consent as an access record. */
  async record(
    request: ConsentRequester,
    consent: NewConsent,
    identityRecord: ProvisionalRecord,
    origin: QuestionOrigin,
  ): Promise<RecordedConsent> {
    const variables = { request, consent: impersonal(consent), identityRecord };
    const { recorded } = await this.ask<{ recorded: RecordedAnswer }>(RECORD, variables, origin);
    return withInstant(recorded);
  }

  /** Updates a consent and links it to another Identity Record. */
  async move(
    request: ConsentRequester,
    ck: string,
    consent: NewConsent,
    identityRecord: ProvisionalRecord,
    origin: QuestionOrigin,
  ): Promise<RecordedConsent> {
    const variables = { request, ck, consent: impersonal(consent), identityRecord };
    const { recorded } = await this.ask<{ recorded: RecordedAnswer }>(UPDATE, variables, origin);
    return withInstant(recorded);
  }

  /** Updates a consent that keeps its Identity Record; null when a concurrent update has linked it to another one. */
  async keep(
    request: ConsentRequester,
    ck: string,
    consent: NewConsent,
    stillLinkedTo: string,
    origin: QuestionOrigin,
  ): Promise<RecordedConsent | null> {
    const variables = { request, ck, consent: impersonal(consent), stillLinkedTo };
    const { recorded } = await this.ask<{ recorded: RecordedAnswer | null }>(UPDATE, variables, origin);
    return recorded && withInstant(recorded);
  }

  /** What the same request was answered before, and how the consent that it is about stands; null where there is none. */
  async standing(
    request: ConsentRequester,
    ck: string,
    origin: QuestionOrigin,
  ): Promise<{ readonly kept: RecordedConsent | null; readonly standing: StandingConsent | null }> {
    type Answer = { kept: RecordedAnswer | null; standing: StandingConsent | null };
    const { kept, standing } = await this.ask<Answer>(STANDING, { request, ck }, origin);
    return { kept: kept && withInstant(kept), standing };
  }

  /** The ACTIVE consents of a meter point: those of a Data User, and all others if asked for. */
  async shown(
    meterPointId: string,
    duid: string,
    withOthers: boolean,
    origin: QuestionOrigin,
  ): Promise<readonly ShownConsent[]> {
    type Answer = { shown: ShownAnswer[] };
    const { shown } = await this.ask<Answer>(SHOWN, { meterPointId, duid, withOthers }, origin);
    return shown.map((consent) => ({
      ...withInstant(consent),
      consentDate: new Date(consent.consentDate),
      dataTypes: consent.dataTypes.map((name) => DATA_TYPE_OF.get(name) as DataType),
    }));
  }

  /** Whether an access record is linked to an Identity Record, or was in a former version; if not, none ever will be. */
  async isLinked(id: string, origin: QuestionOrigin): Promise<boolean> {
    return (await this.ask<{ linked: boolean }>(SETTLED, { id }, origin)).linked;
  }

  private ask<Answer>(query: string, variables: Record<string, unknown>, origin: QuestionOrigin): Promise<Answer> {
    return askSubgraph<Answer>(this.access, 'identity', query, variables, origin);
  }
}

/** What `access` is told of a consent: nothing that says where somebody lives. */
function impersonal({ evidence, dataType }: NewConsent) {
  const { consentDate, userDefinedReference, termsUrl, consentExpiry, method } = evidence;
  return {
    consentDate: consentDate.toISOString(),
    userDefinedReference,
    termsUrl,
    consentExpiry: consentExpiry?.toISOString() ?? null,
    method,
    dataTypes: dataType.map((each: DataType) => enumName(each)),
  };
}

function withInstant<Answer extends { readonly consentExpiry: string | null }>(answer: Answer) {
  return { ...answer, consentExpiry: answer.consentExpiry === null ? null : new Date(answer.consentExpiry) };
}
