import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { repositoryFiles } from '../structure/source-files';

/** A fault that a developer could make and that no mutation tool makes, such as a missing condition in a statement. */
export interface SeededFault {
  readonly name: string;
  /** Occurs exactly once in the sources of the product. */
  readonly text: string;
  /** The replacement of `text`. */
  readonly instead: string;
  /** The sentence of the specification, or of its decisions, that the fault violates. */
  readonly breaks: string;
  /** Patterns of the tests that detect it, the cheapest first; at least one of them fails. */
  readonly shown: readonly string[];
}

const FOLDER = join(__dirname, 'faults');

/** Returns all faults, file by file. */
export function seededFaults(): SeededFault[] {
  return readdirSync(FOLDER)
    .toSorted()
    .flatMap((file) => load(readFileSync(join(FOLDER, file), 'utf8')) as SeededFault[]);
}

/** Returns the sources of the product by their paths. */
export function productSources(): ReadonlyMap<string, string> {
  const paths = repositoryFiles().filter((path) => /\.(ts|js|njk|graphql)$/.test(path) && !path.startsWith('test/'));
  return new Map(paths.map((path) => [path, readFileSync(join(REPOSITORY_ROOT, path), 'utf8')]));
}

/**
 * Returns the path of the only source that contains the text of a fault. Throws if no source or several sources contain
 * it.
 */
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
