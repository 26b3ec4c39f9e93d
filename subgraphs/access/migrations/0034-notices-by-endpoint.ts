import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/**
 * The fan-out of a notice of expiry, which is an event for one subscription, does not read the other subscriptions of the Data User. A process
 * of the previous release calls the same function.
 */
export class NoticesByEndpoint1790000000034 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', RECEIVERS, TEMPORARY_OBJECTS_LAST('access')];
}

/**
 * As before: the subscriptions of the event's Data User that want its type; of an event for one subscription that one, whatever it wants. One
 * of the two parts returns nothing, without reading.
 */
const RECEIVERS = `
  create or replace function receivers_of(event text, only_endpoint uuid) returns setof uuid language sql stable as $$
    select webhook.id from (select type, duid from access.event where id = $1 offset 0) occurrence
      join access.webhook on webhook.duid = occurrence.duid
    where $2 is null and webhook.deleted_at is null and occurrence.type = any(webhook.event_types)
    union all
    select webhook.id from access.event occurrence join access.webhook using (duid)
    where occurrence.id = $1 and webhook.id = $2 and webhook.deleted_at is null $$`;
