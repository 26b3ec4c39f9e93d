import { addAuditEntry } from '../../server/audit/audit.repository';
import type { Session } from '../../server/database/transaction';

/** A published version or base model. */
interface PublishedArchive {
  /** Account of the admin who uploaded it; null for a command of the operator. */
  readonly accountId: string | null;
  /** Parts of its key: licence area, year, cycle and, of a version, the project. */
  readonly key: readonly (string | number)[];
  readonly version: number;
  readonly archiveSha256: Buffer;
}

/** Adds a publication to the audit, in its transaction. */
export async function auditPublication(
  session: Session,
  action: 'publish-project-version' | 'publish-base-model',
  { accountId, key, version, archiveSha256 }: PublishedArchive,
): Promise<void> {
  const detail = { version, archiveSha256: archiveSha256.toString('hex') };
  await addAuditEntry(session, { actor: accountId ?? 'operator', action, subject: key.join('/'), detail });
}
