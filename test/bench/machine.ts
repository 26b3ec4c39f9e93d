import { availableParallelism } from 'node:os';

/** Milliseconds of work by which the machine is tried. */
const TRIAL = 300;
/** A process that gets less of a processor than this shares it with others. */
const QUIET = 0.9;

/** What the machine can do at the start of a run, in one line: whether its figures are to be trusted. */
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
