import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newKeyVariables } from '../../process/settings/new-keys';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { KEY_VARIABLES, SERVICES, SERVICE_KEY_VARIABLES, SUBGRAPHS } from '../../process/settings/keys';
import { DATABASE_URL_VARIABLES } from '../../process/settings/database-settings';
import { readMigrationSettings } from '../../process/settings/migration-settings';
import { freshDatabase } from '../support/postgres';
import type { ServiceName } from '../../subgraphs/server/callers/caller';
import { compiledProduct } from '../support/run/compiled';
import { PRODUCT } from '../support/run/product-command';
import {
  type ComposeService,
  backup,
  compose,
  layout,
  migrate,
  onlyProcess,
  postgres,
  resolved,
  runsOf,
  services,
} from './compose-file';
import { productFiles, textOf, variablesRead } from './source-files';
import { readBackupSettings, readSettings } from '../../process/settings/read-settings';

const dockerfile = textOf('Dockerfile')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const product = productFiles();
const scripts = (JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }).scripts;

/** Variables that docker-compose.yml does not pass. */
const NOT_APPLICABLE: readonly string[] = [
  ...['NODE_ENV', 'HOST', 'PATH', 'APOLLO_TELEMETRY_DISABLED'], // of the image, or of the system
  ...['GATEWAY_PORT', 'REST_PORT', 'PORTAL_PORT', 'CONSOLE_PORT', 'GATEWAY_LINK_PORT'], // fixed in a container
  ...['ACCESS_PORT', 'IDENTITY_PORT', 'GRID_MODELS_PORT', 'TARIFFS_PORT'],
  ...['CLOCK_CAN_MOVE', 'CLOCK_OFFSET_SECONDS', 'RATE_LIMITS', 'WEBHOOK_ALLOW_LOOPBACK'], // rejected in production
  ...['DATA_DIR', 'PG_BIN', 'MAILBOX_PORT', 'OIDC_PORT'], // of a sandbox
];

/** Folders with the health checks that several services share. */
const SHARED_SERVERS: Readonly<Partial<Record<ServiceName, string>>> = {
  access: 'subgraphs/server/',
  identity: 'subgraphs/server/',
  'grid-models': 'subgraphs/server/',
  tariffs: 'subgraphs/server/',
  portal: 'web/',
  console: 'web/',
};

describe('docker-compose.yml', () => {
  it('runs every service of the register once, with PostgreSQL 18: identity in its own container, the adapter with the gateway', () => {
    const run = Object.fromEntries(Object.entries(layout).map(([name, container]) => [name, runsOf(container)]));
    expect(Object.values(run).flat().toSorted()).toEqual([...SERVICES].toSorted());
    expect(run).toMatchObject({ identity: ['identity'], edge: ['gateway', 'rest-adapter'] });
    expect(runsOf(onlyProcess)).toEqual(SERVICES);
    expect(postgres).toMatchObject({ image: 'postgres:18' });
  });

  it('starts the layout that COMPOSE_PROFILES names and no other, and every command fails without one', () => {
    expect(Object.values(layout).map(({ profiles }) => profiles)).toEqual(Object.keys(layout).map(() => ['separate']));
    expect(onlyProcess.profiles).toEqual(['small']);
    const always = Object.values(compose.services).filter(({ profiles }) => profiles === undefined);
    expect(always).toEqual([postgres, migrate]);
    expect(always.flatMap(({ ports = [] }) => ports)).toEqual([]);
    expect(migrate).toMatchObject({ labels: { layout: expect.stringMatching(/^\$\{COMPOSE_PROFILES:\?[^}]+\}$/) } });
  });

  it('has set-up lines that write all variables of an installation, or, without keys or beside an existing file, none', async () => {
    const [, lines = ''] = /^(#   docker build [^]*? >> \.env)$/m.exec(textOf('docker-compose.yml')) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'register-set-up-'));
    const run = (docker: string) =>
      spawnSync('bash', ['-c', `docker() { [ "$1" = build ] || ${docker}; }\n${lines.replace(/^#/gm, '')}`], {
        cwd: folder,
        env: { ...process.env, KEYS: 'KEY=first' },
      }).status;
    const written = () => readFileSync(join(folder, '.env'), 'utf8');
    try {
      expect([run('false'), written()]).toEqual([1, '']);
      rmSync(join(folder, '.env'));
      expect(run('printenv KEYS')).toBe(0);
      const first = written();
      const variables = first.trimEnd().split('\n');
      expect(variables.filter((line) => !/^\w+=\S+$/.test(line))).toEqual([]); // no remark in a value
      const names = variables.map((line) => line.split('=')[0]);
      const all = Object.keys(await variablesOfAnInstallation());
      const keys = Object.keys(newKeyVariables());
      expect(names.toSorted()).toEqual(
        ['KEY', 'TRUST_PROXY', ...all.filter((name) => !keys.includes(name))].toSorted(),
      );
      const mailServer = variables.find((line) => line.startsWith('SMTP_URL='))?.replace('password', 'pa$word');
      expect(storedValue(mailServer)).toBe('smtps://user:pa$word@mail.example');
      expect([run('printenv KEYS'), written()]).toEqual([1, first]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['docker-compose.yml', 'docs/operations.md'])(
    'has a command in %s that creates the keys readable for the owner only, and never replaces them',
    (name) => {
      const [create, ...others] = textOf(name).match(/.*create-keys > .*/g) ?? [];
      expect(others).toEqual([]);
      const script = String(create)
        .replace(/^#|&&.*/g, '')
        .replace(/(npm run|docker run) .*create-keys/, 'printenv KEYS');
      const folder = mkdtempSync(join(tmpdir(), 'register-set-up-'));
      const run = (KEYS: string) =>
        spawnSync('bash', ['-c', script], { cwd: folder, env: { ...process.env, KEYS } }).status;
      try {
        expect([run('first'), run('second')]).toEqual([0, 1]);
        expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('first\n');
        expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it.each(['.env', 'owner.env'])('writes keys and passwords to %s, which no commit and no image contains', (name) => {
    const { status } = spawnSync('git', ['check-ignore', '--no-index', name], { cwd: REPOSITORY_ROOT });
    expect(status).toBe(0);
    expect(textOf('.dockerignore').split('\n')).toContain(name);
  });

  it('passes the login of the owner to the migration job and to backups only, and to each service its own', () => {
    const logins = (container: ComposeService) =>
      Object.keys(container.environment)
        .filter((name) => name.endsWith('DATABASE_URL'))
        .toSorted();
    const all = Object.values(DATABASE_URL_VARIABLES);
    expect(logins(migrate)).toEqual(['DATABASE_URL', ...all].toSorted());
    expect(logins(backup)).toEqual(['DATABASE_URL']);
    for (const container of Object.values(services)) {
      const own = SUBGRAPHS.filter((name) => runsOf(container).includes(name));
      expect(logins(container)).toEqual(own.map((name) => DATABASE_URL_VARIABLES[name]).toSorted());
    }
    const users = all.map((name) => new URL(String(migrate.environment[name]).replace(/\$\{[^}]*\}/g, 'p')).username);
    expect(new Set([...users, 'register']).size).toBe(all.length + 1);
  });

  it('publishes ports on loopback only, unless the operator names another address', () => {
    const ports = Object.values(compose.services).flatMap((container) => container.ports ?? []);
    expect(ports).toHaveLength(8);
    expect(ports.filter((port) => !/^\$\{[A-Z]+_PORTS:-127\.0\.0\.1:(\d+)\}:\1$/.test(port))).toEqual([]);
  });

  it('bounds the log of each container, which is stored on the disk of the database', () => {
    for (const container of Object.values(compose.services))
      expect(container).toMatchObject({
        logging: { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } },
      });
  });

  it('starts services with database tables after the migration job, and no public service in the network of the database', () => {
    for (const container of Object.values(services)) {
      const needsTables = SUBGRAPHS.some((name) => runsOf(container).includes(name));
      expect(container.depends_on?.['migrate']).toEqual(
        needsTables ? { condition: 'service_completed_successfully' } : undefined,
      );
    }
    for (const name of ['portal', 'console']) expect(layout[name]).toMatchObject({ networks: ['outer'] });
    for (const name of ['identity', 'subgraphs']) expect(layout[name]).toMatchObject({ networks: ['inner'] });
  });

  it.each(Object.entries({ ...services, backup, migrate }))(
    'passes to %s only variables that the product reads',
    (_, { environment }) => {
      const read = variablesRead();
      expect(Object.keys(environment).filter((name) => !read.has(name))).toEqual([]);
    },
  );

  it('passes every setting except those that containers or production cannot have', () => {
    const passed = new Set(Object.values(compose.services).flatMap(({ environment }) => Object.keys(environment)));
    const missing = [...variablesRead()].filter((name) => !passed.has(name) && !NOT_APPLICABLE.includes(name));
    expect(missing).toEqual([]);
    expect(NOT_APPLICABLE.filter((name) => passed.has(name) || !variablesRead().has(name))).toEqual([]);
  });

  it.each(Object.entries(services))(
    'passes to %s the settings that the start of its services reads',
    (_, container) => {
      const starts = ['process/start-servers.ts', 'process/start-subgraphs.ts'].flatMap((path) =>
        textOf(path).split(/^(?=export async function )/m),
      );
      const read = textOf('process/settings/read-settings.ts').matchAll(/(\w+): reader\.\w+\(\s*'([A-Z_]+)'/g);
      const variables = [...read].map(
        ([, setting = '', variable = '']) => [new RegExp(`\\b${setting}\\b(?!\\()`), variable] as const,
      );
      expect(variables.length).toBeGreaterThan(20);
      const run = runsOf(container);
      const needed = run.flatMap((service) => {
        const name = `start${service.replace(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase())}(`;
        const start = starts.find((text) => text.startsWith(`export async function ${name}`)) ?? '';
        expect([service, start]).not.toEqual([service, '']);
        return variables.filter(([setting]) => setting.test(start)).map(([, variable]) => variable);
      });
      expect(needed.filter((name) => !(name in container.environment) && !NOT_APPLICABLE.includes(name))).toEqual([]);
    },
  );

  it.each(Object.entries(services))('passes to %s the keys that it uses and no other', (_, container) => {
    const { environment } = container;
    const run = runsOf(container);
    const used = Object.values(KEY_VARIABLES).filter((key) => key.services.some((user) => run.includes(user)));
    const given = Object.values(KEY_VARIABLES).filter(({ variable }) => variable in environment);
    expect(given).toEqual(used);
    const proofs = Object.values(SERVICE_KEY_VARIABLES).filter((variable) => variable in environment);
    const isAlone = run.length === SERVICES.length;
    expect(proofs.toSorted()).toEqual(isAlone ? [] : run.map((name) => SERVICE_KEY_VARIABLES[name]).toSorted());
  });

  it.each(Object.entries(services))('passes to %s all variables that production requires', async (_, container) => {
    const { environment } = container;
    const settings = readSettings({
      NODE_ENV: 'production',
      ...resolved(environment, await variablesOfAnInstallation()),
    });
    expect([...settings.services]).toEqual(runsOf(container));
    expect(settings.databaseUrl).toBeUndefined();
    const containerOf = (name: string) =>
      Object.entries(layout).find(([, each]) => runsOf(each).includes(name as ServiceName))?.[0];
    for (const [name, url] of Object.entries(settings.serviceUrls)) {
      const port = name === 'gateway' ? 4010 : readSettings({}).ports[name as ServiceName];
      expect(url).toBe(`https://${containerOf(name)}:${port}`);
    }
  });

  it('passes to the migration job all variables that it requires', async () => {
    const variables = resolved(migrate.environment, await variablesOfAnInstallation());
    expect(readMigrationSettings({ NODE_ENV: 'production', ...variables })).toMatchObject({ movableClock: false });
    expect(migrate).toMatchObject({ entrypoint: ['node', 'dist/commands/migrate.js'], restart: 'no' });
  });

  it('leads all logins to the PostgreSQL of DATABASE_ADDRESS if it is set, and then needs no container for it', async () => {
    const installation = await variablesOfAnInstallation();
    const DATABASE_ADDRESS = 'database.example:5433/central?sslmode=verify-full';
    const addresses = (variables: Record<string, string>) =>
      Object.values({ ...services, backup, migrate }).flatMap(({ environment }) =>
        Object.entries(resolved(environment, variables)).flatMap(([name, url]) =>
          name.endsWith('DATABASE_URL') ? [url.split('@')[1]] : [],
        ),
      );
    const all = addresses({ ...installation, DATABASE_ADDRESS });
    expect(all).toHaveLength(14);
    expect(new Set(all)).toEqual(new Set([DATABASE_ADDRESS]));
    expect(new Set(addresses(installation))).toEqual(new Set(['postgres:5432/register']));
    for (const { depends_on } of Object.values({ ...services, backup, migrate }))
      expect([undefined, { condition: 'service_healthy', required: false }]).toContainEqual(depends_on?.['postgres']);
    expect(migrate.depends_on).toHaveProperty('postgres');
  });

  it.each(Object.entries(services))(
    'checks the health of %s at the port of one of its services, at a path that the service has',
    (_, container) => {
      const { port, pathname } = healthAddress(container);
      const name = runsOf(container).find((each) => readSettings({}).ports[each] === Number(port));
      expect(name).toBeDefined();
      const fixture = SHARED_SERVERS[name as ServiceName] ?? `${name}/`;
      const serving = product.filter(({ path, text }) => path.startsWith(fixture) && text.includes(`'${pathname}'`));
      expect(serving).not.toEqual([]);
    },
  );

  it('states the connections of two replicas of the subgraphs as docs/operations.md counts them', () => {
    const rows = textOf('docs/operations.md').matchAll(/^\| `[\w-]+` +\| P \+ \d+ +\| (\d+) +\|$/gm);
    const ofOneReplica = [...rows].reduce((sum, [, connections]) => sum + Number(connections), 0);
    expect(textOf('docker-compose.yml')).toMatch(`hold up to ${2 * ofOneReplica} connections`);
  });

  it('starts a service after those that it depends on', () => {
    const dependencies = Object.values({ ...services, backup, migrate }).flatMap(({ depends_on }) =>
      Object.keys(depends_on ?? {}),
    );
    expect(dependencies.filter((name) => !(name in compose.services))).toEqual([]);
    expect(postgres.healthcheck.test).toContain('--host=127.0.0.1'); // the image initialises the database on a Unix socket
  });

  it('backs up and restores on demand only, with the image of the services and all variables that a restore requires', async () => {
    const { environment, profiles, entrypoint, command, volumes } = backup;
    expect({ profiles, entrypoint, command }).toEqual({
      profiles: ['backup'],
      entrypoint: ['node', 'dist/commands/backup/backup.js'],
      command: ['backup', '/backups'],
    });
    const mounts = volumes.map(({ type, source, target, bind }) => [type, source.replace(/:\?.*/, ''), target, bind]);
    expect(mounts).toEqual([
      ['bind', '${BACKUP_FOLDER', '/backups', { create_host_path: false }],
      ['bind', '${DATA_KEYS_FOLDER', '/backups/data-keys', { create_host_path: false }], // apart from the register
    ]);
    const scheduled = textOf('docker-compose.yml').match(/^# +docker compose run --rm --no-deps backup\b.*$/gm);
    expect(scheduled).toHaveLength(2); // a run from cron must not start a stopped PostgreSQL
    expect(backup).toMatchObject({ restart: 'no', image: layout['subgraphs']?.image });
    const variables = resolved(environment, await variablesOfAnInstallation());
    const ofSubgraphs = Object.values(KEY_VARIABLES).filter(({ services: users }) =>
      users.some((user) => (SUBGRAPHS as readonly string[]).includes(user)),
    );
    const given = Object.values(KEY_VARIABLES).filter(({ variable }) => variable in environment);
    expect(given).toEqual(ofSubgraphs);
    const settings = readSettings({ NODE_ENV: 'production', ...variables }, true);
    expect([...settings.services]).toEqual(['access', 'identity', 'grid-models', 'tariffs']);
    const { databaseUrl } = readBackupSettings({ NODE_ENV: 'production', ...variables });
    expect(databaseUrl).toBe(settings.databaseUrl);
    expect(databaseUrl).toBeDefined();
  });
});

describe('Dockerfile', () => {
  it('uses Node 24 and does not run as root', () => {
    const images = dockerfile.filter((line) => line.startsWith('FROM'));
    expect(images.filter((line) => !/^FROM node:24-slim( AS \w+)?$/.test(line))).toEqual([]);
    expect(dockerfile.findLast((line) => line.startsWith('USER'))).toBe('USER node');
  });

  it('installs from the lock file and runs existing scripts', () => {
    const runs = dockerfile.filter((line) => line.startsWith('RUN'));
    expect(runs.filter((line) => !/^RUN npm (ci|run \w+)( |$)/.test(line))).toEqual([]);
    const named = runs.flatMap((line) => /npm run (\w+)/.exec(line)?.slice(1) ?? []);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(named).toEqual(['build']);
    expect(scripts['build']).toBe('tsc -p tsconfig.build.json'); // the tests use a product compiled in the same way
    expect(scripts['start']).toContain(startCommand().join(' '));
  });

  it('copies only existing files that are not ignored', () => {
    const sources = copies().flatMap(({ from, sources: copied }) => (from === undefined ? copied : []));
    const ignored = textOf('.dockerignore').split('\n');
    expect(sources.filter((path) => !existsSync(join(REPOSITORY_ROOT, path)) || ignored.includes(path))).toEqual([]);
  });
});

describe('The image', () => {
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

  it('does not start in production without keys, and lists the missing variables', () => {
    const [command = '', ...args] = startCommand();
    const { status, stderr } = spawnSync(command, args, {
      cwd: image,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    const keys = Object.values(KEY_VARIABLES).map(({ variable }) => variable);
    const logins = SUBGRAPHS.map((subgraph) => DATABASE_URL_VARIABLES[subgraph]);
    const variables = [...keys, ...logins, 'BASE_URL'];
    expect(variables.filter((name) => !stderr.includes(`- ${name}: missing`))).toEqual([]);
  });

  it('is complete: gateway, adapter, portal and console start from it, on any address, and pass their health checks', async () => {
    const { edge, portal, console } = layout as Record<'edge' | 'portal' | 'console', ComposeService>;
    const variables = { ...edge.environment, ...portal.environment, ...console.environment };
    const environment = { ...variables, SERVICES: 'gateway,rest-adapter,portal,console' };
    const HOST = '127.0.0.2'; // `localhost` does not reach it
    const urls = await start({ ...resolved(environment, await variablesOfAnInstallation()), HOST });
    const { status } = await fetch(new URL('/openapi.json', urls['rest']));
    for (const [name, entry, service] of [
      ['portal', '/', portal] as const,
      ['console', '/sign-in', console] as const,
    ]) {
      const page = await fetch(new URL(entry, urls[name]));
      const [, asset = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(await page.text()) ?? [];
      const addresses = [asset, healthAddress(service).pathname];
      const responses = await Promise.all(addresses.map((address) => fetch(new URL(address, urls[name]))));
      expect([name, page.status, ...responses.map(({ status: code }) => code)]).toEqual([name, 200, 200, 200]);
    }
    const { pathname } = healthAddress(edge);
    const ofGateway = await fetch(new URL(pathname, urls['gateway']));
    expect({ adapter: status, gateway: ofGateway.status }).toEqual({ adapter: 200, gateway: 503 });
    expect(await ofGateway.json()).toEqual({ status: 'unavailable' });
  });

  it('migrates a database and serves it in one process, with the variables of docker-compose.yml', async () => {
    const database = await freshDatabase();
    const variables = await variablesOfAnInstallation();
    /** Returns the environment of a container, with the URLs of this test's database. */
    const inDatabase = (environment: Record<string, string>) =>
      Object.fromEntries(
        Object.entries(resolved(environment, variables)).map(([name, text]) => {
          if (!name.endsWith('DATABASE_URL')) return [name, text];
          const url = new URL(database.url);
          if (name !== 'DATABASE_URL') {
            url.username = `${new URL(text).username}_${new URL(database.url).pathname.slice(1)}_own`;
            url.password = new URL(text).password;
          }
          return [name, url.href];
        }),
      );
    const [command = '', ...args] = migrate.entrypoint;
    const job = spawnSync(command, args, {
      cwd: image,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...inDatabase(migrate.environment) },
      encoding: 'utf8',
    });
    expect({ status: job.status, stderr: job.stderr }).toEqual({ status: 0, stderr: '' });
    const small = onlyProcess;
    const urls = await start(inDatabase(small.environment));
    expect((await fetch(new URL(healthAddress(small).pathname, urls['gateway']))).status).toBe(200);
    const child = started.at(-1) as ChildProcess;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
    await database.drop();
  });

  /** Runs the image's command; returns the URLs of its `ready` line. */
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

/** Copies files as the last stage of the Dockerfile does; packages are those of this checkout. */
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

/** Returns the COPY instructions of the last stage. */
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

/** Returns the variables that an operator sets in `.env`, as described at the top of docker-compose.yml. */
async function variablesOfAnInstallation(): Promise<Record<string, string>> {
  return {
    ...newKeyVariables(),
    POSTGRES_PASSWORD: 'x',
    IDENTITY_DATABASE_PASSWORD: 'i',
    ACCESS_DATABASE_PASSWORD: 'a',
    GRID_MODELS_DATABASE_PASSWORD: 'g',
    TARIFFS_DATABASE_PASSWORD: 't',
    BASE_URL: 'https://register.example/v1',
    PORTAL_URL: 'https://portal.register.example',
    CONSOLE_URL: 'https://console.register.example',
    SMTP_URL: 'smtps://mail.example',
    COMPOSE_PROFILES: 'separate',
    MPXN_PROFILE: 'gb',
    BACKUP_FOLDER: '/mnt/backups/register',
    DATA_KEYS_FOLDER: '/mnt/data-keys/register',
  };
}

/** Returns the value of a line of `.env` as docker compose reads it: between single quotes `$` is not the start of a variable. */
function storedValue(line = ''): string {
  const [, text = ''] = /^\w+=(.*)$/.exec(line) ?? [];
  return /^'(.*)'$/.exec(text)?.[1] ?? text.replace(/\$\w+/g, '');
}

/** Returns the URL that a health check requests. */
function healthAddress({ healthcheck }: ComposeService): URL {
  return new URL(healthcheck.test.at(-1) ?? '');
}
