import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { rowsByKey } from '../../server/database/rows-by-key';
import type { ShortReads } from '../../server/database/short-reads';
import { decrypted } from '../../server/damaged-values';
import { encryptValue, decryptValue } from '../../server/encryption';
import { errorFields } from '../../server/observability/failures';
import type { AccessRecordDocument } from './record-document';

const DATA_KEY_BYTES = 32;

/** An encrypted reference and its wrapped data key; both null without a reference. */
interface EncryptedReference {
  readonly sealed: Buffer | null;
  readonly wrappedKey: Buffer | null;
}

/** The stored reference of a version. */
export interface StoredReference {
  /** Keyed hash of the access key: it identifies the record permanently, and a replacement has it without reading the record. */
  readonly key_hash: Buffer;
  readonly reference_sealed: Buffer | null;
  /** The wrapped data key; null without a reference, and after it was destroyed. */
  readonly reference_key: Buffer | null;
}

/** A version of a record with its stored reference. */
export interface VersionWithReference extends StoredReference {
  readonly document: Pick<AccessRecordDocument, 'controllerReference'>;
}

/** Columns of {@link StoredReference} in a statement over `access_record`. */
export const REFERENCE_COLUMNS = `key_hash, reference_sealed,
  case when reference_sealed is not null then wrapped_reference_key(id, version) end as reference_key`;

/** References of versions, by record and version. Unlike {@link REFERENCE_COLUMNS}, it opens the table of keys for every read. */
const REFERENCES_OF_VERSIONS = {
  name: 'references_of_versions',
  text: `select record_id as id, version, key_hash, v.reference_sealed, wrapped as reference_key
    from unnest($1::uuid[], $2::int[]) as wanted (record_id, version)
      join access_record_version v using (record_id, version)
      left join access_keys.reference_key using (record_id, version)
      join (select id, key_hash from access_record) record on record.id = record_id`,
};

/** CTE that stores the data key of the version that the CTE `record` writes, unless parameter `wrapped` is null. */
export const storedReferenceKey = (wrapped: string): string => `
    reference_key as (
      insert into access_keys.reference_key (record_id, version, wrapped)
      select id, version, ${wrapped} from record where ${wrapped}::bytea is not null)`;

/**
 * Encrypts and decrypts the references of Data Users to their customers (decisions A/B, 12). Each version of a record has its own data key.
 * Anonymising deletes the keys, which makes the references unreadable. The keyed hash of the access key is associated data: a reference
 * does not decrypt for another record.
 */
export class ControllerReferences {
  constructor(
    private readonly keyEncryptionKey: Buffer,
    private readonly logger: Pick<Logger, 'error'>,
  ) {}

  /** Encrypts the reference of a new version of the record with this keyed hash of its access key. */
  encrypt(keyHash: Buffer, reference: string | null | undefined): EncryptedReference {
    if (reference == null) return { sealed: null, wrappedKey: null };
    const dataKey = randomBytes(DATA_KEY_BYTES);
    const record = keyHash.toString('hex');
    return {
      sealed: encryptValue(dataKey, reference, `controller reference ${record}`),
      wrappedKey: encryptValue(this.keyEncryptionKey, dataKey, `reference_key ${record}`),
    };
  }

  /**
   * Returns the reference of a version; null without one, after its data key was destroyed, and if the stored bytes are damaged, which is
   * logged: the verification of a record does not depend on its reference.
   */
  decrypt({ key_hash, reference_sealed, reference_key, document }: VersionWithReference): string | null {
    if (reference_sealed === null) return document.controllerReference ?? null;
    if (reference_key === null) return null;
    const record = key_hash.toString('hex');
    const open = () => {
      const dataKey = decryptValue(this.keyEncryptionKey, reference_key, `reference_key ${record}`);
      return decryptValue(dataKey, reference_sealed, `controller reference ${record}`).toString('utf8');
    };
    const report = (error: unknown) =>
      this.logger.error({ keyHash: record, failure: errorFields(error) }, 'a controller reference cannot be decrypted');
    return decrypted(open, report) ?? null;
  }
}

/** A record as it was read: with its stored reference only if it was read by access key. */
interface ReadRecord extends Partial<StoredReference>, Pick<VersionWithReference, 'document'> {
  readonly id: string;
  readonly version: number;
}

type VersionReference = StoredReference & Pick<ReadRecord, 'id' | 'version'>;

/** Returns the function that decrypts the reference of a record. It reads a reference that was not read with the record. */
export function referenceReader(
  reads: ShortReads,
  references: ControllerReferences,
): (record: ReadRecord) => Promise<string | null> | string | null {
  const versionOf = ({ id, version }: VersionReference) => [id, version] as const;
  const ofVersion = rowsByKey(reads, REFERENCES_OF_VERSIONS, versionOf);
  const readReference = async ({ id, version, document }: ReadRecord): Promise<string | null> => {
    const [stored] = await ofVersion(id, version);
    return stored ? references.decrypt({ ...stored, document }) : null;
  };
  return (record) => (isReferenceRead(record) ? references.decrypt(record) : readReference(record));
}

const isReferenceRead = (record: ReadRecord): record is ReadRecord & StoredReference =>
  record.reference_sealed !== undefined;
