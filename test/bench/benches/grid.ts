import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SaxesParser } from 'saxes';
import { KNOWN_PROFILES } from '../../../subgraphs/grid-models/rdf/member-profiles';
import type { ModelSink } from '../../../subgraphs/grid-models/rdf/model-sink';
import { differenceModelReader } from '../../../subgraphs/grid-models/rdf/read-difference-model';
import { generatedGridModel } from '../../support/generated-grid-model';
import type { Bench } from '../bench-context';
import { LIMITS } from '../limits';
import { progress } from '../progress';
import { median } from '../rounds';
import { type Measurement, rounded } from '../verdict';

const MEGABYTE = 1_000_000;

/** Number of measured rounds, after two for warm-up; the median of their ratios is the result. */
const ROUNDS = 7;
const WARM_UPS = 2;

/** Size of the streamed file; its peak memory is measured in a separate process. */
const MEMORY_FILE = 50 * MEGABYTE;

/**
 * Reads difference models from bytes to items, against the same XML parser that only counts; and measures its memory.
 */
export const grid: Bench = async () => [parsing('grid-10', 10), parsing('grid-50', 50), await memory()];

function parsing(name: string, megabytes: number): Measurement {
  const bytes = generatedGridModel(megabytes * MEGABYTE);
  const rounds: { product: number; counting: number }[] = [];
  for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
    const counting = processorSeconds(() => countElements(bytes));
    const product = processorSeconds(() => readItems(bytes));
    if (round >= WARM_UPS) rounds.push({ product, counting });
    progress(`${name}, round ${round + 1} of ${WARM_UPS + ROUNDS}: ${rounded(counting / product)}`);
  }
  const perSecond = (seconds: readonly number[]) => rounded(bytes.length / MEGABYTE / median(seconds));
  return {
    name,
    ratio: median(rounds.map(({ product, counting }) => counting / product)),
    baseline: 'saxes-counting',
    limit: LIMITS[name],
    beside: {
      megabytes: rounded(bytes.length / MEGABYTE),
      'megabytes-per-cpu-second': `${perSecond(rounds.map(({ product }) => product))}:${perSecond(rounds.map(({ counting }) => counting))}`,
    },
  };
}

/** Counts elements by saxes with namespaces. */
export function countElements(bytes: Buffer): number {
  const parser = new SaxesParser({ xmlns: true });
  let count = 0;
  parser.on('opentag', () => void (count += 1));
  parser.on('closetag', () => void (count += 1));
  parser.on('text', () => void (count += 1));
  for (let begin = 0; begin < bytes.length; begin += CHUNK) parser.write(bytes.toString('utf8', begin, begin + CHUNK));
  parser.close();
  return count;
}

/** Chunk size of a disk or a socket. A cut within a character of the generated file only changes that character. */
export const CHUNK = 65_536;

function readItems(bytes: Buffer): number {
  let statements = 0;
  const sink: ModelSink = {
    precondition: () => undefined,
    section: () => undefined,
    item: (_, item) => void (statements += item.statements.length),
    header: () => undefined,
    fault: ({ line, message }) => {
      throw new Error(`the generated file is at fault in line ${line}: ${message}`);
    },
  };
  const reader = differenceModelReader(sink, { file: 'EQ', profiles: KNOWN_PROFILES });
  for (let begin = 0; begin < bytes.length; begin += CHUNK) reader.write(bytes.subarray(begin, begin + CHUNK));
  reader.end();
  return statements;
}

/** Returns the seconds of processor time of work that returns how much it has read. */
export function processorSeconds(work: () => number): number {
  const begin = process.cpuUsage();
  if (work() === 0) throw new Error('nothing was read');
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}

async function memory(): Promise<Measurement> {
  const fixture = await mkdtemp(join(tmpdir(), 'grid-'));
  try {
    const path = join(fixture, 'EQ.xml');
    await writeFile(path, generatedGridModel(MEMORY_FILE));
    const script = join(__dirname, '..', 'grid-memory.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, script, path]);
    const { idle, peak } = JSON.parse(stdout) as { idle: number; peak: number };
    const above = peak - idle;
    return {
      name: 'grid-memory',
      ratio: MOST_ABOVE / above,
      baseline: '150-MB-above-idle',
      limit: LIMITS['grid-memory'],
      beside: { 'idle-MB': rounded(idle / MEGABYTE), 'above-MB': rounded(above / MEGABYTE) },
    };
  } finally {
    await rm(fixture, { recursive: true });
  }
}

const MOST_ABOVE = 150 * MEGABYTE;
