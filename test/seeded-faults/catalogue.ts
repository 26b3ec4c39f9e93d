import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { repositoryFiles } from '../structure/source-files';

/** A fault that a person could make and no mutation tool does, such as a condition that is missing in a statement. */
export interface SeededFault {
  readonly name: string;
  /** Occurs once in the sources of the product, wherever that is. */
  readonly text: string;
  /** What takes its place. */
  readonly instead: string;
  /** The sentence of the specification, or of its decisions, that does not hold then. */
  readonly breaks: string;
  /** Which tests show it, the cheapest first, as `runTests` takes them; one of them fails. */
  readonly shown: readonly string[];
}

const FOLDER = join(__dirname, 'faults');

/** All faults, file by file. */
export function seededFaults(): SeededFault[] {
  return readdirSync(FOLDER)
    .toSorted()
    .flatMap((file) => load(readFileSync(join(FOLDER, file), 'utf8')) as SeededFault[]);
}

/** The sources of the product by their paths. */
export function productSources(): ReadonlyMap<string, string> {
  const paths = repositoryFiles().filter((path) => /\.(ts|js|njk|graphql)$/.test(path) && !path.startsWith('test/'));
  return new Map(paths.map((path) => [path, readFileSync(join(REPOSITORY_ROOT, path), 'utf8')]));
}

/** The path of the one source in which a fault can be made. Throws when there is none or several. */
export function placeOf({ name, text }: SeededFault, sources: ReadonlyMap<string, string>): string {
  const places = [...sources].flatMap(([path, source]) =>
    source
      .split(text)
      .slice(1)
      .map(() => path),
  );
  const [place] = places;
  if (place === undefined) throw new Error(`${name}: no source of the product has its text`);
  if (places.length > 1) throw new Error(`${name}: its text is not alone: ${places.join(', ')}`);
  return place;
}
