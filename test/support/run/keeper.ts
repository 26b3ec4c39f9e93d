import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { controlledPostgres } from '../postgres';
import type { RegisterOrder, TemplateName } from './keeper-protocol';
import { endProcessesOf } from './left-processes';
import { type RunningKeptRegister, type Surroundings, startKeptRegister } from './kept-register';
import { type RunFolders, TABLES_FOLDER, makeRunFolders, removeLeftRuns, removeRunFolders } from './run-folders';
import { Templates } from './templates';

/**
 * The keeper of a test run, a separate process: it owns the PostgreSQL server, the registers, the databases and the
 * folder of the run. It runs until its standard input closes, and then removes everything, however the run ended.
 * Prints one line of JSON when it is ready: its address, the database server, the folders.
 */
async function main([product = '', run = '']: string[]): Promise<void> {
  await removeLeftRuns();
  const folders = makeRunFolders(run);
  process.env['TMPDIR'] = folders.files;
  process.env[TABLES_FOLDER] = folders.tables;
  const keeper = new Keeper(folders.files, product);
  let ending: Promise<void> | undefined;
  const end = () => void (ending ??= keeper.close().finally(() => remove(folders, run)));
  process.stdin.on('end', end).on('close', end).on('error', end).resume();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  process.stdout.on('error', () => undefined);
  await keeper.start();
  const url = await keeper.listen();
  process.stdout.write(`${JSON.stringify({ url, databaseServer: keeper.databaseServer, folders })}\n`);
}

async function remove(folders: RunFolders, run: string): Promise<void> {
  await endProcessesOf(run);
  removeRunFolders(folders);
  process.exit(0);
}

class Keeper implements Surroundings {
  databaseServer = '';
  private postgres: Awaited<ReturnType<typeof controlledPostgres>> | undefined;
  templates!: Templates;
  private readonly shared = new Map<string, Promise<RunningKeptRegister>>();
  private readonly own = new Map<string, RunningKeptRegister>();
  private readonly running = new Set<RunningKeptRegister>();

  constructor(
    readonly folder: string,
    readonly product: string,
  ) {}

  async start(): Promise<void> {
    this.postgres = await controlledPostgres();
    this.databaseServer = this.postgres.url;
    process.env['TEST_DATABASE_URL'] = this.databaseServer;
    this.templates = new Templates(this.databaseServer, this.folder, this.product);
  }

  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      void this.respond(request).then(
        (handled) => response.end(JSON.stringify(handled)),
        (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
      );
    });
    server.requestTimeout = 0;
    server.keepAliveTimeout = 0; // so that a test that pauses between requests does not use a connection that is closing
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /**
   * Stops the running registers, in order. It does not wait for one that is still starting: its processes are killed
   * with the run's.
   */
  async close(): Promise<void> {
    await Promise.allSettled([...this.running].map((register) => register.close()));
    await this.postgres?.remove();
  }

  private async respond(request: IncomingMessage): Promise<unknown> {
    const [kind, name = ''] = String(request.url).split('/').slice(1);
    const body = JSON.parse((await textOf(request)) || '{}') as unknown;
    if (kind === 'templates') return this.templates.get(name as TemplateName);
    if (kind === 'shared-registers') return this.sharedRegister(name, body as RegisterOrder);
    if (kind === 'registers' && request.method === 'DELETE') return this.stop(name);
    if (kind === 'registers') return this.ownRegister(body as RegisterOrder);
    throw new Error(`unknown request ${request.method} ${request.url}`);
  }

  private async sharedRegister(name: string, order: RegisterOrder) {
    const starting = this.shared.get(name) ?? this.begin(order);
    this.shared.set(name, starting);
    return (await starting).register;
  }

  private async ownRegister(order: RegisterOrder) {
    const running = await this.begin(order);
    this.own.set(running.register.id, running);
    return running.register;
  }

  private async stop(id: string): Promise<null> {
    const running = this.own.get(id);
    if (running === undefined) return null;
    this.own.delete(id);
    this.running.delete(running);
    await running.close();
    return null;
  }

  private async begin(order: RegisterOrder): Promise<RunningKeptRegister> {
    const running = await startKeptRegister(order, this);
    this.running.add(running);
    return running;
  }
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`The tests cannot start: ${error.message}\n`);
  process.stdin.destroy(); // as at the end of a run
});
