import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { FROM_SOURCES } from '../../support/run/product-command';

const PROCESSES = 6;

/** Says that it is loaded, waits for the end of its input, and prints the keys. */
const READ_KEYS = `
  const { sandboxKeyVariables } = require(${JSON.stringify(join(REPOSITORY_ROOT, 'sandbox/keys'))});
  process.stderr.write('loaded');
  process.stdin.resume().on('end', () => console.log(JSON.stringify(sandboxKeyVariables(process.argv[1]))));`;

describe('The keys of a sandbox', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'register-keys-'));
  const processes: ChildProcessWithoutNullStreams[] = [];
  afterAll(() => {
    for (const each of processes) each.kill();
    rmSync(dataDir, { recursive: true });
  });

  it('are the same for all processes that start at the same time', async () => {
    for (let each = 0; each < PROCESSES; each += 1)
      processes.push(spawn(process.execPath, [...FROM_SOURCES, '-e', READ_KEYS, dataDir]));
    await Promise.all(processes.map(({ stderr }) => once(stderr, 'data')));
    const printed = processes.map(({ stdout }) => text(stdout));
    for (const { stdin } of processes) stdin.end();
    const [first, ...others] = await Promise.all(printed);
    expect(JSON.parse(first as string)).toHaveProperty('TOKEN_SIGNING_KEYS');
    expect(others).toEqual(Array(PROCESSES - 1).fill(first));
    expect(readdirSync(dataDir)).toEqual(['keys.json']);
  });
});
