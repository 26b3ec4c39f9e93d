import { DatabaseError, type Pool } from 'pg';
import { RegisterError, refuse } from '../../../schema/register-error';
import { type Session, inTransaction } from '../../server/transaction';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import { type ReplacedTariff, replacementViolations } from '../domain/replacement-rules';
import type { Tariff, TariffInput } from '../domain/tariff';
import { tariffChanges } from '../domain/tariff-changes';
import { PRESENT_VERSION, type StoredTariff, TARIFF_COLUMNS } from './stored-tariff';

/** A tariff to be published: its rules are kept, its supplier is known. */
export interface Publication {
  readonly tariff: TariffInput;
  readonly mpid: string;
  readonly accountId: string;
}

/** What a publication has done. */
export interface PublicationOutcome {
  readonly tariff: StoredTariff;
  readonly isNew: boolean;
  /** Whether this made a new version of it. */
  readonly isChanged: boolean;
}

/** Whoever publishes a tariff again waits here for those who do so now. */
const LOCK = 'select from tariff where tariff_id = $1 for update';

const PUBLISHED = `select ${TARIFF_COLUMNS}, r.rates from tariff t join ${PRESENT_VERSION} join tariff_rates r on r.tariff_id = t.tariff_id
  where t.tariff_id = $1`;

const INSERT = {
  name: 'publish_tariff',
  text: `with published as (
      insert into tariff (tariff_id, mpid, tariff_type, fuel_type, energy_flow, payment_method, meter_type, customer_type, ldz_region,
        standing_charge, vat_included, vat_rate, valid_from, valid_to, sellable_from, sellable_to, replaces)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
      on conflict (tariff_id) do nothing
      returning tariff_id
    ), said as (
      insert into tariff_version (tariff_id, version, name, description, comments, percentage_green, account_id)
      select tariff_id, 1, $18, $19, $20, $21::float8, $22 from published
    )
    insert into tariff_rates (tariff_id, rates) select tariff_id, $23::jsonb from published`,
};

const SAY = `with said as (
    update tariff set version = version + 1, last_modified = register_now() where tariff_id = $1 returning version
  )
  insert into tariff_version (tariff_id, version, name, description, comments, percentage_green, account_id)
  select $1, version, $2, $3, $4, $5::float8, $6 from said`;

const SUPPLIER = 'select status from supplier where mpid = $1 for share';

const REPLACED = `select mpid, fuel_type as "fuelType", energy_flow as "energyFlow",
    (select other.tariff_id from tariff other where other.replaces = t.tariff_id) as "replacedBy"
  from tariff t where tariff_id = $1`;

/** Publishing tariffs (3-decisions-c-d.md, D.2): prices and times are written once, descriptive corrections are versions. */
export class TariffRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Publishes a tariff, or corrects what is said of one. NTF002 without a supplier, PRM002 when the tariff is another supplier's, CNF005
   * with every field that asks for a new tariff, CNF001 when what it replaces is replaced already.
   */
  publish(publication: Publication): Promise<PublicationOutcome> {
    return inTransaction(this.pool, async (session) => {
      await requireSupplier(session, publication.mpid);
      const { tariffId } = publication.tariff;
      const isThere = (await session.query(LOCK, [tariffId])).rowCount === 1;
      if (!isThere && (await added(session, publication)))
        return { tariff: await publishedIn(session, tariffId), isNew: true, isChanged: false };
      if (!isThere) await session.query(LOCK, [tariffId]); // somebody else was first, and has ended
      return corrected(session, publication);
    }).catch(refuseSecondReplacement);
  }
}

async function requireSupplier(session: Session, mpid: string): Promise<void> {
  const { rows } = await session.query<{ status: RegisterEntryStatus }>(SUPPLIER, [mpid]);
  if (rows[0] === undefined) throw new RegisterError('NTF002');
  if (rows[0].status === 'removed') throw new RegisterError('CNF001', 'The supplier was removed');
}

/** Writes a tariff that is new; false when somebody else has written it meanwhile. */
async function added(session: Session, { tariff, mpid, accountId }: Publication): Promise<boolean> {
  if (tariff.replaces != null) {
    const { rows } = await session.query<ReplacedTariff>(REPLACED, [tariff.replaces]);
    refuse(replacementViolations({ ...tariff, mpid }, rows[0]));
  }
  const values = [
    ...[tariff.tariffId, mpid, tariff.tariffType, tariff.fuelType, tariff.energyFlow, tariff.paymentMethod],
    ...[tariff.meterType, tariff.customerType, tariff.ldzRegion, tariff.standingCharge, tariff.vatIncluded],
    ...[tariff.vatRate, tariff.validFrom, tariff.validTo, tariff.sellableFrom, tariff.sellableTo, tariff.replaces],
    ...[tariff.name, tariff.description, tariff.comments, tariff.percentageGreen, accountId],
    JSON.stringify(tariff.rates),
  ];
  return (await session.query({ ...INSERT, values: values.map((value) => value ?? null) })).rowCount === 1;
}

async function publishedIn(session: Session, tariffId: string): Promise<Tariff & StoredTariff> {
  return (await session.query<Tariff & StoredTariff>(PUBLISHED, [tariffId])).rows[0] as Tariff & StoredTariff;
}

async function corrected(session: Session, { tariff, mpid, accountId }: Publication): Promise<PublicationOutcome> {
  const former = await publishedIn(session, tariff.tariffId);
  if (former.mpid !== mpid) throw new RegisterError('PRM002', 'The tariff is that of another supplier');
  const { descriptive, refused } = tariffChanges(former, tariff);
  refuse(refused);
  if (descriptive.length === 0) return { tariff: former, isNew: false, isChanged: false };
  const said = [tariff.name, tariff.description, tariff.comments, tariff.percentageGreen].map((value) => value ?? null);
  await session.query(SAY, [tariff.tariffId, ...said, accountId]);
  return { tariff: await publishedIn(session, tariff.tariffId), isNew: false, isChanged: true };
}

/** Two at once that replace the same tariff: the second one is told as if it had come later. */
function refuseSecondReplacement(error: unknown): never {
  if (error instanceof DatabaseError && error.constraint === 'one_replacement')
    refuse([{ code: 'CNF001', path: ['replaces'], message: 'is replaced by another tariff already' }]);
  throw error;
}
