import type { Session } from '../../server/database/transaction';
import type { TariffLink, TariffLinks } from '../assignments/applied-tariff';
import { takesEffectAt } from '../assignments/assignment-history';

interface LinkRow {
  readonly tariffId: string;
  readonly replaces: string | null;
  readonly validFrom: Date;
  readonly validTo: Date | null;
  readonly publishedAt: Date;
}

const LINKS = {
  name: 'tariff_links',
  text: `with recursive link as (
      select tariff_id, replaces, valid_from, valid_to, published_at from tariff where tariff_id = any($1::text[])
      union
      select next.tariff_id, next.replaces, next.valid_from, next.valid_to, next.published_at
      from link join tariff next on next.replaces = link.tariff_id
    )
    select tariff_id as "tariffId", replaces, valid_from as "validFrom", valid_to as "validTo", published_at as "publishedAt" from link`,
};

/** Returns the validity and the replacement of each given tariff, and of all tariffs that replace it directly or indirectly. */
export async function tariffLinks(session: Session, tariffIds: readonly string[]): Promise<TariffLinks> {
  if (tariffIds.length === 0) return new Map();
  const { rows } = await session.query<LinkRow>({ ...LINKS, values: [[...new Set(tariffIds)]] });
  const replacements = new Map(rows.map((row) => [row.replaces, row]));
  return new Map(rows.map((row): [string, TariffLink] => [row.tariffId, linkOf(row, replacements.get(row.tariffId))]));
}

function linkOf({ validFrom, validTo }: LinkRow, replacement: LinkRow | undefined): TariffLink {
  const replacedBy = replacement && {
    tariffId: replacement.tariffId,
    takesEffectAt: takesEffectAt(replacement.validFrom, replacement.publishedAt),
  };
  return { validFrom, validTo, replacedBy: replacedBy ?? null };
}
