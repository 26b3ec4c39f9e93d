import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/**
 * A consent states the issuer under which it was given, so that a change of the supplier's issuer revokes it whatever the clock shows. A tariff
 * has at most one scheduled change for its end: another end cancels it, so that moving an end often does not delay other events.
 */
export class TariffIssuersOfConsents1790000000022 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    ISSUER,
    CHANGES_OF_TARIFF,
    CHANGE_OF_END,
    FORMER_ENDS,
    TEMPORARY_OBJECTS_LAST('tariffs'),
  ];
}

/** Null for the consents of earlier releases. */
const ISSUER = 'alter table tariff_consent add column issuer text';

const CHANGES_OF_TARIFF = `
  create index tariff_effect_of_tariff on tariff_effect (tariff_id, due_at)
    where tariff_id is not null and done_at is null and cancelled_at is null`;

/**
 * An end moves only before it passes, and no change is applied until the move is committed: what is cancelled has not begun. The end of a
 * clock that is set back may have begun: at that instant the tariff applies again, so that nothing is left to publish.
 */
const CHANGE_OF_END = `
  create or replace function plan_validity_of_tariff() returns trigger language plpgsql
    set search_path = tariffs, register, pg_temp as $$
    begin
      if tg_op = 'UPDATE' then
        update tariff_effect set cancelled_at = register_now()
        where tariff_id = new.tariff_id and kind = 'validity' and due_at = old.valid_to and done_at is null and cancelled_at is null;
      end if;
      insert into tariff_effect (kind, due_at, tariff_id)
      select 'validity', instant, new.tariff_id
      from unnest(array[new.valid_to, case when tg_op = 'INSERT' and new.replaces is null then new.valid_from end]) instant
      where instant > register_now();
      return null;
    end $$`;

/** Cancels the changes at former ends, and all but the first of those at the same end. */
const FORMER_ENDS = `
  update tariff_effect effect set cancelled_at = register_now() from tariff
  where tariff.tariff_id = effect.tariff_id and kind = 'validity' and done_at is null and cancelled_at is null
    and due_at > register_now()
    and (due_at not in (valid_from, coalesce(valid_to, 'infinity'))
      or exists (select from tariff_effect former
        where former.tariff_id = effect.tariff_id and former.kind = 'validity' and former.due_at = effect.due_at
          and former.id < effect.id and former.done_at is null and former.cancelled_at is null))`;
