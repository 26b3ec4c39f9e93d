import { type ConnectionWithTotal, type PageRequest, withTotal, requirePageSize } from '../../server/lists/connection';
import type { Database } from '../../server/database/database';
import { countRows, inKeyOrder } from '../../server/lists/paged-list';
import { MAX_PAGE_SIZE } from '../projects/development-project.queries';
import type { StoredModel } from './difference-model.queries';
import { type ShownStatements, type StoredStatements, shownStatements } from './stored-item.queries';

/** Statements about one object that must hold in the base model. */
interface ShownPrecondition extends ShownStatements {
  readonly mRID: string;
  readonly type: string;
}

/** A page of preconditions. */
export type PreconditionPage = ConnectionWithTotal<ShownPrecondition>;

interface PreconditionRow {
  readonly mRID: string;
  readonly type: string;
  readonly statements: StoredStatements;
}

const PRECONDITIONS = {
  name: 'preconditions',
  columns: 'number, mrid as "mRID", type, statements',
  from: 'model_precondition',
  where: 'model = $1',
  key: ['number'],
  isNumber: true,
};

/** Queries for the items of `dm:preconditions`, in the order of the file. */
export class ModelPreconditionQueries {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Returns a page of the preconditions of a model. */
  async page({ number }: StoredModel, page: PageRequest): Promise<PreconditionPage> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const { pool } = this.database;
    const nodeOf = ({ mRID, type, statements }: PreconditionRow) => ({ mRID, type, ...shownStatements(statements) });
    const listed = await inKeyOrder(pool, PRECONDITIONS, [number], page, nodeOf);
    return withTotal(listed, () => countRows(pool, PRECONDITIONS, [number]));
  }
}
