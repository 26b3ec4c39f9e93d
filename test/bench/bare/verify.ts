import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Keys } from '../../../process/settings/keys';
import { keyedHash } from '../../../subgraphs/server/keyed-hash';
import { responseMetadata, sendJson } from './responses';
import { type RecordRow, recordMetadata } from './record-metadata';

interface VerifiedRow extends RecordRow {
  readonly version: number;
  readonly state: string;
  readonly legal_basis: string;
  readonly registered_at: Date;
  readonly expiry: Date | null;
  readonly revoked_at: Date | null;
}

const STATEMENT = {
  name: 'verify',
  text: `select duid, identity_record_ref, created_at, document, version, legal_basis, registered_at, expiry, revoked_at,
      case when state in ('ACTIVE', 'DISCOVERED') and expiry <= register_now() then 'EXPIRED' else state end as state
    from access_record where key_hash = $1`,
};

/** Serves GET /v1/access-records/{ak}. */
export function addVerification(app: FastifyInstance, pool: Pool, { accessHashKey }: Keys): void {
  const hashOfKey = keyedHash(accessHashKey, 'access-key');
  app.get<{ Params: { ak: string } }>('/v1/access-records/:ak', async (request, reply) => {
    const { ak } = request.params;
    const { rows } = await pool.query<VerifiedRow>({ ...STATEMENT, values: [hashOfKey(ak)] });
    const [row] = rows;
    if (!row) return sendJson(reply.code(404), { response: responseMetadata(request.url), errors: [] });
    void reply.header('etag', `"${row.version}"`);
    return sendJson(reply, { response: responseMetadata(request.url), 'access-record': accessRecord(ak, row) });
  });
}

function accessRecord(ak: string, row: VerifiedRow) {
  const { document } = row;
  return {
    'record-metadata': recordMetadata(ak, row),
    notice: document.notice && notice(document.notice),
    processing: {
      'legal-basis': row.legal_basis,
      purpose: document.purpose,
      'data-types': document.dataTypes,
      jurisdiction: 'GB',
      ...(document.dataSource == null ? {} : { 'data-source': document.dataSource }),
      ...(document.recipients == null ? {} : { recipients: document.recipients.map(recipient) }),
    },
    'access-event': {
      state: row.state,
      'registered-at': row.registered_at.toISOString(),
      expiry: row.expiry?.toISOString() ?? null,
      ...(document.controllerReference == null ? {} : { 'controller-reference': document.controllerReference }),
      ...(document.consent
        ? {
            consent: {
              'consent-type': document.consent.consentType,
              ...(document.consent.method == null ? {} : { method: document.consent.method }),
            },
          }
        : {}),
      ...(row.revoked_at ? { 'revoked-at': row.revoked_at.toISOString() } : {}),
    },
    'reidentification-token': null,
  };
}

function notice({
  sharedNotice,
  notices,
}: {
  sharedNotice?: NoticeDetail | null;
  notices?: (NoticeDetail & { controllerName: string })[] | null;
}) {
  return {
    'shared-notice': sharedNotice ? noticeDetail(sharedNotice) : null,
    notices: notices?.map((each) => ({ 'controller-name': each.controllerName, ...noticeDetail(each) })) ?? null,
  };
}

interface NoticeDetail {
  termsUrl: string;
  noticeVersion: string;
  noticeLanguage?: string | null;
}

function noticeDetail({ termsUrl, noticeVersion, noticeLanguage }: NoticeDetail) {
  return {
    'terms-url': termsUrl,
    'notice-version': noticeVersion,
    ...(noticeLanguage == null ? {} : { 'notice-language': noticeLanguage }),
  };
}

function recipient({ name, role, privacyUrl }: { name: string; role: string; privacyUrl?: string | null }) {
  return { name, role, ...(privacyUrl == null ? {} : { 'privacy-url': privacyUrl }) };
}
