import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { restore } from '../../commands/backup/restore';
import { type TakenBackup, takeBackup } from '../../commands/backup/take-backup';
import type { Environment } from '../../process/settings/environment';
import { sandboxKeyVariables, sandboxedSettings } from '../../sandbox/keys';
import { databaseAddress, sessionUrl } from '../../subgraphs/server/database/database-login';
import { contents } from './backup-fixture';
import { type Customer, type DataUser, anonymise, newDataUser } from './customers';
import { runOperatorCommand } from './operator-command';
import { type FreshDatabase, freshDatabase } from './postgres';
import { type TestRegister, startTestRegister } from './register';
import { until } from './until';

/** A register, a folder of its backups, and the databases into which they are restored. */
export class BackupSite {
  register!: TestRegister;
  dataUser!: DataUser;
  keyVariables!: Record<string, string>;
  /** Folder of the backups of one test, or of tests that use the same backups. */
  root = '';
  private readonly roots: string[] = [];
  private readonly databases: FreshDatabase[] = [];
  private readonly sessions: Client[] = [];

  async start(): Promise<void> {
    this.register = await startTestRegister('one process'); // its own register, because a backup contains all of it at one instant
    this.dataUser = await newDataUser(this.register, 'https://larkhill.example/back');
    this.keyVariables = sandboxKeyVariables(this.register.dataDir);
  }

  async close(): Promise<void> {
    await Promise.all(this.sessions.map((session) => session.end()));
    await this.register?.close();
    await Promise.all(this.databases.map((database) => database.drop()));
    await Promise.all(this.roots.map((folder) => rm(folder, { recursive: true, force: true })));
  }

  /** Replaces the folder of backups by an empty one. */
  async newRoot(): Promise<void> {
    this.root = await mkdtemp(join(tmpdir(), 'register-backup-'));
    this.roots.push(this.root);
  }

  backUp(keptDays = 7): Promise<TakenBackup> {
    return takeBackup(this.register.databaseUrl, this.root, keptDays);
  }

  /** Returns the names of the tables in the backups. */
  async backedUpTables(): Promise<string[]> {
    const folders = await Promise.all(
      ['register', 'data-keys'].map(async (kind) =>
        (await readdir(join(this.root, kind))).map((name) => join(this.root, kind, name)),
      ),
    );
    const files = await Promise.all(folders.flat().map((folder) => readdir(folder)));
    return [...new Set(files.flat().filter((name) => name.endsWith('.copy')))].map((name) =>
      name.replace(/\.copy$/, ''),
    );
  }

  /** Takes a backup while no sweep changes a row; returns the contents of the tables at that time. */
  async backedUpContents(): Promise<Record<string, string>> {
    await this.backUp();
    const tables = await this.backedUpTables();
    return until(async () => {
      const earlier = await contents(this.register.databaseUrl, tables);
      await this.newRoot();
      await this.backUp();
      const later = await contents(this.register.databaseUrl, tables);
      return isDeepStrictEqual(later, earlier) ? later : undefined;
    });
  }

  /** Returns the URL of a new database without tables. */
  async emptyDatabase(): Promise<string> {
    return this.dropped(await freshDatabase());
  }

  /** Drops a database when the tests have ended; returns its URL. */
  dropped(database: FreshDatabase): string {
    this.databases.push(database);
    return database.url;
  }

  /** Opens a session of the owner of the tables. */
  async ownerOf(connectionString: string): Promise<Client> {
    const session = new Client({ connectionString, options: '-c search_path=access,register' });
    this.sessions.push(session);
    await session.connect();
    return session;
  }

  /** Returns the operator's environment for a restore into a database. */
  environmentFor(databaseUrl: string): Record<string, string> {
    return { ...this.keyVariables, DATABASE_URL: databaseUrl, DATA_DIR: this.register.dataDir };
  }

  /** Returns the URL of the register's database with the login of one service. */
  async serviceUrl(service: 'access' | 'identity'): Promise<string> {
    const url = this.register.databaseUrl;
    const { keys } = await sandboxedSettings({ ...this.environmentFor(url), SERVICES: service });
    return sessionUrl(url, '', databaseAddress(url, service, keys[`${service}HashKey`] as Buffer));
  }

  /** Runs the restore command. */
  restoreInto(databaseUrl: string, ...options: string[]) {
    const words = ['restore', this.root, ...options];
    return runOperatorCommand('commands/backup/backup', words, this.environmentFor(databaseUrl)).ended;
  }

  /** Runs the command that writes the list of anonymised records of a database. */
  listOf(databaseUrl: string, environment: Environment = {}) {
    const words = ['backup', this.root, '--list-only'];
    return runOperatorCommand('commands/backup/backup', words, { DATABASE_URL: databaseUrl, ...environment }).ended;
  }

  /** Returns the error of a restore that is rejected before it reads a subgraph. */
  rejection(databaseUrl = 'postgres://nobody@127.0.0.1:1/none'): Promise<string> {
    return restore({ databaseUrl, root: this.root, withoutDataKeys: false, subgraphs: [] }).then(
      () => 'it was made',
      ({ message }: Error) => message,
    );
  }

  /** Anonymises the Identity Record of a customer. */
  async anonymise({ ir }: Customer): Promise<void> {
    await anonymise(this.register, this.dataUser, ir);
  }

  /** Revokes the access of a customer. */
  revoke({ key }: Customer) {
    return this.dataUser.rest('DELETE', `/v1/access-records/${key}`);
  }
}

/** Returns the instant at which a backup was taken. */
export async function takenAtOf(folder: string): Promise<string> {
  return (JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as { takenAt: string }).takenAt;
}
