import type { Database } from '../../server/database';
import {
  type TariffLink,
  type TariffLinks,
  type TariffStep,
  appliedTariff,
  takesEffectAt,
} from '../domain/applied-tariff';

/** What applies to an MPxN at an instant. */
export interface AppliedTariff {
  readonly mpxnHash: Buffer;
  readonly tariffId: string;
  /** The supplier. */
  readonly mpid: string;
}

interface AskedStep extends TariffStep {
  readonly mpxnHash: Buffer;
  readonly at: Date;
}

/** The newest step of each MPxN at the instant, which is now when none is given. */
const STEPS = `select asked.hash as "mpxnHash", asked.at, step.valid_from as "validFrom", step.tariff_id as "tariffId", step.mpid
  from (select hash, coalesce($2::timestamptz, register_now()) as at from unnest($1::bytea[]) hash) asked
  cross join lateral (
    select valid_from, tariff_id, mpid from tariff_step
    where mpxn_hash = asked.hash and withdrawn_at is null and valid_from <= asked.at order by valid_from desc limit 1
  ) step`;

interface LinkRow {
  readonly tariffId: string;
  readonly replaces: string | null;
  readonly validFrom: Date;
  readonly validTo: Date | null;
  readonly publishedAt: Date;
}

/** Tariffs and all that replace them, one after another. */
const LINKS = `with recursive link as (
    select tariff_id, replaces, valid_from, valid_to, published_at from tariff where tariff_id = any($1::text[])
    union
    select next.tariff_id, next.replaces, next.valid_from, next.valid_to, next.published_at
    from link join tariff next on next.replaces = link.tariff_id
  )
  select tariff_id as "tariffId", replaces, valid_from as "validFrom", valid_to as "validTo", published_at as "publishedAt" from link`;

/** Which tariff applies to MPxNs: nothing is kept of it, so that it is right at every instant. */
export class AppliedTariffs {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** The tariffs that apply to MPxNs at an instant, now when it is null; of MPxNs without one there is nothing. */
  async at(mpxnHashes: readonly Buffer[], at: Date | null): Promise<AppliedTariff[]> {
    if (mpxnHashes.length === 0) return [];
    const steps = await this.rows<AskedStep>('applied_steps', STEPS, [mpxnHashes, at]);
    const links = await this.linksOf(steps.flatMap(({ tariffId }) => tariffId ?? []));
    return steps.flatMap((step) => {
      const tariffId = appliedTariff([step], links, step.at);
      return tariffId === null ? [] : [{ mpxnHash: step.mpxnHash, tariffId, mpid: step.mpid }];
    });
  }

  private async linksOf(tariffIds: readonly string[]): Promise<TariffLinks> {
    if (tariffIds.length === 0) return new Map();
    const rows = await this.rows<LinkRow>('tariff_links', LINKS, [[...new Set(tariffIds)]]);
    const replacements = new Map(rows.map((row) => [row.replaces, row]));
    return new Map(
      rows.map((row): [string, TariffLink] => [row.tariffId, linkOf(row, replacements.get(row.tariffId))]),
    );
  }

  private async rows<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    return (await this.database.pool.query<Row>({ name, text, values })).rows;
  }
}

function linkOf({ validFrom, validTo }: LinkRow, replacement: LinkRow | undefined): TariffLink {
  const replacedBy = replacement && {
    tariffId: replacement.tariffId,
    takesEffectAt: takesEffectAt(replacement.validFrom, replacement.publishedAt),
  };
  return { validFrom, validTo, replacedBy: replacedBy ?? null };
}
