import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { loadContract } from '../../../rest-adapter/contract/contract';
import { INTERFACE_D } from '../../../rest-adapter/contract/interfaces';
import { TARIFF_EVENT_TYPES } from '../../../subgraphs/tariffs/events/tariff-event';
import { type TariffEventContent, tariffEventBody } from '../../../subgraphs/tariffs/webhooks/tariff-delivery';
import type { ContractSchema } from '../../../rest-adapter/contract/contract-schema';

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
ajv.addFormat('mpxn', true);
ajv.addFormat('decimal', { type: 'number', validate: () => true });
const { document } = loadContract(INTERFACE_D);
ajv.addSchema(document, 'contract');
const fits = ajv.compile({ $ref: 'contract#/components/schemas/TariffEvent' });

const MPXN = '991234567890';
const TARIFF = 'trf_0d4f8a1be7c92035f6418d2a9c3b5e70';
const AT = new Date('2026-11-20T09:30:00.000Z');
const WEBHOOK = '6a2f7c1e-5d0b-4e19-8c3f-92b4d7e0a518';

/** The members of each type of event (decisions C/D, D.3). */
const EVENTS: readonly Pick<TariffEventContent, 'type' | 'mpxn' | 'tariffId'>[] = [
  { type: 'tariff.change', mpxn: MPXN, tariffId: TARIFF },
  { type: 'tariff.change', mpxn: MPXN, tariffId: null },
  { type: 'tariff.update', mpxn: MPXN, tariffId: TARIFF },
  { type: 'supplier.change', mpxn: MPXN, tariffId: null },
  { type: 'consent.revoked', mpxn: MPXN, tariffId: null },
  { type: 'supplier.cessation', mpxn: null, tariffId: null },
];

describe('the body of a tariff event', () => {
  it.each(EVENTS)('of the type $type, with the tariff $tariffId, conforms to the OpenAPI document', (event) => {
    const body = tariffEventBody({ webhookId: WEBHOOK, mpid: 'LARK', occurredAt: AT, ...event }, AT);
    expect([fits(JSON.parse(body)), fits.errors]).toEqual([true, null]);
  });

  it('has no other type', () => {
    const { TariffEvent } = (document['components'] as { schemas: Record<string, ContractSchema> }).schemas;
    const types = [...TARIFF_EVENT_TYPES].toSorted();
    expect([...(TariffEvent?.properties?.['type']?.enum ?? [])].toSorted()).toEqual(types);
    expect([...new Set(EVENTS.map(({ type }) => type))].toSorted()).toEqual(types);
  });
});
