import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * A change of a supplier's issuer ends its earlier consents: their consumers, whom only the former issuer names, could not withdraw them. The
 * consents are revoked in steps, as after a removal.
 */
export class TariffConsentsOfFormerIssuers1790000000021 extends ForwardMigration {
  readonly statements = ['set local search_path = tariffs, register', END, KIND, CHANGE];
}

/** Not checked for former rows, which a stricter constraint has checked; so is the next one. */
const END = `
  alter table tariff_consent drop constraint tariff_consent_revoked_by_check;
  alter table tariff_consent add constraint tariff_consent_revoked_by_check
    check (revoked_by in ('consumer', 'admin', 'rti_user_removed', 'supplier_removed', 'issuer_changed')) not valid`;

const KIND = `
  alter table tariff_effect drop constraint of_its_kind;
  alter table tariff_effect add constraint of_its_kind check (case
    when kind = 'step' then num_nonnulls(step_id, mpxn_hash) = 2 and num_nonnulls(tariff_id, mpid, user_id, consent_id) = 0
    when kind = 'recheck' then mpxn_hash is not null and num_nonnulls(step_id, tariff_id, mpid, user_id, consent_id) = 0
    when kind in ('replacement', 'validity')
      then tariff_id is not null and num_nonnulls(step_id, mpxn_hash, mpid, user_id, consent_id) = 0
    when kind in ('supplier.removed', 'issuer.changed')
      then mpid is not null and num_nonnulls(step_id, mpxn_hash, tariff_id, user_id, consent_id) = 0
    when kind = 'rti_user.removed' then user_id is not null and num_nonnulls(step_id, mpxn_hash, tariff_id, mpid, consent_id) = 0
    when kind = 'consent.revoked' then consent_id is not null and num_nonnulls(step_id, mpxn_hash, tariff_id, mpid, user_id) = 0
    else false end) not valid`;

const CHANGE = `
  create function plan_change_of_issuer() returns trigger language plpgsql set search_path = tariffs, register, pg_temp as $$
    begin
      insert into tariff_effect (kind, due_at, mpid) values ('issuer.changed', register_now(), new.mpid);
      return null;
    end $$;
  create trigger issuer_changed after update of issuer on supplier for each row
    when (old.issuer is distinct from new.issuer) execute function plan_change_of_issuer()`;
