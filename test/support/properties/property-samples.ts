import { randomUUID } from 'node:crypto';
import type { DemoData } from '../../../sandbox/sandbox-file';
import type { ConsumerParties } from '../consumer-parties';
import { identityRecord, newMpxn } from '../customers';
import { gridArchive } from '../grid-archives';
import { type RestClient, accountOf } from '../rest-client';

/** Keys of the register under test, for requests. */
export interface Samples {
  readonly ir: string;
  /** An Identity Record without access records, which a test may anonymise at any time. */
  readonly spareIr: string;
  /** Re-identifications in progress: by meter point, and of {@link ir}. */
  readonly tokenRef: string;
  readonly ownTokenRef: string;
  /** A return URL of the Data User. */
  readonly returnUrl: string;
  readonly duid: string;
  readonly mpxn: string;
  /** The meter point of the consents for updates. */
  readonly legacyMpxn: string;
  readonly email: string;
  readonly grid: DemoData['grid'];
  /** The archive that tests upload. */
  readonly archive: Buffer;
  readonly mpid: string;
  readonly tariffId: string;
  readonly userId: string;
}

/**
 * Returns the objects for requests of the first Data User and the consumer: demo data, and objects created for the
 * tests.
 */
export async function propertySamples(
  sandbox: DemoData,
  dataUser: RestClient,
  { supplier, tariffId, users }: ConsumerParties,
): Promise<Samples> {
  const { identity_record: ir, mpxn } = sandbox.samples;
  const { duid, return_urls: returnUrls } = accountOf(sandbox, 'data_user');
  const spare = await dataUser('POST', '/v1/identity-records', identityRecord(newMpxn(), null));
  return {
    ir,
    mpxn,
    legacyMpxn: newMpxn(),
    duid: String(duid),
    email: String(sandbox.customers[0]?.email),
    returnUrl: String(returnUrls?.[0]),
    spareIr: String(spare.body['ir']),
    tokenRef: await reidentification(dataUser, 'reidentify', { mpxn }),
    ownTokenRef: await reidentification(dataUser, `${ir}/re-identify`, {}),
    grid: sandbox.grid,
    archive: await gridArchive(),
    mpid: supplier.mpid,
    tariffId,
    userId: users.active,
  };
}

/** Creates a webhook subscription, and an event that is being delivered to it. */
export async function subscribed(dataUser: RestClient): Promise<{ readonly wid: string; readonly eventId: string }> {
  const { body } = await dataUser('POST', '/v1/webhooks', {
    'callback-url': `https://webhooks.example/${randomUUID()}`,
    'alert-email': 'operations@webhooks.example',
  });
  const { wid } = body['webhook'] as { wid: string };
  const test = await dataUser('POST', `/v1/webhooks/${wid}/test`);
  return { wid, eventId: String(test.body['event-id']) };
}

/** Starts a re-identification by mail; returns its `token-ref`. */
export async function reidentification(dataUser: RestClient, path: string, whom: object): Promise<string> {
  const { body } = await dataUser('POST', `/v1/identity-records/${path}`, { ...whom, method: 'magic-link' });
  return String(body['magic-link']['token-ref']);
}
