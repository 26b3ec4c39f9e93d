import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { SERVICES } from '../../process/settings/keys';
import type { ServiceName } from '../../subgraphs/server/callers/caller';
import { textOf } from './source-files';

/** A container of docker-compose.yml. */
export interface ComposeService {
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly depends_on?: Record<string, unknown>;
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
}

/** A command for `docker compose run`, or a job that precedes the services. */
interface CommandService extends ComposeService {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly volumes: readonly { type: string; source: string; target: string; bind: object }[];
}

/** The content of docker-compose.yml. */
export const compose = load(textOf('docker-compose.yml'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as {
  readonly services: Record<string, ComposeService>;
  readonly volumes: Record<string, unknown>;
};

const { postgres, backup, migrate, ...services } = compose.services as Record<string, ComposeService> & {
  readonly postgres: ComposeService;
  readonly backup: CommandService;
  readonly migrate: CommandService;
};
/** The containers of the layout `separate`; `one-process` is the layout `small`. */
const { 'one-process': onlyProcess, ...layout } = services as Record<string, ComposeService> & {
  readonly 'one-process': ComposeService;
};
export { backup, layout, migrate, onlyProcess, postgres, services };

/** Returns the register's services that a container runs. */
export const runsOf = ({ environment }: ComposeService): readonly ServiceName[] =>
  (environment['SERVICES']?.split(',') as ServiceName[] | undefined) ?? SERVICES;

/** Substitutes `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, as docker compose does. */
export function resolved(
  environment: Record<string, string>,
  variables: Record<string, string>,
): Record<string, string> {
  const value = (_: string, name: string, otherwise?: string) => variables[name] ?? otherwise ?? `no ${name}`;
  return Object.fromEntries(
    Object.entries(environment).map(([name, text]) => [
      name,
      text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, value),
    ]),
  );
}
