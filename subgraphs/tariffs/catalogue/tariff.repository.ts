import { DatabaseError, type Pool } from 'pg';
import { RegisterError, type Violation, throwViolations } from '../../../schema/register-error';
import { addAuditEntry } from '../../server/audit/audit.repository';
import { ADVISORY_LOCKS } from '../../server/database/advisory-locks';
import { isChecking } from '../../server/database/check-only';
import { registerTime } from '../../server/database/register-clock';
import { type Session, inTransaction, onlyRow } from '../../server/database/transaction';
import { inSlices } from '../../server/in-slices';
import type { RegisterEntryStatus } from '../register-entries/register-entry-status';
import { type ReplacedTariff, type ReplacingTariff, replacementViolations } from './replacement-rules';
import type { Tariff, TariffInput, TariffScheduleEntry } from './tariff';
import { type TariffChanges, fixedViolations, tariffChanges } from './tariff-changes';
import { MODIFIED_NOW, PRESENT_VERSION, PUBLISHED_NOW, type StoredTariff, TARIFF_COLUMNS } from './stored-tariff';

/** A tariff to publish; it satisfies the publication rules, and its caller may publish for the supplier. */
interface Publication {
  readonly tariff: TariffInput;
  readonly mpid: string;
  readonly accountId: string;
  /** Whether an admin publishes for the supplier: the audit names the admin. */
  readonly byAdmin: boolean;
}

/** The result of a publication. */
export interface PublicationOutcome {
  readonly tariff: StoredTariff;
  readonly isNew: boolean;
  /** Whether the publication changed an existing tariff: its description, which creates a version, or an end. */
  readonly isChanged: boolean;
}

/** Serialises concurrent publications of one tariff. Events that refer to the tariff do not wait for it. */
const LOCK = 'select from tariff where tariff_id = $1 for no key update';

/**
 * Lock against applying scheduled changes while the end of a tariff moves: a change due at the former end would otherwise publish that the
 * tariff no longer applies. A transaction that has it waits for no row of `tariff`: publications lock the row first.
 */
export const LOCK_CHANGES = `select pg_advisory_xact_lock(${ADVISORY_LOCKS.effects})`;

const MOVE_ENDS = `update tariff set valid_to = $2, sellable_to = $3, last_modified = ${MODIFIED_NOW} where tariff_id = $1`;

const PUBLISHED = `select ${TARIFF_COLUMNS} from tariff t join ${PRESENT_VERSION} where t.tariff_id = $1`;

const RATES = 'select rates from tariff_rates where tariff_id = $1';

const INSERT = {
  name: 'publish_tariff',
  text: `with published as (
      insert into tariff (tariff_id, mpid, tariff_type, fuel_type, energy_flow, payment_method, meter_type, customer_type, ldz_region,
        standing_charge, vat_included, vat_rate, valid_from, valid_to, sellable_from, sellable_to, replaces, tier_period, last_modified)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, coalesce($24, 'day'),
        ${PUBLISHED_NOW})
      on conflict (tariff_id) do nothing
      returning tariff_id
    ), first_version as (
      insert into tariff_version (tariff_id, version, name, description, comments, percentage_green, account_id)
      select tariff_id, 1, $18, $19, $20, $21::float8, $22 from published
    )
    insert into tariff_rates (tariff_id, rates) select tariff_id, $23::jsonb from published`,
};

const INSERT_VERSION = `with corrected as (
    update tariff set version = version + 1, last_modified = ${MODIFIED_NOW} where tariff_id = $1 returning version
  )
  insert into tariff_version (tariff_id, version, name, description, comments, percentage_green, account_id)
  select $1, version, $2, $3, $4, $5::float8, $6 from corrected`;

const SUPPLIER = 'select status from supplier where mpid = $1 for share';

const REPLACED = `select mpid, fuel_type as "fuelType", energy_flow as "energyFlow",
    (select other.tariff_id from tariff other where other.replaces = t.tariff_id) as "replacedBy"
  from tariff t where tariff_id = $1`;

/** Publishes tariffs (decisions C/D, D.2). Prices and times never change, except that ends move. A descriptive correction creates a version. */
export class TariffRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Publishes a tariff, corrects its description, or moves its ends. NTF002 if the supplier is unregistered, PRM002 if the tariff is another
   * supplier's, CNF005 for every changed field that requires a new tariff and every end that cannot move, CNF001 if the supplier is removed
   * or the replaced tariff has a replacement.
   */
  publish(publication: Publication): Promise<PublicationOutcome> {
    return inTransaction(this.pool, async (session) => {
      await requireSupplier(session, publication.mpid);
      const { tariffId } = publication.tariff;
      const exists = (await session.query(LOCK, [tariffId])).rowCount === 1;
      if (!exists && (await insert(session, publication))) return written(session, publication, null);
      if (!exists) await session.query(LOCK, [tariffId]); // a concurrent transaction has inserted it and committed
      return change(session, publication);
    }).catch(rejectConflict);
  }

  /**
   * Returns the violations that depend on stored tariffs, also of a tariff that violates the publication rules: changes of the supplier's
   * published tariff, or why a new one may not replace the tariff that it names.
   */
  async storedViolations(tariff: TariffInput, mpid: string): Promise<readonly Violation[]> {
    const { rows } = await this.pool.query<StoredTariff>(PUBLISHED, [tariff.tariffId]);
    const [published] = rows;
    if (published === undefined) return violationsOfReplacement(this.pool, { ...tariff, mpid });
    if (published.mpid !== mpid) return [];
    const rates = await findRates(this.pool, tariff.tariffId);
    const fixed = await fixedViolationsOf({ ...published, rates }, tariff);
    return tariffChanges({ ...published, rates }, tariff, await registerTime(this.pool), fixed).violations;
  }
}

async function violationsOfReplacement(session: Session, tariff: ReplacingTariff): Promise<Violation[]> {
  if (tariff.replaces == null) return [];
  const { rows } = await session.query<ReplacedTariff>(REPLACED, [tariff.replaces]);
  return replacementViolations(tariff, rows[0]);
}

async function requireSupplier(session: Session, mpid: string): Promise<void> {
  const { rows } = await session.query<{ status: RegisterEntryStatus }>(SUPPLIER, [mpid]);
  if (rows[0] === undefined) throw new RegisterError('NTF002');
  if (rows[0].status === 'removed') throw new RegisterError('CNF001', 'The supplier was removed');
}

/** Inserts a new tariff; returns false if a concurrent transaction has inserted it. */
async function insert(session: Session, { tariff, mpid, accountId }: Publication): Promise<boolean> {
  throwViolations(await violationsOfReplacement(session, { ...tariff, mpid }));
  const values = [
    ...[tariff.tariffId, mpid, tariff.tariffType, tariff.fuelType, tariff.energyFlow, tariff.paymentMethod],
    ...[tariff.meterType, tariff.customerType, tariff.ldzRegion, tariff.standingCharge, tariff.vatIncluded],
    ...[tariff.vatRate, tariff.validFrom, tariff.validTo, tariff.sellableFrom, tariff.sellableTo, tariff.replaces],
    ...[tariff.name, tariff.description, tariff.comments, tariff.percentageGreen, accountId],
    ...[JSON.stringify(tariff.rates), tariff.tierPeriod],
  ];
  return (await session.query({ ...INSERT, values: values.map((value) => value ?? null) })).rowCount === 1;
}

async function findPublished(session: Session, tariffId: string): Promise<StoredTariff> {
  return onlyRow(await session.query<StoredTariff>(PUBLISHED, [tariffId]));
}

async function findRates(session: Session, tariffId: string): Promise<TariffScheduleEntry[]> {
  return onlyRow(await session.query<{ rates: TariffScheduleEntry[] }>(RATES, [tariffId])).rates;
}

/** Creates a version if the description differs, and moves the ends that differ. */
async function change(session: Session, publication: Publication): Promise<PublicationOutcome> {
  const { tariff, mpid, accountId } = publication;
  const published = await findPublished(session, tariff.tariffId);
  if (published.mpid !== mpid) throw new RegisterError('PRM002', 'The tariff is that of another supplier');
  const rates = await findRates(session, tariff.tariffId);
  const { descriptive, ends, violations } = await changesOf(session, { ...published, rates }, tariff);
  throwViolations(violations);
  if (descriptive.length === 0 && ends.length === 0) return { tariff: published, isNew: false, isChanged: false };
  if (ends.length > 0) await session.query(MOVE_ENDS, [tariff.tariffId, tariff.validTo, tariff.sellableTo]);
  if (descriptive.length > 0)
    await session.query(INSERT_VERSION, [tariff.tariffId, ...descriptionOf(tariff), accountId]);
  return written(session, publication, published);
}

/** Returns the outcome of a write, with an entry in the audit for an admin. All other fields never change, or belong to a version. */
async function written(
  session: Session,
  { tariff: { tariffId: subject }, accountId: actor, byAdmin }: Publication,
  former: StoredTariff | null,
): Promise<PublicationOutcome> {
  const tariff = await findPublished(session, subject);
  const audited = ({ mpid, version, validTo, sellableTo }: StoredTariff) => ({ mpid, version, validTo, sellableTo });
  const detail = { from: former && audited(former), to: audited(tariff) };
  if (byAdmin) await addAuditEntry(session, { actor, action: 'publish-tariff', subject, detail });
  return { tariff, isNew: former === null, isChanged: former !== null };
}

/**
 * Compares the publication with the tariff. If its validity would end at another instant, no scheduled change is applied from then on. A
 * check does not hold them up: its move is rolled back, and would delay those of all suppliers until its whole response is resolved.
 */
async function changesOf(session: Session, published: Tariff, tariff: TariffInput): Promise<TariffChanges> {
  const fixed = await fixedViolationsOf(published, tariff);
  const changesNow = async () => tariffChanges(published, tariff, await registerTime(session), fixed);
  const changes = await changesNow();
  if (!changes.ends.includes('validTo')) return changes;
  if (!isChecking()) await session.query(LOCK_CHANGES);
  return changesNow();
}

/** Compares what never changes, in short turns of the event loop. */
async function fixedViolationsOf(published: Tariff, tariff: TariffInput): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  await inSlices(fixedViolations(published, tariff), (part) => violations.push(...part));
  return violations;
}

function descriptionOf({ name, description, comments, percentageGreen }: TariffInput): unknown[] {
  return [name, description, comments, percentageGreen].map((value) => value ?? null);
}

/**
 * Maps violations of constraints to the errors of a call that arrived later: the second of two concurrent replacements of a tariff, and an
 * end that passes while it is moved.
 */
function rejectConflict(error: unknown): never {
  if (error instanceof DatabaseError && error.constraint === 'one_replacement')
    throwViolations([{ code: 'CNF001', path: ['replaces'], message: 'is replaced by another tariff already' }]);
  if (error instanceof DatabaseError && error.constraint === 'tariff_end')
    throw new RegisterError('CNF005', 'An end of a tariff moves neither from nor into the past');
  throw error;
}
