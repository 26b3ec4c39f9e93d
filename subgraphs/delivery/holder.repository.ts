import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { type LockSession, openLockSession } from '../server/lock-session';

/** The name in which this process holds slots. While it lives it has an advisory lock of that name: when the lock is free, it is dead. */
export interface Holder {
  /** The present name, as soon as there is one. */
  name(): Promise<string>;
  /** Whether what was taken in a name is still ours. */
  isPresent(name: string): boolean;
  end(): Promise<void>;
}

/** Milliseconds until the next try to connect. */
const AGAIN_AFTER = 250;

/** Takes a name and its lock; when the connection is lost, another one. */
export async function beginHolding(config: ClientConfig): Promise<Holder> {
  const stopping = new AbortController();
  let present: { readonly name: string; readonly session: LockSession } | undefined;
  let coming: Promise<string>;
  const take = async (): Promise<string> => {
    const name = `deliveries-${randomUUID()}`;
    const session = await openLockSession(config);
    try {
      await session.hold(name);
    } catch (error) {
      await session.end();
      throw error;
    }
    present = { name, session };
    void session.over.then(() => {
      if (present?.session !== session) return;
      present = undefined;
      coming = takeAgain();
      coming.catch(() => undefined); // told to whoever asks for the name
    });
    return name;
  };
  const takeAgain = async (): Promise<string> => {
    for (;;) {
      if (stopping.signal.aborted) throw new Error('deliveries have stopped');
      const name = await take().catch(() => undefined);
      if (name !== undefined) return name;
      await wait(AGAIN_AFTER);
    }
  };
  coming = take();
  await coming;
  return {
    name: () => (present ? Promise.resolve(present.name) : coming),
    isPresent: (name) => present?.name === name,
    async end() {
      stopping.abort();
      const last = present;
      present = undefined;
      await last?.session.end();
    },
  };
}
