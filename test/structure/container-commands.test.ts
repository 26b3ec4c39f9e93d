import { load } from 'js-yaml';
import { codeBlocks, documentText } from '../support/documents';
import { compose, layout, runsOf } from './compose-file';
import { textOf } from './source-files';

const operations = documentText('docs/operations.md');

/** Returns a section of docs/operations.md. */
function section(heading: string): string {
  const [, text = ''] = operations.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

/** Returns the lines of the commands in a text that begin with `docker compose`. */
const commandsIn = (text: string) => [...text.matchAll(/^ *(docker compose .*)$/gm)].map(([, line]) => line ?? '');

describe('The documented commands for containers', () => {
  it.each(['Upgrade and stop', 'Roll back'])('of “%s” compile the files of the folder before they run them', (name) => {
    const [first, ...others] = commandsIn(section(name));
    expect(first).toBe('docker compose build');
    expect(others.at(-1)).toBe('docker compose up --detach --remove-orphans');
  });

  it('of an upgrade in CHANGELOG.md start the containers with the files of the folder', () => {
    const [, unreleased = ''] = textOf('CHANGELOG.md').split(/^## /m);
    const [steps = '', changes = ''] = unreleased.split('\n### Added\n');
    const upgrades = [steps, ...[...changes.matchAll(/\*\*Upgrade:\*\*[^]*?(?=^ *- |^#)/gm)].map(([text]) => text)];
    const starts = upgrades.flatMap((text) => text.match(/docker compose up[^`]*/g) ?? []);
    expect(starts).toHaveLength(2);
    expect(starts.filter((command) => !command.startsWith('docker compose up --build'))).toEqual([]);
  });

  it('of a revocation of a stolen signing key restart all containers that know the key', () => {
    const text = section('Replace the signing keys');
    const [, listed = ''] = /Restart those of ([^.]*)\./.exec(text.replaceAll('\n', ' ')) ?? [];
    const restarted = [...listed.matchAll(/`([\w-]+)`/g)].map(([, service]) => service);
    expect(restarted).toEqual(['gateway', 'identity', 'grid-models', 'tariffs']);
    const concerned = Object.entries(layout).flatMap(([name, container]) =>
      runsOf(container).some((service) => ['access', ...restarted].includes(service)) ? [name] : [],
    );
    const [stop, start = ''] = commandsIn(text);
    expect(stop).toBe('docker compose stop subgraphs'); // which runs `access`: the former key ends before the new one is used
    expect(start).toMatch(/^docker compose up --detach --force-recreate /);
    expect(start.split(' ').slice(5).toSorted()).toEqual(concerned.toSorted());
  });

  it('name services that exist, and never delete the database', () => {
    const blocks = [...codeBlocks('docs/operations.md', 'sh').flatMap(commandsIn), ...operations.split('`')];
    const named = blocks.flatMap((line) => /^docker compose (?:exec|run|up|stop) ([^#]*)/.exec(line)?.[1] ?? []);
    const services = named.flatMap(
      (line) =>
        line
          .replaceAll(/--\w[\w-]*( PGPASSWORD)?/g, '')
          .trim()
          .split(/\s+/)[0] ?? '',
    );
    expect(services.length).toBeGreaterThan(8);
    expect(services.filter((name) => name !== '' && !(name in compose.services))).toEqual([]);
    const deletions = operations.match(/.*down (--volumes|-v)/g) ?? [];
    expect(deletions.filter((line) => !line.includes('Never run'))).toEqual([]);
  });

  it('have additions for docker-compose.override.yml that concern parts of docker-compose.yml', () => {
    const additions = [...operations.replaceAll('\n', ' ').matchAll(/`((?:services|volumes): \{[^`]*)`/g)].map(
      ([, text = '']) => load(text) as { services?: object; volumes?: object },
    );
    expect(additions.map(({ services = {}, volumes = {} }) => [services, volumes].map(Object.keys))).toEqual([
      [[], ['postgres']],
      [['postgres'], []],
    ]);
    expect(compose.volumes).toHaveProperty('postgres');
  });
});
