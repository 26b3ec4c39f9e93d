import { readFileSync, readdirSync } from 'node:fs';

/** Clock ticks of `/proc`: 100 a second on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time that processes have used. Undefined where there is no `/proc`: then only requests per second compare. */
export type ProcessorClock = () => number | undefined;

/** The clock of some processes: their own time, without their children. */
export function processesClock(pids: readonly number[]): ProcessorClock {
  return () => sum(pids.map((pid) => ticksOf(pid)?.own));
}

/** The clock of a PostgreSQL server: the postmaster, its living children, and those that have ended. */
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

/** Fields 4 and 14 to 17 of proc(5) `stat`; the name in field 2 may hold spaces and brackets. */
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
