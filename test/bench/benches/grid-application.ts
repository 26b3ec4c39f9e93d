import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generatedBaseModel, generatedProject } from '../../support/generated-grid-model';
import { appliedStatements } from '../applied-grid';
import type { Bench } from '../bench-context';
import { LIMITS } from '../limits';
import { progress } from '../progress';
import { median } from '../rounds';
import { type Measurement, rounded } from '../verdict';
import { CHUNK, countElements, processorSeconds } from './grid';

const MEGABYTE = 1_000_000;
const PROJECT_BYTES = 10 * MEGABYTE;
const BASE_BYTES = 100 * MEGABYTE;

/** Number of measured rounds, after one for warm-up. */
const ROUNDS = 3;

/**
 * Applies a project to a base model, against an XML parser that only counts elements of both files; and measures its
 * memory.
 */
export const gridBase: Bench = async () => {
  const project = generatedProject(PROJECT_BYTES);
  const base = generatedBaseModel(BASE_BYTES);
  return [await applying(project, base), await memory(project, base)];
};

async function applying(project: Buffer, base: Buffer): Promise<Measurement> {
  const rounds: { product: number; counting: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const counting = processorSeconds(() => countElements(project) + countElements(base));
    const product = await secondsOfApplying(project, base);
    if (round > 0) rounds.push({ product, counting });
    progress(`grid-base, round ${round + 1} of ${ROUNDS + 1}: ${rounded(counting / product)}`);
  }
  return {
    name: 'grid-base',
    ratio: median(rounds.map(({ product, counting }) => counting / product)),
    baseline: 'saxes-counting-both',
    limit: LIMITS['grid-base'],
    beside: {
      'project-MB': rounded(project.length / MEGABYTE),
      'base-MB': rounded(base.length / MEGABYTE),
      'cpu-seconds': rounded(median(rounds.map(({ product }) => product))),
    },
  };
}

async function secondsOfApplying(project: Buffer, base: Buffer): Promise<number> {
  const begin = process.cpuUsage();
  const { statements } = await appliedStatements(chunksOf(project), chunksOf(base));
  if (statements === 0) throw new Error('nothing was applied');
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let begin = 0; begin < bytes.length; begin += CHUNK) yield bytes.subarray(begin, begin + CHUNK);
}

/** Maximum bytes of the whole process (issue 17, "Figures"). */
const MAX_RESIDENT = 400 * MEGABYTE;

async function memory(project: Buffer, base: Buffer): Promise<Measurement> {
  const fixture = await mkdtemp(join(tmpdir(), 'grid-'));
  try {
    const paths = [join(fixture, 'project.xml'), join(fixture, 'base.xml')] as const;
    await writeFile(paths[0], project);
    await writeFile(paths[1], base);
    const script = join(__dirname, '..', 'grid-base-memory.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, script, ...paths]);
    const { peak, findings } = JSON.parse(stdout) as { peak: number; findings: number };
    return {
      name: 'grid-base-memory',
      ratio: MAX_RESIDENT / peak,
      baseline: '400-MB',
      limit: LIMITS['grid-base-memory'],
      beside: { 'resident-MB': rounded(peak / MEGABYTE), findings },
    };
  } finally {
    await rm(fixture, { recursive: true });
  }
}
