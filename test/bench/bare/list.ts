import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Keys } from '../../../process/settings/keys';
import { blindIndexes } from '../../../subgraphs/identity/records/blind-index';
import { decryptValue } from '../../../subgraphs/server/encryption';
import { responseMetadata, sendJson } from './responses';
import { type RecordRow, recordMetadata } from './record-metadata';
import { type Session, admit } from './session';

interface ListedRow extends RecordRow {
  readonly id: string;
  readonly key_sealed: Buffer;
  readonly state: string;
  readonly legal_basis: string;
  readonly registered_at: Date;
  readonly expiry: Date | null;
}

const STATUS = { name: 'status', text: 'select status, register_now() as now from account where account_id = $1' };

const STATEMENT = {
  name: 'meter_point_list',
  text: `with page as (
      select id, key_sealed, duid, identity_record_ref, created_at, document, legal_basis, registered_at, expiry,
        case when state in ('ACTIVE', 'DISCOVERED') and expiry <= register_now() then 'EXPIRED' else state end as state
      from access_record where meter_point_id = $1 and duid = $2 order by created_at desc, id desc limit 201),
    looked as (
      insert into look (record_id, account_id, kind, hour, count)
      select id, $3, 'listing', date_trunc('hour', register_now(), 'UTC'), 1
      from (select id from page order by created_at desc, id desc limit 200) listed order by id
      on conflict (record_id, account_id, kind, hour) do update set count = look.count + 1)
    select * from page order by created_at desc, id desc`,
};

/** Serves GET /v1/meter-points/{mpxn}/access-records; counts the lookup for each record, as the product does. */
export function addMeterPointList(app: FastifyInstance, pool: Pool, keys: Keys, session: Session): void {
  const { meterPointId } = blindIndexes(keys.identityIndexKey);
  app.get<{ Params: { mpxn: string } }>('/v1/meter-points/:mpxn/access-records', async (request, reply) => {
    const claims = await session(request);
    const status = await pool.query({ ...STATUS, values: [claims.accountId] });
    admit(claims, status.rows[0] as { status: string; now: Date } | undefined);
    const { mpxn } = request.params;
    const { rows } = await pool.query<ListedRow>({
      ...STATEMENT,
      values: [meterPointId(mpxn), claims.duid, claims.accountId],
    });
    return sendJson(reply, {
      response: responseMetadata(request.url),
      mpxn,
      'access-records': rows.map((row) =>
        summary(decryptValue(keys.accessEncryptionKey, row.key_sealed, row.id).toString('utf8'), row),
      ),
      'next-cursor': null,
    });
  });
}

function summary(ak: string, row: ListedRow) {
  const { document, state, legal_basis, registered_at, expiry } = row;
  const { arrangementType, controllers } = document.controllerArrangement;
  return {
    ak,
    'data-types': document.dataTypes,
    state,
    'lead-controller-name': controllers.find(({ role }) => role === 'sole' || role === 'lead')?.name ?? null,
    'arrangement-type': arrangementType,
    'controller-count': controllers.length,
    'record-metadata': recordMetadata(ak, row),
    'legal-basis': legal_basis,
    purpose: document.purpose,
    'registered-at': registered_at.toISOString(),
    expiry: expiry?.toISOString() ?? null,
    'discovered-access': null,
  };
}
