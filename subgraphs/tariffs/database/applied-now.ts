/**
 * The tariffs that apply now to MPxNs at one supplier, as a part of a `with recursive`: `applied_now (mpxn_hash, tariff_id)`, without those
 * to whom none applies. It is the rule of `domain/applied-tariff.ts` for many at once, in the statement that also asks who may know.
 *
 * @param points a query of distinct values of `mpxn_hash`
 * @param mpid the supplier, as an expression
 */
export const appliedNow = (points: string, mpid: string): string => `
  chain (mpxn_hash, tariff_id, length) as (
    select point.mpxn_hash, step.tariff_id, 0 from (${points}) point cross join lateral (
      select tariff_id, mpid from tariff_step
      where tariff_step.mpxn_hash = point.mpxn_hash and withdrawn_at is null and tariff_step.valid_from <= register_now()
      order by tariff_step.valid_from desc limit 1) step
    where step.mpid = ${mpid}
    union all
    select chain.mpxn_hash, next.tariff_id, length + 1 from chain join tariff next on next.replaces = chain.tariff_id
    where greatest(next.valid_from, next.published_at) <= register_now()),
  applied_now as (
    select present.mpxn_hash, tariff_id
    from (select distinct on (mpxn_hash) mpxn_hash, tariff_id from chain order by mpxn_hash, length desc) present
      join tariff using (tariff_id)
    where tariff.valid_from <= register_now() and (tariff.valid_to is null or tariff.valid_to > register_now()))`;
