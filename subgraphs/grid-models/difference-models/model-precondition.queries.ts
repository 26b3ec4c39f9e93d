import {
  type ConnectionWithTotal,
  type PageRequest,
  connectionOf,
  withTotal,
  requirePageSize,
} from '../../server/lists/connection';
import type { Database } from '../../server/database/database';
import { numberPosition, textCursor } from '../../server/lists/list-cursor';
import { MAX_PAGE_SIZE } from '../projects/development-project.queries';
import type { StoredModel } from './difference-model.queries';
import { type ShownStatements, type StoredStatements, shownStatements } from './stored-item.queries';

/** Statements about one object that must hold in the base model. */
export interface ShownPrecondition extends ShownStatements {
  readonly mRID: string;
  readonly type: string;
}

/** A page of preconditions. */
export type PreconditionPage = ConnectionWithTotal<ShownPrecondition>;

interface PreconditionRow {
  readonly number: number;
  readonly mRID: string;
  readonly type: string;
  readonly statements: StoredStatements;
}

/** Queries for the items of `dm:preconditions`, in the order of the file. */
export class ModelPreconditionQueries {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Returns a page of the preconditions of a model. */
  async page({ number }: StoredModel, page: PageRequest): Promise<PreconditionPage> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const { rows } = await this.database.pool.query<PreconditionRow>({
      name: 'preconditions',
      text: `select number, mrid as "mRID", type, statements from model_precondition
        where model = $1 and number > $2 order by number limit $3`,
      values: [number, numberPosition(page.after), page.first + 1],
    });
    const listed = connectionOf(
      rows,
      page,
      (row) => textCursor(String(row.number)),
      ({ mRID, type, statements }): ShownPrecondition => ({ mRID, type, ...shownStatements(statements) }),
    );
    return withTotal(listed, () => this.count(number));
  }

  private async count(model: number): Promise<number> {
    const { rows } = await this.database.pool.query<{ total: string }>({
      name: 'count_preconditions',
      text: 'select count(*) as total from model_precondition where model = $1',
      values: [model],
    });
    return Number(rows[0]?.total);
  }
}
