import 'reflect-metadata';
import { access, constants, stat } from 'node:fs/promises';
import { exitWithFailure, readCommandLine, unexpected, usageError } from './command-line';
import { commandLogin } from '../process/database-access';
import { completeKeys } from '../process/settings/keys';
import { sandboxedSettings } from '../sandbox/keys';
import { runningPostgres } from '../sandbox/postgres/running-postgres';
import type { Violation } from '../schema/register-error';
import {
  type BaseModelKey,
  type PublicationKey,
  baseModelKeyOf,
  publicationKeyOf,
} from '../subgraphs/grid-models/publications/publication-key';
import { openPublishing } from '../subgraphs/grid-models/grid-models.module';
import type { PublicationOutcome } from '../subgraphs/grid-models/publications/publish.flow';
import { databaseAddress } from '../subgraphs/server/database/database-login';

const USAGE = `usage: npm run --silent publish-grid -- --area EPN --year 2026 --period 01 (--project NAME | --base) archive.zip
         --area      licence area, code or alias
         --year      year of publication
         --period    01 (May cycle) or 02 (November cycle)
         --project   projectId of the development project
         --base      publishes a base model: no --project, and full models (md:FullModel) in the archive
         --help      prints this text
       publishes an archive of EQ.xml, SC.xml and GL.xml as the next version, in the database of DATABASE_URL or in the embedded
       database of a running register`;

/**
 * Publishes an archive of difference models, or of full models (`--base`). Prints the version as JSON, and its warnings to the standard
 * error; or one line for each reason for the rejection.
 */
async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) return console.log(USAGE);
  const { archive, publishIn } = commandOf(args);
  const reason = await unreadableReason(archive);
  if (reason !== undefined) {
    console.error(`${archive}: ${reason}`);
    process.exitCode = 1;
    return;
  }
  const outcome = await withPublishing(publishIn);
  if (outcome.outcome === 'published') {
    for (const { file, message } of outcome.warnings) console.error(`warning: ${file}.xml: ${message}`);
    console.log(JSON.stringify(outcome.published));
    return;
  }
  for (const { file, line, message } of outcome.faults)
    console.error([file ?? archive, ...(line === null ? [] : [line]), ` ${message}`].join(':'));
  process.exitCode = 1;
}

/** Parses the command line; throws everything that is wrong with it together. */
function commandOf(args: readonly string[]) {
  const { positionals, values, violations } = readCommandLine(args, OPTIONS);
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  const missing = ['area', 'year', 'period'].filter((name) => values[name] === undefined).map((name) => `--${name}`);
  const [project, isBase] = [text('project'), values['base'] === true];
  const cycle = { area: text('area') ?? '', publicationYear: yearOf(text('year') ?? ''), period: text('period') ?? '' };
  const key = isBase ? baseModelKeyOf(cycle) : publicationKeyOf({ ...cycle, projectId: project ?? '' });
  if (values['project'] === undefined && !isBase) missing.push('--project');
  const [archive, ...more] = positionals;
  const ofOptions = [...violations, ...missing.map((option) => `${option}: is missing`)];
  const isReported = (option: string) => ofOptions.some((each) => each.startsWith(`${option}: `));
  const all = [
    ...ofOptions,
    ...(isBase && values['project'] !== undefined ? ['--project: excludes --base'] : []),
    ...('violations' in key ? key.violations : [])
      .filter((violation) => !isReported(optionOf(violation)))
      .map((violation) => `${optionOf(violation)}: ${violation.message}`),
    ...(archive === undefined ? ['the archive is missing'] : unexpected(more, violations)),
  ];
  if (all.length > 0 || archive === undefined || 'violations' in key) throw usageError(all, USAGE);
  return { archive, publishIn: (publishing: Publishing) => publish(publishing, key.key, archive) };
}

const OPTIONS = {
  area: { type: 'string' },
  year: { type: 'string' },
  period: { type: 'string' },
  project: { type: 'string' },
  base: { type: 'boolean' },
} as const;

/** Returns why the path cannot be an archive; undefined if it can. */
async function unreadableReason(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' || code === 'ENOTDIR' ? 'there is no such file' : 'cannot be read',
  );
  if (typeof found === 'string') return found;
  if (found.isDirectory()) return 'is a folder, not an archive';
  if (!found.isFile()) return 'is no plain file';
  return access(path, constants.R_OK).then(
    () => undefined,
    () => 'may not be read',
  );
}

const yearOf = (text: string): number => (/^\d{4}$/.test(text) ? Number(text) : Number.NaN);

/** Options whose name differs from the field. */
const OPTION_OF: Readonly<Record<string, string>> = { publicationYear: '--year', projectId: '--project' };

const optionOf = ({ path: [field] }: Violation): string => OPTION_OF[String(field)] ?? `--${String(field)}`;

type Publishing = Awaited<ReturnType<typeof openPublishing>>;

/** What the command prints of a published archive, or the reasons for its rejection. */
type Outcome =
  | {
      readonly outcome: 'published';
      readonly published: object;
      readonly warnings: readonly { readonly file: string; readonly message: string }[];
    }
  | Extract<PublicationOutcome, { readonly outcome: 'refused' }>;

async function publish(publishing: Publishing, key: PublicationKey | BaseModelKey, archive: string): Promise<Outcome> {
  if ('projectId' in key) {
    const outcome = await publishing.publish(key, archive);
    if (outcome.outcome === 'refused') return outcome;
    const { version, isNew, warnings } = outcome;
    return { outcome: 'published', published: { ...version, isNew }, warnings };
  }
  const outcome = await publishing.publishBase(key, archive);
  if (outcome.outcome === 'refused') return outcome;
  const { number: _, ...base } = outcome.base;
  return { outcome: 'published', published: { ...base, isNew: outcome.isNew }, warnings: outcome.warnings };
}

async function withPublishing<Result>(work: (publishing: Publishing) => Promise<Result>): Promise<Result> {
  const settings = await sandboxedSettings(process.env, true);
  const databaseUrl =
    settings.serviceDatabaseUrls['grid-models'] ?? settings.databaseUrl ?? (await runningPostgres(settings.dataDir));
  if (databaseUrl === undefined) {
    throw new Error(
      `DATABASE_URL is missing, and no register with an embedded database runs in ${settings.dataDir} (DATA_DIR)`,
    );
  }
  const { gridModelsKey } = completeKeys(settings.keys, ['gridModelsKey']);
  const login = commandLogin(settings, 'grid-models');
  const address = databaseAddress(databaseUrl, 'grid_models', gridModelsKey, { login });
  const publishing = await openPublishing(address, gridModelsKey, settings.gridProfiles);
  try {
    return await work(publishing);
  } finally {
    await publishing.close();
  }
}

main().catch(exitWithFailure);
