import { accountOf, anonymousClient, good, tokenOf } from '../rest-client';
import { customerToken, newCustomer, newMpxn } from '../customers';
import { graphOf } from '../graph';
import { legacyConsent } from '../records';
import type { WireRequest } from './http-exchange';
import { MOMENTARY, type Objects, placeholder } from './momentary-objects';
import type { PropertyFixture } from './property-fixture';
import { type Samples, reidentification, subscribed } from './property-samples';
import { consumerClaims } from './tariff-callers';
import type { RestCaller } from './rest-caller';

/**
 * The response of an operation to every valid request: status, code (Interface D's error code), and members of the
 * success body.
 */
export interface Outcome {
  readonly status: number;
  readonly code?: string;
  /** Required members of the body. */
  readonly contains?: object;
}

const rejected = (status: number, code: string): Outcome => ({ status, code });
const NOT_THERE = rejected(404, 'NTF001');
const NOT_OWNER = rejected(403, 'PRM002');
const HAS_ENDED = rejected(409, 'CNF001');
const IS_ANONYMISED = rejected(409, 'CNF003');

const outcomeOfAll = (outcome: Outcome, ...ids: string[]) => Object.fromEntries(ids.map((id) => [id, outcome]));
const WEBHOOK = ['readWebhook', 'updateWebhook', 'deleteWebhook', 'listWebhookDeliveries', 'redeliverEvent'];

/**
 * Responses to the own Data User or RTI User after the end of an object: a revoked access record, an anonymised
 * Identity Record, a removed webhook, a withdrawn consent of Interface B, and a revoked one of Interface D.
 */
export const AFTER_THE_END: Readonly<Record<string, Outcome>> = {
  verifyAccessRecord: { status: 200, contains: { 'access-record': { 'access-event': { state: 'REVOKED' } } } },
  replaceAccessRecord: HAS_ENDED,
  revokeAccessRecord: HAS_ENDED,
  registerAccessRecord: IS_ANONYMISED,
  listMeterPointAccessRecords: NOT_OWNER,
  readIdentityRecord: { status: 200, contains: { 'identity-record': { 'pii-principal': null, 'has-email': false } } },
  anonymiseIdentityRecord: { status: 200 },
  findIdentityRecords: { status: 200, contains: { 'identity-records': [] } },
  checkIdentityRecordExistence: { status: 200, contains: { exists: false, 'available-methods': [] } },
  reidentify: NOT_THERE,
  reidentifyOwn: IS_ANONYMISED,
  removeCredential: NOT_THERE,
  ...outcomeOfAll(NOT_THERE, 'confirmReidentification', 'confirmOwnReidentification'),
  ...outcomeOfAll(NOT_THERE, ...WEBHOOK, 'testWebhook'),
  registerConsent: HAS_ENDED,
  showConsents: { status: 200, contains: { consents: [] } },
  listCustomerTariffs: rejected(403, 'consent_required'),
  revokeTariffConsent: rejected(404, 'registration_not_found'),
  removeRtiWebhook: rejected(404, 'webhook_not_found'),
};

/** Responses to another Data User, another consumer, another RTI User, and the same ones at another supplier. */
export const TO_ANOTHER: Readonly<Record<string, Outcome>> = {
  verifyAccessRecord: { status: 200 },
  ...outcomeOfAll(NOT_OWNER, 'replaceAccessRecord', 'revokeAccessRecord', 'registerAccessRecord'),
  ...outcomeOfAll(NOT_OWNER, 'listMeterPointAccessRecords', 'readIdentityRecord', 'anonymiseIdentityRecord'),
  ...outcomeOfAll(NOT_OWNER, 'reidentifyOwn', 'removeCredential', 'confirmReidentification'),
  ...outcomeOfAll(NOT_OWNER, 'confirmOwnReidentification', ...WEBHOOK, 'testWebhook', 'registerConsent'),
  findIdentityRecords: { status: 200, contains: { 'identity-records': [] } },
  showConsents: { status: 200, contains: { consents: [] } },
  listCustomerTariffs: rejected(403, 'consent_required'),
  revokeTariffConsent: rejected(404, 'registration_not_found'),
  removeRtiWebhook: rejected(404, 'webhook_not_found'),
};

/** Objects that requests name instead of the usual ones, and the senders of the requests. */
export interface ForeignObjects {
  readonly samples: Samples;
  readonly objects: Objects;
  readonly callersOf: (operationId: string) => readonly RestCaller[];
}

/** Replaces the object names in a request by these objects. */
export function naming({ objects }: Pick<ForeignObjects, 'objects'>, request: WireRequest): WireRequest {
  const target = MOMENTARY.reduce((all, name) => all.replace(placeholder(name), objects[name]), request.target);
  return { ...request, target };
}

const bearer = (who: string, token: string): RestCaller => ({
  ...{ who, credential: { authorization: `Bearer ${token}` } },
  rejectedWith: undefined,
});

/** Objects of the Data User and of an RTI User that have ended. */
export async function endedObjects(fixture: PropertyFixture): Promise<ForeignObjects> {
  const { register, parties, samples, makers } = fixture;
  const { dataUser: rest } = makers;
  const owner = { ...{ name: '', token: '', rest }, duid: samples.duid, returnUrl: samples.returnUrl };
  const [leaving, withdrawing] = [await newCustomer(owner), await newCustomer(owner)];
  const started = { tokenRef: await reidentification(rest, 'reidentify', { mpxn: leaving.mpxn }) };
  const startedOwn = { ownTokenRef: await reidentification(rest, `${leaving.ir}/re-identify`, {}) };
  good(await rest('DELETE', `/v1/access-records/${leaving.key}`));
  good(await rest('DELETE', `/v1/identity-records/${leaving.ir}`));
  const consent = good(await rest('POST', '/register-consent', legacyConsent(samples.duid, withdrawing.mpxn)));
  await withdrawAll(fixture, await customerToken(register, withdrawing));
  const { wid, eventId } = await subscribed(rest);
  good(await rest('DELETE', `/v1/webhooks/${wid}`));
  const token = await parties.supplier.issuer.token({ ...consumerClaims(parties), ...anotherRtiUser(fixture) });
  const consumer = bearer('the consumer', token);
  const shared = await endedSharing(fixture, consumer);
  return {
    samples: {
      ...samples,
      ...{ ir: leaving.ir, spareIr: leaving.ir, mpxn: leaving.mpxn, email: leaving.email },
      legacyMpxn: withdrawing.mpxn,
      ...{ ...started, ...startedOwn },
    },
    objects: {
      ...fixture.objects.now,
      ...{ ak: leaving.key, wid, 'event-id': eventId, ck: String(consent.body['consent-token'].key) },
      ...shared,
    },
    callersOf: (id) => (fixture.contract.get(id)?.of === 'D' ? [consumer] : fixture.callersOf(id).slice(0, 1)),
  };
}

/** Withdraws all consents of a customer, as the portal does. */
async function withdrawAll({ register }: PropertyFixture, token: string): Promise<void> {
  const customer = graphOf(register, token);
  const { data } = await customer('{ customerAccessRecords(part: CURRENT, first: 10) { nodes { id } } }');
  for (const { id } of data.customerAccessRecords.nodes as { id: string }[]) {
    const { errors } = await customer('mutation ($id: ID!) { withdrawConsent(id: $id) { revokedAt } }', { id });
    if (errors.length > 0) throw new Error(JSON.stringify(errors));
  }
}

function anotherRtiUser({ register }: PropertyFixture): { readonly client_id: string } {
  return { client_id: String(register.sandbox.rti_users[0]?.user_id) };
}

async function endedSharing({ register }: PropertyFixture, { credential }: RestCaller) {
  const consumer = anonymousClient(register.rest, credential['authorization']);
  const given = good(await consumer('POST', '/v1/consent', {}));
  const registration_id = String(given.body['data'].registration_id);
  good(await consumer('DELETE', `/v1/consent/${registration_id}`));
  const hook = good(await consumer('POST', '/v1/webhook', { webhook_url: 'https://webhooks.example/ended' }));
  const webhook_id = String(hook.body['webhook_id']);
  good(await consumer('DELETE', `/v1/webhook/${webhook_id}`));
  return { registration_id, webhook_id };
}

/** Objects of the Data User and of an RTI User, named by other callers of the same kind. */
export async function othersObjects(fixture: PropertyFixture): Promise<ForeignObjects> {
  const { register, parties, samples, makers } = fixture;
  const { duid, return_urls: returnUrls } = accountOf(register.sandbox, 'data_user', 1);
  const owner = { ...{ name: '', token: '', rest: makers.dataUser }, duid: samples.duid, returnUrl: samples.returnUrl };
  const { mpxn, email } = await newCustomer(owner);
  const stranger = bearer('another Data User', await tokenOf(register, 'data_user', 1));
  const { supplier, otherSupplier } = parties;
  const claims = consumerClaims(parties);
  const others = { sub: 'ben', mpxn: [newMpxn()] };
  const consumers = [
    bearer('another RTI User', await supplier.issuer.token({ ...claims, ...anotherRtiUser(fixture) })),
    bearer('at another supplier', await otherSupplier.issuer.token(claims)),
  ];
  const neighbour = bearer('another consumer', await supplier.issuer.token({ ...claims, ...others }));
  return {
    samples: { ...samples, mpxn, email, duid: String(duid), returnUrl: String(returnUrls?.[0]) },
    objects: { ...fixture.objects.now },
    callersOf: (id) => {
      if (fixture.contract.get(id)?.of !== 'D') return [stranger];
      // The webhook belongs to the RTI User, independent of the consumer.
      return id === 'removeRtiWebhook' ? consumers : [...consumers, neighbour];
    },
  };
}
