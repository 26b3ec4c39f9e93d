import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoData } from '../../../sandbox/sandbox-file';
import { databaseCopy } from '../postgres';
import type { KeptRegister, RegisterOrder } from './keeper-protocol';
import { loggedProcess } from './logged-process';
import type * as ProcessEach from './process-each';
import { urlsOf } from './register-urls';
import { type Templates, freePorts } from './templates';
import type { Start, Started } from './started-register';

/** A register that the keeper can stop. */
export interface RunningKeptRegister {
  readonly register: KeptRegister;
  close(): Promise<void>;
}

/** The environment in which the registers of a run are created. */
export interface Surroundings {
  readonly templates: Templates;
  /** Folder of the compiled product; empty: it runs from its sources. */
  readonly product: string;
  /** Folder of the run. */
  readonly folder: string;
}

/** Starts a register with demo data, with a separate database and data folder. */
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

async function startOneProcess({ environment, dataDir, product }: Start): Promise<Started> {
  const { logFile, stop } = await loggedProcess(product, environment, `${dataDir}.log`);
  return { mailbox: `http://localhost:${environment['MAILBOX_PORT']}`, logFiles: [logFile], close: stop };
}

/** Loaded on demand: it imports much of the product. */
const processEach = () => require('./process-each') as typeof ProcessEach;

/** Returns the given database; by default a copy of the filled one, with its files. */
async function databaseFor({ databaseUrl, files = {} }: RegisterOrder, dataDir: string, templates: Templates) {
  const template = databaseUrl === undefined ? await templates.get('filled') : undefined;
  for (const [name, text] of Object.entries(template?.files ?? files))
    writeFileSync(join(dataDir, name), text, { mode: 0o600 });
  return template ? databaseCopy(template.database) : { url: String(databaseUrl), drop: () => Promise.resolve() };
}

function sandboxOf(dataDir: string): DemoData {
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData;
}
