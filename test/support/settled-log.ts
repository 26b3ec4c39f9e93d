import { Client } from 'pg';
import { until } from './until';

type Session = Pick<Client, 'query'>;

/**
 * Reports whether readers of the event log receive every event: transactions of other databases of the server delay
 * events, too.
 */
async function isLogSettled(session: Session): Promise<boolean> {
  const { rows } = await session.query(
    'select from access.event where (era, tx) >= (access.event_era(), pg_snapshot_xmin(pg_current_snapshot())) limit 1',
  );
  return rows.length === 0;
}

/** Waits until readers receive all events. */
export function logSettled(session: Session): Promise<boolean> {
  return until(async () => (await isLogSettled(session)) || undefined);
}

/** Waits until readers receive all events of a register. */
export async function logOfRegisterSettled({ databaseUrl }: { readonly databaseUrl: string }): Promise<void> {
  const session = new Client({ connectionString: databaseUrl });
  await session.connect();
  try {
    await logSettled(session);
  } finally {
    await session.end();
  }
}
