import type { CimFile, DifferenceItem, DifferenceSection, Statement } from '../rdf/difference-model';
import { numberOf } from '../rdf/difference-model-json';
import { DESCRIPTION_ATTRIBUTE, type FiledItem, NAME_ATTRIBUTE, lastText } from '../changes/object-changes';
import type { StoredModel } from './difference-model.queries';

/** Statements in the form of the column `statements`. */
export type StoredStatements = readonly (readonly [name: string, kind: Statement['kind'], value: string])[];

/** A row of `difference_item`. */
export interface ItemRow {
  readonly number: number;
  readonly section: DifferenceSection;
  readonly mRID: string;
  readonly type: string;
  readonly isObject: boolean;
  readonly statements: StoredStatements;
}

/** Columns of {@link ItemRow} from `difference_item i`. */
export const ITEM_COLUMNS = 'i.number, i.section, i.mrid as "mRID", i.type, i.is_object as "isObject", i.statements';

/** The fields of statements about one object in GraphQL. */
export interface ShownStatements {
  readonly name: string | null;
  readonly description: string | null;
  /** Without name and description, in the order of the file. */
  readonly attributes: readonly { readonly name: string; readonly value: string; readonly number: number | null }[];
  readonly associations: readonly { readonly name: string; readonly target: string }[];
  readonly statements: number;
}

/** The fields of an item in GraphQL. */
export interface ShownItem extends ShownStatements {
  readonly versionId: string;
  readonly section: DifferenceSection;
  readonly mRID: string;
  readonly type: string;
  readonly isObject: boolean;
}

/** Returns the GraphQL fields of an item. */
export function shownItem({ versionId }: Pick<StoredModel, 'versionId'>, row: ItemRow): ShownItem {
  const { section, mRID, type, isObject } = row;
  return { versionId, section, mRID, type, isObject, ...shownStatements(row.statements) };
}

/** Returns the GraphQL fields of statements. Name and description are fields instead of attributes, as in the JSON view. */
export function shownStatements(stored: StoredStatements): ShownStatements {
  const statements = statementsOf(stored);
  const isLifted = (each: Statement) => isText(each, NAME_ATTRIBUTE) || isText(each, DESCRIPTION_ATTRIBUTE);
  return {
    name: lastText(statements, NAME_ATTRIBUTE) ?? null,
    description: lastText(statements, DESCRIPTION_ATTRIBUTE) ?? null,
    attributes: statements
      .filter((each) => each.kind !== 'association' && !isLifted(each))
      .map(({ name, kind, value }) => ({ name, value, number: kind === 'text' ? (numberOf(value) ?? null) : null })),
    associations: statements
      .filter(({ kind }) => kind === 'association')
      .map(({ name, value }) => ({ name, target: value })),
    statements: statements.length,
  };
}

/** Returns the item of a row, with its file and section. */
export function filedItem(row: Omit<ItemRow, 'number'> & { readonly file: CimFile }): FiledItem {
  const { file, section, mRID, type, isObject } = row;
  const item: DifferenceItem = { mRID, type, isObject, statements: statementsOf(row.statements) };
  return { file, section, item };
}

/** Converts stored statements. */
export function statementsOf(stored: StoredStatements): Statement[] {
  return stored.map(([name, kind, value]) => ({ name, kind, value }));
}

const isText = ({ name, kind }: Statement, attribute: string) => kind === 'text' && name === attribute;
