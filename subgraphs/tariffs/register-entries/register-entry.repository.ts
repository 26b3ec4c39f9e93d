import { DatabaseError, type Pool } from 'pg';
import { RegisterError, throwViolations } from '../../../schema/register-error';
import { addAuditEntry } from '../../server/audit/audit.repository';
import { inTransaction, onlyRow } from '../../server/database/transaction';
import { type RegisterEntryStatus, statusViolations } from './register-entry-status';
import { type EntryKind, type RegisterEntry, entryColumns, keyColumn } from './register-entry.queries';

/** An entry as stored, and whether the call created it. */
export interface SavedEntry<Entry> {
  readonly entry: Entry;
  readonly isNew: boolean;
}

/** Values of the columns that an admin writes, by their fields. */
type EntryValues = Readonly<Record<string, unknown>>;

/** Returns keyed fingerprints of the fields of an entry that may name people, for the audit. */
type EntryFingerprints<Entry extends RegisterEntry> = (entry: Entry) => Readonly<Record<string, string | null>>;

/** Writes the entries of a kind. Only admins call it (decisions C/D, D.1). */
export class RegisterEntryRepository<Entry extends RegisterEntry> {
  constructor(
    private readonly pool: Pool,
    private readonly kind: EntryKind<Entry>,
    private readonly fingerprints: EntryFingerprints<Entry>,
  ) {}

  /**
   * Creates or corrects an entry, with its entry in the audit. An absent field keeps its value if the kind says so, and is null otherwise.
   * CNF001 if the entry is removed, or if an index or a constraint of the kind rejects it.
   */
  upsert(values: EntryValues, actor: string): Promise<SavedEntry<Entry>> {
    const { table, key, columns, removed } = this.kind;
    return inTransaction(this.pool, async (session) => {
      await session.query(LOCK, [`${table} ${String(values[key])}`]);
      const former = (await session.query<Entry>(lockedEntry(this.kind), [values[key]])).rows[0];
      const written: EntryValues = { ...this.keptOf(former), ...definedOf(values) };
      const parameters = Object.keys(columns).map((field) => written[field] ?? null);
      const { rows } = await session
        .query<Entry & { isNew: boolean }>(upsertStatement(this.kind), parameters)
        .catch((error: unknown) => this.rejectConflict(error));
      if (rows[0] === undefined) throw new RegisterError('CNF001', removed);
      const { isNew, ...rest } = rows[0];
      const entry = rest as unknown as Entry;
      const detail = changesOf(former && this.audited(former), this.audited(entry));
      const action = `save-${this.kind.name}` as const;
      if (detail) await addAuditEntry(session, { actor, action, subject: String(values[key]), detail });
      return { entry, isNew };
    });
  }

  /** Returns the values of an entry that remain unless a call states others. */
  private keptOf(entry: Entry | undefined): EntryValues {
    return Object.fromEntries((this.kind.keptIfAbsent ?? []).map((field) => [field, entry?.[field]]));
  }

  /** Returns the values of an entry that the audit states. */
  private audited(entry: Entry): EntryValues {
    return {
      ...Object.fromEntries(this.kind.audited.map((field) => [field, entry[field]])),
      ...this.fingerprints(entry),
    };
  }

  private rejectConflict(error: unknown): never {
    const { conflicts = {} } = this.kind;
    const conflict = error instanceof DatabaseError ? conflicts[error.constraint ?? ''] : undefined;
    if (conflict) throwViolations([conflict]);
    throw error;
  }

  /**
   * Sets the status of an entry and records the transition; its current status changes nothing. Triggers schedule what follows from a
   * removal, in the same transaction. Throws the kind's `notFound`, or CNF001 if the transition table forbids the change.
   */
  setStatus(id: string, status: RegisterEntryStatus, accountId: string): Promise<Entry> {
    const { table, name, notFound, personalColumns = [] } = this.kind;
    const [key, columns] = [keyColumn(this.kind), entryColumns(this.kind)];
    return inTransaction(this.pool, async (session) => {
      const entry = (await session.query<Entry>(lockedEntry(this.kind), [id])).rows[0];
      if (entry === undefined) throw new RegisterError(notFound);
      throwViolations(statusViolations(entry.status, status));
      if (entry.status === status) return entry;
      const cleared = status === 'removed' ? personalColumns.map((column) => `, ${column} = null`).join('') : '';
      const update = await session.query<Entry>(
        `update ${table} set status = $2, last_modified = register_now()${cleared} where ${key} = $1 returning ${columns}`,
        [id, status],
      );
      await session.query(
        `insert into entry_transition (${key}, from_status, to_status, account_id) values ($1, $2, $3, $4)`,
        [id, entry.status, status, accountId],
      );
      const detail = { from: { status: entry.status }, to: { status } };
      await addAuditEntry(session, { actor: accountId, action: `set-${name}-status`, subject: id, detail });
      return onlyRow(update);
    });
  }
}

/** Serialises the writes of one entry, also of one that does not exist yet, so that the audit states the former values. */
const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';

function lockedEntry<Entry extends RegisterEntry>(kind: EntryKind<Entry>): string {
  return `select ${entryColumns(kind)} from ${kind.table} where ${keyColumn(kind)} = $1 for update`;
}

function definedOf(values: EntryValues): EntryValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Returns the former and new values of the fields that differ, undefined if none does; `from` is null for a new entry. */
function changesOf(former: EntryValues | undefined, entry: EntryValues): EntryValues | undefined {
  const changed = Object.keys(entry).filter((field) => former?.[field] !== entry[field]);
  const valuesOf = (of: EntryValues) => Object.fromEntries(changed.map((field) => [field, of[field]]));
  if (changed.length === 0) return undefined;
  return { from: former === undefined ? null : valuesOf(former), to: valuesOf(entry) };
}

/** SQL: the upsert of an entry. It changes `last_modified` only if another column changes, and returns no row for a removed entry. */
function upsertStatement<Entry extends RegisterEntry>(kind: EntryKind<Entry>): string {
  const key = keyColumn(kind);
  const columns = Object.values<string>(kind.columns);
  const written = columns.filter((column) => column !== key);
  const valuesOf = (row: string) => written.map((column) => `${row}.${column}`).join(', ');
  return `
    insert into ${kind.table} as stored (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
    on conflict (${key}) do update set (${written.join(', ')}, last_modified) =
      (${valuesOf('excluded')}, case when (${valuesOf('stored')}) is distinct from (${valuesOf('excluded')})
        then register_now() else stored.last_modified end)
    where stored.status <> 'removed'
    returning ${entryColumns(kind)}, xmax = 0 as "isNew"`;
}
