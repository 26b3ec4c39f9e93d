import { access, constants, stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { commandFault } from './process/start-fault';
import { completeKeys, sandboxedSettings } from './sandbox/keys';
import { runningPostgres } from './sandbox/postgres/running-postgres';
import type { Violation } from './schema/register-error';
import { type PublicationPlace, publicationPlaceOf } from './subgraphs/grid-models/domain/publication-place';
import { openPublishing } from './subgraphs/grid-models/grid-models';
import type { PublicationOutcome } from './subgraphs/grid-models/publishing/publish';

const USAGE = `usage: npm run --silent publish-grid -- --area EPN --year 2026 --period 01 --project NAME archive.zip
         --area      licence area, code or alias
         --year      year of publication
         --period    01 (May cycle) or 02 (November cycle)
         --project   projectId of the development project
         --help      says this
       publishes an archive of EQ.xml, SC.xml and GL.xml as the next version, in the database that DATABASE_URL names, or in the
       embedded one of the register that runs`;

/** Publishes an archive of difference models as the operator: the version as JSON, or every reason against it on a line of its own. */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  if (words.includes('--help')) return console.log(USAGE);
  const { place, archive } = commandOf(words);
  const unreadable = await archiveFault(archive);
  if (unreadable !== undefined) {
    console.error(`${archive}: ${unreadable}`);
    process.exitCode = 1;
    return;
  }
  const outcome = await publish(place, archive);
  if (outcome.outcome === 'published') {
    console.log(JSON.stringify({ ...outcome.version, isNew: outcome.isNew }));
    return;
  }
  for (const { file, line, message } of outcome.faults)
    console.error([file ?? archive, ...(line === null ? [] : [line]), ` ${message}`].join(':'));
  process.exitCode = 1;
}

interface Command {
  readonly place: PublicationPlace;
  readonly archive: string;
}

/** What the command line says; a place that is none is told with all that is wrong with it. */
function commandOf(words: string[]): Command {
  const { positionals, values } = parsed(words);
  const { area, year, period, project } = values;
  const [archive] = positionals;
  if (!area || !year || !period || !project || archive === undefined || positionals.length !== 1)
    throw new Error(USAGE);
  const told = publicationPlaceOf({ area, publicationYear: yearOf(year), period, projectId: project });
  if ('violations' in told) throw new Error(`${told.violations.map(optionFault).join('\n')}\n${USAGE}`);
  return { place: told.place, archive };
}

const OPTIONS = {
  area: { type: 'string' },
  year: { type: 'string' },
  period: { type: 'string' },
  project: { type: 'string' },
} as const;

function parsed(words: string[]) {
  try {
    return parseArgs({ args: words, allowPositionals: true, options: OPTIONS });
  } catch {
    throw new Error(USAGE);
  }
}

/** Why what is at a path cannot be an archive; undefined when it can. */
async function archiveFault(path: string): Promise<string | undefined> {
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

/** Fields of a place by the options that say them. */
const OPTION_OF: Readonly<Record<string, string>> = { publicationYear: '--year', projectId: '--project' };

const optionFault = ({ path: [field], message }: Violation): string =>
  `${OPTION_OF[String(field)] ?? `--${String(field)}`}: ${message}`;

async function publish(place: PublicationPlace, archive: string): Promise<PublicationOutcome> {
  const settings = await sandboxedSettings(process.env);
  const databaseUrl = settings.databaseUrl ?? (await runningPostgres(settings.dataDir));
  if (databaseUrl === undefined) {
    throw new Error(`DATABASE_URL names no database, and no register runs its own in ${settings.dataDir} (DATA_DIR)`);
  }
  const { gridModelsKey } = completeKeys(settings.keys, ['gridModelsKey']);
  const publishing = await openPublishing(databaseUrl, gridModelsKey);
  try {
    return await publishing.publish(place, archive);
  } finally {
    await publishing.close();
  }
}

main().catch((error: Error) => {
  console.error(error.message.includes('usage: ') ? error.message : commandFault(error, process.env));
  process.exit(1);
});
