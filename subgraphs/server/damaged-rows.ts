import type { Logger } from 'pino';
import { decrypted } from './damaged-values';
import { errorFields } from './observability/failures';

/** Ids in a log line, which many damaged rows would otherwise fill. */
const MAX_LOGGED_IDS = 20;

/** Rows of a list, or of a run of background work, that cannot be decrypted. They are skipped, so that they do not prevent the others. */
export class DamagedRows {
  private readonly ids: string[] = [];
  private failure: object | undefined;

  constructor(private readonly logger: Pick<Logger, 'error'>) {}

  /** Returns the rows that can be decrypted, each with its content. */
  readable<Row extends { readonly id: string }, Content>(
    rows: readonly Row[],
    decrypt: (row: Row) => Content,
  ): { readonly row: Row; readonly content: Content }[] {
    return rows.flatMap((row) => {
      const report = (error: unknown) => {
        this.ids.push(row.id);
        this.failure ??= errorFields(error);
      };
      return decrypted(() => ({ row, content: decrypt(row) }), report) ?? [];
    });
  }

  /** Logs their number and first ids in one line, at the end. */
  report(message: string): void {
    if (this.ids.length === 0) return;
    const ids = this.ids.slice(0, MAX_LOGGED_IDS);
    this.logger.error({ rows: this.ids.length, ids, failure: this.failure }, message);
  }
}
