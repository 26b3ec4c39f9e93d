import { DATA_TYPES, type DataType } from '../../../schema/data-types';
import { enumName } from '../../../schema/naming';
import {
  RecordConsent,
  SettleIdentityRecord,
  ShownConsents,
  StandingConsent as LegacyConsentStateOperation,
  UpdateConsent,
} from '../../../schema/generated/service-queries-to-access';
import type { ServiceQuery } from '../../../schema/service-query';
import { type CallOrigin, querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';
import type { ProvisionalRecord } from './provisional-record.repository';
import type { ConsentEvidence, NewConsent, LegacyConsentState } from './legacy-consent';

/** Data types by their GraphQL enum names. */
const DATA_TYPE_OF = new Map<string, DataType>(DATA_TYPES.map((dataType) => [enumName(dataType), dataType]));

/** Origin of a request, for the idempotency key in `access`. The content contains personal data, so only its keyed hash is sent. */
export interface ConsentRequester {
  readonly accountId: string;
  readonly duid: string;
  readonly idempotencyKey: string | null;
  readonly contentHash: string;
}

/** Result of `access` for a recorded consent. */
export interface RecordedConsent {
  readonly key: string;
  readonly consentExpiry: Date | null;
  readonly replayed: boolean;
}

/** An ACTIVE consent of `access`: without MPxN and address. */
type ShownConsent = Omit<ConsentEvidence, 'mpxn' | 'address'> & {
  readonly duid: string;
  /** Null if a re-identification linked it, not its Data User. */
  readonly identityRecordId: string | null;
  readonly dataTypes: NewConsent['dataType'];
};

/** Consents as access records. `access` stores them and receives no personal data, only opaque ids of meter point and Identity Record. */
export class ConsentRecords {
  constructor(private readonly access: SubgraphLink) {}

  /** Registers a consent as an access record. */
  async record(
    request: ConsentRequester,
    consent: NewConsent,
    identityRecord: ProvisionalRecord,
    origin: CallOrigin,
  ): Promise<RecordedConsent> {
    const variables = { request, consent: impersonal(consent), identityRecord };
    const { recorded } = await this.query(RecordConsent, variables, origin);
    return withInstant(recorded);
  }

  /** Updates a consent and links it to another Identity Record. */
  async move(
    request: ConsentRequester,
    ck: string,
    consent: NewConsent,
    identityRecord: ProvisionalRecord,
    origin: CallOrigin,
  ): Promise<RecordedConsent> {
    const variables = { request, ck, consent: impersonal(consent), identityRecord };
    const { recorded } = await this.query(UpdateConsent, variables, origin);
    if (recorded === null) throw new Error('an update with a new Identity Record does not depend on the former one');
    return withInstant(recorded);
  }

  /** Updates a consent that keeps its Identity Record; null if a concurrent update linked it to another one. */
  async keep(
    request: ConsentRequester,
    ck: string,
    consent: NewConsent,
    stillLinkedTo: string,
    origin: CallOrigin,
  ): Promise<RecordedConsent | null> {
    const variables = { request, ck, consent: impersonal(consent), stillLinkedTo };
    const { recorded } = await this.query(UpdateConsent, variables, origin);
    return recorded && withInstant(recorded);
  }

  /** Returns the stored response of the same request, and the present state of the consent; null for each if there is none. */
  async standing(
    request: ConsentRequester,
    ck: string,
    origin: CallOrigin,
  ): Promise<{ readonly kept: RecordedConsent | null; readonly standing: LegacyConsentState | null }> {
    const { kept, standing } = await this.query(LegacyConsentStateOperation, { request, ck }, origin);
    return { kept: kept && withInstant(kept), standing };
  }

  /** Returns the ACTIVE consents at a meter point: those of a Data User, and with `withOthers` of all. */
  async shown(
    meterPointId: string,
    duid: string,
    withOthers: boolean,
    origin: CallOrigin,
  ): Promise<readonly ShownConsent[]> {
    const { shown } = await this.query(ShownConsents, { meterPointId, duid, withOthers }, origin);
    return shown.map((consent) => ({
      ...withInstant(consent),
      consentDate: new Date(consent.consentDate),
      dataTypes: consent.dataTypes.map((name) => DATA_TYPE_OF.get(name) as DataType),
    }));
  }

  /**
   * Returns whether an access record, or a former version of one, is linked to an Identity Record. If none is, none can be in the future.
   */
  async isLinked(id: string, origin: CallOrigin): Promise<boolean> {
    return (await this.query(SettleIdentityRecord, { id }, origin)).linked;
  }

  private query<Result, Variables extends Record<string, unknown>>(
    serviceQuery: ServiceQuery<Result, Variables>,
    variables: Variables,
    origin: CallOrigin,
  ): Promise<Result> {
    return querySubgraph(this.access, 'identity', serviceQuery, variables, origin);
  }
}

/** Fields of a consent for `access`, without personal data. */
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

function withInstant<Result extends { readonly consentExpiry: string | null }>(result: Result) {
  return { ...result, consentExpiry: result.consentExpiry === null ? null : new Date(result.consentExpiry) };
}
