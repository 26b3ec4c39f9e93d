import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../process/environment';
import type { DemoData } from '../../../sandbox/demo-data';
import { databaseCopy } from '../postgres';
import type { KeptRegister, RegisterOrder } from './keeper-protocol';
import { loggedProcess } from './logged-process';
import type * as ProcessEach from './process-each';
import { urlsOf } from './register-urls';
import { type Templates, freePorts } from './templates';

/** A register that the keeper can stop. */
export interface RunningKeptRegister {
  readonly register: KeptRegister;
  close(): Promise<void>;
}

/** Where registers of a run are made. */
export interface Surroundings {
  readonly templates: Templates;
  /** Folder of the compiled product; empty: it runs from its sources. */
  readonly product: string;
  /** Folder of the run. */
  readonly folder: string;
}

/** Starts a register with demo data, in a database and a data folder of its own. */
export async function startKeptRegister(
  order: RegisterOrder,
  surroundings: Surroundings,
): Promise<RunningKeptRegister> {
  const id = randomUUID().slice(0, 8);
  const dataDir = join(surroundings.folder, `register-${id}`);
  mkdirSync(dataDir, { mode: 0o700 });
  const database = await databaseFor(order, dataDir, surroundings.templates);
  const ports = await freePorts();
  const environment = {
    ...ports,
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    CLOCK_CAN_MOVE: 'true',
    ...order.environment,
  };
  const start = order.wiring === 'one process' ? startOneProcess : processEach().startProcesses;
  const started = await start({ environment, dataDir, product: surroundings.product });
  return {
    register: {
      id,
      ...urlsOf(environment),
      mailbox: started.mailbox,
      sandbox: sandboxOf(dataDir),
      databaseUrl: database.url,
      dataDir,
      logFiles: started.logFiles,
    },
    close: async () => {
      await started.close();
      rmSync(dataDir, { recursive: true, force: true });
      await database.drop();
    },
  };
}

/** Where a register is started. */
export interface Start {
  readonly environment: Environment;
  readonly dataDir: string;
  readonly product: string;
}

/** What is running of it. */
export interface Started {
  readonly mailbox: string;
  readonly logFiles: readonly string[];
  close(): Promise<void>;
}

async function startOneProcess({ environment, dataDir, product }: Start): Promise<Started> {
  const { logFile, stop } = await loggedProcess(product, environment, `${dataDir}.log`);
  return { mailbox: `http://localhost:${environment['MAILBOX_PORT']}`, logFiles: [logFile], close: stop };
}

/** Loaded when it is needed: it contains much of the product. */
const processEach = () => require('./process-each') as typeof ProcessEach;

/** The database given as it is; else a copy of the filled one, with the files that belong to it. */
async function databaseFor({ databaseUrl }: RegisterOrder, dataDir: string, templates: Templates) {
  if (databaseUrl !== undefined) return { url: databaseUrl, drop: () => Promise.resolve() };
  const { database, files } = await templates.get('filled');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dataDir, name), text, { mode: 0o600 });
  return databaseCopy(database);
}

function sandboxOf(dataDir: string): DemoData {
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData;
}
