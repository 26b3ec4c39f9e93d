import {
  type Connection,
  type PageRequest,
  connectionOf,
  cursorOf,
  cursorPosition,
  instantText,
} from '../../server/connection';
import type { Database } from '../../server/database';
import type { TariffStep } from '../domain/applied-tariff';
import type { MpxnVault } from './mpxn-vault';

/** A step of an MPxN, as it is stored. */
export interface StoredStep extends TariffStep {
  readonly id: string;
  readonly mpxn: string;
  readonly recordedAt: Date;
}

/** The columns of a step. */
export const STEP_COLUMNS = 'id, valid_from as "validFrom", tariff_id as "tariffId", mpid, recorded_at as "recordedAt"';

type ListedStep = Omit<StoredStep, 'mpxn'> & { readonly instant: string };

const STEPS = {
  name: 'steps_of_mpxn',
  text: `select ${STEP_COLUMNS}, ${instantText('valid_from')} as instant
    from tariff_step
    where mpxn_hash = $1 and withdrawn_at is null and (valid_from, id) < ($2::timestamptz, $3::uuid) and ($5::text is null or mpid = $5)
    order by valid_from desc, id desc limit $4`,
};

/** The steps of MPxNs that are in force. */
export class TariffSteps {
  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly mpxns: MpxnVault,
  ) {}

  /** A page of the steps of an MPxN, the last one first; only those of a supplier where one is named. */
  async page(mpxn: string, mpid: string | null, page: PageRequest): Promise<Connection<StoredStep>> {
    const values = [this.mpxns.hash(mpxn), ...cursorPosition(page.after), page.first + 1, mpid];
    const { rows } = await this.database.pool.query<ListedStep>({ ...STEPS, values });
    const cursor = ({ instant, id }: ListedStep) => cursorOf([instant, id]);
    return connectionOf(rows, page, cursor, (row) => ({ ...row, mpxn }));
  }
}
