import { readFileSync, readdirSync } from 'node:fs';

/** Clock ticks of `/proc`: 100 per second on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/**
 * Returns the seconds of processor time that processes have used; undefined without `/proc`, where only requests per
 * second are compared.
 */
export type ProcessorClock = () => number | undefined;

/** Returns the clock of processes: their own time, without their children. */
export function processesClock(pids: readonly number[]): ProcessorClock {
  return () => sum(pids.map((pid) => ticksOf(pid)?.own));
}

/** Returns the clock of a PostgreSQL server: the postmaster, its running children, and those that have ended. */
export function postgresClock(postmaster: number): ProcessorClock {
  return () => {
    const server = ticksOf(postmaster);
    if (!server) return undefined;
    const living = childrenOf(postmaster).map((pid) => ticksOf(pid)?.own ?? 0);
    return sum([server.own, server.endedChildren, ...living]);
  };
}

function sum(ticks: readonly (number | undefined)[]): number | undefined {
  let total = 0;
  for (const each of ticks) {
    if (each === undefined) return undefined;
    total += each;
  }
  return total / TICKS_PER_SECOND;
}

interface Ticks {
  readonly parent: number;
  readonly own: number;
  readonly endedChildren: number;
}

/** Reads fields 4 and 14 to 17 of proc(5) `stat`; the name in field 2 may contain spaces and brackets. */
function ticksOf(pid: number): Ticks | undefined {
  const stat = readProc(`${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const field = (number: number) => fields[number - 3] as number;
  return { parent: field(4), own: field(14) + field(15), endedChildren: field(16) + field(17) };
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => ticksOf(pid)?.parent === parent);
}

function readProc(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ESRCH')
      return undefined;
    throw error;
  }
}
