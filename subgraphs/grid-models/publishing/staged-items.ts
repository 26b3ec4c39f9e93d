import { hash } from 'node:crypto';
import type { ClassCount, StagedItem } from '../database/staged-model.repository';
import type { DifferenceItem, DifferenceSection, Statement } from '../domain/difference-model';
import { NAME_ATTRIBUTE, lastText } from '../domain/object-changes';
import { copied } from '../domain/rdf-names';

/** The items of one file on their way to the database: numbered, counted by class, taken in batches. */
export interface StagedItems {
  add(section: DifferenceSection, item: DifferenceItem): void;
  /** Whether there is enough for a batch. */
  isFull(): boolean;
  /** What was added since the last batch. */
  take(): StagedItem[];
  classCounts(): ClassCount[];
}

/** Items of a batch, their statements, and characters of names and values: one short statement of SQL, and little memory. */
const BATCH_ITEMS = 1000;
const BATCH_STATEMENTS = 10_000;
const BATCH_CHARACTERS = 512 * 1024;

/** Digits of a digest that are kept: 16 bytes tell items apart. */
const DIGEST_DIGITS = 32;

/** Collects the items of one file. */
export function stagedItems(): StagedItems {
  const occurrences: Record<DifferenceSection, Map<string, number>> = { forward: new Map(), reverse: new Map() };
  const counts = new Map<string, ClassCount>();
  let batch: StagedItem[] = [];
  let statements = 0;
  let characters = 0;
  let number = 0;
  return {
    add(section, item) {
      number += 1;
      const key = copied(item.mRID.toLowerCase());
      const occurrence = (occurrences[section].get(key) ?? 0) + 1;
      occurrences[section].set(key, occurrence);
      countClass(counts, section, item);
      const name = lastText(item.statements, NAME_ATTRIBUTE) ?? null;
      batch.push({ number, section, occurrence, name, item, digest: digestOf(item) });
      statements += item.statements.length;
      for (const said of item.statements) characters += said.name.length + said.value.length;
    },
    isFull: () => batch.length >= BATCH_ITEMS || statements >= BATCH_STATEMENTS || characters >= BATCH_CHARACTERS,
    take() {
      const taken = batch;
      [batch, statements, characters] = [[], 0, 0];
      return taken;
    },
    classCounts: () => [...counts.values()],
  };
}

function countClass(counts: Map<string, ClassCount>, section: DifferenceSection, item: DifferenceItem): void {
  const key = `${section} ${item.type}`;
  const known = counts.get(key);
  const count = known ?? { section, type: copied(item.type), items: 0, statements: 0 };
  count.items += 1;
  count.statements += item.statements.length;
  if (known === undefined) counts.set(key, count);
}

/** The same for items that say the same of the same class, in whatever order; mRIDs are the same in any case. */
function digestOf({ type, isObject, statements }: DifferenceItem): string {
  const said = statements.map(({ name, kind, value }: Statement) =>
    JSON.stringify([name, kind, kind === 'association' ? value.toLowerCase() : value]),
  );
  return hash('sha256', JSON.stringify([type, isObject, said.toSorted()]), 'hex').slice(0, DIGEST_DIGITS);
}
