import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * A subscription of a Data User to the rarer types of events reads no others. The deliveries of an event are read through the subscriptions of
 * its Data User that were not deleted before it; their number is bounded.
 */
export class BoundedEventReads1790000000035 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    EVENTS_BY_RARER_TYPE,
    SUBSCRIPTIONS_BY_DELETION,
    LIMIT_OF_DELETED_SUBSCRIPTIONS,
  ];
}

/** Most events are registrations: they have no entry, so that a registration costs no more. */
const EVENTS_BY_RARER_TYPE = `
  create index event_of_data_user_by_rarer_type on event (duid, type, era, tx, position) where type <> 'access.registered'`;

const SUBSCRIPTIONS_BY_DELETION = `create index webhook_by_deletion on webhook (duid, coalesce(deleted_at, 'infinity'))`;

/** A Data User that deleted 1,000 subscriptions within a day registers no further one. Deletions are always possible. */
const LIMIT_OF_DELETED_SUBSCRIPTIONS = `
  create function limit_deleted_webhooks() returns trigger language plpgsql as $$
    begin
      if (select count(*) from access.webhook where duid = new.duid and deleted_at is not null
          and coalesce(deleted_at, 'infinity') > register.register_now() - interval '1 day') >= 1000 then
        raise exception 'a Data User deletes at most 1,000 subscriptions within a day'
          using errcode = 'check_violation', constraint = 'webhook_deletion_limit';
      end if;
      return new;
    end $$;
  create trigger most_deleted_webhooks before insert on webhook for each row execute function limit_deleted_webhooks()`;
