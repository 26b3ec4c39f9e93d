import type { Environment } from '../../../process/settings/environment';
import type { DemoData } from '../../../sandbox/sandbox-file';

/**
 * How the services of a register run: in one process with direct calls of subgraphs, or in one process per service,
 * over HTTP.
 */
export type Wiring = 'one process' | 'a process each';

/** A register that the keeper starts. */
export interface RegisterOrder {
  readonly wiring: Wiring;
  /**
   * Variables in addition to those of the keeper: database, data folder, ports, `RATE_LIMITS=off` and
   * `CLOCK_CAN_MOVE=true`.
   */
  readonly environment?: Environment | undefined;
  /** An existing database; by default a copy of the one with demo data. */
  readonly databaseUrl?: string | undefined;
  /** Files of the data folder for an existing database: name to text. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

/** A register that the keeper runs, with demo data. */
export interface KeptRegister {
  /** Identifies it for the keeper. */
  readonly id: string;
  readonly rest: string;
  readonly gateway: string;
  readonly portal: string;
  readonly console: string;
  /** URL of the captured mails, as JSON. */
  readonly mailbox: string;
  readonly sandbox: DemoData;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Log files of its processes. */
  readonly logFiles: readonly string[];
}

/** A database to copy. `files` are the files of its data folder, by name. */
export interface Template {
  readonly database: string;
  readonly files: Readonly<Record<string, string>>;
}

/**
 * `migrated`: the empty tables of all subgraphs, not bound to any key. `filled`: the database of a register after its
 * first start, with demo data.
 */
export type TemplateName = 'migrated' | 'filled';
