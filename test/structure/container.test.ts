import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { newKeyVariables } from '../../sandbox/keys';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { KEY_VARIABLES, SERVICES, SUBGRAPHS } from '../../process/keys';
import { readBackupSettings, readSettings } from '../../process/settings';
import type { ServiceName } from '../../subgraphs/server/caller';
import { compiledProduct } from '../support/run/compiled';
import { PRODUCT } from '../support/run/product-command';
import { productFiles, textOf, variablesRead } from './source-files';

interface ComposeService {
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly depends_on?: Record<string, unknown>;
}

/** Not a service that runs: a command for `docker compose run`. */
interface BackupService extends ComposeService {
  readonly profiles: readonly string[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly volumes: readonly string[];
}

const compose = load(textOf('docker-compose.yml'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as {
  services: Record<string, ComposeService>;
};
const { postgres, backup, ...services } = compose.services as Record<string, ComposeService> & {
  readonly backup: BackupService;
};
const dockerfile = textOf('Dockerfile')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const product = productFiles();
const scripts = (JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }).scripts;

/** Rooms in which services that are alike answer for their health. */
const SHARED_SERVERS: Readonly<Record<string, string>> = {
  access: 'subgraphs/server/',
  identity: 'subgraphs/server/',
  'grid-models': 'subgraphs/server/',
  tariffs: 'subgraphs/server/',
  portal: 'web/',
  console: 'web/',
};

describe('docker-compose.yml', () => {
  it('runs every service of the register by itself, on a PostgreSQL 18', () => {
    const run = Object.entries(services).map(([name, { environment }]) => [name, environment['SERVICES']]);
    expect(run.toSorted()).toEqual(SERVICES.map((name) => [name, name]).toSorted());
    expect(postgres).toMatchObject({ image: 'postgres:18' });
  });

  it.each(Object.entries({ ...services, backup }))('gives %s only variables that are read', (_, { environment }) => {
    const read = variablesRead();
    expect(Object.keys(environment).filter((name) => !read.has(name))).toEqual([]);
  });

  it.each(Object.entries(services))('gives %s the keys that it uses and no other', (name, { environment }) => {
    const used = Object.values(KEY_VARIABLES).filter((key) => key.services.includes(name as ServiceName));
    const given = Object.values(KEY_VARIABLES).filter(({ variable }) => variable in environment);
    expect(given).toEqual(used);
  });

  it.each(Object.entries(services))('gives %s all that production demands', async (name, { environment }) => {
    const settings = readSettings({
      NODE_ENV: 'production',
      ...resolved(environment, await variablesOfAnInstallation()),
    });
    expect([...settings.services]).toEqual([name]);
    const { gateway, access, identity, 'grid-models': gridModels, tariffs } = settings.serviceUrls;
    expect([gateway, access, identity, gridModels, tariffs]).toEqual([
      'http://gateway:4000',
      'http://access:4011',
      'http://identity:4012',
      'http://grid-models:4013',
      'http://tariffs:4014',
    ]);
  });

  it.each(Object.entries(services))(
    'asks %s for its health at its own port, at a path that it serves',
    (name, service) => {
      const { port, pathname } = healthAddress(service);
      expect(Number(port)).toBe(readSettings({}).ports[name as ServiceName]);
      const room = SHARED_SERVERS[name] ?? `${name}/`;
      const serving = product.filter(({ path, text }) => path.startsWith(room) && text.includes(`'${pathname}'`));
      expect(serving).not.toEqual([]);
    },
  );

  it('starts a service after those that it depends on', () => {
    const dependencies = Object.values({ ...services, backup }).flatMap(({ depends_on }) =>
      Object.keys(depends_on ?? {}),
    );
    expect(dependencies.filter((name) => !(name in compose.services))).toEqual([]);
  });

  it('backs up and restores on demand only, with the image of the services and all that a restore demands', async () => {
    const { environment, profiles, entrypoint, command, volumes } = backup;
    expect({ profiles, entrypoint, command, volumes }).toEqual({
      profiles: ['backup'],
      entrypoint: ['node', 'dist/backup.js'],
      command: ['backup', '/backups'],
      volumes: ['backups:/backups'],
    });
    expect(backup).toMatchObject({ restart: 'no', image: services['access']?.image });
    const variables = resolved(environment, await variablesOfAnInstallation());
    const ofSubgraphs = Object.values(KEY_VARIABLES).filter(({ services: users }) =>
      users.some((user) => (SUBGRAPHS as readonly string[]).includes(user)),
    );
    const given = Object.values(KEY_VARIABLES).filter(({ variable }) => variable in environment);
    expect(given).toEqual(ofSubgraphs);
    const settings = readSettings({ NODE_ENV: 'production', ...variables });
    expect([...settings.services]).toEqual(['access', 'identity', 'grid-models', 'tariffs']);
    const { databaseUrl } = readBackupSettings({ NODE_ENV: 'production', ...variables });
    expect(databaseUrl).toBe(settings.databaseUrl);
  });
});

describe('Dockerfile', () => {
  it('uses Node 24 and does not run as root', () => {
    const images = dockerfile.filter((line) => line.startsWith('FROM'));
    expect(images.filter((line) => !/^FROM node:24-slim( AS \w+)?$/.test(line))).toEqual([]);
    expect(dockerfile.findLast((line) => line.startsWith('USER'))).toBe('USER node');
  });

  it('installs by the lock file and runs scripts that exist', () => {
    const runs = dockerfile.filter((line) => line.startsWith('RUN'));
    expect(runs.filter((line) => !/^RUN npm (ci|run \w+)( |$)/.test(line))).toEqual([]);
    const named = runs.flatMap((line) => /npm run (\w+)/.exec(line)?.slice(1) ?? []);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(named).toEqual(['build']);
    expect(scripts['build']).toBe('tsc -p tsconfig.build.json'); // what the run of the tests compiles with, too
    expect(scripts['start']).toContain(startCommand().join(' '));
  });

  it('copies only what exists and is not ignored', () => {
    const sources = copies().flatMap(({ from, sources: copied }) => (from === undefined ? copied : []));
    const ignored = textOf('.dockerignore').split('\n');
    expect(sources.filter((path) => !existsSync(join(REPOSITORY_ROOT, path)) || ignored.includes(path))).toEqual([]);
  });
});

describe('what the image holds', () => {
  let image: string;
  const started: ChildProcess[] = [];

  beforeAll(() => {
    mkdirSync(join(REPOSITORY_ROOT, 'tmp'), { recursive: true });
    image = mkdtempSync(join(REPOSITORY_ROOT, 'tmp', 'image-'));
    cpSync(process.env[PRODUCT] || compiledProduct(), join(image, 'dist'), { recursive: true }); // as `npm run build` compiles it
    copyAsTheImageDoes(image);
  });

  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(image, { recursive: true, force: true });
  });

  it('refuses to start in production without keys, and tells what is missing', () => {
    const [command = '', ...args] = startCommand();
    const { status, stderr } = spawnSync(command, args, {
      cwd: image,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    const variables = [...Object.values(KEY_VARIABLES).map(({ variable }) => variable), 'DATABASE_URL', 'BASE_URL'];
    expect(variables.filter((name) => !stderr.includes(`- ${name}: missing`))).toEqual([]);
  });

  it('is enough to serve: gateway, adapter, portal and console start from it and answer as the health checks ask', async () => {
    const { gateway, 'rest-adapter': adapter, portal, console } = services as Record<ServiceName, ComposeService>;
    const variables = { ...gateway.environment, ...adapter.environment, ...portal.environment, ...console.environment };
    const environment = { ...variables, SERVICES: 'gateway,rest-adapter,portal,console' };
    const urls = await start(resolved(environment, await variablesOfAnInstallation()));
    const { status } = await fetch(new URL(healthAddress(adapter).pathname, urls['rest']));
    for (const [name, entry, service] of [
      ['portal', '/', portal] as const,
      ['console', '/sign-in', console] as const,
    ]) {
      const page = await fetch(new URL(entry, urls[name]));
      const [, asset = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(await page.text()) ?? [];
      const addresses = [asset, healthAddress(service).pathname];
      const answers = await Promise.all(addresses.map((address) => fetch(new URL(address, urls[name]))));
      expect([name, page.status, ...answers.map(({ status: answered }) => answered)]).toEqual([name, 200, 200, 200]);
    }
    const { pathname } = healthAddress(gateway);
    const ofGateway = await fetch(new URL(pathname, urls['gateway']));
    expect({ adapter: status, gateway: ofGateway.status }).toEqual({ adapter: 200, gateway: 503 });
    expect(await ofGateway.json()).toEqual({ status: 'unavailable' });
  });

  /** Starts the image's command; resolves with the addresses of its `ready` line. */
  async function start(environment: Record<string, string>): Promise<Record<string, string>> {
    const [command = '', ...args] = startCommand();
    const ports = { GATEWAY_PORT: '0', REST_PORT: '0', PORTAL_PORT: '0', CONSOLE_PORT: '0', LOG_LEVEL: 'error' };
    const child = spawn(command, args, {
      cwd: image,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment, ...ports },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('ready ')) continue;
      return Object.fromEntries([...line.matchAll(/ (\w+) (http\S+)/g)].map(([, name, url]) => [name, url]));
    }
    throw new Error('the register ended before it was ready');
  }
});

/** Copies of the last stage, as in the Dockerfile; packages are those of this checkout. */
function copyAsTheImageDoes(image: string): void {
  for (const { sources, target } of copies()) {
    if (target === './node_modules') symlinkSync(join(REPOSITORY_ROOT, 'node_modules'), join(image, 'node_modules'));
    else if (target !== './dist') {
      const folder = target === './';
      for (const path of sources)
        cpSync(join(REPOSITORY_ROOT, path), join(image, folder ? path : target), { recursive: true });
    }
  }
}

/** COPY lines of the last stage. */
function copies() {
  const last = dockerfile.findLastIndex((line) => line.startsWith('FROM'));
  return dockerfile.slice(last).flatMap((line) => {
    const [, from, paths] = /^COPY (?:--from=(\w+) )?(.+)$/.exec(line) ?? [];
    if (paths === undefined) return [];
    const names = paths.split(' ');
    return [{ from, sources: names.slice(0, -1), target: names.at(-1) ?? '' }];
  });
}

function startCommand(): string[] {
  const line = dockerfile.find((each) => each.startsWith('CMD')) ?? '';
  return JSON.parse(line.slice('CMD '.length)) as string[];
}

/** What an operator puts into `.env` as the head of docker-compose.yml says. */
async function variablesOfAnInstallation(): Promise<Record<string, string>> {
  return {
    ...(await newKeyVariables()),
    POSTGRES_PASSWORD: 'x',
    BASE_URL: 'https://register.example/v1',
    PORTAL_URL: 'https://portal.register.example',
    CONSOLE_URL: 'https://console.register.example',
    SMTP_URL: 'smtps://mail.example',
    MPXN_PROFILE: 'gb',
  };
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, as docker compose reads them. */
function resolved(environment: Record<string, string>, variables: Record<string, string>): Record<string, string> {
  const value = (_: string, name: string, otherwise?: string) => variables[name] ?? otherwise ?? `no ${name}`;
  return Object.fromEntries(
    Object.entries(environment).map(([name, text]) => [
      name,
      text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, value),
    ]),
  );
}

/** The address in the command of a health check. */
function healthAddress({ healthcheck }: ComposeService): URL {
  return new URL(/fetch\('([^']+)'\)/.exec(healthcheck.test.join(' '))?.[1] ?? '');
}
