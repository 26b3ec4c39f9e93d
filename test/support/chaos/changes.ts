import { setTimeout as pause } from 'node:timers/promises';
import { graphOf } from '../graph';
import { consentRecord } from '../records';
import type { ChaosRoom } from './chaos-room';

/** What was acknowledged to callers: nothing of it may be missing in the end. */
export interface Acknowledged {
  /** Access keys of registered records. */
  readonly registered: string[];
  /** Access keys of records that their Data User revoked. */
  readonly revoked: string[];
  /** Access keys of records whose consent the customer withdrew. */
  readonly withdrawn: string[];
}

/** Milliseconds between two attempts while a part of the register is away. */
const PAUSE = 100;
const AT_ONCE = 8;
const DAY = 86_400_000;

const WITHDRAW = 'mutation ($id: ID!) { withdrawConsent(id: $id) { revokedAt } }';
const RECORD_ID = `select r.id from access.access_record r
  join access.access_record_transition t on t.record_id = r.id and t.number = 1
  where r.document->>'purpose' = $1`;

/**
 * So many registrations, each of which fires `consent.expiring` at once; of four records one is then revoked by its Data User and one
 * withdrawn by the customer. Callers ask again until they are answered, as good callers do.
 */
export async function makeChanges(room: ChaosRoom, count: number): Promise<Acknowledged> {
  const done: Acknowledged = { registered: [], revoked: [], withdrawn: [] };
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const number = next++;
      const key = await registered(room, number);
      done.registered.push(key);
      if (number % 4 === 1) done.revoked.push(await revoked(room, key));
      if (number % 4 === 2) done.withdrawn.push(await withdrawn(room, key, number));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return done;
}

const purposeOf = (number: number): string => `Chaos ${number}`;

function registered({ dataUser, customer }: ChaosRoom, number: number): Promise<string> {
  const record = consentRecord(customer.ir, { purpose: purposeOf(number) });
  const expiry = new Date(Date.now() + 20 * DAY).toISOString();
  const body = { ...record, 'access-event': { ...record['access-event'], expiry } };
  return untilAnswered(async () => {
    const answer = await dataUser.rest('POST', '/v1/access-records', body, { 'idempotency-key': `chaos-${number}` });
    return answer.status === 201 ? String(answer.body['access-token'].key) : undefined;
  });
}

/** A repeat of a revocation whose answer was lost finds the record no longer ACTIVE. */
function revoked({ dataUser }: ChaosRoom, key: string): Promise<string> {
  return untilAnswered(async () => {
    const { status } = await dataUser.rest('DELETE', `/v1/access-records/${key}`);
    return status === 200 || status === 409 ? key : undefined;
  });
}

async function withdrawn(room: ChaosRoom, key: string, number: number): Promise<string> {
  const graph = graphOf(room.register, room.session);
  const id = await untilAnswered(async () => (await room.rows<{ id: string }>(RECORD_ID, [purposeOf(number)]))[0]?.id);
  return untilAnswered(async () => {
    const { data, errors } = await graph(WITHDRAW, { id });
    return data?.withdrawConsent != null || errors[0]?.extensions.code === 'CNF001' ? key : undefined;
  });
}

/** Asks until there is an answer: while services start again, connections are refused or torn. */
async function untilAnswered<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) return answer;
    await pause(PAUSE);
  }
}
