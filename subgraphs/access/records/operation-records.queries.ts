import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { RegisterError } from '../../../schema/register-error';
import type { Database } from '../../server/database/database';
import { selectsField } from '../../server/graph/selected-field';
import type { AccessRecordRepository } from './access-record.repository';
import { MAX_PAGE_BYTES, type SizedRow, selectFitting, sizedPage } from './page-size.sql';
import {
  type AccessRecordRow,
  COLUMNS_WITH_OPTIONAL_DOCUMENT,
  StoredAccessRecord,
} from './stored-access-record.queries';

const IN_ORDER = 'order by id';

/** Access records by internal id, with their documents if `$2` is true. `$3` is the maximum of bytes. */
const BY_IDS = {
  name: 'access_records_by_id',
  text: `with ${sizedPage(
    `select ${COLUMNS_WITH_OPTIONAL_DOCUMENT('$2::boolean')} from access_record where id = any($1::uuid[])`,
    IN_ORDER,
    'false',
    '$3::bigint',
  )} ${selectFitting(IN_ORDER)}`,
};

/** Fields of an access record that are stored in its document. That of a discovered access is small, and always read. */
const DOCUMENT_FIELDS = [
  'recordMetadata',
  'notice',
  'processing',
  'accessEvent',
  'dataTypes',
  'leadControllerName',
  'arrangementType',
  'controllerCount',
  'purpose',
];

/** Maximum records of a statement. */
const MAX_BATCH_SIZE = 500;
const TOO_LARGE = `The records have more than ${MAX_PAGE_BYTES / 1024 / 1024} MiB: request fewer events, or fewer fields of their records`;

/** Returns whether an operation selects a field of access records that is stored in their documents. */
export function selectsDocument(info: GraphQLResolveInfo): boolean {
  return DOCUMENT_FIELDS.some((field) => selectsField(info, field));
}

/** Returns whether an operation selects the access key of access records. */
export function selectsKey(info: GraphQLResolveInfo): boolean {
  return selectsField(info, 'ak') || selectsField(info, 'recordIdentifier');
}

/** Returns the record with an internal id, for an operation. `withDocument`: whether its document is read, too. */
type FindRecord = (id: string, operation: object, withDocument: boolean) => Promise<StoredAccessRecord | null>;

/**
 * Returns a function that reads the records of entries of lists. An operation reads its first record by a short read if it is a single one,
 * as a subscription does; all others by the pool, one statement at a time, because 500 records may have 500 MB. Throws VAL003 for the
 * records with which an operation exceeds the maximum of bytes.
 */
export function recordsOfOperations(
  database: Pick<Database, 'pool'>,
  records: Pick<AccessRecordRepository, 'byId'>,
): FindRecord {
  const readers = new WeakMap<object, OperationRecords>();
  return (id, operation, withDocument) => {
    const reader = readers.get(operation) ?? new OperationRecords(database, records);
    readers.set(operation, reader);
    return reader.load(id, withDocument);
  };
}

type Found = StoredAccessRecord | Error | null;

/** The records that one operation reads. */
class OperationRecords {
  private readonly loaders = [this.loader(false), this.loader(true)] as const;
  private bytesLeft = MAX_PAGE_BYTES;
  private isFirst = true;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly records: Pick<AccessRecordRepository, 'byId'>,
  ) {}

  load(id: string, withDocument: boolean): Promise<StoredAccessRecord | null> {
    return this.loaders[withDocument ? 1 : 0].load(id);
  }

  private loader(withDocument: boolean): DataLoader<string, StoredAccessRecord | null> {
    const read = (ids: readonly string[]) => {
      const found = this.last.then(() => this.read(ids, withDocument));
      this.last = found.catch(() => undefined);
      return found;
    };
    return new DataLoader<string, StoredAccessRecord | null>(read, {
      cache: false,
      maxBatchSize: MAX_BATCH_SIZE,
      batchScheduleFn: (run) => void setImmediate(run),
    });
  }

  private async read(ids: readonly string[], withDocument: boolean): Promise<Found[]> {
    const { isFirst } = this;
    this.isFirst = false;
    const [id] = ids;
    if (isFirst && id !== undefined && ids.length === 1) return [await this.records.byId(id)];
    const values = [ids, withDocument, this.bytesLeft];
    const { rows } = await this.database.pool.query<AccessRecordRow & SizedRow>({ ...BY_IDS, values });
    const found = new Map(rows.filter(({ fits }) => fits).map((row) => [row.id, row]));
    const isComplete = found.size === rows.length;
    const result = ids.map((each) => this.counted(found.get(each), isComplete));
    if (!isComplete) this.bytesLeft = 0;
    return result;
  }

  /** Returns a record, whose bytes count each time that a list contains it. `isComplete`: a row that was not found does not exist. */
  private counted(row: AccessRecordRow | undefined, isComplete: boolean): Found {
    if (row === undefined && isComplete) return null;
    if (row === undefined || this.bytesLeft <= 0) return new RegisterError('VAL003', TOO_LARGE);
    this.bytesLeft -= Buffer.byteLength(JSON.stringify(row.document));
    return new StoredAccessRecord(row);
  }
}
