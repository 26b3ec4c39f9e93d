import type { Environment } from '../../../process/settings/environment';

/** Settings of a register's start. */
export interface Start {
  readonly environment: Environment;
  readonly dataDir: string;
  readonly product: string;
}

/** A started register. */
export interface Started {
  readonly mailbox: string;
  readonly logFiles: readonly string[];
  close(): Promise<void>;
}
