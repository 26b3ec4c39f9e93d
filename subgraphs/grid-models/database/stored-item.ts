import type { CimFile, DifferenceItem, DifferenceSection, Statement } from '../domain/difference-model';
import { numberOf } from '../domain/difference-model-json';
import { DESCRIPTION_ATTRIBUTE, type FiledItem, NAME_ATTRIBUTE, lastText } from '../domain/object-changes';
import type { StoredModel } from './difference-model-lists';

/** Statements as the column `statements` holds them. */
export type StoredStatements = readonly (readonly [name: string, kind: Statement['kind'], value: string])[];

/** An item as it is stored. */
export interface ItemRow {
  readonly number: number;
  readonly section: DifferenceSection;
  readonly mRID: string;
  readonly type: string;
  readonly isObject: boolean;
  readonly statements: StoredStatements;
}

/** Columns of an item `i`. */
export const ITEM_COLUMNS = 'i.number, i.section, i.mrid as "mRID", i.type, i.is_object as "isObject", i.statements';

/** An item as the graph shows it. */
export interface ShownItem {
  readonly versionId: string;
  readonly section: DifferenceSection;
  readonly mRID: string;
  readonly type: string;
  readonly isObject: boolean;
  readonly name: string | null;
  readonly description: string | null;
  /** All but name and description, in the order of the file. */
  readonly attributes: readonly { readonly name: string; readonly value: string; readonly number: number | null }[];
  readonly associations: readonly { readonly name: string; readonly target: string }[];
  readonly statements: number;
}

/** An item of a model as the graph shows it: name and description lifted out of the attributes, as in the JSON view. */
export function shownItem({ versionId }: Pick<StoredModel, 'versionId'>, row: ItemRow): ShownItem {
  const { section, mRID, type, isObject } = row;
  const statements = statementsOf(row.statements);
  const isLifted = (each: Statement) => isText(each, NAME_ATTRIBUTE) || isText(each, DESCRIPTION_ATTRIBUTE);
  return {
    versionId,
    section,
    mRID,
    type,
    isObject,
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

/** The item of a file, as the rules of the domain know it. */
export function filedItem(row: Omit<ItemRow, 'number'> & { readonly file: CimFile }): FiledItem {
  const { file, section, mRID, type, isObject } = row;
  const item: DifferenceItem = { mRID, type, isObject, statements: statementsOf(row.statements) };
  return { file, section, item };
}

/** Stored statements as the domain knows them. */
export function statementsOf(stored: StoredStatements): Statement[] {
  return stored.map(([name, kind, value]) => ({ name, kind, value }));
}

const isText = ({ name, kind }: Statement, attribute: string) => kind === 'text' && name === attribute;
