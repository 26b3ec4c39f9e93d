import type { Database } from '../../server/database';

/** Whether a pending `delivery` was never attempted: an attempt on the way to a later delivery does not count in it, but is noted. */
export const IS_UNATTEMPTED = `(delivery.attempt = 0 and delivery.redelivered_at is null and (
    select min(number) from delivery_attempt made
    where made.endpoint_id = delivery.endpoint_id and made.event_id = delivery.event_id) is null)`;

/**
 * A revocation is told at once, and the end of a supplier whatever its status (`deliveryStanding`): they are known by the urgency and by
 * the lane with which they are planned.
 */
const UNATTEMPTED = `
  select coalesce(extract(epoch from register_now() - min(delivery.created_at)), 0)::float8 as seconds
  from delivery join webhook on webhook.id = delivery.endpoint_id join rti_user using (user_id) join supplier using (mpid)
  where state = 'pending' and deleted_at is null and ${IS_UNATTEMPTED}
    and (urgent or rti_user.status = 'active' and (subject = 'cessation' or supplier.status = 'active'))`;

/** Seconds since the oldest delivery was planned that waits for its first attempt, though nobody is suspended; 0 without one. */
export async function unattemptedSeconds({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(UNATTEMPTED);
  return rows[0]?.seconds ?? 0;
}
