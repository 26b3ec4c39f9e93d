import type { Environment } from '../../../process/environment';
import type { DemoData } from '../../../sandbox/demo-data';

/** How the services of a register are wired: in one process that calls subgraphs directly, or in a process each, over HTTP. */
export type Wiring = 'one process' | 'a process each';

/** A register that the keeper starts. */
export interface RegisterOrder {
  readonly wiring: Wiring;
  /** Variables beside those that the keeper sets: database, data folder, ports, `RATE_LIMITS=off` and `CLOCK_CAN_MOVE=true`. */
  readonly environment?: Environment | undefined;
  /** An existing database; without it the register gets a copy of the one with demo data. */
  readonly databaseUrl?: string | undefined;
}

/** A register that the keeper runs, with demo data. */
export interface KeptRegister {
  /** Names it to the keeper. */
  readonly id: string;
  readonly rest: string;
  readonly gateway: string;
  readonly portal: string;
  readonly console: string;
  /** Address of the captured mails, as JSON. */
  readonly mailbox: string;
  readonly sandbox: DemoData;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Files to which its processes write their logs. */
  readonly logFiles: readonly string[];
}

/** A database that others are copied from. `files` are the files of the data folder that belongs to it, by name. */
export interface Template {
  readonly database: string;
  readonly files: Readonly<Record<string, string>>;
}

/** `migrated`: the tables of all subgraphs, empty, of no key. `filled`: the database of a register after its first start, with demo data. */
export type TemplateName = 'migrated' | 'filled';
