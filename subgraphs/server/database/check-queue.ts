import { RegisterError } from '../../../schema/register-error';

/** As long as a statement waits for a session of the pool. */
const MAX_WAIT_MS = 3_000;

type Admit = () => void;

/** Admits a few checks at a time, because each one holds a session of the pool and locks. The owners of waiting checks take turns. */
export class CheckQueue {
  private readonly waiting = new Map<string, Admit[]>();
  private running = 0;

  constructor(private readonly maxRunning: number) {}

  /** Waits until a check of this owner may start. Throws SYS002 after three seconds. */
  async enter(owner: string): Promise<void> {
    if (this.running < this.maxRunning) {
      this.running += 1;
      return;
    }
    const queue = this.waiting.get(owner) ?? [];
    this.waiting.set(owner, queue);
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(admit), 1);
        if (queue.length === 0) this.waiting.delete(owner);
        reject(new RegisterError('SYS002'));
      }, MAX_WAIT_MS);
      queue.push(admit);
    });
  }

  /** Ends a check that was admitted: the next one starts. */
  leave(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.running -= 1;
      return;
    }
    const [owner, queue] = next;
    const admit = queue.shift() as Admit;
    this.waiting.delete(owner);
    if (queue.length > 0) this.waiting.set(owner, queue);
    admit();
  }
}
