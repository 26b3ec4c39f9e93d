import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';
import { RETURN_URL, valueOf } from './ceremonies';
import { REGISTER_CONSENT } from './consent-requests';
import type { FixtureResponse, SignInFixture } from './sign-in-fixture';
import { until } from './until';

export { ADDRESS, EVIDENCE, REGISTER_CONSENT, consentOf } from './consent-requests';

export const CONSENTS = `query ($mpxn: MPxN!) { consents(mpxn: $mpxn) {
  duid dataType evidence { consentDate userDefinedReference termsUrl consentExpiry mpxn method
    address { addressLine1 addressLine2 townCity county postcode } } } }`;
export const VERIFY = `query ($key: AccessKey!) { accessRecord(key: $key) {
  state purpose registeredAt expiry legalBasis dataTypes
  recordMetadata { schemaVersion duid controllerArrangement { arrangementType controllers { name role contactUrl privacyRightsUrl } } }
  notice { sharedNotice { termsUrl noticeVersion } notices { termsUrl } }
  accessEvent { controllerReference consent { consentType method } } } }`;

/** Creates a Data User whose account fulfils every condition of a consent. */
export async function consentingDataUser(fixture: SignInFixture): Promise<Caller> {
  const caller = await fixture.dataUser(RETURN_URL);
  await fixture.owner.query(
    `update access.account set privacy_url = 'https://larkhill.example/rights' where duid = $1`,
    [caller.duid],
  );
  return caller;
}

/** Sends a consent; with `ck` an update, with `key` a request that can be repeated. */
export function sendConsent(
  fixture: SignInFixture,
  caller: Caller,
  input: object,
  more: { readonly ck?: string; readonly key?: string } = {},
): Promise<FixtureResponse> {
  return fixture.execute(REGISTER_CONSENT, { input, ...more }, { caller });
}

/** Registers a consent; returns its key. */
export async function registerConsent(fixture: SignInFixture, caller: Caller, input: object): Promise<string> {
  return valueOf(await sendConsent(fixture, caller, input)).consentToken.key;
}

/** Returns the key under which Interface A verifies a consent. */
export function accessKeyOf(ck: string): string {
  return ck.replace('ck_', 'ak_');
}

/** Revokes a consent through Interface A. */
export function revokeConsent(fixture: SignInFixture, caller: Caller, ck: string): Promise<FixtureResponse> {
  const revoke = 'mutation ($key: AccessKey!) { revokeAccessRecord(key: $key) { revokedAt } }';
  return fixture.executeInAccess(revoke, { key: accessKeyOf(ck) }, { caller });
}

/** Returns the consents of a meter point that a Data User may read. */
export async function shownConsents(fixture: SignInFixture, caller: Caller, mpxn: string) {
  return (await fixture.execute(CONSENTS, { mpxn }, { caller })).data.consents;
}

/** Returns the violations of a request: codes, paths and messages. */
export async function violationsOf(link: SubgraphLink, query: string, variables: object, caller: Caller) {
  const own: CallContext = { caller, service: null, transactionId: 'tid_test', clientAddress: '127.0.0.1' };
  const { errors = [] } = await link.execute({ query, variables: { ...variables }, fixed: true }, own);
  type Violations = { code: string; path: readonly string[] }[];
  const [error] = errors;
  return [error?.extensions['code'], ...((error?.extensions['violations'] ?? []) as Violations).map(violationText)];
}

const violationText = ({ code, path }: { code: string; path: readonly string[] }) => `${code} ${path.join('.')}`;

/**
 * Counts the rows of a Data User that a consent can create, except access keys; `keysOfNothing` counts data keys
 * without a record.
 */
export async function leftOf({ owner }: SignInFixture, { duid }: Caller) {
  const count = async (text: string) => Number((await owner.query(text, [duid])).rows[0].count);
  return {
    records: await count('select count(*) from access.access_record where duid = $1'),
    identityRecords: await count('select count(*) from identity.identity_record where duid = $1'),
    provisional: await count('select count(*) from identity.provisional_identity_record where duid = $1'),
    linked: await count(`select count(*) from access.access_record a join identity.identity_record i
      on i.id = a.identity_record_id and i.ref = a.identity_record_ref and i.meter_point_id = a.meter_point_id where a.duid = $1`),
    keysOfNothing: Number(
      (
        await owner.query(`select count(*) from identity_keys.data_key k
          where not exists (select from identity.identity_record i where i.id = k.record_id)
            and not exists (select from identity.provisional_identity_record p where p.id = k.record_id)`)
      ).rows[0].count,
    ),
  };
}

/** The rows of one complete consent. */
export const ONE_CONSENT = { records: 1, identityRecords: 1, provisional: 0, linked: 1, keysOfNothing: 0 };
/** The rows of a rejected consent. */
export const NOTHING = { records: 0, identityRecords: 0, provisional: 0, linked: 0, keysOfNothing: 0 };

/** Starts the jobs that settle provisional records, and waits until they are done. */
export function settled({ owner }: Pick<SignInFixture, 'owner'>): Promise<void> {
  return until(async () => {
    await owner.query('update identity_jobs._private_jobs set run_at = now() where locked_at is null');
    const { rowCount } = await owner.query('select from identity_jobs._private_jobs');
    return rowCount === 0 ? true : undefined;
  }).then(() => undefined);
}
