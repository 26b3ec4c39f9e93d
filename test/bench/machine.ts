import { availableParallelism } from 'node:os';

/** Milliseconds of work that measure the machine. */
const TRIAL = 300;
/** Minimum share of a processor; a process with less shares it with others. */
const QUIET = 0.9;

/** Returns one line on the machine's load at the start of a run, by which its figures can be judged. */
export function machineLine(): string {
  const share = shareOfProcessor();
  const state = share < QUIET ? 'BUSY: ratios hold roughly, tails of times do not' : 'quiet';
  return `machine: ${availableParallelism()} processors, of which a process gets ${share.toFixed(2)}: ${state}`;
}

function shareOfProcessor(): number {
  const [begin, used] = [performance.now(), process.cpuUsage()];
  while (performance.now() - begin < TRIAL);
  const { user, system } = process.cpuUsage(used);
  return Math.min(1, (user + system) / 1000 / (performance.now() - begin));
}
