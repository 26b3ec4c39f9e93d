import { hash } from 'node:crypto';
import type { ClassCount, StagedItem, StagedPrecondition } from './staged-model.repository';
import type { DifferenceItem, DifferenceSection, Statement } from '../rdf/difference-model';
import { NAME_ATTRIBUTE, lastText } from '../changes/object-changes';
import { copied } from '../rdf/rdf-names';

/** Numbers the items of one file, counts them by class, and collects them in batches for the database. */
interface StagedItems {
  add(section: DifferenceSection, item: DifferenceItem): void;
  addPrecondition(item: DifferenceItem): void;
  /** Returns whether the batch has reached a limit. */
  isFull(): boolean;
  /** Returns the items and preconditions added since the last call. */
  take(): StagedBatch;
  classCounts(): ClassCount[];
}

/** Items and preconditions of one SQL statement each. */
interface StagedBatch {
  readonly items: readonly StagedItem[];
  readonly preconditions: readonly StagedPrecondition[];
}

/** Items, statements, and characters of names and values in a batch: they bound the memory and the time of one SQL statement. */
const MAX_BATCH_ITEMS = 1000;
const MAX_BATCH_STATEMENTS = 10_000;
const MAX_BATCH_CHARACTERS = 512 * 1024;

/** Hexadecimal digits of a stored digest: 16 bytes suffice to distinguish items. */
const DIGEST_DIGITS = 32;

/** Collects the items of one file. */
export function stagedItems(): StagedItems {
  const occurrences: Record<DifferenceSection, Map<string, number>> = { forward: new Map(), reverse: new Map() };
  const counts = new Map<string, ClassCount>();
  let batch: StagedItem[] = [];
  let preconditions: StagedPrecondition[] = [];
  let preconditionNumber = 0;
  let statements = 0;
  let characters = 0;
  let number = 0;
  const addSize = (item: DifferenceItem) => {
    statements += item.statements.length;
    for (const { name: statement, value } of item.statements) characters += statement.length + value.length;
  };
  return {
    add(section, item) {
      number += 1;
      const key = copied(item.mRID.toLowerCase());
      const occurrence = (occurrences[section].get(key) ?? 0) + 1;
      occurrences[section].set(key, occurrence);
      countClass(counts, section, item);
      const name = lastText(item.statements, NAME_ATTRIBUTE) ?? null;
      batch.push({ number, section, occurrence, name, item, digest: digestOf(item) });
      addSize(item);
    },
    addPrecondition(item) {
      preconditions.push({ number: ++preconditionNumber, item });
      addSize(item);
    },
    isFull: () =>
      batch.length + preconditions.length >= MAX_BATCH_ITEMS ||
      statements >= MAX_BATCH_STATEMENTS ||
      characters >= MAX_BATCH_CHARACTERS,
    take() {
      const taken = { items: batch, preconditions };
      [batch, preconditions, statements, characters] = [[], [], 0, 0];
      return taken;
    },
    classCounts: () => [...counts.values()],
  };
}

function countClass(counts: Map<string, ClassCount>, section: DifferenceSection, item: DifferenceItem): void {
  const key = `${section} ${item.type}`;
  const counted = counts.get(key);
  const count = counted ?? { section, type: copied(item.type), items: 0, statements: 0 };
  count.items += 1;
  count.statements += item.statements.length;
  if (counted === undefined) counts.set(key, count);
}

/** Returns equal digests for items with the same class, form and statements, regardless of order and of the case of target mRIDs. */
function digestOf({ type, isObject, statements }: DifferenceItem): string {
  const compared = statements.map(({ name, kind, value }: Statement) =>
    JSON.stringify([name, kind, kind === 'association' ? value.toLowerCase() : value]),
  );
  return hash('sha256', JSON.stringify([type, isObject, compared.toSorted()]), 'hex').slice(0, DIGEST_DIGITS);
}
