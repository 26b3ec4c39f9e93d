import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { databaseIn, runIn } from '../postgres';
import { freePort } from './free-port';
import type { Template, TemplateName } from './keeper-protocol';
import { loggedProcess } from './logged-process';

/** The databases of a run that are copied; the product itself creates each when it is first needed. */
export class Templates {
  private readonly made = new Map<TemplateName, Promise<Template>>();

  constructor(
    private readonly server: string,
    private readonly folder: string,
    private readonly product: string,
  ) {}

  get(name: TemplateName): Promise<Template> {
    const template = this.made.get(name) ?? this.make(name);
    this.made.set(name, template);
    return template;
  }

  private async make(name: TemplateName): Promise<Template> {
    const database = `template_${name}`;
    const dataDir = join(this.folder, database);
    mkdirSync(dataDir);
    await runIn(this.server, `create database ${database}`);
    const url = databaseIn(this.server, database);
    const services = name === 'migrated' ? { SERVICES: 'access,identity,grid-models,tariffs' } : {};
    const environment = {
      ...(await freePorts()),
      ...services,
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      RATE_LIMITS: 'off',
      CLOCK_CAN_MOVE: 'true',
    };
    const first = await loggedProcess(this.product, environment, join(dataDir, '..', `${database}.log`));
    await first.stop();
    // Each copy begins with its own keys.
    if (name === 'migrated') for (const schema of SCHEMAS) await runIn(url, `delete from ${schema}.key_check`);
    await runIn(this.server, `alter database ${database} allow_connections false`);
    return { database, files: name === 'migrated' ? {} : filesOf(dataDir) };
  }
}

const SCHEMAS = ['access', 'identity', 'grid_models', 'tariffs'];
const PORTS = [
  ...['GATEWAY_PORT', 'REST_PORT', 'PORTAL_PORT', 'CONSOLE_PORT', 'MAILBOX_PORT', 'OIDC_PORT'],
  ...['GATEWAY_LINK_PORT', 'ACCESS_PORT', 'IDENTITY_PORT', 'GRID_MODELS_PORT', 'TARIFFS_PORT'],
] as const;

/** Returns a free port for each server of a register, by variable. */
export async function freePorts(): Promise<Record<(typeof PORTS)[number], string>> {
  return Object.fromEntries(await Promise.all(PORTS.map(async (name) => [name, String(await freePort())])));
}

function filesOf(dataDir: string): Record<string, string> {
  return Object.fromEntries(readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]));
}
