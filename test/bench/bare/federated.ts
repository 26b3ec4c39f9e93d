import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { enumName } from '../../../schema/naming';
import type { Keys } from '../../../process/settings/keys';
import type { AccessRecordDocument } from '../../../subgraphs/access/records/record-document';
import { personalDataCipher } from '../../../subgraphs/identity/records/personal-data-cipher';
import { keyedHash } from '../../../subgraphs/server/keyed-hash';
import { sendJson, transactionId } from './responses';
import { type Session, admit } from './session';

interface JoinedRow {
  readonly caller_status: string;
  readonly now: Date;
  readonly version: number;
  readonly state: string;
  readonly legal_basis: string;
  readonly registered_at: Date;
  readonly expiry: Date | null;
  readonly created_at: Date;
  readonly document: AccessRecordDocument;
  readonly duid: string;
  readonly display_name: string;
  readonly status: string;
  readonly contact_url: string | null;
  readonly privacy_url: string | null;
  readonly data_types_supported: string[];
  readonly identity_id: string;
  readonly ref: string;
  readonly identity_duid: string;
  readonly identity_created_at: Date;
  readonly expressed_by: string;
  readonly sealed: Buffer;
  readonly wrapped: Buffer;
}

const STATEMENT = {
  name: 'record_with_parties',
  text: `select caller.status as caller_status, register_now() as now, r.version, r.legal_basis, r.registered_at, r.expiry, r.created_at,
      case when r.state in ('ACTIVE', 'DISCOVERED') and r.expiry <= register_now() then 'EXPIRED' else r.state end as state, r.document,
      u.duid, u.display_name, u.status, u.contact_url, u.privacy_url, u.data_types_supported,
      i.id as identity_id, i.ref, i.duid as identity_duid, i.created_at as identity_created_at, i.expressed_by, i.sealed, k.wrapped
    from access_record r
      join account caller on caller.account_id = $2
      join account u on u.duid = r.duid
      left join identity_record i on i.id = r.identity_record_id
      left join data_key k on k.record_id = i.id
    where r.key_hash = $1`,
};

/**
 * Serves POST /graphql for the operation ReadAccessRecordWithParties: one SQL join, and decryption of the record's
 * personal data.
 */
export function addFederatedRead(app: FastifyInstance, pool: Pool, keys: Keys, session: Session): void {
  const hashOfKey = keyedHash(keys.accessHashKey, 'access-key');
  const cipher = personalDataCipher(keys.identityEncryptionKey);
  app.post<{ Body: { variables: { ak: string } } }>('/graphql', async (request, reply) => {
    const claims = await session(request);
    const { ak } = request.body.variables;
    const { rows } = await pool.query<JoinedRow>({ ...STATEMENT, values: [hashOfKey(ak), claims.accountId] });
    const [row] = rows;
    admit(claims, row && { status: row.caller_status, now: row.now });
    if (row?.duid !== claims.duid || row.identity_duid !== claims.duid) throw new Error('not its owner');
    const { piiPrincipal } = cipher.open(row.identity_id, { sealed: row.sealed, wrappedKey: row.wrapped });
    const identityRecord = {
      ir: row.ref,
      createdAt: row.identity_created_at.toISOString(),
      expressedBy: enumName(row.expressed_by),
      piiPrincipal,
    };
    const accessRecord = { ...recordOf(ak, row), dataUser: dataUserOf(row), identityRecord };
    return sendJson(reply, { data: { accessRecord }, extensions: { transactionId: transactionId() } });
  });
}

function recordOf(ak: string, { version, state, legal_basis, registered_at, expiry, created_at, document }: JoinedRow) {
  const { arrangementType, controllers } = document.controllerArrangement;
  return {
    version,
    state,
    legalBasis: enumName(legal_basis),
    purpose: document.purpose,
    dataTypes: document.dataTypes.map(enumName),
    registeredAt: registered_at.toISOString(),
    expiry: expiry?.toISOString() ?? null,
    recordMetadata: {
      createdAt: created_at.toISOString(),
      recordIdentifier: ak,
      controllerArrangement: {
        arrangementType: enumName(arrangementType),
        controllers: controllers.map(({ name, role, contactUrl }) => ({ name, role: enumName(role), contactUrl })),
      },
    },
  };
}

function dataUserOf(row: JoinedRow) {
  return {
    duid: row.duid,
    displayName: row.display_name,
    status: enumName(row.status),
    contactUrl: row.contact_url,
    privacyUrl: row.privacy_url,
    dataTypesSupported: row.data_types_supported.map(enumName),
  };
}
