import { randomUUID } from 'node:crypto';
import type { DemoData } from '../../sandbox/demo-data';
import { identityRecord, newMpxn } from '../support/customers';
import { type RestClient, accountOf } from '../support/rest-client';
import type { Samples } from './accepted-bodies';

/** What the requests of the first Data User may name: demo data, and what is made for them. */
export async function propertySamples(sandbox: DemoData, dataUser: RestClient): Promise<Samples> {
  const { identity_record: ir, mpxn } = sandbox.samples;
  const { duid, return_urls: returnUrls } = accountOf(sandbox, 'data_user');
  const spare = await dataUser('POST', '/v1/identity-records', identityRecord(newMpxn(), null));
  return {
    ir,
    mpxn,
    duid: String(duid),
    email: String(sandbox.customers[0]?.email),
    returnUrl: String(returnUrls?.[0]),
    spareIr: String(spare.body['ir']),
    tokenRef: await started(dataUser, 'reidentify', { mpxn }),
    ownTokenRef: await started(dataUser, `${ir}/re-identify`, {}),
  };
}

/** A webhook subscription, and an event that is on its way to it. */
export async function subscribed(dataUser: RestClient): Promise<{ readonly wid: string; readonly eventId: string }> {
  const { body } = await dataUser('POST', '/v1/webhooks', {
    'callback-url': `https://webhooks.example/${randomUUID()}`,
    'alert-email': 'operations@webhooks.example',
  });
  const { wid } = body['webhook'] as { wid: string };
  const test = await dataUser('POST', `/v1/webhooks/${wid}/test`);
  return { wid, eventId: String(test.body['event-id']) };
}

async function started(dataUser: RestClient, path: string, whom: object): Promise<string> {
  const { body } = await dataUser('POST', `/v1/identity-records/${path}`, { ...whom, method: 'magic-link' });
  return String(body['magic-link']['token-ref']);
}
