import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { textOf } from './source-files';

interface Package {
  readonly license?: string;
  readonly dev?: boolean;
}

const manifest = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;
const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Package> };
const page = textOf('THIRD-PARTY.md');
const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));

describe('THIRD-PARTY.md', () => {
  it.each(['dependencies', 'optionalDependencies', 'devDependencies'])(
    'lists all %s with version and licence',
    (kind) => {
      const missing = Object.entries(manifest[kind] ?? {}).filter(([name, version]) => {
        const licence = licenceOf(name);
        return !rows.some(([, ...cells]) => cells[0] === name && cells[1] === version && cells[2] === licence);
      });
      expect(missing.map(([name, version]) => `| ${name} | ${version} | ${licenceOf(name)} |`)).toEqual([]);
    },
  );

  it('lists no package that the register does not use', () => {
    const listed = rows.flatMap(([, name, version]) => (name && /^\d/.test(version ?? '') ? [name] : []));
    const used = { ...manifest['dependencies'], ...manifest['optionalDependencies'], ...manifest['devDependencies'] };
    expect(listed.filter((name) => !(name in used))).toEqual([]);
  });

  it('names every licence of production packages, and every package under the Elastic licence', () => {
    const running = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    expect(running.filter(([, { license }]) => !license || !page.includes(license)).map(([path]) => path)).toEqual([]);
    const elastic = running.filter(([, { license }]) => license === 'Elastic-2.0');
    expect(
      elastic.map(([path]) => path.replace('node_modules/', '')).filter((name) => !page.includes(`\`${name}\``)),
    ).toEqual([]);
  });
});

/** Returns the licence from the installed package, or from the lock file for packages of other platforms. */
function licenceOf(name: string): string {
  const path = `node_modules/${name}`;
  try {
    return String((JSON.parse(readFileSync(join(REPOSITORY_ROOT, path, 'package.json'), 'utf8')) as Package).license);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return String(packages[path]?.license);
  }
}
